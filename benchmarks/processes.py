"""What a command takes in a process of its own: CPU seconds, start included, and the peak of its memory."""

import os
import subprocess
import sys
from typing import NamedTuple


class Taken(NamedTuple):
    """What a process took, and what it printed."""

    seconds: float
    megabytes: float
    printed: str = ""


def run(*arguments: str) -> Taken:
    """Run Python with these arguments, such as `-m classmark train …`, and give what it took."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    printed = process.stdout.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        said = process.stderr.read().decode()[-400:]
        raise RuntimeError(f"{' '.join(arguments)} ended with {process.returncode}: {said}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Taken(used.ru_utime + used.ru_stime, used.ru_maxrss * unit / 1e6, printed)


def classmark(*arguments: str) -> Taken:
    """Run a command of classmark's."""
    return run("-m", "classmark", *arguments)
