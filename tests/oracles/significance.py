"""The paired t-test in words: no scipy, the tail of the t distribution as an area.

With x = √ν tan θ the density of t with ν degrees of freedom becomes that of cos^(ν−1) θ on a quarter of a circle.
"""

from math import atan, cos, pi, sqrt

STRIPS = 2000


def area(start: float, power: int) -> float:
    """The area below cos^power from an angle to a right one, by Simpson's rule."""
    width = (pi / 2 - start) / STRIPS
    heights = [max(cos(start + step * width), 0.0) ** power for step in range(STRIPS + 1)]
    return width / 3 * (heights[0] + heights[-1] + 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2]))


def paired(first: list[float], second: list[float]) -> tuple[float, float]:
    """The mean difference, and the chance of one as large or larger on either side if there is none."""
    differences = [one - other for one, other in zip(first, second, strict=True)]
    n = len(differences)
    mean = sum(differences) / n
    variance = sum((one - mean) ** 2 for one in differences) / (n - 1)
    statistic = abs(mean) / sqrt(variance / n)
    return mean, area(atan(statistic / sqrt(n - 1)), n - 2) / area(0.0, n - 2)
