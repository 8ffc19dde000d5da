"""Annif's vocabularies: TSV, a line `<uri><TAB>label<TAB>notation` each, and CSV with `uri`, `label_en` and others.

They are flat: a category is called by its address, and its label is its readable name, beside which its notation is
kept. A subject without any label is one that Annif no longer uses, and is left out.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from classmark.errors import InputError, attempt
from classmark.hierarchy.formats.contents import Categories, NodeText, checked_edge, numbered_lines
from classmark.progress import notice

ADDRESS = re.compile(r"<[^<>\s]+>|(?:[A-Za-z][\w+.-]*://|urn:)[^<>\s]+")
"""What nobody would take for the name of a subject."""
LABEL = "label_"
"""What the names of columns of labels begin with, before the language."""


class Row(NamedTuple):
    """What a line says of a subject, and the number of the line."""

    number: int
    address: str
    label: str = ""
    notation: str = ""


def bare(address: str) -> str:
    """Give an address without its angle brackets.

    >>> bare("<http://example.org/owl>")
    'http://example.org/owl'
    """
    return address[1:-1] if address.startswith("<") and address.endswith(">") else address


def is_vocabulary(path: Path) -> bool:
    """Say whether a TSV file begins with an address and a label, where a hierarchy has two categories."""
    _, line = next(numbered_lines(path), (0, ""))
    first, *others = (cell.strip() for cell in line.split("\t"))
    return bool(ADDRESS.fullmatch(first)) and not any(map(ADDRESS.fullmatch, others[:1]))


def read_annif_tsv(path: Path) -> Categories:
    """Read a vocabulary in one language, without a header."""
    lines = ((number, (cell.strip() for cell in line.split("\t", 3)[:3])) for number, line in numbered_lines(path))
    return _categories(path, (Row(number, *cells) for number, cells in lines))


def read_annif_csv(path: Path, language: str = "en") -> Categories:
    """Read a vocabulary in several languages, with a header.

    Parameters
    ----------
    path : Path
        The file.
    language : str
        Which labels to take; where there are none, those of the first column that has one.
    """
    lines = (f"{line}\n" for _, line in numbered_lines(path))
    reader = csv.reader(lines, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        labels = _columns_of_labels(header, path, language)
        uri, notation = ([place for place, name in enumerate(header) if name == one] for one in ("uri", "notation"))
        rows = (Row(reader.line_num, *(_first(row, places) for places in (uri, labels, notation))) for row in reader)
        return _categories(path, rows)
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: not a valid row ({error}); close every quote") from None


def _columns_of_labels(header: list[str], path: Path, language: str) -> list[int]:
    """Give where the labels stand, those of the language first."""
    languages = {name.removeprefix(LABEL).lower(): place for place, name in enumerate(header) if name.startswith(LABEL)}
    if "uri" not in header or not languages:
        raise InputError(
            f"{path}:1: the header has no {'uri' if 'uri' not in header else 'label_en, or another language'};"
            " give Annif's columns uri,label_en,…,notation, or a hierarchy.tsv of parent<TAB>child"
        )
    wanted = language.lower()
    ranked = sorted(languages, key=lambda one: (one != wanted, not one.startswith(f"{wanted}-")))
    if ranked[0].split("-")[0] != wanted:
        there = ", ".join(languages)
        notice(f"{path}: no labels in {language!r}, so those in {ranked[0]!r} are taken, of {there} (--language)")
    return [languages[one] for one in ranked]


def _first(row: list[str], places: list[int]) -> str:
    """Give the first of some cells that has something in it."""
    there = (row[place].strip() for place in places if place < len(row))
    return next(filter(None, there), "")


def _categories(path: Path, rows: Iterable[Row]) -> Categories:
    """Make a flat hierarchy of addresses, with labels and notations."""
    found = dict(_subjects(path, rows))
    if not found:
        raise InputError(f"{path}:1: the vocabulary has no subject with a label; give it at least one")
    return Categories([(None, name) for name in found], found)


def _subjects(path: Path, rows: Iterable[Row]) -> Iterator[tuple[str, NodeText]]:
    seen: dict[str, int] = {}
    for row in rows:
        name = attempt(_name, row.address, row.label, f"{path}:{row.number}", seen)
        if name is not None:
            seen[name] = row.number
            if row.label:
                label, notation = (" ".join(text.split()) for text in (row.label, row.notation))
                yield name, NodeText(label, notation=notation)


def _name(address: str, label: str, where: str, seen: dict[str, int]) -> str:
    """Give what a subject is called; refuse none, one that stands before, and one that no category may have."""
    name = bare(address)
    if not name:
        raise InputError(f"{where}: the subject has no address; write <http://…>")
    if name in seen:
        raise InputError(f"{where}: the subject {name!r} already stands on line {seen[name]}; keep one")
    if label:
        checked_edge("ROOT", name, where)
    return name
