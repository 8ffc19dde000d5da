"""The plots are what the results say."""

from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from reproductions import TableResult
from reproductions.path_prediction_2019.figures import STEMS, by_share, curves, draw

FOLDER = Path(__file__).parents[2] / "docs" / "reproductions"
SVG = "{http://www.w3.org/2000/svg}"


def test_points_lie_where_their_numbers_say():
    picture = ElementTree.fromstring(
        curves({"a & b": [(0, 20), (50, 30), (100, 40)]}, ("x", "y"), ((0, 100), (20, 40)), (50, 10))
    )
    (line,) = picture.iter(f"{SVG}polyline")
    # The axes go from 60 to 640 - 130 and from 16 down to 400 - 48.
    assert line.get("points") == f"60.0,352.0 {(60 + 510) / 2},{(16 + 352) / 2} 510.0,16.0"
    words = [text.text for text in picture.iter(f"{SVG}text")]
    assert words == ["0", "50", "100", "20", "30", "40", "x", "y", "a & b"]


@pytest.mark.parametrize("measure", ["micro", "macro"])
@pytest.mark.parametrize("stem", STEMS)
def test_the_published_plots_are_drawn_from_the_published_results(stem, measure):
    result = msgspec.json.decode((FOLDER / f"{stem}.json").read_bytes(), type=TableResult)
    picture = (FOLDER / f"{stem}_{measure}.svg").read_text(encoding="utf-8")
    assert picture == by_share(result, measure)
    lines = [line.get("points").split() for line in ElementTree.fromstring(picture).iter(f"{SVG}polyline")]
    assert [len(points) for points in lines] == [len(part.rows) for part in result.parts]


def test_plots_are_written_beside_the_results(tmp_path):
    stem = STEMS[0]
    (tmp_path / f"{stem}.json").write_bytes((FOLDER / f"{stem}.json").read_bytes())
    written = draw(tmp_path)
    assert [file.name for file in written] == [f"{stem}_micro.svg", f"{stem}_macro.svg"]
    assert all(file.read_bytes() == (FOLDER / file.name).read_bytes() for file in written)
