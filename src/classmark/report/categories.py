"""The categories: the tree, which the page's script draws, and the table, whose first rows need no script."""

from collections.abc import Iterator, Sequence

from classmark.report.contents import Node, Report
from classmark.report.elements import bar, count, fitting, name, section, share
from classmark.report.overview import names
from classmark.report.paths import path

STATIC_ROWS = 100
"""So many rows are there without a script."""
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
COUNTS = ("documents", "training", "predicted")


def tree(report: Report) -> str:
    """Give the place for the tree, and how to move in it."""
    if not report.nodes:
        return ""
    judged = any(node.f1 is not None for node in report.nodes)
    lead = (
        "Every block is a category, as high as it has documents, coloured by its F1; hatched blocks are weak."
        " Room that is left beside a block stands for documents that belong to it and to nothing below it."
        if judged
        else "Every block is a category, as high as it has documents."
    )
    return section("tree", "The tree", f'<p><span class="lead">{lead}</span> {KEYS}</p>', NO_SCRIPT, TREE)


KEYS = (
    '<span class="js">Click a block or press <kbd>Enter</kbd> to zoom in, <kbd>Backspace</kbd> or <kbd>Esc</kbd> to'
    " zoom out; move with the arrow keys.</span>"
)
NO_SCRIPT = '<p class="no-js quiet">The tree is drawn by JavaScript, which is off here. The table below is not.</p>'
TREE = """<div class="js" id="tree-tools"><div class="tools">
<span class="choice"><label for="tree-size">Height</label><select id="tree-size">
<option value="documents">documents</option><option value="categories">number of categories</option></select></span>
<span class="choice" id="tree-colour-choice" hidden><label for="tree-colour">Colour</label>
<select id="tree-colour"></select></span><div class="legend" id="tree-legend"></div></div>
<div class="where"><nav aria-label="Where in the tree"><ol class="crumbs" id="crumbs"></ol></nav>
<p class="quiet" id="tree-levels"></p></div>
<div id="icicle" role="tree" tabindex="0" aria-label="Tree of categories" aria-describedby="icicle-help"></div>
<p class="hidden" id="icicle-help">Right arrow goes to the first category below, left arrow to the one above, up and
down arrows to its neighbours; Enter zooms in, Backspace or Escape zooms out.</p>
<p class="hidden" id="icicle-live" role="status"></p>
<div class="card readout" id="readout"></div></div>
"""


def nodes_table(report: Report) -> str:
    """Give the table of nodes: those with the most documents first."""
    if not report.nodes:
        return ""
    columns = [key for key in COLUMNS if any(_has(node, key) for node in report.nodes)]
    order = sorted(range(len(report.nodes)), key=lambda node: (-(report.nodes[node].documents or 0), node))
    rows = fitting(order, lambda node: _row(report.nodes, node, columns), STATIC_ROWS, 150_000)
    shown = f"The {len(rows):,} with the most documents are listed." if len(rows) < len(order) else ""
    return section(
        "nodes",
        "All categories",
        f'<p class="no-js">{shown}</p>' if shown else "",
        TOOLS,
        '<div class="scroll" tabindex="0" role="region" aria-label="Table of categories"><table id="nodes-table">'
        "<caption>Categories, their documents and how good the answers are there</caption>"
        f"<thead><tr>{''.join(_header(report, columns))}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>",
        PAGER,
    )


TOOLS = (
    '<div class="tools js" role="search" aria-label="Categories"><label for="nodes-filter">Show categories with</label>'
    '<input id="nodes-filter" type="search" placeholder="part of a name or a word" autocomplete="off">'
    '<output id="nodes-count" for="nodes-filter"></output></div>'
)
PAGER = (
    '<nav class="pager js" aria-label="Pages of the table"><button type="button" id="nodes-before">Previous</button>'
    '<span id="nodes-page"></span><button type="button" id="nodes-next">Next</button></nav>'
)


def _has(node: Node, key: str) -> bool:
    return bool(node.words) if key == "words" else getattr(node, key) is not None


def _header(report: Report, columns: Sequence[str]) -> Iterator[str]:
    yield '<th scope="col" data-key="name">Category</th>'
    titles = dict(COLUMNS)
    if report.names:
        first, second = names(report)
        titles |= {"f1": f"F1, {first}", "other_f1": f"F1, {second}"}
    for key in columns:
        sort = ' aria-sort="descending"' if key == "documents" else ""
        kind = "" if key == "words" else " class=number"
        yield f'<th scope="col" data-key="{key}"{kind}{sort}>{titles[key]}</th>'


def _row(nodes: Sequence[Node], place: int, columns: Sequence[str]) -> str:
    cells = "".join(_cell(nodes[place], key) for key in columns)
    return f'<tr><th scope="row">{path(nodes, place)}</th>{cells}</tr>'


def _cell(node: Node, key: str) -> str:
    if key == "words":
        return f'<td class="words">{name(", ".join(node.words[:8]), 160) if node.words else ""}</td>'
    if key in COUNTS:
        return f"<td class=number>{count(getattr(node, key))}</td>"
    value = getattr(node, key)
    drawn = bar(value) if key == "f1" and value is not None else ""
    return f"<td class=number>{share(value)}{drawn}</td>"
