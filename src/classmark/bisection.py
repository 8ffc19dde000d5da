"""A search by halves for kernels; numpy's own takes seconds to compile."""

from typing import Any

import numpy.typing as npt

from classmark.compilation import kernel


@kernel
def first_from(rising: npt.NDArray[Any], start: int, stop: int, least: Any) -> int:
    """Give the first position from `start` to `stop` where numbers that rise are not below one; `stop` where all are.

    >>> import numpy as np
    >>> first_from(np.array([1, 4, 9, 9]), 0, 4, 5)
    2
    """
    while start < stop:
        middle = (start + stop) // 2
        if rising[middle] < least:
            start = middle + 1
        else:
            stop = middle
    return start
