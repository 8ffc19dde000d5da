"""Sorting and selecting within kernels: numpy's own functions take several seconds to compile."""

from typing import Any

import numpy as np
import numpy.typing as npt

from classmark.compilation import kernel


@kernel
def rising(values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Give the positions of values from the lowest to the highest, equal ones in their order: runs merged, 1, 2, 4, ….

    >>> rising(np.array([2.0, 1.0, 2.0, 0.0])).tolist()
    [3, 1, 0, 2]
    """
    size, width = len(values), 1
    order, merged = np.arange(size), np.empty(size, np.int64)
    while width < size:
        for start in range(0, size, 2 * width):
            middle, stop = min(start + width, size), min(start + 2 * width, size)
            left, right = start, middle
            for position in range(start, stop):
                if left < middle and (right == stop or values[order[left]] <= values[order[right]]):
                    merged[position] = order[left]
                    left += 1
                else:
                    merged[position] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order


@kernel
def highest(values: npt.NDArray[np.float32], k: int) -> np.float32:
    """Give the k-th highest of values by Hoare's selection: they are parted by one of them, again and again.

    >>> float(highest(np.array([2, 5, 3, 5], dtype=np.float32), 3))
    3.0
    """
    left = values.copy()
    low, high, wanted = 0, len(left) - 1, len(left) - k
    while low < high:
        pivot = left[(low + high) // 2]
        first, last = low, high
        while first <= last:
            while left[first] < pivot:
                first += 1
            while pivot < left[last]:
                last -= 1
            if first <= last:
                left[first], left[last] = left[last], left[first]
                first += 1
                last -= 1
        if wanted <= last:
            high = last
        elif wanted >= first:
            low = first
        else:
            break
    found: Any = left[wanted]
    return found  # type: ignore[no-any-return]
