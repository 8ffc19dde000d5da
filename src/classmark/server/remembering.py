"""What takes long to find out is not found out for everybody who asks: a value a little old will do."""

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")

QUICK = 0.05
"""What takes fewer seconds is found out each time."""
TIMES = 20
"""A value is good for so many times the time that it took."""


class Remembered:
    """Values that took long, each for a while.

    >>> remembered = Remembered()
    >>> remembered.get("birds", lambda: 7)
    7
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._values: dict[Hashable, tuple[float, Any]] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, find: Callable[[], T]) -> T:
        """Give a value that is remembered, or find it out; whoever asks meanwhile waits for the same."""
        until, value = self._values.get(key, (0.0, None))
        if self._clock() < until:
            return value  # type: ignore[no-any-return]
        with self._lock:
            until, value = self._values.get(key, (0.0, None))
            start = self._clock()
            if start < until:
                return value  # type: ignore[no-any-return]
            found = find()
            took = self._clock() - start
            self._values[key] = (0.0 if took < QUICK else start + took * (1 + TIMES), found)
            return found
