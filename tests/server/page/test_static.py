"""Styles and scripts: known by their names alone, and written so that nothing of what people send becomes markup."""

import re
from pathlib import Path

import pytest

import classmark.report
import classmark.server.page
from classmark.server.page import static_file

FOLDER = Path(classmark.server.page.__file__).parent / "static"
REPORT = Path(classmark.report.__file__).parent / "assets" / "page.css"


def test_a_file_is_given_with_its_type() -> None:
    found = static_file("page.js")
    assert found is not None
    assert found.kind == "text/javascript; charset=utf-8"
    assert found.content == (FOLDER / "page.js").read_bytes()


@pytest.mark.parametrize("name", ["", ".", "../catalogue.json", "page.py", "/etc/passwd", "page.js\0"])
def test_nothing_else_is(name: str) -> None:
    assert static_file(name) is None


@pytest.mark.parametrize("script", sorted(FOLDER.glob("*.js")), ids=lambda path: path.name)
def test_no_script_makes_markup_of_text(script: Path) -> None:
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\.srcdoc|https?://(?!www\.w3\.org)"
    assert re.findall(forbidden, script.read_text("utf-8")) == []


def test_colors_of_for_and_against_are_the_same_on_the_page_and_in_reports() -> None:
    def colors(path: Path) -> dict[str, str]:
        return dict(re.findall(r"--((?:for|against)(?:-line)?): (.*);", path.read_text("utf-8")))

    assert len(colors(REPORT)) == 4
    assert colors(FOLDER / "page.css") == colors(REPORT)
