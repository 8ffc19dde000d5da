"""Texts of words that tell leaves apart, more or less."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from classmark import Hierarchy
from classmark.auto.search import Search
from classmark.auto.settings import AutoSettings
from classmark.auto.workshop import Problem
from classmark.labels import encode

TREE = Hierarchy.from_nested({"bird": ["owl", "gull"], "plant": ["oak", "fern"]})
LEAVES = ("owl", "gull", "oak", "fern")
WORDS = tuple(f"{leaf}{number}" for leaf in LEAVES for number in range(6))


def texts(count: int = 120, *, several: bool = False, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Make texts and their labels, one each or several."""
    random = np.random.default_rng(seed)
    documents, labels = [], []
    for _ in range(count):
        own = sorted(random.choice(4, size=1 + int(several and random.random() < 0.4), replace=False).tolist())
        chances = np.full(len(WORDS), 1.0)
        for leaf in own:
            chances[6 * leaf : 6 * leaf + 6] += 4.0
        documents.append(" ".join(random.choice(WORDS, size=8, p=chances / chances.sum())))
        labels.append([LEAVES[leaf] for leaf in own])
    return documents, labels


def problem(documents: Sequence[str], labels: Any, seed: int = 0) -> Problem:
    """Make a problem of texts and labels."""
    return Problem(list(documents), encode(labels, TREE), None, {}, seed, 1)


def search(documents: Sequence[str], labels: Any, *, seed: int = 0, **given: Any) -> Search:
    """Make a search among two quick methods, without a limit."""
    others = {name: given.pop(name) for name in ("folder", "resume", "decision", "fixed", "clock") if name in given}
    settings = {"budget": None, "methods": "nb-plus,nb"} | given
    return Search(problem(documents, labels, seed), AutoSettings(**settings), **others)
