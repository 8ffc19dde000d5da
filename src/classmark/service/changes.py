"""What changes from one model's answers to another's: by document, by category, and by kind of error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.data import Corpus
from classmark.hierarchy import Name
from classmark.hierarchy.indicator import canonical
from classmark.metrics import ERROR_KINDS, Counts, SignTest, for_many_tests, sign_tests
from classmark.service.differences import Answered
from classmark.service.mistakes import named
from classmark.text.vectoriser import Document

SIGNIFICANT = 0.05
"""Differences are spoken of that have this p-value at most."""
EXCERPT = 200
"""So many characters of a document are shown."""


@dataclass(frozen=True, kw_only=True)
class ChangedDocument:
    """A document that two models answer otherwise."""

    id: str
    """Its id, or its number."""
    excerpt: str
    """How it begins."""
    labels: Sequence[Name]
    """Its true labels, without ancestors."""
    first: Sequence[Name]
    """What the first model says."""
    second: Sequence[Name]
    """What the second model says."""
    first_kind: str
    """The kind of the first model's error, or `right`."""
    second_kind: str
    """That of the second model."""
    first_hf: float
    """The hF of the first model's answer."""
    second_hf: float
    """That of the second model's."""


@dataclass(frozen=True, kw_only=True)
class ByDocument:
    """How many documents are answered otherwise, and better or worse by the hF of the document."""

    same: int
    """How many have the same answer."""
    as_good: int
    """How many have another answer that is as good."""
    better: int
    """How many the second model answers better."""
    worse: int
    """How many it answers worse."""
    p_value: float
    """How probable so uneven a count of better and worse is if neither model is better, by the sign test."""
    most: Sequence[ChangedDocument]
    """The documents that change most."""


@dataclass(frozen=True, kw_only=True)
class ChangedCategory:
    """A category about which two models answer otherwise; a document belongs to a category and to its ancestors."""

    category: Name
    """Its name."""
    title: str | None = None
    """What people call it, where the model says so."""
    documents: int
    """How many documents belong to it."""
    first_f1: float
    """The F1 of the first model."""
    second_f1: float
    """That of the second model."""
    found: int
    """How many of its documents the second model alone puts into it."""
    lost: int
    """How many of its documents the first model alone puts into it."""
    intruding: int
    """How many documents of others the second model alone puts into it."""
    gone: int
    """How many documents of others the first model alone puts into it."""
    p_value: float
    """How probable so uneven a count is if neither model is better here, by the sign test, corrected for many."""


@dataclass(frozen=True, kw_only=True)
class ByCategory:
    """The categories about which two models answer otherwise."""

    changed: int
    """How many there are; each is tested."""
    significant: int
    """How many have a difference that is more than chance, at 0.05, corrected for many by Benjamini and Hochberg."""
    most: Sequence[ChangedCategory]
    """Those whose F1 changes most, first of those where that is more than chance."""


@dataclass(frozen=True, kw_only=True)
class ByKind:
    """From which kind of error to which the answers go."""

    table: Mapping[str, Mapping[str, int]]
    """The kind of the first model's answer → that of the second's → how many documents."""
    both_right: int
    """How many documents both models get right, the whole label set."""
    first_alone: int
    """How many the first model alone gets right."""
    second_alone: int
    """How many the second model alone gets right."""
    both_wrong: int
    """How many neither gets right."""
    p_value: float
    """How probable so uneven a count is if neither model is better, by McNemar's exact test."""


def by_document(answered: Answered, corpus: Corpus, top: int) -> ByDocument:
    """Count the documents that are answered otherwise; `corpus` has the same documents in the same order."""
    # Where nothing is true and nothing predicted, that is right.
    first, second = (
        Counts.per_document(answered.true, labels).f(zero_division=1.0) for labels in (answered.first, answered.second)
    )
    differing = np.diff(canonical(answered.first != answered.second).indptr) > 0
    change = second - first
    better, worse = int((change > 0).sum()), int((change < 0).sum())
    return ByDocument(
        same=int((~differing).sum()),
        as_good=int((differing & (change == 0)).sum()),
        better=better,
        worse=worse,
        p_value=SignTest.of(better, worse).p_value,
        most=_most_changed(answered, corpus, np.flatnonzero(differing), first, second, top),
    )


