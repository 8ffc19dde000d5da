"""A slow, obvious twin of `classmark.inspection.duplicates`: every two documents, as sets of runs of words."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from tests.oracles.text import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

RUN = 3


def runs(text: str) -> set[tuple[str, ...]]:
    """Return the runs of three words; a text of fewer is one run."""
    words = tokens(text.casefold(), digits=True)
    return {tuple(words[start : start + RUN]) for start in range(max(1, len(words) - RUN + 1))} if words else set()


def jaccard(one: set[tuple[str, ...]], other: set[tuple[str, ...]]) -> float:
    """Return what two sets share, of all they have."""
    return len(one & other) / len(one | other) if one | other else 0.0


def similarities(texts: Sequence[str]) -> dict[tuple[int, int], float]:
    """Return the coefficient of every two texts, by their positions."""
    sets = [runs(text) for text in texts]
    return {(left, right): jaccard(sets[left], sets[right]) for left, right in combinations(range(len(texts)), 2)}
