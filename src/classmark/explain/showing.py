"""Explanations as text for a terminal, as plain data, and as HTML, a fragment or a page (`templates/explain`)."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from classmark.explain.contrast import Contrast, Step
from classmark.explain.documents import Explanation
from classmark.html import render

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
        yield f"{in_words(one, one.why_not)}: {one.why_not.score:.3f}, {_apart(one.why_not.difference)}"
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


def _apart(difference: float) -> str:
    return f"{abs(difference):.3f} {'less' if difference >= 0 else 'more'}"


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
