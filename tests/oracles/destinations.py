"""Where missed labels went, document by document with sets of names."""

from collections.abc import Iterable

from classmark.hierarchy import Hierarchy, Name
from tests.oracles.error_kinds import below, closed, parents


def own(labels: Iterable[Name], hierarchy: Hierarchy) -> set[Name]:
    found = closed(labels, hierarchy)
    return {one for one in found if not any(below(other, one, hierarchy) for other in found)}


def kind(label: Name, answer: Name, hierarchy: Hierarchy) -> str:
    """Say what a wrong answer is to a label."""
    if below(label, answer, hierarchy):
        return "parent"
    if below(answer, label, hierarchy):
        return "below"
    if parents(label, hierarchy) & parents(answer, hierarchy):
        return "sibling"
    trunk = set.intersection(*(closed([name], hierarchy) for name in hierarchy.names))
    return "same top" if closed([label], hierarchy) & closed([answer], hierarchy) - trunk else "elsewhere"


def destinations(
    true: Iterable[Name], predicted: Iterable[Name], hierarchy: Hierarchy
) -> list[tuple[Name, Name | None, str]]:
    """Give the labels of one document that were missed, where each went, and what that is."""
    order = ["parent", "below", "sibling", "same top", "elsewhere"]
    right, answered = own(true, hierarchy), own(predicted, hierarchy)
    found: list[tuple[Name, Name | None, str]] = []
    for label in sorted(right - answered, key=hierarchy.position):
        ranked = sorted(
            answered - right,
            key=lambda one: (
                order.index(kind(label, one, hierarchy)),
                -len(closed([label], hierarchy) & closed([one], hierarchy)),
                hierarchy.position(one),
            ),
        )
        found.append((label, ranked[0], kind(label, ranked[0], hierarchy)) if ranked else (label, None, "nowhere"))
    return found
