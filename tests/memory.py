"""How much memory a process has had at most, in a process of its own, and a piece of work in any."""

import resource
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path


def peak() -> int:
    """Give the most bytes that this process has held.

    Where it can be had, by the process's own account: `ru_maxrss` begins with what the parent held.
    """
    status = Path("/proc/self/status")
    for line in status.read_text().splitlines() if status.exists() else ():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def peak_of(work: Callable[[], object]) -> int:
    """Give the most bytes that were allocated at a time, above what there was."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
