"""Kinds of errors, document by document with sets of names."""

from collections.abc import Iterable

from classmark.hierarchy import Hierarchy, Name


def closed(labels: Iterable[Name], hierarchy: Hierarchy) -> set[Name]:
    return {name for label in labels for path in hierarchy.paths(label) for name in path}


def below(label: Name, other: Name, hierarchy: Hierarchy) -> bool:
    return label != other and other in closed([label], hierarchy)


def parents(label: Name, hierarchy: Hierarchy) -> set[Name]:
    return {path[-2] for path in hierarchy.paths(label) if len(path) > 1}


def kind(true: Iterable[Name], predicted: Iterable[Name], hierarchy: Hierarchy) -> str:
    """Say how one answer lies to the truth."""
    all_true, all_predicted = closed(true, hierarchy), closed(predicted, hierarchy)
    own_true = {one for one in all_true if not any(below(other, one, hierarchy) for other in all_true)}
    own = {one for one in all_predicted if not any(below(other, one, hierarchy) for other in all_predicted)}
    missed, wrong = own_true - all_predicted, own - all_true
    if not missed and not wrong:
        return "right"
    if not wrong:
        shallow = all(any(below(one, other, hierarchy) for other in own) for one in missed)
        return "too shallow" if shallow else "missing"
    if not missed:
        deep = all(any(below(one, other, hierarchy) for other in own_true) for one in wrong)
        return "too deep" if deep else "extra"
    beside = {parent for one in missed for parent in parents(one, hierarchy)}
    return "sibling" if all(parents(one, hierarchy) & beside for one in wrong) else "other branch"
