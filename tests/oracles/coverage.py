"""Coverage curves, and answers that back off, with sets and loops, straight from their definitions."""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from scipy.sparse import csr_array

from classmark import Hierarchy
from tests.oracles.metrics import sets_of, with_ancestors


class Document(NamedTuple):
    """What is true of a document and what was answered, ancestors included, and how sure the answer is."""

    true: set[int]
    predicted: set[int]
    own: set[int]
    first: int
    confidence: float


def documents_of(
    true: csr_array, predicted: csr_array, first: list[int], confidence: list[float], hierarchy: Hierarchy
) -> list[Document]:
    sets = zip(sets_of(true), sets_of(predicted), first, confidence, strict=True)
    return [
        Document(with_ancestors(t, hierarchy), with_ancestors(p, hierarchy), own_of(t, hierarchy), best, sure)
        for t, p, best, sure in sets
    ]


def own_of(nodes: set[int], hierarchy: Hierarchy) -> set[int]:
    """The nodes that stand above no other of them."""
    return {node for node in nodes if not any(node in with_ancestors([other], hierarchy) for other in nodes - {node})}


def parts_of(documents: list[Document], wanted: Fraction) -> Iterator[tuple[Document, Fraction]]:
    """The surest documents, so many of them: those of one confidence count by the same part."""
    left = wanted
    for confidence in sorted({document.confidence for document in documents}, reverse=True):
        group = [document for document in documents if document.confidence == confidence]
        if left <= 0:
            return
        part = min(Fraction(1), left / len(group))
        yield from ((document, part) for document in group)
        left -= part * len(group)


def point(documents: list[Document], wanted: Fraction) -> tuple[float, Fraction, Fraction, Fraction]:
    """The least confidence, the accuracy, how often the first category is right, and hF of the surest documents."""
    counted = list(parts_of(documents, wanted))
    exact = sum(part for one, part in counted if one.true == one.predicted)
    labelled = sum(part for one, part in counted if one.true)
    first = sum(part for one, part in counted if one.first in one.own)
    shared = sum(part * len(one.true & one.predicted) for one, part in counted)
    labels = sum(part * (len(one.true) + len(one.predicted)) for one, part in counted)
    return (
        min(one.confidence for one, _ in counted),
        Fraction(exact, wanted),
        Fraction(first, labelled) if labelled else Fraction(0),
        Fraction(2 * shared, labels) if labels else Fraction(0),
    )


def area(documents: list[Document]) -> Fraction:
    """The mean accuracy of the surest document, the two surest, and so on to all."""
    accuracies = [point(documents, Fraction(count))[1] for count in range(1, len(documents) + 1)]
    return sum(accuracies, Fraction(0)) / len(accuracies)


def sure_labels(own: set[int], chances: dict[int, float], least: float, hierarchy: Hierarchy) -> set[int]:
    """Put in the place of every own label its deepest ancestors, itself among them, that are sure enough."""
    given: set[int] = set()
    for label in own:
        given |= own_of({node for node in with_ancestors([label], hierarchy) if chances[node] >= least}, hierarchy)
    return with_ancestors(given, hierarchy)


def promised(
    documents: list[tuple[set[int], dict[int, float], set[int]]], least: float, hierarchy: Hierarchy
) -> tuple[int, int, int, int]:
    """Labels given, those that are right, documents answered in full, and those without an answer, at one cut."""
    labels = right = in_full = without = 0
    for closed, chances, true in documents:
        own = own_of(closed, hierarchy)
        kept = own_of(sure_labels(own, chances, least, hierarchy), hierarchy)
        labels += len(kept)
        right += len(kept & true)
        in_full += bool(kept) and kept == own
        without += not kept
    return labels, right, in_full, without
