"""An explanation as a page of its own: the marked text, the path, the shares, the runner-up and the neighbours."""

from collections.abc import Iterator, Mapping, Sequence

from classmark.explain.contrast import Contrast, Step
from classmark.explain.documents import Explanation, NearDocument
from classmark.explain.html import bars, isolated, marked_text, name, page, path, table
from classmark.explain.showing import SMALLEST_SHOWN

NAMED = 3
"""How many words are named in a sentence."""


def to_page(explanations: Sequence[Explanation], decision: str | None = None) -> str:
    """Give explanations of one document as a whole page that can be opened and printed without anything else.

    What was not asked of `explain` (`why_not`, `along`, `marked`) is not there.

    >>> owl = Explanation("owl", ["bird", "owl"], True, 1.5, 0.5, [("hoot", 1.0)], 0.0)
    >>> to_page([owl]).startswith("<!doctype html>")
    True
    """
    title = f"Why {', '.join(' › '.join(one.path) for one in explanations)}" if explanations else "No category"
    heading = "<br>".join(path(one.path) for one in explanations)
    top = f"<h1>Why {heading}?</h1>\n" if explanations else "<h1>There is no category to explain</h1>\n"
    decided = "" if decision is None else f'<p class="quiet">decided by {name(decision)}</p>\n'
    return page(title, top, decided, *(_section(one, number) for number, one in enumerate(explanations, 1)))


def _section(one: Explanation, number: int) -> str:
    said = "" if one.accepted else " (not accepted)"
    parts = [
        f'<section aria-labelledby="category-{number}">\n'
        f'<h2 id="category-{number}">{path(one.path)}: {one.score:.3f}{said}</h2>\n',
        f"<p>{_summary(_written(one, one))}</p>\n",
        *_text(one),
        *_path(one),
        "<h3>What makes the score</h3>\n",
        bars("the shares sum to the score", _written(one, one), _rest(one)),
        *_why_not(one),
        *_neighbours(one.neighbours),
        "</section>\n",
    ]
    return "".join(parts)


def _written(one: Explanation, shown: Explanation | Contrast) -> list[tuple[str, float]]:
    """Give the terms of an explanation, or of what it is set against, as they are written in the text."""
    names = zip(shown.worded(), shown.terms, strict=True)
    return [(one.written.get(term, worded), share) for (worded, share), (term, _) in names]


def _summary(terms: Sequence[tuple[str, float]]) -> str:
    speaking = [term for term, share in terms if share > 0][:NAMED]
    against = [term for term, share in terms if share < 0][:NAMED]
    found = [
        f"{words} {', '.join(f'<strong>{isolated(term)}</strong>' for term in some)}"
        for words, some in (("for it speak most", speaking), ("against it", against))
        if some
    ]
    sentence = "; ".join(found) or "no word of the text says anything about it"
    return f"{sentence[0].upper()}{sentence[1:]}."


def _text(one: Explanation) -> Iterator[str]:
    if not one.pieces:
        return
    yield "<h3>The text</h3>\n"
    yield (
        '<p class="quiet">Underlined words <mark class="for">speak for</mark> the category, words with a dashed line '
        '<mark class="against">against</mark> it; the loudest have a sign.</p>\n'
    )
    yield marked_text(one.pieces, cut=one.cut)
    if one.cut:
        yield '<p class="quiet">The text is longer; this is the part that says most.</p>\n'


def _path(one: Explanation) -> Iterator[str]:
    steps = one.steps
    if not steps:
        return
    leads = [(step.lead, place) for place, step in enumerate(steps) if step.lead is not None]
    closest = min(leads)[1] if leads else None
    yield "<h3>Along the path</h3>\n"
    if closest is not None:
        step = steps[closest]
        ahead = "ahead of" if (step.lead or 0.0) >= 0 else "behind"
        yield (
            f"<p>The closest call was {isolated(step.title)}, {abs(step.lead or 0.0):.3f} {ahead} "
            f"{isolated(step.rival)}.</p>\n"
        )
    header = ["category", "score", "best beside it", "its score", "strongest words"]
    likely = any(step.probability is not None for step in steps)
    header[2:2] = ["probability"] if likely else []
    lines = (_step(step, one.written, likely=likely, least=place == closest) for place, step in enumerate(steps))
    yield table("from the top down", header, lines, ("score", "its score", "probability"))


def _step(step: Step, written: Mapping[str, str], *, likely: bool, least: bool) -> str:
    chance = "" if step.probability is None else f"{step.probability:.3f}"
    cells = [f"<td>{isolated(step.title)}{'' if step.accepted else ' (not accepted)'}</td>", _number(step.score)]
    cells += [f'<td class="number">{chance}</td>'] if likely else []
    cells += [f"<td>{'' if step.rival is None else isolated(step.rival)}</td>", _number(step.rival_score)]
    words = [written.get(term, term) for term, share in step.terms[:NAMED] if share > 0]
    cells.append(f"<td>{', '.join(map(isolated, words))}</td>")
    kind = ' class="least"' if least else ""
    return f"<tr{kind}>{''.join(cells)}</tr>\n"


def _number(value: float | None) -> str:
    return f'<td class="number">{"" if value is None else f"{value:.3f}"}</td>'


def _rest(one: Explanation | Contrast) -> list[tuple[str, float]]:
    rest = [("all other terms", one.others), ("without any term", one.bias)]
    return [(words, share) for words, share in rest if abs(share) >= SMALLEST_SHOWN]


def _why_not(one: Explanation) -> Iterator[str]:
    other = one.why_not
    if other is None:
        return
    words = "Beside" if other.accepted else "Why not"
    apart = f"{abs(other.difference):.3f} {'less' if other.difference >= 0 else 'more'}"
    yield f"<h3>{words} {path(other.path)}{'' if other.accepted else '?'}</h3>\n"
    yield f"<p>It scores {other.score:.3f}, {apart}. {_summary_of_contrast(one, other)}</p>\n"
    yield bars(
        f"what each term adds to {' › '.join(one.path)} more than to {' › '.join(other.path)}",
        _written(one, other),
        _rest(other),
    )


def _summary_of_contrast(one: Explanation, other: Contrast) -> str:
    ours = [term for term, share in _written(one, other) if share > 0][:NAMED]
    theirs = [term for term, share in _written(one, other) if share < 0][:NAMED]
    found = [
        f"{', '.join(f'<strong>{isolated(term)}</strong>' for term in some)} speak{'s' * (len(some) == 1)} for "
        f"{isolated(whose[-1])}"
        for some, whose in ((ours, one.path), (theirs, other.path))
        if some
    ]
    return "; ".join(found) + "." if found else "No word of the text makes the difference."


def _neighbours(near: Sequence[NearDocument]) -> Iterator[str]:
    if not near:
        return
    yield "<h3>The nearest documents</h3>\n<ul>\n"
    for one in near:
        text = "" if one.text is None else f'<blockquote dir="auto">{name(one.text)}</blockquote>'
        yield f"<li>{one.vote:+.3f} by {isolated(one.worded())}{text}</li>\n"
    yield "</ul>\n"
