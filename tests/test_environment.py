"""The one table of environment variables, and all places that name one."""

import re
from pathlib import Path

from classmark.environment import VARIABLES

ROOT = Path(__file__).parent.parent
NAME = re.compile(r"(?<![A-Z_])CLASSMARK_[A-Z][A-Z_]*")


def test_every_variable_that_is_named_is_in_the_table():
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").glob("*.md"), *(ROOT / "benchmarks").glob("*.py")]
    named = {name for file in files for name in NAME.findall(file.read_text(encoding="utf-8"))}
    assert named == {variable.name for variable in VARIABLES}


def test_none_is_read_but_by_its_name_in_the_table():
    reading = re.compile(r"environ(?:ment)?(?:\.get\(|\[)\s*\"CLASSMARK_")
    assert [file.name for file in (ROOT / "src").rglob("*.py") if reading.search(file.read_text("utf-8"))] == []


def test_the_page_has_the_table():
    page = (ROOT / "docs" / "machines.md").read_text(encoding="utf-8")
    rows = "\n".join(f"| `{one.name}` | {one.meaning} | {one.default} |" for one in VARIABLES)
    assert f"| variable | meaning | where it is not set |\n|---|---|---|\n{rows}\n\n" in page
