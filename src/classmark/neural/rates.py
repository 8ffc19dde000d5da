"""How fast heads learn at each step, whether their encoder learns with them or not; imports nothing."""

FIRST_SCALE = 20.0
"""What cosines are multiplied by at the start."""
WARM_UP = 0.06
"""The part of all steps in which the rate rises; then it falls."""


def part_of_rate(step: int, steps: int) -> float:
    """Give the part of the highest rate at a step: up in a line, and down in a line.

    >>> [round(part_of_rate(step, 100), 2) for step in (0, 5, 53, 99)]
    [0.17, 1.0, 0.5, 0.01]
    """
    rising = max(1, round(WARM_UP * steps))
    return min((step + 1) / rising, max(0.0, (steps - step) / max(1, steps - rising)))
