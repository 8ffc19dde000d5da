"""One page of HTML that has everything in it: it opens without a network, and is never too large to be sent by mail.

Text, figures, curves, errors and the first rows of the table are HTML; the tree and the whole table are drawn by a
script (`assets`) from the nodes (`payload`). Nothing may be loaded from anywhere: the page says so itself, and names
its own style and script by their hashes. The same report gives the same bytes.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from classmark.markup import text
from classmark.persistence import replacing
from classmark.report.categories import nodes_table, tree
from classmark.report.contents import Report
from classmark.report.drawing import curves
from classmark.report.mistakes import errors, instead
from classmark.report.overview import changes, facts, not_shown, summary
from classmark.report.payload import Payload, payload
from classmark.report.problems import problems

LARGEST = 2_000_000
"""A page has fewer bytes than this."""
ROOM = 20_000
"""So many bytes are kept for what is known last."""
SCRIPTS = ("model.js", "icicle.js", "tree.js", "table.js", "errors.js", "main.js")
"""The script, in parts, in the order in which they need each other."""
SECTIONS = {
    "summary": ("Summary", summary),
    "facts": ("About", facts),
    "changes": ("Two models", changes),
    "tree": ("Tree", tree),
    "nodes": ("Categories", nodes_table),
    "instead": ("Where instead", instead),
    "curves": ("Curves", curves),
    "errors": ("Errors", errors),
    "problems": ("Data", problems),
}
"""What the page has, from top to bottom, and what its contents call it."""


def page(report: Report) -> str:
    """Give a report as one page.

    Examples
    --------
    >>> from classmark.report import Node
    >>> shown = page(Report(title="<b>", summary=["All is well."], facts=[], nodes=[Node(name="owl", documents=3)]))
    >>> shown[:15], "<b>" in shown, "All is well." in shown
    ('<!doctype html>', False, True)
    """
    parts = {place: render(report) for place, (_, render) in SECTIONS.items()}
    links = "".join(f'<li><a href="#{place}">{SECTIONS[place][0]}</a></li>' for place, part in parts.items() if part)
    top, bottom = _around(report, links)
    used = sum(len(part.encode()) for part in (top, *parts.values(), bottom))
    nodes = payload(report.nodes, report.names, LARGEST - ROOM - used)
    parts["nodes"] += not_shown(report, _lacking(report, nodes))
    data = f'<script type="application/json" id="data">{nodes.json}</script>'
    return f"{top}{''.join(parts.values())}{data}{bottom}"


def write_page(report: Report, path: str | Path) -> None:
    """Write a report as one page into a file, which appears whole or not at all."""
    with replacing(Path(path)) as temporary:
        temporary.write_text(page(report), encoding="utf-8", newline="\n")


def _lacking(report: Report, nodes: Payload) -> list[str]:
    there, with_words = len(report.nodes), sum(bool(node.words) for node in report.nodes)
    lacking = []
    if nodes.kept < there:
        lacking.append(f"{there - nodes.kept:,} of {there:,} categories, those with the fewest documents, are left out")
    if nodes.with_words < with_words:
        lacking.append(f"the words of {with_words - nodes.with_words:,} categories are left out")
    return lacking


@cache
def _assets() -> tuple[str, str]:
    """Give the style and the script."""
    folder = files("classmark.report") / "assets"
    script = "\n".join((folder / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return (folder / "page.css").read_text(encoding="utf-8"), f'"use strict";(() => {{\n{script}\n}})();'


def _around(report: Report, links: str) -> tuple[str, str]:
    """Give what comes before and after the sections."""
    style, script = _assets()
    rule = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    title = text(report.title) or "Report"
    top = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{rule}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="classmark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header class="top"><p class="brand">classmark report</p>
<button type="button" id="theme" class="js">Dark</button></header>
<div class="layout">
<nav class="contents" aria-label="Contents"><ul>{links}</ul></nav>
<main id="main" tabindex="-1">
<h1><bdi>{title}</bdi></h1>
"""
    return top, f"</main>\n</div>\n<script>{script}</script>\n</body>\n</html>\n"


def _hash(inside: str) -> str:
    return f"sha256-{b64encode(sha256(inside.encode()).digest()).decode()}"
