"""What learning would take, said before it begins: memory that is not there, and hours that nobody expects."""

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from classmark.errors import InputError

__all__ = ["Estimate", "Needed", "available_memory", "check_memory", "time_in_words", "warn_of_time"]

GIBIBYTE = 2.0**30
A_WHILE = 60.0
"""Seconds from which on it is said how long learning takes."""
LONG = 1800.0
"""Seconds from which on somebody should be warned."""
MEMORY_INFO = Path("/proc/meminfo")
LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
USED = {"memory.max": "memory.current", "memory.limit_in_bytes": "memory.usage_in_bytes"}
"""Beside a limit, the file that says how much of it is used."""
INSTEAD = (
    "knn-bm25 and knn-bm25-hier take about as much as the documents, whatever the categories; or keep fewer terms"
    " (--set max_features=20000, or --select)"
)
FASTER = "nb and knn-bm25 are faster; or train on fewer documents"
"""Hint of the warning of time."""


class Needed(NamedTuple):
    """Bytes that fitting needs besides the documents: at least, what for, and at the peak, within a factor of two."""

    bytes: float = 0.0
    what: str = ""
    expected: float = 0.0

    @property
    def peak(self) -> float:
        """Expected bytes at the peak."""
        return max(self.bytes, self.expected)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What learning takes, by the size of the problem alone."""

    documents: int
    """How many documents are learned from."""
    terms: int
    """How many terms they have, or coordinates of vectors."""
    categories: int
    """How many categories are own labels of some."""
    bytes: int
    """Memory that fitting takes besides the documents at its peak, within about a factor of two."""
    what_for: str | None = None
    """What most of that is for."""
    free: int
    """How much memory is free."""
    fits: bool
    """Whether the memory that fitting needs at least is free."""
    seconds: float
    """How long learning takes on one core, about, with the folds that decisions and probabilities learn from."""


def available_memory() -> float:
    """Give the bytes that this process may still take, as far as the system tells; infinity where it does not."""
    limits = [_limit(file) for file in LIMITS]
    try:
        fields = dict(line.split(":", 1) for line in MEMORY_INFO.read_text().splitlines())
        return min(float(fields["MemAvailable"].split()[0]) * 1024, *limits)
    except (OSError, KeyError, ValueError):
        pass
    try:
        return min(float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES"), *limits)
    except (AttributeError, OSError, ValueError):
        return min(limits)


def _limit(file: Path) -> float:
    """Give what a limit of the process leaves; the system gives back what it keeps of files."""
    try:
        limit = float(file.read_text())
    except (OSError, ValueError):  # the word for no limit is max
        return float("inf")
    try:
        used = float(file.with_name(USED.get(file.name, file.name)).read_text())
        kept = dict(line.split() for line in file.with_name("memory.stat").read_text().splitlines())
        return max(0.0, limit - max(0.0, used - float(kept["inactive_file"])))
    except (OSError, ValueError, KeyError):
        return limit


def check_memory(needed: Needed) -> None:
    """Refuse to begin what cannot end.

    >>> check_memory(Needed(2.0**60, "weights of 1,000,000 categories × 100,000,000 terms"))
    Traceback (most recent call last):
    classmark.errors.InputError: learning would take 1,073,741,824 GiB of memory at least (weights of 1,000,000 ...
    """
    free = available_memory()
    if needed.bytes > free:
        raise InputError(
            f"learning would take {needed.bytes / GIBIBYTE:,.0f} GiB of memory at least ({needed.what}),"
            f" and {free / GIBIBYTE:,.1f} GiB are free; {INSTEAD}"
        )


def warn_of_time(seconds: float, what: str) -> None:
    """Say that learning takes long, by the size of the problem alone."""
    if seconds >= LONG:
        warnings.warn(f"{time_in_words(seconds, what)}; {FASTER}", stacklevel=3)


def time_in_words(seconds: float, what: str) -> str:
    """Say how long learning takes.

    >>> time_in_words(200.0, "9 documents")
    '9 documents: learning takes about 3 minutes'
    """
    return f"{what}: learning takes about {_duration(seconds)}"


def _duration(seconds: float) -> str:
    """Give a time in the largest unit that it has several of.

    >>> _duration(5100.0), _duration(5400.0), _duration(700000.0)
    ('85 minutes', '2 hours', '8 days')
    """
    for unit, size in (("days", 86400.0), ("hours", 3600.0)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds / 60:,.0f} minutes" if seconds >= 90 else "a minute"
