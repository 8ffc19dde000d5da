"""What a stump on a term is worth, and what it says.

`W_b^{xjk}` of the papers, the weight of the documents with (x = 1) or without (x = 0) term k that are positive (b = 1)
or negative (b = -1) for category j, is here a pair of rows over the categories: `positive` and `negative`, the weights
*with* the term. The totals minus these are the weights without it. Weights are stored ones; the scales of a category,
the first for its positive pairs, the second for its negative ones, make them those of the distribution.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from classmark.arrays import Floats
from classmark.compilation import kernel

Integers: TypeAlias = npt.NDArray[np.int64]
Indices: TypeAlias = npt.NDArray[np.uint32]
Booleans: TypeAlias = npt.NDArray[np.bool_]

REAL, ABSTAINING, DISCRETE, F1 = 0, 1, 2, 3
"""The three predictions of Schapire and Singer (2000), each chosen by its Z, and the choice by F1."""
CLEARLY = 1.0 + 1e-9
"""A category is predicted where its positive weight is larger by more than rounding errors."""
TINY = 1e-300
"""Added to a divisor that may be 0 where the dividend is."""


@kernel(reassociate=True)
def merit_real(positive: Floats, negative: Floats, totals: Floats, scales: Floats) -> float:
    """Give -Z = -2 Σ_j Σ_x √(W₊ W₋), where each a_xj is the best (Equation 3)."""
    positive_total, negative_total, factor = totals[0], totals[1], scales[2]
    total = 0.0
    for j in range(positive.size):
        # An entry of a table may lie a rounding error below nothing, or above the total.
        inside = max(positive[j], 0.0) * max(negative[j], 0.0)
        outside = max(positive_total[j] - positive[j], 0.0) * max(negative_total[j] - negative[j], 0.0)
        total -= factor[j] * (np.sqrt(inside) + np.sqrt(outside))
    return 2.0 * total


@kernel(reassociate=True)
def merit_abstaining(positive: Floats, negative: Floats, totals: Floats, scales: Floats) -> float:
    """Give 1 - Z = Σ_j (√W₊ - √W₋)² over the documents with the term, where a_0j = 0."""
    positive_scale, negative_scale = scales[0], scales[1]
    total = 0.0
    for j in range(positive.size):
        for_it, against = positive_scale[j] * max(positive[j], 0.0), negative_scale[j] * max(negative[j], 0.0)
        total += for_it + against - 2.0 * np.sqrt(for_it * against)
    return total


@kernel(reassociate=True)
def merit_discrete(positive: Floats, negative: Floats, totals: Floats, scales: Floats) -> float:
    """Give r = Σ_j Σ_x |W₊ - W₋|, of which Z = √(1 - r²)."""
    positive_total, negative_total = totals[0], totals[1]
    positive_scale, negative_scale = scales[0], scales[1]
    total = 0.0
    for j in range(positive.size):
        inside = positive_scale[j] * positive[j] - negative_scale[j] * negative[j]
        outside = positive_scale[j] * positive_total[j] - negative_scale[j] * negative_total[j] - inside
        total += abs(inside) + abs(outside)
    return total


@kernel(reassociate=True)
def merit_f1(positive: Floats, negative: Floats, totals: Floats, scales: Floats) -> float:
    """Give the F1 of predicting, on each side of the term, the categories with more positive than negative weight."""
    hits = answers = 0.0
    for j in range(positive.size):
        for x in range(2):
            for_it = scales[0, j] * (positive[j] if x == 1 else totals[0, j] - positive[j])
            against = scales[1, j] * (negative[j] if x == 1 else totals[1, j] - negative[j])
            answers += for_it
            if for_it > CLEARLY * against:
                hits += for_it
                answers += for_it + against
    return 2.0 * hits / answers if answers > 0.0 else 0.0


@kernel
def merit(criterion: int, positive: Floats, negative: Floats, totals: Floats, scales: Floats) -> float:
    """Give what a pivot is chosen for, the larger the better."""
    if criterion == REAL:
        return merit_real(positive, negative, totals, scales)
    if criterion == ABSTAINING:
        return merit_abstaining(positive, negative, totals, scales)
    if criterion == DISCRETE:
        return merit_discrete(positive, negative, totals, scales)
    return merit_f1(positive, negative, totals, scales)


@kernel(inline=True)
def least_merit(criterion: int, totals: Floats, scales: Floats) -> float:
    """Give the merit of a term that is in no document; for F1, which has no bounds, infinity."""
    if criterion == ABSTAINING:
        return 0.0
    if criterion == F1:
        return np.inf
    total = 0.0
    for j in range(totals.shape[1]):
        positive, negative = scales[0, j] * totals[0, j], scales[1, j] * totals[1, j]
        total += abs(positive - negative) if criterion == DISCRETE else -2.0 * np.sqrt(positive * negative)
    return total


@kernel(reassociate=True)
def reach(positive: Floats, negative: Floats, slopes: Floats) -> float:
    """Bound the gain of a term in all categories without a square root.

    With c = 2√(T₊T₋) the gain in one is c (1 - √(pn) - √((1-p)(1-n))), which is c/2 (p-n)² (1/(√p+√n)² +
    1/(√(1-p)+√(1-n))²), and so at most c (p-n)² / ((p+n) (2-p-n)). Here u = cp and v = cn.
    """
    positive_slope, negative_slope, twice = slopes[0], slopes[1], slopes[2]
    total = 0.0
    for j in range(positive.size):
        u, v = positive_slope[j] * positive[j], negative_slope[j] * negative[j]
        both = u + v
        total += twice[j] * (u - v) * (u - v) / (both * (2.0 * twice[j] - both) + TINY)
    return total


@kernel(inline=True)
def cost_f1(sides: Floats) -> float:
    """Give 1 - F1 from the weights of both sides, as `merit_f1`."""
    hits = answers = 0.0
    for x in range(2):
        for j in range(sides.shape[2]):
            answers += sides[x, 0, j]
            if sides[x, 0, j] > CLEARLY * sides[x, 1, j]:
                hits += sides[x, 0, j]
                answers += sides[x, 0, j] + sides[x, 1, j]
    return 1.0 - (2.0 * hits / answers if answers > 0.0 else 0.0)


@kernel(inline=True)
def sum_errors(sides: Floats) -> tuple[float, float]:
    """Sum the weight on the wrong and on the right side of discrete predictions."""
    wrong = right = 0.0
    for x in range(2):
        for j in range(sides.shape[2]):
            wrong += min(sides[x, 0, j], sides[x, 1, j])
            right += max(sides[x, 0, j], sides[x, 1, j])
    return wrong, right


@kernel
def cost(criterion: int, sides: Floats) -> float:
    """Give what the pivot makes smallest: Z before smoothing, or 1 - F1."""
    if criterion == F1:
        return cost_f1(sides)
    if criterion == DISCRETE:
        # 1 - r is twice the weight on the wrong side: no difference of large numbers.
        wrong, _ = sum_errors(sides)
        return float(2.0 * np.sqrt(wrong * max(1.0 - wrong, 0.0)))
    total = 0.0
    for j in range(sides.shape[2]):
        total += 2.0 * np.sqrt(sides[1, 0, j] * sides[1, 1, j])
        if criterion == REAL:
            total += 2.0 * np.sqrt(sides[0, 0, j] * sides[0, 1, j])
        else:
            total += sides[0, 0, j] + sides[0, 1, j]
    return total


@kernel(inline=True)
def values(prediction: int, sides: Floats, epsilon: float, answers: Floats) -> None:
    """Give the values a_xj of a stump, smoothed by ε (Equation 3)."""
    strength = 0.0
    if prediction == DISCRETE:
        wrong, right = sum_errors(sides)
        strength = 0.5 * np.log((right + epsilon) / (wrong + epsilon))
    for x in range(2):
        for j in range(sides.shape[2]):
            if prediction == DISCRETE:
                answers[x, j] = strength if sides[x, 0, j] > CLEARLY * sides[x, 1, j] else -strength
            else:
                answers[x, j] = 0.5 * np.log((sides[x, 0, j] + epsilon) / (sides[x, 1, j] + epsilon))
    if prediction == ABSTAINING:
        answers[0] = 0.0
