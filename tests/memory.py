"""How much memory a process has had at most, in a process of its own, and a piece of work in any."""

import json
import resource
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from random import Random


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


def long_lines(labels: str) -> list[str]:
    """Give JSON Lines of long texts, each with few different words, so that a matrix is small beside them."""
    random = Random(0)
    words = ["".join(random.choices("abcdefghij", k=6)) for _ in range(5000)]
    texts = (" ".join(random.choices(random.sample(words, 20), k=800)) for _ in range(100))
    return [json.dumps({"text": text, "labels": [labels[row % len(labels)]]}) + "\n" for row, text in enumerate(texts)]
