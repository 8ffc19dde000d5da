"""What the settings of neighbour classifiers may be, as a table; checked at the top of `fit`."""

from typing import Any

from classmark.checks import Allowed, is_number, is_whole
from classmark.neighbours.scoring import IDFS, SCORINGS


def _is_count(value: Any) -> bool:
    return is_whole(value) and bool(value >= 1)


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 1


def _from_zero(value: Any) -> bool:
    return is_number(value) and value >= 0


BM25_SCORINGS: tuple[str, ...] = tuple(name for name, scoring in SCORINGS.items() if not scoring.is_overlap)

ALLOWED: Allowed = {
    "k": (_is_count, "a whole number from 1"),
    "alpha": (_from_zero, "a number from 0"),
    "k1": (_from_zero, "a number from 0"),
    "b": (_is_share, "a number from 0 to 1"),
    "scoring": (lambda value: value in BM25_SCORINGS, "okapi or printed"),
    "idf": (lambda value: value in tuple(IDFS), "robertson or lucene"),
    "terms": (lambda value: value is None or _is_count(value), "a whole number from 1, or None for all documents"),
    "thresholds": (
        lambda value: isinstance(value, tuple | list) and len(value) > 0 and all(map(_is_share, value)),
        "one number from 0 to 1 for each label that a document may have, such as (1, 0.6, 0.4)",
    ),
    "n_labels": (_is_count, "a whole number from 1"),
    "decay": (_is_share, "a number from 0 to 1"),
    "ancestors": (_from_zero, "a number from 0"),
    "centroid": (_from_zero, "a number from 0"),
    "borrow": (_from_zero, "a number from 0"),
    "bayes": (_from_zero, "a number from 0"),
    "descent": (lambda value: value is None or (is_number(value) and value > 0), "a number above 0, or None"),
}
