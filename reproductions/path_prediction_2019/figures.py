"""Curves as SVG: `python -m reproductions.path_prediction_2019.figures FOLDER` draws Figures 2 and 3.

FOLDER holds the results that `python -m reproductions path_prediction_2019 --write FOLDER` has written; the plots are
written next to them. No plotting package is needed, and the same results give the same bytes.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias
from xml.sax.saxutils import escape

import msgspec
import numpy as np

from classmark.persistence import replacing
from reproductions.verdicts import TableResult

Point: TypeAlias = tuple[float, float]

STEMS = ("path_prediction_2019_figure_2", "path_prediction_2019_figure_3")
WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 60, 130, 16, 48
"""The margins, that on the right for the names of the curves."""
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#999999")
"""Told apart by people who do not see all colours (P. Tol, *Colour schemes*, 2021)."""
GREY = "#888888"
"""For axes and words: it is seen on white and on black."""


def curves(
    series: Mapping[str, Sequence[Point]],
    titles: tuple[str, str],
    ends: tuple[Point, Point],
    step: tuple[float, float],
) -> str:
    """Draw curves.

    Parameters
    ----------
    series : dict of sequences of points
        The points of each curve from left to right, by its name.
    titles : tuple of str
        What the axes show.
    ends : tuple of two points
        Where the horizontal axis begins and ends, and where the vertical one does.
    step : tuple of float
        How far the lines of the grid lie apart on either axis.

    Examples
    --------
    >>> picture = curves({"EM": [(0, 0.5), (100, 1)]}, ("labelled", "F1"), ((0, 100), (0, 1)), (50, 0.5))
    >>> picture.count("<polyline"), "60.0,184.0 510.0,16.0" in picture
    (1, True)
    """
    (left, right), (low, high) = ends

    def place(point: Point) -> str:
        across = LEFT + (WIDTH - LEFT - RIGHT) * (point[0] - left) / (right - left)
        down = TOP + (HEIGHT - TOP - BOTTOM) * (high - point[1]) / (high - low)
        return f"{across:.1f},{down:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12" fill="{GREY}">'
    ]
    for value in _ticks(left, right, step[0]):
        x, y = place((value, low)).split(",")
        parts.append(f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{y}" stroke="{GREY}" stroke-opacity="0.25"/>')
        parts.append(_words(x, HEIGHT - BOTTOM + 18, "middle", f"{value:g}"))
    for value in _ticks(low, high, step[1]):
        x, y = place((left, value)).split(",")
        parts.append(f'<line x1="{x}" y1="{y}" x2="{WIDTH - RIGHT}" y2="{y}" stroke="{GREY}" stroke-opacity="0.25"/>')
        parts.append(_words(LEFT - 8, float(y) + 4, "end", f"{value:g}"))
    parts.append(_words((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "middle", titles[0]))
    parts.append(f'<g transform="translate(14 {HEIGHT / 2 - 16}) rotate(-90)">{_words(0, 0, "middle", titles[1])}</g>')
    for number, (name, points) in enumerate(series.items()):
        colour, row = COLOURS[number % len(COLOURS)], TOP + 12 + 20 * number
        line = " ".join(map(place, points))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            '<circle cx="{}" cy="{}" r="3" fill="{}"/>'.format(*place(point).split(","), colour) for point in points
        ]
        parts.append(
            f'<line x1="{WIDTH - RIGHT + 12}" y1="{row}" x2="{WIDTH - RIGHT + 32}" y2="{row}" '
            f'stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(_words(WIDTH - RIGHT + 38, row + 4, "start", name))
    return "\n".join([*parts, "</svg>"]) + "\n"


def by_share(result: TableResult, measure: str) -> str:
    """Draw a measure of every part by the share of labelled documents, both in percent."""
    series = {
        part.title: [
            (100 * row.at["labelled"], 100 * ours) for row in part.rows if (ours := row.cells[measure].ours) is not None
        ]
        for part in result.parts
    }
    low = min(value for points in series.values() for _, value in points)
    return curves(
        series,
        (f"{result.columns['labelled']} training documents, %", f"{result.measures[measure].title}, %"),
        ((0, 100), (5 * np.floor(low / 5), 100)),
        (10, 5),
    )


def draw(folder: Path) -> list[Path]:
    """Draw the panels of the figures whose results the folder has, and give the files."""
    written = []
    for stem in STEMS:
        if not (folder / f"{stem}.json").is_file():
            continue
        result = msgspec.json.decode((folder / f"{stem}.json").read_bytes(), type=TableResult)
        for measure in ("micro", "macro"):
            written.append(folder / f"{stem}_{measure}.svg")
            with replacing(written[-1]) as temporary:
                temporary.write_text(by_share(result, measure), encoding="utf-8", newline="\n")
    return written


def _ticks(low: float, high: float, step: float) -> list[float]:
    return [float(low + step * number) for number in range(round((high - low) / step) + 1)]


def _words(x: float | str, y: float, anchor: str, words: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
