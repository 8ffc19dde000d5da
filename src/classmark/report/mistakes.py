"""Where documents went instead of where they belong, and some of them with the words that misled the model."""

from collections.abc import Iterable, Sequence

from classmark.markup import text
from classmark.report.contents import Destination, Pair, Piece, Report, WrongDocument
from classmark.report.elements import (
    bar,
    count,
    counted,
    fitting,
    folded,
    left_out,
    name,
    row,
    running,
    section,
    sentence,
    share,
    signed,
    table,
)
from classmark.report.overview import names
from classmark.report.paths import path, paths, way_to

AROUND = 240
"""So many characters around marked words are shown."""
LONGEST_TEXT = 2400
"""So many characters of a text are shown."""
N_TERMS = 12
STRENGTHS = (0.12, 0.3, 0.6)
"""From these parts of the strongest word's share on, a word is marked, and more strongly."""
FIRST_PAIRS = 12
"""So many pairs are shown at once; others are folded."""


def instead(report: Report) -> str:
    """Say where labels went, along the hierarchy, and which nodes are taken for which most often."""
    if not report.destinations and not report.pairs:
        return ""
    return section("instead", "Where documents went instead", _destinations(report.destinations), _pairs(report))


def _destinations(destinations: Sequence[Destination]) -> str:
    whole = sum(one.labels for one in destinations) or 1
    shown = fitting(destinations, lambda one: _destination(one, one.labels / whole), 20, 30_000)
    return f'<ul class="bars">{"".join(shown)}</ul>' if shown else ""


def _destination(one: Destination, part: float) -> str:
    return (
        f'<li><div class="bar-head"><strong>{text(one.kind)}</strong>'
        f"<span class=number>{counted(one.labels, 'label', 'labels')} · {100 * part:.0f} %</span></div>"
        f'{bar(part)}<p class="quiet">{sentence(one.words)}</p></li>'
    )


def _pairs(report: Report) -> str:
    def pair(one: Pair) -> str:
        answered = '<span class="quiet">nothing</span>' if one.answered is None else path(report.nodes, one.answered)
        return row(path(report.nodes, one.true), answered, count(one.documents), text(one.kind), numeric=(2,))

    rows = fitting(report.pairs, pair, 50, 80_000)
    if not rows:
        return ""
    first, others = rows[:FIRST_PAIRS], rows[FIRST_PAIRS:]
    more = table("More frequent mistakes", PAIR_COLUMNS, others, numeric=(2,)) if others else ""
    return (
        f"<h3>Most frequent mistakes</h3>{table('The most frequent mistakes', PAIR_COLUMNS, first, numeric=(2,))}"
        f"{folded(f'{len(others)} more', more) if more else ''}"
        f"{left_out(len(rows), len(report.pairs), 'pair', 'pairs')}"
    )


PAIR_COLUMNS = ("Belongs to", "Was answered", "Documents", "That is")


def errors(report: Report) -> str:
    """Give examples of errors, a card each."""
    if not report.errors:
        return ""
    cards = fitting(report.errors, lambda one: _card(report, one), 400, 420_000)
    there = max(report.n_errors, len(report.errors))
    one, many = ("is answered", "are answered") if report.names else ("has", "have")
    what = "otherwise by the two models, wrongly by one of them" if report.names else "a wrong or a missing label"
    documents = counted(there, f"document {one}", f"documents {many}")
    lead = f"<p>{documents} {what}; {len(cards):,} of them here. {LEGEND}</p>"
    listed = f'<div class="cards" id="cards">{"".join(cards)}</div>'
    return section("errors", "Examples of errors", lead, FILTER, listed, MORE)


LEGEND = (
    "Words marked <mark class=for>like this</mark> speak for the answer, words marked"
    " <mark class=against>like this</mark> for the true label; the more they weigh, the bolder the line."
    " What weighs little is not marked."
)
MORE = '<p class="more js"><button type="button" id="errors-more">Show more</button></p>'
FILTER = (
    '<div class="tools js" role="search" aria-label="Examples of errors"><label for="errors-filter">'
    'Show errors with</label><input id="errors-filter" type="search" placeholder="part of a category’s name"'
    ' autocomplete="off"><output id="errors-count" for="errors-filter"></output></div>'
)


def _card(report: Report, error: WrongDocument) -> str:
    touched = {above for label in (*error.true, *error.answered) for above in way_to(report.nodes, label)}
    answers = [("Belongs to", error.true, "no category"), ("Was answered", error.answered, "nothing")]
    if error.other is not None:
        answers.append((f"By {names(report)[1]}", error.other, "nothing"))
    labels = "".join(
        f"<div><dt>{said}</dt><dd>{paths(report.nodes, some, otherwise)}</dd></div>"
        for said, some, otherwise in answers
    )
    sure = "" if error.sure is None else f'<span class="sure">{share(error.sure, 2)} sure {bar(error.sure)}</span>'
    return (
        f'<article class="card error" data-nodes=" {" ".join(map(str, sorted(touched)[:200]))} ">'
        f'<header><h3>{name(error.id)}</h3>{sure}</header><dl class="labels">{labels}</dl>'
        f"{_text(error)}{_why(error)}</article>"
    )


def _text(error: WrongDocument) -> str:
    most = max((abs(piece.share) for piece in error.pieces), default=0.0)
    shown = "".join(_piece(piece, most) for piece in shortened(error.pieces))
    if not shown.strip():
        return '<p class="quiet none">The text is empty.</p>'
    cut = ' <span class="quiet">(some of the text is left out)</span>' if error.cut else ""
    return f'<p class="document" dir="auto">{shown}{cut}</p>'


def shortened(pieces: Sequence[Piece]) -> Iterable[Piece]:
    """Leave out what is far from any marked word, and the end of what is still too long.

    >>> [len(piece.text) for piece in shortened([Piece(text="x" * 100_000), Piece(text="owl", share=1.0)])]
    [483, 3]
    """
    left = LONGEST_TEXT
    for piece in pieces:
        inside = piece.text
        if len(inside) > 2 * AROUND + 3:
            inside = f"{inside[:AROUND]} … {inside[-AROUND:]}"
        if len(inside) > left:
            yield Piece(text=f"{inside[:left]}…", share=piece.share)
            return
        left -= len(inside)
        yield Piece(text=inside, share=piece.share)


def _piece(piece: Piece, most: float) -> str:
    inside = running(piece.text)
    strength = sum(abs(piece.share) >= part * most for part in STRENGTHS) - 1
    if not most or strength < 0:
        return inside
    side = "for" if piece.share > 0 else "against"
    said = f"{side.capitalize()} the answer" if side == "for" else "For the true label"
    return f'<mark class="{side} s{strength}" title="{said}: {abs(piece.share):.3g}">{inside}</mark>'


def _why(error: WrongDocument) -> str:
    terms = "".join(
        f'<li><mark class="{"for" if weight > 0 else "against"}">{name(term, 40)}</mark>'
        f" <span class=number>{signed(weight)}</span></li>"
        for term, weight in error.terms[:N_TERMS]
    )
    said = f'<p class="quiet why">{sentence(error.why)}</p>' if error.why else ""
    return f"{said}{f'<ul class=terms>{terms}</ul>' if terms else ''}"
