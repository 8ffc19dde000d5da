"""One page of HTML that has everything in it: it opens without a network, and is small enough to be sent by mail.

Text, figures, curves, errors and the first rows of the table are HTML (`templates/report`); the tree and the whole
table are drawn by a script (`assets`) from the nodes (`payload`). Nothing may be loaded from anywhere: the page says so
itself, and names its own style and script by their hashes. The same report gives the same bytes.
"""

import math
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from classmark.html import environment, render, short
from classmark.persistence import replacing
from classmark.report.contents import Node, Piece, Report, WrongDocument
from classmark.report.drawing import HEIGHT, WIDTH, draw
from classmark.report.payload import COUNTS, Payload, by_documents, payload, way_to

Item = TypeVar("Item")

LARGEST = 2_000_000
"""A page has fewer bytes than this."""
MAX_HEAD = 20_000
"""Number of bytes kept for what is known last."""
AROUND, LONGEST_TEXT = 240, 2400
"""Numbers of characters that are shown around marked words, and of a text."""
STRENGTHS = (0.12, 0.3, 0.6)
"""Parts of the strongest word's share from which a word is marked, and more strongly."""
SCRIPTS = ("model.js", "icicle.js", "tree.js", "table.js", "errors.js", "main.js")
"""The script, in parts, in the order in which they need each other."""
SECTIONS = {
    "summary": ("Summary", "summary"),
    "facts": ("About", "facts"),
    "changes": ("Two models", "changes"),
    "tree": ("Tree", "tree"),
    "nodes": ("Categories", "nodes_table"),
    "instead": ("Where instead", "instead"),
    "curves": ("Curves", "curves"),
    "errors": ("Errors", "errors"),
    "problems": ("Data", "problems"),
}
"""Sections of the page from top to bottom, their titles in its contents, and their macros."""
COLUMNS = {
    "documents": "Documents",
    "training": "Training",
    "predicted": "Answered",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "other_f1": "F1, second model",
    "words": "Words",
}


def page(report: Report) -> str:
    """Return a report as one page.

    Examples
    --------
    >>> from classmark.report import Node
    >>> shown = page(Report(title="<b>", summary=["All is well."], facts=[], nodes=[Node(name="owl", documents=3)]))
    >>> shown[:15], "<b>" in shown, "All is well." in shown
    ('<!doctype html>', False, True)
    """
    values = {
        "report": report,
        "nodes": report.nodes,
        "models": [*report.names, "first model", "second model"][: max(len(report.names), 2)],
        "columns": [key for key in COLUMNS if any(getattr(node, key) not in (None, [], ()) for node in report.nodes)],
        "COLUMNS": COLUMNS,
        "COUNTS": COUNTS,
        "WIDTH": WIDTH,
        "HEIGHT": HEIGHT,
        **{function.__name__: function for function in FUNCTIONS},
        "largest_share": lambda pieces: max((abs(piece.share) for piece in pieces), default=0.0),
    }
    macros = environment().get_template("report/sections.html").make_module(values)
    parts = {place: getattr(macros, macro)().strip() for place, (_, macro) in SECTIONS.items()}
    style, script = _assets()
    used = sum(len(part.encode()) for part in (style, script, *parts.values()))
    nodes = payload(report.nodes, report.names, LARGEST - MAX_HEAD - used)
    return render(
        "report/page.html",
        title=short(report.title) or "Report",
        parts=parts,
        SECTIONS=SECTIONS,
        style=style,
        script=script,
        hash_of=lambda text: f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}",
        lacking=list(_lacking(report, nodes)),
        payload=nodes.json,
    )


def write_page(report: Report, path: str | Path) -> None:
    """Write a report as one page into a file, atomically."""
    with replacing(Path(path)) as temporary:
        temporary.write_text(page(report), encoding="utf-8", newline="\n")


def _lacking(report: Report, nodes: Payload) -> Iterable[str]:
    if report.left_out:
        yield f"{report.left_out:,} categories with the fewest documents are not in this report"
    n_nodes, with_words = len(report.nodes), sum(bool(node.words) for node in report.nodes)
    if nodes.kept < n_nodes:
        yield f"{n_nodes - nodes.kept:,} of {n_nodes:,} categories, those with the fewest documents, are left out"
    if nodes.with_words < with_words:
        yield f"the words of {with_words - nodes.with_words:,} categories are left out"


@cache
def _assets() -> tuple[str, str]:
    """Return the style and the script."""
    folder = files("classmark.report") / "assets"
    script = "\n".join((folder / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return (folder / "page.css").read_text(encoding="utf-8"), f'"use strict";(() => {{\n{script}\n}})();'


def called(node: Node) -> str:
    """Return the title of a node, or else its name."""
    return node.title or node.name or "(no name)"


def count(value: int | None) -> str:
    """Format a whole number.

    >>> count(17157), count(None)
    ('17,157', '–')
    """
    return "–" if value is None else f"{value:,}"


def counted(number: int, one: str, many: str) -> str:
    """Format a number and what is counted.

    >>> counted(1, "document", "documents"), counted(2000, "document", "documents")
    ('1 document', '2,000 documents')
    """
    return f"{number:,} {one if number == 1 else many}"


def share(value: float | None, digits: int = 3) -> str:
    """Format a number between 0 and 1.

    >>> share(0.83333), share(float("nan")), share(None)
    ('0.833', '–', '–')
    """
    return "–" if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def percent(part: float) -> str:
    """Format the width of a bar, which is 0 for a number that is not finite."""
    return f"{100 * min(max(part, 0.0), 1.0) if math.isfinite(part) else 0.0:.1f}"


def fitting(items: Sequence[Item], macro: Callable[[Item], str], most: int, n_bytes: int) -> list[str]:
    """Render the first items, as many as there is room for.

    >>> fitting(["owl", "gull", "emu"], str, most=5, n_bytes=8)
    ['owl', 'gull']
    """
    fit: list[str] = []
    for item in items[:most]:
        rendered = macro(item)
        n_bytes -= len(rendered.encode())
        if n_bytes < 0:
            break
        fit.append(rendered)
    return fit


def touched(nodes: Sequence[Node], error: WrongDocument) -> list[int]:
    """Return the nodes on the paths to the labels of an error, by which it is filtered."""
    return sorted({above for label in (*error.true, *error.answered) for above in way_to(nodes, label)})[:200]


def strength_of(weight: float, most: float) -> int:
    """Return how strongly a word is marked, from 0, or -1 if it is not."""
    return sum(abs(weight) >= part * most for part in STRENGTHS) - 1 if most else -1


def shortened(pieces: Sequence[Piece]) -> Iterable[Piece]:
    """Yield the pieces of a text without what is far from any marked word, and without the end of a long text.

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


FUNCTIONS = (
    *(draw, by_documents, way_to, called, count, counted, share),
    *(percent, fitting, shortened, strength_of, touched),
)
"""Functions that the templates call."""
