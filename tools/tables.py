"""Read the tables of the documentation, and fill the blocks of figures that are made from them.

A figure is measured by a script and stands in one table, on the page that says how. Wherever else it is shown, it
stands between `<!-- figures: NAME -->` and `<!-- end of figures -->`, and is copied there by a tool.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
BLOCK = re.compile(r"(?<=<!-- figures: )([\w-]+)( -->\n).*?(?=<!-- end of figures -->)", re.DOTALL)
TABLE = re.compile(r"^(\|.*\|)\n\|[-:| ]+\|\n((?:\|.*\|\n)+)", re.MULTILINE)

Row = dict[str, str]


def tables(page: str, section: str) -> list[list[Row]]:
    """Give the tables of a section, each row from the heads of its columns to its cells, without marks."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    _, found, below = text.partition(f"\n## {section}\n")
    if not found:
        raise ValueError(f"docs/{page}.md: no section is called {section!r}")
    return [
        [dict(zip(cells(head), cells(line), strict=True)) for line in lines.splitlines()]
        for head, lines in TABLE.findall(below.split("\n## ")[0])
    ]


def cells(line: str) -> list[str]:
    """Give the cells of a line of a table, as they are read."""
    return [re.sub(r"[*`]", "", cell).strip() for cell in line.strip().strip("|").split("|")]


def cell(page: str, section: str, row: tuple[str, ...], column: str) -> str:
    """Give the one cell that stands in a column, in the row that begins so."""
    found = [
        values[column]
        for table in tables(page, section)
        for values in table
        if column in values and tuple(values.values())[: len(row)] == row
    ]
    if len(found) != 1:
        raise ValueError(f"docs/{page}.md: {len(found)} rows of {section!r} begin with {row} and have {column!r}")
    return found[0]


def pages() -> list[Path]:
    """Give every file that may have a block of figures."""
    return [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted((DOCS / "how-to").glob("*.md"))]


def filled(text: str, blocks: Mapping[str, Callable[[], str]]) -> str:
    """Give the text of a page with the blocks of these names as they are now."""
    return BLOCK.sub(
        lambda found: f"{found[1]}{found[2]}{blocks[found[1]]()}" if found[1] in blocks else found[0], text
    )


def write(blocks: Mapping[str, Callable[[], str]]) -> None:
    """Fill the blocks of these names wherever they stand."""
    for path in pages():
        text = path.read_text(encoding="utf-8")
        if (new := filled(text, blocks)) != text:
            path.write_text(new, encoding="utf-8")
