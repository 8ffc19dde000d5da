"""The pages of results are what the results say, and the results are those of the tables as they stand."""

from pathlib import Path

import msgspec
import pytest

from reproductions import TableResult, counted, find_tables, markdown, papers
from reproductions.verdicts import part_results

DOCS = Path(__file__).parents[2] / "docs"
TABLES = [(paper, table) for paper, tables in papers().items() for table in tables]


@pytest.fixture(params=TABLES, ids=lambda names: f"{names[0]}-{names[1]}")
def published(request):
    paper, table = request.param
    file = DOCS / "reproductions" / f"{paper}_{table}.json"
    return find_tables(paper, table)[table], msgspec.json.decode(file.read_bytes(), type=TableResult)


def test_the_markdown_is_made_of_the_json(published):
    _, result = published
    page = DOCS / "reproductions" / f"{result.paper}_{result.table}.md"
    assert page.read_text(encoding="utf-8") == markdown(result)


def claims(row):
    """What the paper says of each figure."""
    return {
        name: (cell.reported, cell.tolerance, cell.compared and cell.compared.below) for name, cell in row.cells.items()
    }


def test_the_results_are_those_of_the_table(published):
    table, result = published
    assert (result.title, result.notes, result.measures) == (table.title, table.notes, table.measures)
    expected = part_results(table, {}, {})
    for part, found in zip(expected, result.parts, strict=True):
        assert [row.at for row in found.rows] == [row.at for row in part.rows]
        for row, shown in zip(part.rows, found.rows, strict=True):
            assert claims(shown) == claims(row)


def test_the_results_are_whole(published):
    _, result = published
    assert result.was_run
    assert not result.quick
    missing = {row.missing for part in result.parts for row in part.rows} - {None}
    absent = tuple(f"needs the corpus {name}" for name in ("rcv1v2", "medline", "lshtc"))
    assert all(reason.startswith(absent) for reason in missing)


def test_the_page_about_them_links_and_counts_them(published):
    _, result = published
    text = (DOCS / "reproductions.md").read_text(encoding="utf-8")
    (line,) = [one for one in text.splitlines() if f"(reproductions/{result.paper}_{result.table}.md)" in one]
    assert f"| {counted(result)} |" in line
