"""Lines of a hierarchy file, plain or compressed, and its contents: edges and the texts of categories."""

import gzip
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from classmark.errors import InputError, attempt
from classmark.hierarchy.build import ROOT, Edge, check_edge


def suffix_of(path: Path) -> str:
    """Give the suffix that tells the format: the one before `.gz` where there are both.

    >>> suffix_of(Path("animals.TTL.gz"))
    '.ttl'
    """
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def content_of(path: Path) -> bytes:
    """Give the bytes of a file, unpacked where its name ends in `.gz`."""
    content = path.read_bytes()
    if path.suffix.lower() != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: the compressed file is damaged or cut off ({error}); make or get it again") from None


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, without their ends.

    Only a line feed ends a line: names may hold the other characters that `str.splitlines` breaks at.
    """
    for number, line in enumerate(content_of(path).removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        text = attempt(_decoded, line, f"{path}:{number}")
        if text and text.strip():
            yield number, text


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode().removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8 at byte {error.start + 1} of the line; save the file as UTF-8") from None


class NodeText(NamedTuple):
    """What people read in place of a code: a name, and perhaps a description; its address and its notation.

    The address is empty where the category is called by it.

    >>> NodeText("owls", "birds of the night", notation="598.97")
    NodeText(name='owls', description='birds of the night', uri='', notation='598.97')
    """

    name: str
    description: str = ""
    uri: str = ""
    notation: str = ""

    @property
    def words(self) -> str:
        """Name and description, which methods may learn from.

        >>> NodeText("owls", "birds of the night", notation="598.97").words
        'owls birds of the night'
        """
        return f"{self.name} {self.description}".strip()


class Told(TypedDict):
    """What is kept of categories beside their names, as the parameters of `TextClassifier` are called."""

    titles: dict[Any, str] | None
    uris: dict[Any, str] | None
    notations: dict[Any, str] | None


def told(nodes: Mapping[Any, NodeText]) -> Told:
    """Give the readable names, the addresses and the notations of categories, by category; None where there are none.

    >>> told({"owl": NodeText("owls", notation="598.97"), "oak": NodeText("oaks")})
    {'titles': {'owl': 'owls', 'oak': 'oaks'}, 'uris': None, 'notations': {'owl': '598.97'}}
    """
    return {
        "titles": {name: text.name for name, text in nodes.items() if text.name} or None,
        "uris": {name: text.uri for name, text in nodes.items() if text.uri} or None,
        "notations": {name: text.notation for name, text in nodes.items() if text.notation} or None,
    }


class Categories(NamedTuple):
    """The edges of a hierarchy, and the texts of its categories as far as the file has them."""

    edges: list[Edge]
    nodes: dict[str, NodeText]


def checked_edge(parent: str, child: str, where: str) -> Edge:
    """Give an edge as a file writes it, `ROOT` for the root; one that no hierarchy can have is refused."""
    try:
        check_edge(parent, child)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    return (None if parent == ROOT else parent), child
