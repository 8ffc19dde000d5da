"""What `classmark train` gives without a flag: before and after its defaults were chosen, and beside scikit-learn.

`python benchmarks/defaults.py` prints hF on the split `test` of every corpus at hand (where there are thousands of
categories, some of the training documents are drawn), for three rows:

- scikit-learn: `TfidfVectorizer()`, one `LinearSVC()` for each node on labels closed upward, cut at 0;
- before: `linear-svm` as it was, single words without stop words, own labels alone, the best path or a threshold of 0;
- now: `linear-svm` as it is.

`python benchmarks/defaults.py choice` prints what the defaults were chosen by, without a look at any test document: hF
on a fifth of the training documents (at most 3,000 are drawn), for several ways to read text and to learn inner nodes,
and the mean loss of each against the best one of every corpus.

Further arguments name corpora. The corpora are the embedded docstrings and those in the folder that the environment
variable CLASSMARK_DATA names.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from scipy.sparse import csc_array, csr_array
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from classmark.data import Corpus, load_docstrings, read_corpus
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.metrics import hierarchical_scores
from classmark.pipeline import TextClassifier
from classmark.service.judging import evaluate_model

CORPORA = ("clinc150", "reuters90", "newsgroups20", "rcv1v2_sample", "medline_mesh", "wordnet_nouns")
WORDS: dict[str, Any] = {
    "language": "english", "stop_words": "language", "ngrams": 1, "sublinear": False,
}  # fmt: skip
BEFORE = WORDS | {"inner": "best", "prune": 0.0}
CHOICES: dict[str, dict[str, Any]] = {
    "as before": BEFORE,
    "as before, closed labels": WORDS,
    "+ sublinear": WORDS | {"sublinear": True},
    "+ stop words": WORDS | {"sublinear": True, "stop_words": None},
    "+ pairs that count half": {},
    "the same, pairs count whole": {"ngram_weight": 1.0},
    "the same, pairs of one document too": {"ngram_min_df": 1},
    "the same, no stems": {"stemmer": None},
    "the same, without stop words": {"stop_words": "language"},
    "the same, own labels alone": {"inner": "best"},
}
"""What was tried: counts as 1 + ln tf, stop words kept, pairs of words that stand in two documents at least."""
DOCUMENTS_TO_CHOOSE_BY = 3000
PAIRS_TO_LEARN_FROM = 20_000_000
"""How many pairs of a training document and a node there may be: one SVM for each of 17,157 nodes from 48,719 documents
takes a quarter of an hour and more, in each of the rows."""


def corpora(names: Sequence[str]) -> Iterator[tuple[str, Corpus]]:
    """Give the embedded corpus, and the others where they are at hand."""
    if not names or "docstrings" in names:
        yield "docstrings", load_docstrings()
    folder = os.environ.get("CLASSMARK_DATA")
    for name in CORPORA if folder else ():
        path = Path(str(folder), name)
        if path.is_dir() and (not names or name in names):
            yield name, read_corpus(path)


def plain(train: Corpus, test: Corpus) -> float:
    """Give the hF of the plain scikit-learn pipeline."""
    tree, closed = _closed(train)
    vectoriser = TfidfVectorizer()
    X, asked = vectoriser.fit_transform(train.documents), vectoriser.transform(test.documents)
    columns = csc_array(closed)
    with threadpool_limits(1):
        found = Parallel(n_jobs=-1)(delayed(_accepted)(X, columns[:, [node]], asked) for node in range(len(tree)))
    starts = np.cumsum([0, *(rows.size for rows in found)])
    parts = (np.ones(starts[-1], bool), np.concatenate(found), starts)
    predicted = csr_array(csc_array(parts, shape=(len(test), len(tree))))
    return hierarchical_scores(_closed(test, tree)[1], predicted, tree).hf


def _accepted(X: Any, column: Any, asked: Any) -> npt.NDArray[np.intp]:
    target = column.toarray().ravel()
    if target.all() or not target.any():
        return np.arange(asked.shape[0]) if target.all() else np.empty(0, np.intp)
    return np.flatnonzero(LinearSVC().fit(X, target).decision_function(asked) > 0)


def _closed(corpus: Corpus, tree: Hierarchy | None = None) -> tuple[Hierarchy, csr_array]:
    labels = encode([list(one or []) for one in corpus.labels], tree or corpus.hierarchy)
    return labels.hierarchy, labels.hierarchy.close(labels.indicator)


def ours(settings: dict[str, Any], decision: str | None = None) -> Callable[[Corpus, Corpus], float]:
    """Give what measures `linear-svm` with some settings."""

    def measured(train: Corpus, test: Corpus) -> float:
        model = TextClassifier("linear-svm", settings=settings, hierarchy=train.hierarchy, decision=decision, n_jobs=-1)
        with threadpool_limits(1):
            model.fit(train.documents, list(train.labels))
            print(f"  {model.classifier_.decision_reason_}", file=sys.stderr)
            return float(evaluate_model(model, test).figures["hierarchical"]["hf"])

    return measured


def before(train: Corpus, test: Corpus) -> float:
    """Give the hF of the defaults as they were."""
    own = _closed(train)
    one_each = bool((np.diff(own[0].own(own[1]).indptr) == 1).all())
    return ours(BEFORE, "best-path" if one_each else "threshold")(train, test)


ROWS = {"scikit-learn": plain, "before": before, "now": ours({})}


def table(names: Sequence[str]) -> None:
    """Print hF on the test splits, a row a corpus."""
    print(f"| corpus (training documents) | {' | '.join(ROWS)} |\n|---|{'--:|' * len(ROWS)}", flush=True)
    found = []
    for name, corpus in corpora(names):
        train, test = corpus.select(["train"]), corpus.select(["test"])
        most = PAIRS_TO_LEARN_FROM // len(_closed(train)[0])
        train = train if len(train) <= most else train.take(_drawn(len(train), most))
        found.append([row(train, test) for row in ROWS.values()])
        print(f"| {name} ({len(train):,}) | {' | '.join(f'{value:.3f}' for value in found[-1])} |", flush=True)
    print(f"| mean | {' | '.join(f'{value:.3f}' for value in np.mean(found, axis=0))} |")


def choice(names: Sequence[str]) -> None:
    """Print hF on a fifth of the training documents, a column a corpus, and the mean loss against the best."""
    parts = {name: _cut(corpus.select(["train"])) for name, corpus in corpora(names)}
    found = {label: [ours(settings)(*part) for part in parts.values()] for label, settings in CHOICES.items()}
    best = np.max(list(found.values()), axis=0)
    print(f"| linear-svm | {' | '.join(parts)} | mean loss |\n|---|{'--:|' * (len(parts) + 1)}")
    for label, values in found.items():
        print(f"| {label} | {' | '.join(f'{value:.3f}' for value in values)} | {np.mean(best - values):.4f} |")


def _drawn(documents: int, size: int) -> list[int]:
    return sorted(np.random.default_rng(0).permutation(documents)[:size].tolist())


def _cut(corpus: Corpus) -> tuple[Corpus, Corpus]:
    """Draw documents, and hold a fifth of them out."""
    labelled = [row for row, labels in enumerate(corpus.labels) if labels is not None]
    drawn = np.random.default_rng(0).permutation(labelled)[:DOCUMENTS_TO_CHOOSE_BY]
    fifth = drawn.size // 5
    return corpus.take(sorted(drawn[fifth:].tolist())), corpus.take(sorted(drawn[:fifth].tolist()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["choice"]:
        choice(sys.argv[2:])
    else:
        table(sys.argv[1:])
