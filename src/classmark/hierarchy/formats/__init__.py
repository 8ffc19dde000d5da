"""Hierarchies in files and in networkx, one format a file, and the table that finds the reader by the suffix."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from classmark.errors import InputError
from classmark.hierarchy.formats.contents import Categories, NodeText, Told, suffix_of, told
from classmark.hierarchy.formats.edges import edges_of_networkx, read_lshtc, read_rcv1, read_tsv, to_networkx, write_tsv
from classmark.hierarchy.formats.obo import read_obo
from classmark.hierarchy.formats.skos import SYNTAXES, read_skos
from classmark.hierarchy.formats.vocabularies import is_vocabulary, read_annif_csv, read_annif_tsv

__all__ = [
    "READERS",
    "Categories",
    "NodeText",
    "Told",
    "edges_of_networkx",
    "read_annif_csv",
    "read_annif_tsv",
    "read_categories",
    "read_lshtc",
    "read_obo",
    "read_rcv1",
    "read_skos",
    "read_tsv",
    "to_networkx",
    "told",
    "write_tsv",
]


class Wanted(NamedTuple):
    """What is asked of a file that leaves a choice: the language of names, and how concepts are called."""

    language: str = "en"
    names: Literal["local", "iri"] = "local"


def _read_tsv(path: Path, wanted: Wanted) -> Categories:
    """Read edges, or a vocabulary of Annif."""
    return read_annif_tsv(path) if is_vocabulary(path) else Categories(list(read_tsv(path)), {})


def _read_skos(path: Path, wanted: Wanted) -> Categories:
    return read_skos(path, *wanted)


READERS: dict[str, Callable[[Path, Wanted], Categories]] = {
    ".tsv": _read_tsv,
    ".csv": lambda path, wanted: read_annif_csv(path, wanted.language),
    ".txt": lambda path, _: Categories(list(read_lshtc(path)), {}),
    ".hier": lambda path, _: read_rcv1(path),
    ".orig": lambda path, _: read_rcv1(path),
    ".obo": lambda path, _: read_obo(path),
    **dict.fromkeys(SYNTAXES, _read_skos),
}
"""By suffix."""


def read_categories(path: Path, language: str = "en", *, by_address: bool = False) -> Categories:
    """Read a hierarchy file of any format, chosen by the suffix, which `.gz` may follow.

    Parameters
    ----------
    path : Path
        The file.
    language : str
        Of the names of categories, where the file has several.
    by_address : bool
        Whether the concepts of a thesaurus are called by their whole addresses.
    """
    try:
        reader = READERS[suffix_of(path)]
    except KeyError:
        raise InputError(
            f"{path}: no reader for this kind of hierarchy file; give one in {', '.join(READERS)} [.gz]"
        ) from None
    return reader(path, Wanted(language, "iri" if by_address else "local"))
