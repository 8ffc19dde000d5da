"""Explanations as text for a terminal, as plain data, and as HTML, a fragment or a page (`templates/explain`)."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from classmark.explain.contrast import Contrast, Step
from classmark.explain.documents import Explanation
from classmark.explain.nodes import NodeDocument, NodeDocuments, NodeExplanation
from classmark.hierarchy import Name
from classmark.html import render
from classmark.wording import listed

SMALLEST_SHOWN = 0.0005
"""A share below it would be shown as zero."""
NAMED = 3
"""Number of words that are named in a sentence."""
WHERE_ASKED = ("neighbours", "why_not", "steps", "pieces", "cut", "written")
"""What an explanation has where it was asked for."""


def to_json(explanations: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Give explanations as plain data."""
    return [_plain(one) for one in explanations]


def _plain(one: Explanation) -> dict[str, Any]:
    plain = asdict(one) | {
        "terms": _pairs(one.terms),
        "absent": list(one.absent),
        "neighbours": [_without_none(asdict(near) | {"labels": list(near.labels)}) for near in one.neighbours],
        "pieces": [asdict(piece) for piece in one.pieces],
        "steps": [_without_none(asdict(step) | {"terms": _pairs(step.terms)}) for step in one.steps],
    }
    if one.why_not is not None:
        plain["why_not"] = asdict(one.why_not) | {
            "terms": _pairs(one.why_not.terms),
            "absent": list(one.why_not.absent),
        }
    # What was not asked for, or cannot be had of this method, is not there.
    return {name: value for name, value in plain.items() if value or name not in WHERE_ASKED}


def _pairs(terms: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    return [{"term": term, "share": share} for term, share in terms]


def _without_none(plain: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in plain.items() if value is not None or name == "id"}


def to_text(explanations: Sequence[Explanation], width: int = 24, decision: str | None = None) -> str:
    """Draw explanations for a terminal, a bar a term.

    The decision, where it is given, stands on a last line: it says why a score was enough, or was not.

    >>> owl = Explanation("owl", ["bird", "owl"], True, 1.5, 0.5, [("hoot", 1.0)], 0.0)
    >>> print(to_text([owl], width=4, decision="best-path"))
    bird › owl: 1.500
      +1.000 ████ hoot
      +0.500      (without any term)
    decided by best-path
    """
    lines = [line for one in explanations for line in _lines(one, width)]
    return "\n".join(lines if decision is None else [*lines, f"decided by {decision}"])


def _lines(one: Explanation, width: int) -> Iterator[str]:
    """Draw one explanation, and below it why it is not another category."""
    yield f"{' › '.join(one.path)}: {one.score:.3f}{'' if one.accepted else ' (not accepted)'}"
    yield from _bars(one, width)
    for near in one.neighbours:
        yield f"  {near.vote:+.3f} by {near.worded()}"
        if near.text is not None:
            yield f"         {near.text}"
    if one.why_not is not None:
        difference = one.why_not.difference
        apart = f"{abs(difference):.3f} {'less' if difference >= 0 else 'more'}"
        yield f"{in_words(one, one.why_not)}: {one.why_not.score:.3f}, {apart}"
        yield from _bars(one.why_not, width)


def _bars(one: Explanation | Contrast, width: int) -> Iterator[str]:
    largest = max([abs(share) for _, share in one.terms], default=1.0)
    for term, share in one.worded():
        bar = "█" * max(1, round(width * abs(share) / largest))
        yield f"  {share:+.3f} {bar:<{width}} {term}"
    for words, share in _rest(one):
        if abs(share) >= SMALLEST_SHOWN:
            yield f"  {share:+.3f} {'':<{width}} ({words})"


def in_words(one: Explanation, other: Contrast) -> str:
    """Give what is asked of the other category: why it is not the answer, or what it has that this one has not.

    >>> gull = Contrast("gull", ["gull"], False, 0.5, 1.0, [], 0.0, 1.0)
    >>> in_words(Explanation("owl", ["owl"], True, 1.5, 0.5, [("hoot", 1.0)], 0.0), gull)
    'why not gull'
    """
    return f"{'beside' if other.accepted else 'why not'} {' › '.join(other.path)}"


def to_html(explanations: Sequence[Explanation]) -> str:
    """Return explanations as an HTML fragment, everything from the document escaped.

    >>> to_html([Explanation("<b>", ["<b>"], True, 1.0, 1.0, [], 0.0)]).count("&lt;b&gt;")
    1
    """
    return render("explain/fragment.html", explanations=explanations).strip()


def to_page(explanations: Sequence[Explanation], decision: str | None = None) -> str:
    """Return explanations of one document as a whole page that can be opened and printed without anything else.

    >>> owl = Explanation("owl", ["bird", "owl"], True, 1.5, 0.5, [("hoot", 1.0)], 0.0)
    >>> to_page([owl]).startswith("<!doctype html>")
    True
    """
    title = ", ".join(" › ".join(one.path) for one in explanations)
    return render(
        "explain/document.html",
        title=f"Why {title}" if title else "No category",
        explanations=explanations,
        decision=decision,
        closest_of=_closest,
        written=_written,
        speaking=lambda terms: [pair for pair in terms if pair[1] > 0][:NAMED],
        speaking_against=lambda terms: [pair for pair in terms if pair[1] < 0][:NAMED],
        rest=lambda one: [pair for pair in _rest(one) if abs(pair[1]) >= SMALLEST_SHOWN],
    )


def _closest(one: Explanation) -> Step | None:
    """Return the step with the smallest lead, or None if no step has a rival."""
    return min((step for step in one.steps if step.lead is not None), key=lambda step: step.lead or 0.0, default=None)


def _written(one: Explanation, shown: Explanation | Contrast) -> list[tuple[str, float]]:
    """Return the terms of an explanation, or of its contrast, as they are written in the text."""
    names = zip(shown.worded(), shown.terms, strict=True)
    return [(one.written.get(term, worded), share) for (worded, share), (term, _) in names]


def _rest(one: Explanation | Contrast) -> list[tuple[str, float]]:
    return [("all other terms", one.others), ("without any term", one.bias)]


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
    return "\n".join(_node_lines(one, width))


def _node_lines(one: NodeExplanation, width: int) -> Iterator[str]:
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
