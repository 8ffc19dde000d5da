"""Corpora made for experiments: other splits, fewer labels, synthetic documents; what the command line offers."""

from collections.abc import Callable
from dataclasses import replace

from classmark.data.corpus import Corpus
from classmark.data.splits import Shares, hide_labels, random_split, stratified_split, time_split
from classmark.data.synthetic import SyntheticData

SPLITS: dict[str, Callable[[Corpus, Shares, int], Corpus]] = {
    "random": lambda corpus, shares, seed: random_split(corpus, shares, seed=seed),
    "stratified": lambda corpus, shares, seed: stratified_split(corpus, shares, seed=seed),
    "ordered": lambda corpus, shares, _: time_split(corpus, shares, range(len(corpus))),
}
"""Ways to divide a corpus; `ordered` takes documents as they stand in the file, the earliest first."""


def resplit(corpus: Corpus, how: str, seed: int = 0) -> Corpus:
    """Divide a corpus anew, as the command line writes it: a way, then the parts and their shares.

    >>> corpus = Corpus(list("abcd"), ["text"] * 4, [["x"]] * 4, [None] * 4, None, "four")
    >>> resplit(corpus, "ordered,train=0.75,test=0.25").splits
    ['train', 'train', 'train', 'test']
    """
    way, *parts = how.split(",")
    if way not in SPLITS:
        raise ValueError(f"there is no way {way!r} to split; choose one of {', '.join(SPLITS)}")
    shares: dict[str, float] = {}
    for part in parts or ["train=0.8", "test=0.2"]:
        name, share = _part_of(part)
        if name in shares:
            raise ValueError(f"the part {name!r} stands twice; give each part one share")
        shares[name] = share
    return SPLITS[way](corpus, shares, seed)


def _part_of(text: str) -> tuple[str, float]:
    """Read the name of a part and its share."""
    name, _, share = text.partition("=")
    if not name.strip():
        raise ValueError(f"the part {text!r} has no name; write it as train=0.8")
    try:
        return name, float(share)
    except ValueError:
        raise ValueError(f"the part {text!r} has no share; write it as train=0.8") from None


def with_label_rate(corpus: Corpus, rate: float, seed: int = 0, split: str = "train") -> Corpus:
    """Keep the labels of a fraction of the training documents; the others become *not labelled*.

    >>> corpus = Corpus(list("abcd"), ["text"] * 4, [["x"]] * 4, ["train", "train", "test", "test"], None, "four")
    >>> with_label_rate(corpus, 0.5).labels.count(None)
    1
    """
    rows = [row for row, name in enumerate(corpus.splits) if name in (split, None)]
    hidden = hide_labels([corpus.labels[row] for row in rows], rate, seed=seed)
    labels = list(corpus.labels)
    for row, label in zip(rows, hidden, strict=True):
        labels[row] = label
    return replace(corpus, labels=labels)


def synthetic_corpus(data: SyntheticData) -> Corpus:
    """Give synthetic data as a corpus of ready-made features, the attributes numbered from 1."""
    documents: list[str | dict[str, float]] = []
    labels: list[list[str] | None] = []
    splits: list[str | None] = []
    for split, X, y in (("train", data.X_train, data.y_train), ("test", data.X_test, data.y_test)):
        for row, name in enumerate(y):
            present = X.indices[X.indptr[row] : X.indptr[row + 1]]
            documents.append({str(column + 1): 1.0 for column in present.tolist()})
            labels.append([str(name)])
            splits.append(split)
    ids = [str(number) for number in range(1, len(documents) + 1)]
    return Corpus(ids, documents, labels, splits, data.hierarchy, "synthetic data")
