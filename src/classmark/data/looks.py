"""Labels that look like paths, or like several in one, where nobody has said so."""

from collections.abc import Collection, Iterable, Iterator, Sequence, Sized
from itertools import chain
from shlex import quote
from typing import NamedTuple

from classmark.data.assembly import LABEL_SEPARATORS, joined_parts
from classmark.hierarchy import Hierarchy

PATH_SEPARATORS = ("/", " > ", ">")
"""What stands in labels that are most probably paths."""
SHARE = 0.1
"""From this share of the labels on, those with a separator in them are spoken of."""


class Look(NamedTuple):
    """Labels that look like something else than one name each."""

    kind: str
    labels: Collection[str]
    separator: str
    remedy: str
    """What they may be, and how to say so."""


def joined_labels(labels: set[str], hierarchy: Hierarchy | None, *, several: bool) -> Iterator[Look]:
    """Yield labels that are most probably several; `several` says whether some document has more than one anyway.

    >>> found, = joined_labels({"owl;gull", "emu"}, None, several=False)
    >>> found.separator, found.remedy
    (';', "several labels each, say so (--label-separator ';', label_separator=';'; in JSON, a list)")
    """
    for separator in LABEL_SEPARATORS:
        if _is_a_share(joined := _joined(labels, hierarchy, separator, several), labels):
            option = f"--label-separator {quote(separator)}, label_separator={separator!r}; in JSON, a list"
            yield Look("joined-labels", joined, separator, f"several labels each, say so ({option})")


def path_labels(labels: set[str], hierarchy: Hierarchy | None) -> Iterator[Look]:
    """Yield labels that are most probably paths, by the first separator that many have; a known name is no path."""
    for separator in PATH_SEPARATORS if hierarchy is None else ():
        if _is_a_share(found := _with_parts(labels, separator), labels):
            option = f"--path-separator {quote(separator)}, path_separator={separator!r}"
            yield Look("path-labels", list(found), separator, f"paths, say so ({option})")
            return


def _with_parts(labels: Iterable[str], separator: str) -> dict[str, list[str]]:
    """Give the labels that may be several names in one, with their parts."""
    return {label: parts for label in labels if (parts := joined_parts(label, separator))}


def _joined(labels: set[str], hierarchy: Hierarchy | None, separator: str, several: bool) -> list[str]:
    """Give the labels that are most probably several, with a separator between them that nobody has named."""
    joined = _with_parts(labels, separator)
    if hierarchy is not None:
        # Names that somebody has put into a hierarchy are names, unless their parts are categories too.
        return [label for label, parts in joined.items() if all(part in hierarchy for part in parts)]
    # Names have commas: only where nothing was taken apart, and parts are labels by themselves.
    return list(joined) if separator != "," or (not several and _are_labels(joined.values(), labels)) else []


def _are_labels(found: Iterable[Sequence[str]], labels: set[str]) -> bool:
    """Say whether a part of those found is a label."""
    return not labels.isdisjoint(chain.from_iterable(found))


def _is_a_share(found: Sized, labels: Sized) -> bool:
    """Say whether some labels are enough to be no accident, as the one name AC/DC among many would be."""
    return len(found) >= max(SHARE * len(labels), 1) and (len(found) > 1 or len(found) >= len(labels) / 2)
