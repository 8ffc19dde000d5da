"""Figures of lines, drawn as SVG: lines differ by their dashes and marks, and not by colour alone."""

import math
from collections.abc import Iterable, Sequence

from classmark.markup import text
from classmark.report.axes import Axis, axis_of, written
from classmark.report.contents import Curve, Report, Series
from classmark.report.elements import fitting, folded, left_out, row, section, sentence, table

WIDTH, HEIGHT = 410, 290
LEFT, RIGHT, TOP, BOTTOM = 50, 16, 32, 46
"""What lies around the lines: numbers and names of the axes."""
N_LINES = 6
"""A figure has so many lines at most."""
N_POINTS = 100
"""A line has so many points at most."""
LONGEST = 70
"""So many characters of the name of an axis are shown."""
ROOMY = 52
"""So many have room as they are; more are squeezed."""
MARKED = 12
"""A line of so many points has a mark at each; others at about so many of them."""
MARKS = (
    '<circle cx="{x}" cy="{y}" r="3.5"/>',
    '<path d="M{x} {y}m-3.5 -3.5h7v7h-7z"/>',
    '<path d="M{x} {y}m0 -4.6l4.4 7.8h-8.8z"/>',
    '<path d="M{x} {y}m0 -4.8l4.8 4.8l-4.8 4.8l-4.8 -4.8z"/>',
    '<path d="M{x} {y}m-3.5 -3.5l7 7m0 -7l-7 7"/>',
    '<path d="M{x} {y}m-4.4 0h8.8m-4.4 -4.4v8.8"/>',
)

Point = tuple[float, float]


def curves(report: Report) -> str:
    """Give all figures of a report."""
    drawn = fitting(report.curves, figure, 8, 300_000)
    if not drawn:
        return ""
    missing = left_out(len(drawn), len(report.curves), "figure", "figures")
    return section("curves", "Curves", f'<div class="charts">{"".join(drawn)}</div>', missing)


def figure(curve: Curve) -> str:
    """Give a figure: what is to be seen, the drawing, what each line is, and its points as a table."""
    lines = [(one.name, _points(one)) for one in curve.series[:N_LINES]]
    place = "".join(one for one in curve.name if one.isascii() and (one.isalnum() or one == "-")) or "figure"
    drawing = (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{place}-t {place}-d">'
        f'<title id="{place}-t">{sentence(curve.title)}</title><desc id="{place}-d">{sentence(curve.says)}</desc>'
        f"{_drawn(curve, lines)}</svg>"
    )
    keys = "".join(f"<li>{_key(place)}{text(called)}</li>" for place, (called, _) in enumerate(lines))
    more = left_out(len(lines), len(curve.series), "line", "lines")
    return (
        f'<figure class="card"><figcaption><h3>{sentence(curve.title)}</h3><p>{sentence(curve.says)}</p></figcaption>'
        f'{drawing}<ul class="keys">{keys}</ul>{more}{folded("Data of this figure", _data(curve, lines))}</figure>'
    )


def _points(series: Series) -> list[Point]:
    points = [(x, y) for x, y in zip(series.x, series.y, strict=False) if math.isfinite(x) and math.isfinite(y)]
    if len(points) <= N_POINTS:
        return points
    return [points[place * (len(points) - 1) // (N_POINTS - 1)] for place in range(N_POINTS)]


def _drawn(curve: Curve, lines: Sequence[tuple[str, list[Point]]]) -> str:
    points = [point for _, line in lines for point in line]
    across, up = axis_of([x for x, _ in points], log=curve.log_x), axis_of([y for _, y in points])
    parts = [*_grid(across, up), _names(curve)]
    if curve.diagonal:
        parts.append(f'<path class="diagonal" d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}"/>')
    for place, (_, line) in enumerate(lines):
        spots = [(_x(across.part(x)), _y(up.part(y))) for x, y in line]
        parts.append(_line(place, spots))
    return "".join(parts)


def _x(part: float) -> float:
    return round(LEFT + part * (WIDTH - LEFT - RIGHT), 1)


def _y(part: float) -> float:
    return round(HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM), 1)


def _grid(across: Axis, up: Axis) -> Iterable[str]:
    for tick in across.ticks:
        x = _x(across.part(tick))
        yield f'<path class="grid" d="M{x} {_y(0)}V{_y(1)}"/>'
        yield f'<text class="tick" x="{x}" y="{_y(0) + 18}" text-anchor="middle">{written(tick)}</text>'
    for tick in up.ticks:
        y = _y(up.part(tick))
        yield f'<path class="grid" d="M{_x(0)} {y}H{_x(1)}"/>'
        yield f'<text class="tick" x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{written(tick)}</text>'
    yield f'<path class="axis" d="M{_x(0)} {_y(1)}V{_y(0)}H{_x(1)}"/>'


def _names(curve: Curve) -> str:
    return (
        f'<text class="axis-name" x="4" y="14"{_squeezed(curve.y_axis)}>↑ {text(curve.y_axis, LONGEST)}</text>'
        f'<text class="axis-name" x="{_x(1)}" y="{HEIGHT - 6}" text-anchor="end"{_squeezed(curve.x_axis)}>'
        f"{text(curve.x_axis, LONGEST)} →</text>"
    )


def _squeezed(axis_name: str) -> str:
    return f' textLength="{WIDTH - 2 * RIGHT}" lengthAdjust="spacingAndGlyphs"' if len(axis_name) > ROOMY else ""


def _line(place: int, spots: Sequence[Point]) -> str:
    if not spots:
        return ""
    way = "L".join(f"{x:g} {y:g}" for x, y in spots)
    every = 1 if len(spots) <= MARKED else -(-len(spots) // MARKED)
    marks = "".join(MARKS[place].format(x=f"{x:g}", y=f"{y:g}") for x, y in spots[::every])
    return f'<g class="line line-{place}"><path class="way" d="M{way}"/><g class="marks">{marks}</g></g>'


def _key(place: int) -> str:
    mark = MARKS[place].format(x=17, y=7)
    return (
        f'<svg class="key" viewBox="0 0 34 14" aria-hidden="true" focusable="false"><g class="line line-{place}">'
        f'<path class="way" d="M1 7L33 7"/><g class="marks">{mark}</g></g></svg>'
    )


def _data(curve: Curve, lines: Sequence[tuple[str, list[Point]]]) -> str:
    header = ["Line", text(curve.x_axis, 70), text(curve.y_axis, 70)]
    rows = (row(text(called), f"{x:.4g}", f"{y:.4g}", numeric=(1, 2)) for called, points in lines for x, y in points)
    return table(f"Points of “{text(curve.title)}”", header, rows, numeric=(1, 2))
