"""OBO, the format of the biomedical ontologies: `[Term]` stanzas of `tag: value` lines.

A term's parents are what it `is_a` and what it is `part_of`. Obsolete terms are left out, alternative ids ignored.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from classmark.errors import InputError
from classmark.hierarchy.build import Edge
from classmark.hierarchy.formats.contents import Categories, NodeText, checked_edge, numbered_lines

RELATIONS = ("is_a", "part_of")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
ESCAPED = re.compile(r"\\(.)")


class Line(NamedTuple):
    """One `tag: value` line, and where it stands."""

    where: str
    tag: str
    value: str


class Term(NamedTuple):
    """A term and its parents, each with the place that names it."""

    id: str
    text: NodeText
    parents: list[tuple[str, str]]


def read_obo(path: Path, relations: Iterable[str] = RELATIONS) -> Categories:
    """Read the terms that are not obsolete; a term whose parents are all left out is top-level.

    Parameters
    ----------
    path : Path
        The file.
    relations : iterable of str
        What makes a parent: `is_a`, and names of relationships.
    """
    terms = _terms(path, set(relations))
    edges = [edge for term in terms.values() for edge in _edges(term, terms)]
    return Categories(edges, {term.id: term.text for term in terms.values() if term.text.name})


def _terms(path: Path, relations: set[str]) -> dict[str, Term]:
    """Read the terms that are not obsolete, by id."""
    terms: dict[str, Term] = {}
    for where, lines in _stanzas(path):
        if any((line.tag, line.value) == ("is_obsolete", "true") for line in lines):
            continue
        term = _term(lines, where, relations)
        if term.id in terms:
            raise InputError(f"{where}: the term {term.id!r} stands in the file twice; keep one of them")
        terms[term.id] = term
    return terms


def _stanzas(path: Path) -> Iterator[tuple[str, list[Line]]]:
    """Yield the lines of each `[Term]` and the place of its head; the file's own head and other stanzas are not."""
    where, inside = "", False
    lines: list[Line] = []
    for number, raw in numbered_lines(path):
        line = raw.strip()
        if line.startswith("!"):
            continue
        if line.startswith("["):
            if inside:
                yield where, lines
            where, lines, inside = f"{path}:{number}", [], line == "[Term]"
        elif inside:
            tag, colon, value = line.partition(":")
            if not colon:
                raise InputError(f"{path}:{number}: not a line such as 'name: cell': {line!r}")
            lines.append(Line(f"{path}:{number}", tag, value.strip()))
    if inside:
        yield where, lines


def _term(lines: list[Line], where: str, relations: set[str]) -> Term:
    first = {line.tag: line for line in reversed(lines)}
    values = {tag: line.value for tag, line in first.items()}
    if not values.get("id"):
        raise InputError(f"{where}: the term has no id; add a line such as 'id: GO:0008150'")
    return Term(
        id=values["id"].split()[0],
        text=NodeText(_plain(values.get("name", "")), _definition(first.get("def"))),
        parents=[(line.where, parent) for line in lines for parent in _parents(line, relations)],
    )


def _definition(line: Line | None) -> str:
    if line is None:
        return ""
    found = QUOTED.match(line.value)
    if found is None:
        raise InputError(f'{line.where}: the definition is not quoted; write it as def: "text" []')
    return _plain(found[1])


def _plain(text: str) -> str:
    r"""Take the escapes out: `\n` and `\W` are white space, any other character stands for itself."""
    plain = ESCAPED.sub(lambda found: " " if found[1] in "ntW" else found[1], text)
    return " ".join(plain.split())


def _parents(line: Line, relations: set[str]) -> Iterator[str]:
    """Give the parent that a line names; a comment or a modifier may follow it."""
    parts = line.value.split()
    relation = "is_a"
    if line.tag == "relationship" and parts:
        relation, *parts = parts
    if line.tag not in ("is_a", "relationship") or relation not in relations:
        return
    if not parts:
        raise InputError(f"{line.where}: {line.tag!r} names no parent; add its id")
    yield parts[0]


def _edges(term: Term, terms: dict[str, Term]) -> Iterator[Edge]:
    if not term.parents:
        yield None, term.id
    seen = set()
    for where, parent in term.parents:
        if parent not in terms:
            raise InputError(
                f"{where}: the parent {parent!r} of {term.id!r} is obsolete or not a term of the file;"
                " add it or take the line out"
            )
        # One term may well be both a kind and a part of another.
        if parent not in seen:
            seen.add(parent)
            yield checked_edge(parent, term.id, where)
