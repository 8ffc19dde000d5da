"""How much memory a process has had at most, for tests that measure it in a process of their own."""

import resource
import sys
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
