"""BM25's two weights of a term, Robertson's and Lucene's, with two powers of the similarity, as one Markdown table.

Five folds of the training documents of each corpus, of more than 4,000 so many drawn at random: each fold is measured
on after learning from the other four. Test documents have no part in it. The corpora are the embedded docstrings and,
where the environment variable CLASSMARK_DATA names a folder that holds them, those of `CORPORA`. A cell has the share
of documents whose first category is right, and hF of the label sets.

    python benchmarks/idf.py                        all corpora
    python benchmarks/idf.py reuters90 clinc150     these alone
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from classmark.data import Corpus, load_docstrings, read_corpus
from classmark.data.splits import k_fold
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.metrics import summarise
from classmark.registry import find_method

CORPORA = ("reuters90", "newsgroups20", "rcv1v2_sample", "clinc150", "wordnet_nouns", "medline_mesh")
METHODS = ("knn-bm25", "knn-bm25-hier")
SETTINGS: tuple[dict[str, Any], ...] = (
    {"idf": "robertson", "alpha": 2.0},
    {"idf": "lucene", "alpha": 2.0},
    {"idf": "robertson", "alpha": 2.5},
    {"idf": "lucene", "alpha": 2.5},
)
MOST = 4_000
FOLDS = 5


def corpora() -> Iterator[tuple[str, Corpus]]:
    """Give the training documents of the embedded corpus, and of the others where they are at hand."""
    wanted = sys.argv[1:] or ("docstrings", *CORPORA)
    if "docstrings" in wanted:
        yield "docstrings", load_docstrings().select(["train"])
    folder = os.environ.get("CLASSMARK_DATA")
    for name in CORPORA if folder else ():
        path = Path(str(folder), name)
        if name in wanted and path.is_dir():
            yield name, read_corpus(path).select(["train"])


def drawn(corpus: Corpus) -> tuple[list[Any], list[list[str]], Hierarchy]:
    """Draw labelled documents; give them, their labels and the hierarchy."""
    labelled = [row for row, labels in enumerate(corpus.labels) if labels]
    rows = np.random.default_rng(0).permutation(labelled)[:MOST]
    labels = [list(corpus.labels[row] or ()) for row in rows]
    hierarchy = corpus.hierarchy or Hierarchy.flat(sorted({label for one in labels for label in one}))
    return [corpus.documents[row] for row in rows], labels, hierarchy


def measured(method: str, documents: list[Any], labels: list[list[str]], hierarchy: Hierarchy) -> list[str]:
    """Give the cells of a method, one for each of `SETTINGS`."""
    true = encode(labels, hierarchy).indicator
    _, text = find_method(method).configure({})
    counts = text.vectoriser().fit_transform(documents)
    figures = np.zeros((len(SETTINGS), 2))
    for learned, held_out in k_fold(len(documents), FOLDS):
        for place, settings in enumerate(SETTINGS):
            learner, _ = find_method(method).configure(settings)
            model = learner.build(None, None).set_params(hierarchy=hierarchy)
            model.fit(csr_array(counts[learned]), [labels[row] for row in learned])
            X = csr_array(counts[held_out])
            found = summarise(csr_array(true[held_out]), model.predict_indicator(X), model.predict_first(X), hierarchy)
            figures[place] += np.array([found["first"]["accuracy"], found["hierarchical"]["hf"]]) / FOLDS
    return [f"{first:.3f} / {hf:.3f}" for first, hf in figures]


def main() -> None:
    """Print the table, a row as soon as it is measured."""
    titles = [f"`{settings['idf']}`, {settings['alpha']}" for settings in SETTINGS]
    print(f"| corpus | method | {' | '.join(titles)} |\n|---|---|{'--:|' * len(SETTINGS)}")
    for name, corpus in corpora():
        documents, labels, hierarchy = drawn(corpus)
        for method in METHODS:
            cells = measured(method, documents, labels, hierarchy)
            print(f"| {name} | `{method}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
