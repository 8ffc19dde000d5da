"""HTML for notebooks: small, escaped, without scripts, in the colours of the page that it stands on."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

from classmark.wording import visible

LONGEST = 200
"""So many characters of a text are shown."""
PANEL = "border:1px solid rgba(128,128,128,.5);border-radius:4px;padding:.5em .8em;max-width:60em;overflow-x:auto"
CELL = "text-align:left;vertical-align:top;padding:.1em .8em .1em 0"
QUIET = "opacity:.7"


def text(value: object, longest: int = LONGEST) -> str:
    """Give anything as text in HTML, cut off where it is too long.

    >>> text("<script>", 5)
    '&lt;scri…'
    """
    shown = " ".join(str(value).split())
    return escape(visible(shown if len(shown) <= longest else f"{shown[:longest]}…"))


def quiet(value: object) -> str:
    """Give text that is less important than what stands beside it."""
    return f'<span style="{QUIET}">{text(value)}</span>'


def panel(title: object, *parts: str) -> str:
    """Put parts, which are HTML, below a title, which is text."""
    return f'<div style="{PANEL}"><div><strong>{text(title)}</strong></div>{"".join(parts)}</div>'


def folded(title: object, inside: str) -> str:
    """Put HTML below a title that opens it."""
    return f'<details><summary style="cursor:pointer">{text(title)}</summary>{inside}</details>'


def facts(pairs: Iterable[tuple[str, object]]) -> str:
    """Give what is known, a line each; None and what is empty is left out.

    >>> "owl" in facts([("bird", "owl"), ("fish", None)]), "fish" in facts([("bird", "owl"), ("fish", None)])
    (True, False)
    """
    return _table(
        f"{_cell(quiet(name))}{_cell(text(value, 3 * LONGEST))}" for name, value in pairs if value not in (None, "", {})
    )


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Give rows of text below a header."""
    top = "".join(map(_cell, map(quiet, header)))
    return _table([top, *("".join(_cell(text(value)) for value in row) for row in rows)])


def _table(rows: Iterable[str]) -> str:
    return f'<table style="border:0;background:none">{"".join(f"<tr>{row}</tr>" for row in rows)}</table>'


def _cell(inside: str) -> str:
    return f'<td style="{CELL}">{inside}</td>'


class ShownInNotebooks:
    """An estimator that shows what it has learned; before, scikit-learn's diagram of it is shown.

    Within pipelines the diagram is always scikit-learn's.
    """

    def _learned_html(self) -> str | None:
        """Give what was learned; None where nothing was."""
        raise NotImplementedError

    @property
    def _repr_html_(self) -> Callable[[], str]:
        above: Any = super()
        diagram: Callable[[], str] = above._repr_html_  # refuses where scikit-learn is told to show text
        return lambda: self._learned_html() or diagram()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        above: Any = super()
        bundle: dict[str, str] = above._repr_mimebundle_(**kwargs)
        learned = self._learned_html() if "text/html" in bundle else None
        return bundle if learned is None else bundle | {"text/html": learned}
