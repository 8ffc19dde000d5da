"""How every benchmark here takes time: CPU seconds of this process, best of five."""

import time
from collections.abc import Callable

N_RUNS = 5


def in_turns(*works: Callable[[], object]) -> list[float]:
    """Give each work's least CPU seconds; the works take turns, so that a busy moment meets them all alike."""
    best = [float("inf")] * len(works)
    for _ in range(N_RUNS):
        for position, work in enumerate(works):
            start = time.process_time()
            work()
            best[position] = min(best[position], time.process_time() - start)
    return best


def best_of_five(work: Callable[[], object]) -> float:
    """Give the least CPU seconds of one work."""
    return in_turns(work)[0]
