"""Pieces of HTML: text that is always escaped, numbers, bars, tables, and lists that end before they are too long.

What comes from a report goes through `text`, `name` or `running`. Nothing has a `style`, which the page's own rule of
what may be loaded forbids: how wide a bar is stands in its drawing.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TypeVar

from classmark.markup import text
from classmark.wording import visible

Item = TypeVar("Item")

LONGEST_NAME = 80
"""So many characters of a name are shown."""
LONGEST_SENTENCE = 1200
"""So many characters of a sentence are shown."""
NOTHING = "–"
"""What stands for a figure that is not known."""


def name(value: object, longest: int = LONGEST_NAME) -> str:
    """Give a name, in whatever direction it is written, without turning what stands around it.

    >>> name("<b>")
    '<bdi>&lt;b&gt;</bdi>'
    """
    return f"<bdi>{text(value, longest)}</bdi>"


def sentence(value: object) -> str:
    """Give a sentence or two."""
    return text(value, LONGEST_SENTENCE)


def running(value: str) -> str:
    r"""Give text as it was written, lines and all, with what cannot be seen written out.

    >>> print(running("an\x00owl\n<i>"))
    an\x00owl
    &lt;i&gt;
    """
    lines = value.replace("\r\n", "\n").replace("\t", " ").split("\n")
    return escape("\n".join(map(visible, lines)))


def count(value: int | None) -> str:
    """Give a whole number.

    >>> count(17157), count(None)
    ('17,157', '–')
    """
    return NOTHING if value is None else f"{value:,}"


def share(value: float | None, digits: int = 3) -> str:
    """Give a number between 0 and 1, or any other, with as many digits as can be compared at a glance.

    >>> share(0.83333), share(float("nan")), share(None)
    ('0.833', '–', '–')
    """
    return NOTHING if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def signed(value: float) -> str:
    """Give a number with its sign.

    >>> signed(-0.5512), signed(2.0)
    ('−0.55', '+2')
    """
    return f"{'−' if value < 0 else '+'}{abs(value):.2g}"


def counted(number: int, one: str, many: str) -> str:
    """Give a number and what is counted.

    >>> counted(1, "document", "documents"), counted(2000, "document", "documents")
    ('1 document', '2,000 documents')
    """
    return f"{number:,} {one if number == 1 else many}"


def bar(part: float, kind: str = "") -> str:
    """Draw a part of the whole as a bar; the number stands beside it, so no reader is told of it."""
    part = min(max(part, 0.0), 1.0) if math.isfinite(part) else 0.0
    return (
        f'<svg class="bar {kind}" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        f'<rect class="rail" width="100" height="1"/><rect class="fill" width="{100 * part:.1f}" height="1"/></svg>'
    )


def table(caption: str, header: Sequence[str], rows: Iterable[str], *, numeric: Sequence[int] = ()) -> str:
    """Put rows, which are HTML, below a header; the columns named last hold numbers."""
    top = "".join(
        f'<th scope="col"{" class=number" if place in numeric else ""}>{cell}</th>' for place, cell in enumerate(header)
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table>'
        f"<caption>{caption}</caption><thead><tr>{top}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def row(first: str, *others: str, numeric: Sequence[int] = ()) -> str:
    """Give a row of a table, which its first cell names."""
    cells = (
        f"<td{' class=number' if place in numeric else ''}>{cell}</td>" for place, cell in enumerate(others, start=1)
    )
    return f'<tr><th scope="row">{first}</th>{"".join(cells)}</tr>'


def section(place: str, title: str, *parts: str) -> str:
    """Put parts below a heading that the contents of the page point to."""
    return (
        f'<section id="{place}" aria-labelledby="{place}-title"><h2 id="{place}-title">{title}</h2>'
        f"{''.join(parts)}</section>"
    )


def folded(title: str, inside: str) -> str:
    """Put HTML below a title that opens it."""
    return f"<details><summary>{title}</summary>{inside}</details>"


def fitting(items: Sequence[Item], render: Callable[[Item], str], most: int, n_bytes: int) -> list[str]:
    """Render the first items, as many as there is room for.

    >>> fitting(["owl", "gull", "emu"], str, most=5, n_bytes=8)
    ['owl', 'gull']
    """
    fit: list[str] = []
    for item in items[:most]:
        rendered = render(item)
        n_bytes -= len(rendered.encode())
        if n_bytes < 0:
            break
        fit.append(rendered)
    return fit


def left_out(shown: int, there: int, one: str, many: str) -> str:
    """Say that the page does not show everything, where that is so."""
    if shown >= there:
        return ""
    return f'<p class="quiet">{counted(there - shown, f"more {one} is", f"more {many} are")} not on this page.</p>'
