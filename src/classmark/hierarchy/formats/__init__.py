"""Hierarchies in files and in networkx, one format a file, and the table that finds the reader by the suffix."""

from collections.abc import Callable
from pathlib import Path

from classmark.hierarchy.formats.graphs import edges_of_networkx, to_networkx
from classmark.hierarchy.formats.lshtc import read_lshtc
from classmark.hierarchy.formats.nodes import Categories, NodeText
from classmark.hierarchy.formats.obo import read_obo
from classmark.hierarchy.formats.rcv1 import read_rcv1
from classmark.hierarchy.formats.skos import read_skos
from classmark.hierarchy.formats.tsv import read_tsv, write_tsv

__all__ = [
    "READERS",
    "Categories",
    "NodeText",
    "edges_of_networkx",
    "read_categories",
    "read_lshtc",
    "read_obo",
    "read_rcv1",
    "read_skos",
    "read_tsv",
    "to_networkx",
    "write_tsv",
]

READERS: dict[str, Callable[[Path, str], Categories]] = {
    ".tsv": lambda path, _: Categories(list(read_tsv(path)), {}),
    ".txt": lambda path, _: Categories(list(read_lshtc(path)), {}),
    ".hier": lambda path, _: read_rcv1(path),
    ".orig": lambda path, _: read_rcv1(path),
    ".obo": lambda path, _: read_obo(path),
    ".ttl": read_skos,
    ".rdf": read_skos,
    ".xml": read_skos,
}
"""By suffix; the second argument is the language of names, where a file has several."""


def read_categories(path: Path, language: str = "en") -> Categories:
    """Read a hierarchy file of any format, chosen by the suffix."""
    try:
        reader = READERS[path.suffix.lower()]
    except KeyError:
        raise ValueError(
            f"{path}: no reader for this kind of hierarchy file; give one in {', '.join(READERS)}"
        ) from None
    return reader(path, language)
