"""Corpora with other splits or fewer labels, as `classmark convert` offers them."""

from collections.abc import Callable
from dataclasses import replace

from classmark.data.corpus import Corpus
from classmark.data.splits import Shares, group_split, hide_labels, random_split, stratified_split, time_split
from classmark.errors import InputError

SPLITS: dict[str, Callable[[Corpus, Shares, int], Corpus]] = {
    "random": lambda corpus, shares, seed: random_split(corpus, shares, seed=seed),
    "stratified": lambda corpus, shares, seed: stratified_split(corpus, shares, seed=seed),
    "ordered": lambda corpus, shares, _: time_split(corpus, shares, range(len(corpus))),
}
"""Ways to divide a corpus; `ordered` takes documents as they stand in the file, the earliest first."""


FIELD_SPLITS: dict[str, Callable[[Corpus, Shares, int], Corpus]] = {
    "group": lambda corpus, shares, seed: group_split(corpus, shares, seed=seed),
    "time": lambda corpus, shares, _: time_split(corpus, shares),
}
"""Ways to divide a corpus by its `fields`."""
PARTS = {2: ("train", "test"), 3: ("train", "validation", "test")}
"""What two or three shares are for where nobody says so."""


def resplit(corpus: Corpus, how: str, seed: int = 0, *, by: str | None = None) -> Corpus:
    """Divide a corpus anew, as the command line writes it: a way, then the parts and their shares.

    The way is `random` where none is written. `by` is a way that divides by the corpus's `fields`, `group` or `time`.

    >>> corpus = Corpus(list("abcd"), ["text"] * 4, [["x"]] * 4, [None] * 4, None, "four")
    >>> resplit(corpus, "ordered,train=0.75,test=0.25").splits
    ['train', 'train', 'train', 'test']
    >>> resplit(corpus, "ordered,50/25/25").splits
    ['train', 'train', 'validation', 'test']
    """
    way, *parts = how.split(",")
    if not way or set(way) & set("=/"):
        way, parts = "", [way, *parts] if way else parts
    if way and way not in SPLITS:
        raise InputError(f"there is no way {way!r} to split; choose one of {', '.join(SPLITS)}")
    if way and by:
        raise InputError(f"{way!r} is one way to split and by {by} is another; leave one out")
    split = FIELD_SPLITS[by] if by else SPLITS[way or "random"]
    return split(corpus, _shares(parts or ["80/20"]), seed)


def _shares(parts: list[str]) -> dict[str, float]:
    """Read parts and their shares: names with numbers, or percentages alone."""
    if len(parts) == 1 and "/" in parts[0]:
        return _percentages(parts[0])
    shares: dict[str, float] = {}
    for part in parts:
        name, share = _part_of(part)
        if name in shares:
            raise InputError(f"the part {name!r} stands twice; give each part one share")
        shares[name] = share
    return shares


def _percentages(text: str) -> dict[str, float]:
    """Read two or three percentages.

    >>> _percentages("80/20")
    {'train': 0.8, 'test': 0.2}
    """
    numbers = text.split("/")
    if len(numbers) not in PARTS or not all(number.strip().isdecimal() for number in numbers):
        raise InputError(f"the shares {text!r} cannot be read; write two or three percentages, such as 80/20")
    return {name: int(number) / 100 for name, number in zip(PARTS[len(numbers)], numbers, strict=True)}


def _part_of(text: str) -> tuple[str, float]:
    """Read the name of a part and its share."""
    name, _, share = text.partition("=")
    if not name.strip():
        raise InputError(f"the part {text!r} has no name; write it as train=0.8")
    try:
        return name, float(share)
    except ValueError:
        raise InputError(f"the part {text!r} has no share; write it as train=0.8") from None


def with_label_rate(corpus: Corpus, rate: float, seed: int = 0) -> Corpus:
    """Keep the labels of a fraction of the training documents; the others become *not labelled*.

    >>> corpus = Corpus(list("abcd"), ["text"] * 4, [["x"]] * 4, ["train", "train", "test", "test"], None, "four")
    >>> with_label_rate(corpus, 0.5).labels.count(None)
    1
    """
    rows = [row for row, name in enumerate(corpus.splits) if name in ("train", None)]
    hidden = hide_labels([corpus.labels[row] for row in rows], rate, seed=seed)
    labels = list(corpus.labels)
    for row, label in zip(rows, hidden, strict=True):
        labels[row] = label
    return replace(corpus, labels=labels)