def _most_changed(
    answered: Answered, corpus: Corpus, rows: npt.NDArray[np.intp], first: Any, second: Any, top: int
) -> list[ChangedDocument]:
    change = second - first
    rows = rows[np.argsort(-np.abs(change[rows]), kind="stable")][:top]
    hierarchy, kinds, documents = answered.hierarchy, answered.kinds, corpus.take(rows.tolist())
    own = [hierarchy.own(csr_array(labels[rows])) for labels in answered.labels]
    listed = [[named(labels, place, hierarchy.names) for labels in own] for place in range(rows.size)]
    return [
        ChangedDocument(
            id=name,
            excerpt=excerpt(document),
            labels=labels[0],
            first=labels[1],
            second=labels[2],
            first_kind=ERROR_KINDS[kinds[0][row]],
            second_kind=ERROR_KINDS[kinds[1][row]],
            first_hf=float(first[row]),
            second_hf=float(second[row]),
        )
        for row, name, document, labels in zip(rows, documents.ids, documents.documents, listed, strict=True)
    ]


def excerpt(document: Document) -> str:
    r"""Give the beginning of a document on one line; of features, their names.

    >>> excerpt("an owl\n hoots"), excerpt({"owl": 1.0, "night": 2.0})
    ('an owl hoots', 'owl, night')
    """
    text = document[: 2 * EXCERPT] if isinstance(document, str) else ", ".join(document)
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else f"{line[:EXCERPT]}…"


def by_category(answered: Answered, titles: Mapping[Name, str], top: int) -> ByCategory:
    """Compare the answers about each category."""
    only_second, only_first = answered.second > answered.first, answered.first > answered.second
    found, given = _true_and_all(answered.true, only_second)
    lost, taken = _true_and_all(answered.true, only_first)
    intruding, gone = given - found, taken - lost
    changed = np.flatnonzero(given + taken)
    p_values = np.ones(given.size)
    p_values[changed] = for_many_tests(sign_tests((found + gone)[changed], (lost + intruding)[changed]))
    counts = [Counts.per_node(answered.true, labels) for labels in (answered.first, answered.second)]
    first, second = (each.f() for each in counts)
    order = np.lexsort((-np.abs(second - first)[changed], p_values[changed] > SIGNIFICANT))
    return ByCategory(
        changed=int(changed.size),
        significant=int((p_values <= SIGNIFICANT).sum()),
        most=[
            ChangedCategory(
                category=answered.hierarchy.names[node],
                title=titles.get(answered.hierarchy.names[node]),
                documents=int(counts[0].true[node]),
                first_f1=float(first[node]),
                second_f1=float(second[node]),
                found=int(found[node]),
                lost=int(lost[node]),
                intruding=int(intruding[node]),
                gone=int(gone[node]),
                p_value=float(p_values[node]),
            )
            for node in changed[order][:top].tolist()
        ],
    )


def _true_and_all(true: csr_array, labels: Any) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]:
    """Count for each node the labels that are true, and all."""
    counts = Counts.per_node(true, csr_array(labels))
    return counts.tp, counts.predicted


def by_kind(answered: Answered) -> ByKind:
    """Count from which kind of error to which the answers go."""
    first, second = answered.kinds
    size = len(ERROR_KINDS)
    counts = np.bincount(first * size + second, minlength=size * size).reshape(size, size)
    occurring = [kind for kind in range(size) if counts[kind].any() or counts[:, kind].any()]
    alone = int(counts[0, 1:].sum()), int(counts[1:, 0].sum())
    return ByKind(
        table={
            ERROR_KINDS[one]: {ERROR_KINDS[other]: int(counts[one, other]) for other in occurring} for one in occurring
        },
        both_right=int(counts[0, 0]),
        first_alone=alone[0],
        second_alone=alone[1],
        both_wrong=int(counts[1:, 1:].sum()),
        p_value=SignTest.of(*alone).p_value,
    )
