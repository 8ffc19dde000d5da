"""Geometry of the figures: axes, ticks and the points of lines in the coordinates of their drawing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from classmark.report.contents import Curve, Series

WIDTH, HEIGHT = 410, 290
LEFT, RIGHT, TOP, BOTTOM = 50, 16, 32, 46
"""Margins for the numbers and the names of the axes."""
N_LINES = 6
"""Largest number of lines of a figure."""
N_POINTS = 100
"""Largest number of points of a line."""
MARKED = 12
"""A line of at most that many points has a mark at each; others at about that many of them."""
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
"""Distances between two lines of the grid, times a power of ten."""
N_GRID_LINES = 5
"""Approximate number of lines of the grid."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """An axis from one number to another."""

    start: float
    end: float
    ticks: Sequence[float]
    log: bool = False

    def part(self, value: float) -> float:
        """Return how far along the axis a value is, from 0 to 1.

        >>> axis_of([1, 2, 4], log=True).part(2)
        0.5
        """
        start, end, value = map(self._scaled, (self.start, self.end, value))
        return min(max((value - start) / (end - start), 0.0), 1.0)

    def _scaled(self, value: float) -> float:
        return math.log2(max(value, self.start)) if self.log else value


def axis_of(values: Sequence[float], *, log: bool = False) -> Axis:
    """Return the axis that holds some values: from 0 to 1 if they are shares.

    >>> axis_of([0.2, 0.9]).ticks
    (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    >>> axis_of([100, 200, 400, 800], log=True).ticks
    (100, 200, 400, 800)
    """
    if log and values and min(values) > 0 and min(values) < max(values):
        ticks = sorted(set(values))
        return Axis(min(values), max(values), tuple(ticks[::-1][:: -(-len(ticks) // 8)][::-1]), log=True)
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0 and high <= 1:
        return Axis(0.0, 1.0, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    low = min(low, 0.0)
    least = (high - low) / N_GRID_LINES
    power = 10.0 ** math.floor(math.log10(least))
    step = next(step * power for step in STEPS if step * power >= least * (1 - 1e-9))
    places = range(math.floor(low / step), math.ceil(high / step) + 1)
    return Axis(step * places[0], step * places[-1], tuple(step * place for place in places))


def written(value: float) -> str:
    """Format a number next to an axis.

    >>> written(0.2), written(25000), written(12.5)
    ('0.2', '25,000', '12.5')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


class CurveLine(NamedTuple):
    """A line: its points, the same in the drawing, and those of them that have a mark."""

    kind: int
    name: str
    points: list[Point]
    spots: list[Point]
    marked: list[Point]


class Drawing(NamedTuple):
    """What is drawn of a curve: the box of its axes, the grid with its labels, and the lines."""

    id: str
    box: tuple[float, float, float, float]
    columns: list[tuple[float, str]]
    rows: list[tuple[float, str]]
    lines: list[CurveLine]


def draw(curve: Curve) -> Drawing:
    """Return the geometry of a curve."""
    series = [(one.name, _points(one)) for one in curve.series[:N_LINES]]
    across = axis_of([x for _, line in series for x, _ in line], log=curve.log_x)
    up = axis_of([y for _, line in series for _, y in line])
    lines = []
    for kind, (name, points) in enumerate(series):
        spots = [(_x(across.part(x)), _y(up.part(y))) for x, y in points]
        lines.append(CurveLine(kind, name, points, spots, spots[:: max(1, -(-len(spots) // MARKED))]))
    return Drawing(
        id="".join(one for one in curve.name if one.isascii() and (one.isalnum() or one == "-")) or "figure",
        box=(_x(0), _x(1), _y(1), _y(0)),
        columns=[(_x(across.part(tick)), written(tick)) for tick in across.ticks],
        rows=[(_y(up.part(tick)), written(tick)) for tick in up.ticks],
        lines=lines,
    )


def _points(series: Series) -> list[Point]:
    points = [(x, y) for x, y in zip(series.x, series.y, strict=False) if math.isfinite(x) and math.isfinite(y)]
    if len(points) <= N_POINTS:
        return points
    return [points[place * (len(points) - 1) // (N_POINTS - 1)] for place in range(N_POINTS)]


def _x(part: float) -> float:
    return round(LEFT + part * (WIDTH - LEFT - RIGHT), 1)


def _y(part: float) -> float:
    return round(HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM), 1)
