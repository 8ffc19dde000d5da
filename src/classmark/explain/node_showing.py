"""A category as text for a terminal, and as a page of its own."""

from collections.abc import Iterator, Sequence

from classmark.explain.node_documents import NodeDocument, NodeDocuments
from classmark.explain.nodes import NodeExplanation
from classmark.hierarchy import Name
from classmark.html import render
from classmark.wording import listed

KINDS = (
    ("surest", "The surest of its documents"),
    ("least_sure", "The least sure of its documents"),
    ("wrong", "Put there wrongly"),
)
"""The documents that are shown: the field, and its heading."""


def node_to_text(one: NodeExplanation, width: int = 24) -> str:
    """Draw what is known of a category for a terminal, a bar a word.

    >>> from classmark.explain.words import Words
    >>> words = Words((("hoots", 1.0),), (("sea", -0.5),))
    >>> owl = dict(category="owl", path=["bird", "owl"], parents=("bird",), children=(), below=0, learned=True)
    >>> print(node_to_text(NodeExplanation(**owl, words=words), width=4))
    bird › owl
    a category without others below it
    words for it
      +1.000 ████ hoots
    words against it
      -0.500 ██   sea
    """
    return "\n".join(_lines(one, width))


def _lines(one: NodeExplanation, width: int) -> Iterator[str]:
    yield " › ".join(one.path)
    yield from _place(one)
    if one.words is None:
        yield f"no words: {one.no_words}"
    else:
        pairs = [*one.words.speaking_for, *one.words.against]
        largest = max((abs(weight) for _, weight in pairs), default=1.0)
        for heading, words in (("words for it", one.words.speaking_for), ("words against it", one.words.against)):
            yield heading if words else f"{heading}: none"
            for word, weight in words:
                bar = "█" * max(1, round(width * abs(weight) / largest))
                yield f"  {weight:+.3f} {bar:<{width}} {word}"
    if one.nearest:
        yield "nearest categories, by the words for them"
        yield from (f"  {near.alike:.3f} {' › '.join(near.path)}" for near in one.nearest)
    if one.documents is not None:
        yield from _documents(one.documents)


def _place(one: NodeExplanation) -> Iterator[str]:
    """Say where a category stands, and what was learned of it."""
    if one.children:
        more = "" if one.below == len(one.children) else f", {one.below:,} on all levels"
        yield f"right below it {len(one.children):,}{more}: {listed(one.children)}"
    else:
        yield "a category without others below it"
    if len(one.parents) > 1:
        yield f"right above it {len(one.parents):,}: {listed(one.parents)}"
    if not one.learned:
        yield "nothing was learned of it: no document to learn from belonged to it"
    if one.learned_from is not None:
        yield f"learned from {one.learned_from:,} documents"


def _documents(found: NodeDocuments) -> Iterator[str]:
    yield _counted(found)
    for field, heading in KINDS:
        some: Sequence[NodeDocument] = getattr(found, field)
        if some:
            yield f"{heading[0].lower()}{heading[1:]}, by {found.by}"
            yield from (f"  {document.sure:.3f} {_which(document)}: {document.text}" for document in some)


def _counted(found: NodeDocuments) -> str:
    """Say how many documents belong to a category, and how many the model finds.

    >>> nothing = dict(surest=(), least_sure=(), wrong=())
    >>> _counted(NodeDocuments(source="birds", labelled=3, answered=4, found=2, by="score", **nothing))
    'birds: 3 documents belong to it, of which 2 are put there, and 2 others'
    """
    others = found.answered - found.found
    return (
        f"{found.source}: {found.labelled:,} documents belong to it, of which {found.found:,} are put there, "
        f"and {others:,} others"
    )


def _which(document: NodeDocument) -> str:
    """Name a document with its labels, and with the answer where that is another."""
    labels = _named(document.labels)
    if document.answered == document.labels:
        return f"{document.id} ({labels})"
    return f"{document.id} ({labels}; answered {_named(document.answered)})"


def _named(names: Sequence[Name]) -> str:
    return ", ".join(map(str, names)) or "none"


def node_to_page(one: NodeExplanation) -> str:
    """Return what is known of a category as a whole page that can be opened and printed without anything else."""
    counted = "" if one.documents is None else _counted(one.documents)
    values = {"facts": list(_place(one)), "counted": counted, "KINDS": KINDS}
    return render("explain/node.html", title=" › ".join(one.path), one=one, **values)
