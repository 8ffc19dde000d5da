"""The data's own problems: what a check finds, labels that are doubted, categories that are alike or empty."""

from collections.abc import Sequence

from classmark.inspection import Finding
from classmark.markup import text
from classmark.report.contents import Doubt, Report
from classmark.report.elements import (
    bar,
    counted,
    fitting,
    folded,
    left_out,
    name,
    row,
    section,
    sentence,
    share,
    table,
)
from classmark.report.paths import path, paths

LEVELS = {"error": ("✕", "Errors"), "warning": ("!", "Warnings"), "note": ("i", "Notes")}
"""The sign and the heading of each level, the worst first."""

FIRST_DOUBTS = 5
"""So many labels that are doubted are shown at once; others are folded."""


def problems(report: Report) -> str:
    """Give all that is wrong with the documents or odd about them."""
    parts = [_findings(report.findings), _doubts(report), _alike(report), _empty(report)]
    return section("problems", "Problems of the data", *parts) if any(parts) else ""


def _findings(findings: Sequence[Finding]) -> str:
    parts = []
    for level, (sign, heading) in LEVELS.items():
        some = [one for one in findings if one.level == level]
        shown = fitting(some, lambda one, sign=sign: _finding(one, sign), 60, 60_000)  # type: ignore[misc]
        if shown:
            missing = left_out(len(shown), len(some), "finding", "findings")
            parts.append(f"<h3>{heading}</h3>{''.join(shown)}{missing}")
    return "".join(parts)


def _finding(finding: Finding, sign: str) -> str:
    examples = "".join(
        f"<li>{name(one.where, 200)} <span class=quiet>{name(one.what, 300)}</span></li>"
        for one in finding.examples[:10]
    )
    listed = folded(counted(len(finding.examples[:10]), "example", "examples"), f"<ul>{examples}</ul>")
    return (
        f'<article class="card finding level-{finding.level}"><h4><span class="sign" aria-hidden="true">{sign}</span>'
        f"{sentence(finding.what)}</h4>"
        f"<p>{sentence(finding.then)}</p>"
        f"{f'<p><strong>What to do:</strong> {sentence(finding.remedy)}</p>' if finding.remedy else ''}"
        f"{listed if examples else ''}</article>"
    )


def _doubts(report: Report) -> str:
    if not report.doubts:
        return ""
    shown = fitting(report.doubts, lambda one: _doubt(report, one), 100, 120_000)
    by = f"<p>{sentence(report.doubts_by)}</p>" if report.doubts_by else ""
    first, others = "".join(shown[:FIRST_DOUBTS]), "".join(shown[FIRST_DOUBTS:])
    more = folded(f"{len(shown) - FIRST_DOUBTS} more", f'<div class="cards">{others}</div>') if others else ""
    missing = left_out(len(shown), len(report.doubts), "document", "documents")
    return f'<h3>Labels that the model doubts</h3>{by}<div class="cards">{first}</div>{more}{missing}'


def _doubt(report: Report, doubt: Doubt) -> str:
    split = f' <span class="quiet">in {name(doubt.split)}</span>' if doubt.split else ""
    return (
        f'<article class="card doubt"><header><h4>{name(doubt.id)}{split}</h4>'
        f'<span class="sure">{share(doubt.chance, 2)} likely {bar(doubt.chance)}</span></header><dl class="labels">'
        f"<div><dt>Labelled</dt><dd>{paths(report.nodes, doubt.labels, 'nothing')}</dd></div>"
        f"<div><dt>Rather</dt><dd>{paths(report.nodes, doubt.rather, 'nothing')}</dd></div></dl>"
        f'<p class="document" dir="auto">{text(doubt.text, 400) or "<span class=quiet>The text is empty.</span>"}</p>'
        "</article>"
    )


def _alike(report: Report) -> str:
    def pair(one: tuple[int, int, float]) -> str:
        first, second, likeness = one
        return row(path(report.nodes, first), path(report.nodes, second), share(likeness, 2), numeric=(2,))

    rows = fitting(report.alike, pair, 60, 80_000)
    if not rows:
        return ""
    header = ["Category", "And this one", "Alike"]
    return (
        "<h3>Categories with nearly the same words</h3>"
        f"{table('Categories with nearly the same words', header, rows, numeric=(2,))}"
        f"{left_out(len(rows), len(report.alike), 'pair', 'pairs')}"
    )


def _empty(report: Report) -> str:
    if not report.empty:
        return ""
    shown = fitting(report.empty, lambda node: f"<li>{path(report.nodes, node)}</li>", 300, 60_000)
    listed = f'<ul class="columns">{"".join(shown)}</ul>{left_out(len(shown), len(report.empty), "one", "others")}'
    title = counted(len(report.empty), "category has", "categories have")
    return f"<h3>Categories without documents</h3><p>{title} no document to learn from.</p>{folded('Which', listed)}"
