"""SKOS thesauri in Turtle, RDF/XML and N-Triples, read with rdflib.

`skos:broader` and `skos:narrower` are the edges. A concept without a broader one is top-level, whether or not
`skos:topConceptOf` says so; one that is deprecated (`owl:deprecated`) is left out. The text is decoded here and parsed
from memory, so that nothing is fetched; a document type declaration, which is how XML files bring entities that grow
without bound or read other files, is refused.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from xml.sax import SAXException, SAXParseException

from classmark.errors import InputError, needing
from classmark.hierarchy.formats.contents import Categories, NodeText, checked_edge, content_of, suffix_of

if TYPE_CHECKING:
    from classmark.hierarchy.build import Edge

BASE = "http://classmark.invalid/"
"""What relative addresses are below; rdflib would otherwise take the working folder."""

SYNTAXES = {
    **dict.fromkeys([".ttl", ".turtle", ".n3"], "turtle"),
    **dict.fromkeys([".rdf", ".xml", ".owl"], "xml"),
    ".nt": "nt",
}
"""The suffix of a file → what rdflib calls its syntax; of Notation 3, thesauri use what Turtle has."""

DECLARATION = re.compile(r"<!(DOCTYPE|ENTITY)", re.IGNORECASE)


def read_skos(path: Path, language: str = "en", names: Literal["local", "iri"] = "local") -> Categories:
    """Read concepts, their preferred labels, their definitions or scope notes, and their notations.

    The address of a concept that is not called by it is kept beside them.

    Parameters
    ----------
    path : Path
        The file.
    language : str
        Which labels to take; else those without a language, else the first in the alphabet of languages.
    names : "local" or "iri"
        Whether a category is called by the last part of the concept's address or by all of it.
    """
    graph = _parse(path)
    called = _names(graph, path, names)
    edges = sorted(_edges(graph, called, path))
    below = {child for _, child in edges}
    tops: list[Edge] = [(None, name) for name in sorted(called.values()) if name not in below]
    nodes = {name: _text(graph, concept, name, language) for concept, name in called.items()}
    return Categories([*tops, *edges], nodes)


def _parse(path: Path) -> Any:
    with needing(f"{path}: reading SKOS needs rdflib", "skos"):
        import rdflib
    text = _decoded(path)
    kind = SYNTAXES[suffix_of(path)]
    if kind == "xml" and (found := DECLARATION.search(text)):
        raise InputError(
            f"{path}:{text.count(chr(10), 0, found.start()) + 1}: the file has a {found[0]} declaration, which may"
            " bring in other files or grow without bound; take it out, or save the thesaurus as Turtle (.ttl)"
        )
    graph = rdflib.Graph(bind_namespaces="none")
    try:
        with _quiet():
            graph.parse(data=text, format=kind, publicID=BASE)
    # rdflib's Turtle parser also asserts where it means a syntax error, reads past the end of a file that is cut off,
    # and calls itself for every bracket.
    except (
        SyntaxError,
        ValueError,
        AssertionError,
        LookupError,
        RecursionError,
        SAXException,
        rdflib.exceptions.Error,
    ) as error:
        raise InputError(
            f"{path}{_place(error)}: not valid {kind} ({_reason(error)}); mend or export it again"
        ) from None
    return graph


def _decoded(path: Path) -> str:
    raw = content_of(path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: not UTF-8 at byte {error.start + 1}; save the file as UTF-8") from None
    # ASCII in UTF-16 is valid UTF-8 with a null in every other place; the XML parser would see through it, and so
    # would a declaration get past the search for one.
    if "\0" in text:
        raise InputError(f"{path}:1: not UTF-8, but UTF-16 or no text at all; save the file as UTF-8")
    return text


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep rdflib from logging tracebacks about dates and addresses that do not concern us."""
    logger = logging.getLogger("rdflib.term")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _place(error: BaseException) -> str:
    """Give the line as far as the parser tells it."""
    if isinstance(error, SAXParseException):
        return f":{error.getLineNumber()}"
    found = re.search(r"(?:at line |^[^:]*:)(\d+)", str(error))
    return f":{found[1]}" if found else ""


def _reason(error: BaseException) -> str:
    """Give the reason in one short line, without the place and the text around it."""
    if isinstance(error, SAXParseException):
        return str(error.getMessage())
    found = re.search(r"Bad syntax \((.*?)\) at \^", str(error), re.DOTALL)
    text = found[1] if found else re.split(r" at \^", str(error))[0]
    return " ".join(re.sub(r"^\S*:\d+:\d+: ", "", text).split())[:120]


def _names(graph: Any, path: Path, names: str) -> dict[Any, str]:
    """Name every concept, in the order of their addresses."""
    called: dict[str, Any] = {}
    for concept in sorted(_concepts(graph, path)):
        name = _address(concept) if names == "iri" else re.split(r"[/#:]", str(concept).rstrip("/#"))[-1]
        if name in called:
            raise InputError(
                f"{path}: {called[name]} and {concept} both end in {name!r};"
                " read the file with Hierarchy.from_skos(…, names='iri')"
            )
        called[name] = concept
    return {concept: name for name, concept in called.items()}


def _address(concept: Any) -> str:
    """Give the address of a concept as the file writes it."""
    return str(concept).removeprefix(BASE)


def _concepts(graph: Any, path: Path) -> set[Any]:
    """Find all concepts, those that only a relation mentions too, without deprecated ones."""
    from rdflib import OWL, RDF, SKOS, BNode, Literal

    found = set(graph.subjects(RDF.type, SKOS.Concept)) | set(graph.subjects(SKOS.topConceptOf))
    found |= set(graph.objects(None, SKOS.hasTopConcept))
    for relation in (SKOS.broader, SKOS.narrower):
        found.update(*graph.subject_objects(relation))
    found -= set(graph.subjects(OWL.deprecated, Literal(True)))
    if not found:
        raise InputError(f"{path}: the file has no skos:Concept; give a SKOS thesaurus")
    if any(isinstance(concept, BNode) for concept in found):
        raise InputError(f"{path}: a concept has no address, so nothing can be labelled with it; give it an IRI")
    return found


def _edges(graph: Any, called: dict[Any, str], path: Path) -> set[tuple[str, str]]:
    from rdflib import SKOS

    related = [(parent, child) for child, parent in graph.subject_objects(SKOS.broader)]
    related += graph.subject_objects(SKOS.narrower)
    pairs = {(called[parent], called[child]) for parent, child in related if parent in called and child in called}
    for parent, child in pairs:
        checked_edge(parent, child, str(path))
    return pairs


def _text(graph: Any, concept: Any, name: str, language: str) -> NodeText:
    from rdflib import RDFS, SKOS

    label = _best(graph.objects(concept, SKOS.prefLabel), language)
    label = label or _best(graph.objects(concept, RDFS.label), language)
    description = _best(graph.objects(concept, SKOS.definition), language)
    description = description or _best(graph.objects(concept, SKOS.scopeNote), language)
    address = _address(concept)
    notation = _best(graph.objects(concept, SKOS.notation), language)
    return NodeText(label or name, description, "" if address == name else address, notation)


def _best(values: Iterator[Any], language: str) -> str:
    """Choose the text in the language asked for; the alphabet decides where that leaves several."""

    def rank(value: Any) -> tuple[int, str, str]:
        given = (getattr(value, "language", None) or "").lower()
        wanted = language.lower()
        order = [given == wanted, given.startswith(f"{wanted}-"), not given, True]
        return order.index(True), given, str(value)

    return " ".join(str(min(values, key=rank, default="")).split())
