"""The parts that pages of explanations are made of, everything that comes from data escaped."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from classmark.explain.piece import Piece
from classmark.explain.style import STYLE
from classmark.wording import visible

LOUD = 0.3
"""The part of the largest share of a text from which a word is marked with a sign."""
FAINT = 0.02
"""The part of it below which a word is not marked at all."""
HARMLESS = re.compile("([\n\t\u061c\u200e\u200f])")
"""What may stand in a text as it is: ends of lines, tabs, and marks of direction that turn nothing round."""


def page(title: str, *parts: str) -> str:
    """Give a whole page without scripts, which asks nobody for anything.

    >>> page("<owl>", "<p>hoots").count("<title>&lt;owl&gt;</title>")
    1
    """
    # The policy says what there is not: no script, no request, no form.
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{name(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"{''.join(parts)}</main>\n</body>\n</html>"
    )


def name(value: object) -> str:
    """Give a name, control characters written out."""
    return escape(visible(str(value)))


def isolated(value: object) -> str:
    """Give a name that turns nothing around it from left to right or back."""
    return f"<bdi>{name(value)}</bdi>"


def path(names: Iterable[str]) -> str:
    """Give a path of categories."""
    return " › ".join(map(isolated, names))


def body(text: str) -> str:
    """Give a text as it was written, control characters written out but for ends of lines."""
    return "".join(escape(part if HARMLESS.fullmatch(part) else visible(part)) for part in HARMLESS.split(text))


def marked_text(pieces: Sequence[Piece], *, cut: bool) -> str:
    """Give a text with the words marked that speak for something, and against it.

    >>> marked_text([Piece(text="hoots", share=1.0), Piece(text=" at sea", share=-0.5)], cut=False).count("<mark")
    2
    """
    largest = max((abs(piece.share) for piece in pieces), default=0.0)
    inside = "".join(_piece(piece, largest) for piece in pieces)
    dots = "… " if cut else ""
    return f'<div class="text" dir="auto" tabindex="0">{dots}{inside}{dots[::-1]}</div>\n'


def _piece(piece: Piece, largest: float) -> str:
    shown = body(piece.text)
    if not largest or abs(piece.share) < FAINT * largest:
        return shown
    kinds = " ".join(_kinds(piece.share, abs(piece.share) >= LOUD * largest))
    return f'<mark class="{kinds}" title="{piece.share:+.3f}">{shown}</mark>'


def _kinds(share: float, loud: bool) -> Iterator[str]:
    yield "for" if share > 0 else "against"
    if loud:
        yield "loud"


def bars(
    caption: str,
    rows: Sequence[tuple[str, float]],
    others: Sequence[tuple[str, float]] = (),
    header: tuple[str, str] = ("term", "share"),
) -> str:
    """Give shares as bars, filled for what is above 0 and hatched for what is below; others without a bar."""
    largest = max((abs(share) for _, share in rows), default=1.0) or 1.0
    lines = [_row(isolated(term), share, abs(share) / largest) for term, share in rows]
    lines += [_row(f'<span class="quiet">{name(words)}</span>', share, None) for words, share in others]
    what, number = header
    return table(caption, [what, "", number], lines, (number,))


def _row(first: str, share: float, length: float | None) -> str:
    kind = "for" if share >= 0 else "against"
    bar = "" if length is None else f'<span class="bar {kind}" style="width:{100 * length:.1f}%"></span>'
    return f'<tr><td>{first}</td><td class="bars">{bar}</td><td class="number">{share:+.3f}</td></tr>\n'


def table(caption: str, header: Sequence[str], lines: Iterable[str], numbers: Sequence[str]) -> str:
    """Give a table of lines, which are HTML; columns of numbers stand to the right."""
    top = "".join(_header(one, one in numbers) for one in header)
    return (
        f'<div class="scrolls" tabindex="0"><table><caption class="quiet">{name(caption)}</caption>\n'
        f"<thead><tr>{top}</tr></thead>\n<tbody>\n{''.join(lines)}</tbody></table></div>\n"
    )


def _header(words: str, is_number: bool) -> str:
    """Give the cell above a column; bars have no heading."""
    kind = ' class="number"' if is_number else ""
    return f'<th scope="col"{kind}>{name(words)}</th>' if words else "<td></td>"
