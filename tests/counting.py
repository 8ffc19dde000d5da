"""How many documents classifiers score, for tests that they score none twice."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import classmark
from classmark.base import HierarchicalClassifier

SCORING = ("score_rows", "_best_ends", "_neighbours")
"""The ways in which a classifier looks at documents: all nodes, the way to the best end, the nearest documents."""


class Scored:
    """The rows that each classifier was given to score; what one asks of itself on the way counts once."""

    def __init__(self) -> None:
        self.rows: list[tuple[HierarchicalClassifier, int]] = []
        self.inside = False

    def by(self, classifier: HierarchicalClassifier) -> int:
        """Give how many documents one classifier has scored."""
        return sum(rows for one, rows in self.rows if one is classifier)

    def by_each(self) -> list[int]:
        """Give how many documents each classifier has scored that scored any."""
        return [self.by(one) for one in {id(one): one for one, _ in self.rows}.values()]

    def counting(self, score: Callable[..., Any]) -> Callable[..., Any]:
        """Give a function that scores and takes note."""

        def counted(classifier: HierarchicalClassifier, X: Any, *rest: Any) -> Any:
            if self.inside:
                return score(classifier, X, *rest)
            self.rows.append((classifier, X.shape[0]))
            self.inside = True
            try:
                return score(classifier, X, *rest)
            finally:
                self.inside = False

        return counted


def kinds(kind: type = HierarchicalClassifier) -> Iterator[type]:
    """Give all classes of classifiers."""
    yield kind
    for below in kind.__subclasses__():
        yield from kinds(below)


def count_scored(monkeypatch: pytest.MonkeyPatch) -> Scored:
    """Count from now on what classifiers score."""
    scored = Scored()
    # A class is there once its public name was used.
    assert all(hasattr(classmark, name) for name in classmark.__all__)
    for kind in set(kinds()):
        for name in SCORING:
            if name in vars(kind):
                monkeypatch.setattr(kind, name, scored.counting(vars(kind)[name]))
    return scored
