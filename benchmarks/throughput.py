"""Documents a second of reading, analysing, selecting and scoring, beside scikit-learn's equivalents in the same run.

- reading: a folder of text files by category, beside `load_files`
- analysing: letters, stop words and Porter to counts, beside `CountVectorizer` with PyStemmer, and with NLTK's Porter
- selecting: χ² of every term for every category and its maximum, beside `chi2`, which sums over the categories
- scoring: weights of all categories on all documents, beside `OneVsRestClassifier`

CPU time, best of five, one thread. The documents are those of `reuters90` in the folder that the environment variable
CLASSMARK_DATA names, or the embedded corpus. NLTK is left out where it is not installed.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import Stemmer
from scipy.sparse import csr_array
from sklearn.datasets import load_files
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import chi2
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits
from timing import in_turns

from classmark import Analyser, FlatClassifier, TermWeighting, TextVectoriser, load_docstrings, read_corpus
from classmark.data import Corpus
from classmark.labels import encode
from classmark.selection import score_pairs
from classmark.selection.scores import maximum
from classmark.text import STOP_WORDS


def documents() -> Corpus:
    """Give reuters90's training documents, or the embedded corpus."""
    folder = Path(os.environ.get("CLASSMARK_DATA", "")) / "reuters90"
    return read_corpus(folder).select(["train"]) if folder.is_dir() else load_docstrings()


def write_files(corpus: Corpus, folder: Path) -> None:
    """Write each document into the folder of its first label."""
    for number, (document, labels) in enumerate(zip(corpus.documents, corpus.labels, strict=True)):
        category = folder / (labels or ["none"])[0]
        category.mkdir(exist_ok=True)
        (category / f"{number}.txt").write_text(str(document), encoding="utf-8")


def counter(stem: Callable[[str], str]) -> CountVectorizer:
    """Give the usual vectoriser of scikit-learn with a stemmer behind its tokens."""
    plain = CountVectorizer(token_pattern=r"[^\W\d_]+", stop_words=sorted(STOP_WORDS["english"])).build_analyzer()
    return CountVectorizer(analyzer=lambda text: [stem(word) for word in plain(text)])


def report(what: str, n_documents: int, ours: float, theirs: dict[str, float]) -> None:
    """Print one line a peer."""
    for peer, seconds in theirs.items():
        print(
            f"{what:10} classmark {n_documents / ours:>9,.0f} documents/s   {peer:34} {n_documents / seconds:>9,.0f}"
            f"   ratio {seconds / ours:.2f}"
        )


def read_and_report(corpus: Corpus) -> None:
    """Compare reading."""
    with tempfile.TemporaryDirectory() as name:
        write_files(corpus, Path(name))
        ours, theirs = in_turns(lambda: read_corpus(name), lambda: load_files(name, encoding="utf-8", shuffle=False))
        report("reading", len(corpus), ours, {"load_files": theirs})


def analyse_and_report(texts: list[Any]) -> None:
    """Compare analysing."""
    works: dict[str, Callable[[], Any]] = {
        "": lambda: TextVectoriser(Analyser(stop_words="english", stemmer="porter")).fit_transform(texts),
        "CountVectorizer + PyStemmer": lambda: counter(Stemmer.Stemmer("porter").stemWord).fit_transform(texts),
    }
    try:
        from nltk.stem import PorterStemmer

        works["CountVectorizer + NLTK"] = lambda: counter(PorterStemmer().stem).fit_transform(texts)
    except ImportError:
        print("analysing: nltk is not installed, left out")
    times = dict(zip(works, in_turns(*works.values()), strict=True))
    report("analysing", len(texts), times.pop(""), times)


def select_and_report(X: csr_array, labels: csr_array) -> None:
    """Compare selecting."""
    dense = labels.toarray().astype(int)
    ours, theirs = in_turns(lambda: maximum(score_pairs(X, labels, "chi-square")), lambda: chi2(X, dense))
    report("selecting", X.shape[0], ours, {"chi2": theirs})


def score_and_report(X: csr_array, corpus: Corpus, labels: csr_array) -> None:
    """Compare scoring, with learners that learned the same."""
    mine = FlatClassifier(LinearSVC(random_state=0), hierarchy=corpus.hierarchy).fit(X, corpus.labels)
    peer = OneVsRestClassifier(LinearSVC(random_state=0)).fit(X, labels[:, mine.ends_].toarray().astype(int))
    ours, theirs = in_turns(lambda: mine.node_scores(X), lambda: peer.decision_function(X))
    assert np.allclose(mine.node_scores(X)[:, mine.ends_], peer.decision_function(X))
    report("scoring", X.shape[0], ours, {"OneVsRestClassifier(LinearSVC)": theirs})


def main() -> None:
    """Print all four."""
    corpus = documents()
    print(f"# throughput: {corpus!r}")
    read_and_report(corpus)
    analyse_and_report(list(corpus.documents))
    X = TextVectoriser(Analyser(stop_words="english", stemmer="porter")).fit_transform(corpus.documents)
    labels = encode(corpus.labels, corpus.hierarchy).indicator
    select_and_report(X, labels)
    score_and_report(TermWeighting().fit_transform(X), corpus, labels)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
