"""Axes of figures: which part of the numbers is shown, and where the lines of the grid are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
"""What may lie between two lines of the grid, times a power of ten."""
N_LINES = 5
"""There are about so many lines."""


@dataclass(frozen=True)
class Axis:
    """An axis from one number to another."""

    start: float
    end: float
    ticks: Sequence[float]
    log: bool = False

    def part(self, value: float) -> float:
        """Give how far along the axis a value is, from 0 to 1.

        >>> axis_of([1, 2, 4], log=True).part(2)
        0.5
        """
        start, end, value = map(self._scaled, (self.start, self.end, value))
        return min(max((value - start) / (end - start), 0.0), 1.0)

    def _scaled(self, value: float) -> float:
        return math.log2(max(value, self.start)) if self.log else value


def axis_of(values: Sequence[float], *, log: bool = False) -> Axis:
    """Give the axis that holds some values: from 0 to 1 where they are shares.

    >>> axis_of([0.2, 0.9]).ticks
    (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    >>> axis_of([100, 200, 400, 800], log=True).ticks
    (100, 200, 400, 800)
    """
    if log and values and min(values) > 0 and min(values) < max(values):
        return Axis(min(values), max(values), _thinned(sorted(set(values))), log=True)
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0 and high <= 1:
        return Axis(0.0, 1.0, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    low = min(low, 0.0)
    step = _step((high - low) / N_LINES)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = tuple(step * place for place in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks)


def written(value: float) -> str:
    """Give a number beside an axis.

    >>> written(0.2), written(25000), written(12.5)
    ('0.2', '25,000', '12.5')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


def _step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in STEPS if step * power >= least * (1 - 1e-9))


def _thinned(values: Sequence[float]) -> tuple[float, ...]:
    every = -(-len(values) // 8)
    return tuple(values[::-1][::every][::-1])
