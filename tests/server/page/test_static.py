"""Styles and scripts: nothing that users send becomes markup."""

import re
from pathlib import Path

import pytest

import classmark.report
import classmark.server.page

FOLDER = Path(classmark.server.page.__file__).parent / "static"
REPORT = Path(classmark.report.__file__).parent / "assets" / "page.css"


@pytest.mark.parametrize("script", sorted(FOLDER.glob("*.js")), ids=lambda path: path.name)
def test_no_script_makes_markup_of_text(script: Path) -> None:
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\.srcdoc|https?://(?!www\.w3\.org)"
    assert re.findall(forbidden, script.read_text("utf-8")) == []


def test_colors_of_for_and_against_are_the_same_on_the_page_and_in_reports() -> None:
    def colors(path: Path) -> dict[str, str]:
        return dict(re.findall(r"--((?:for|against)(?:-line)?): (.*);", path.read_text("utf-8")))

    assert len(colors(REPORT)) == 4
    assert colors(FOLDER / "page.css") == colors(REPORT)
