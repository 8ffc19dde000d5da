"""CPU time of starting up: `import classmark` and the commands that answer at once, beside a bare interpreter.

The figure is user and system time of the child process, the best of five runs, the commands taking turns. The
first round, which may write byte code, is not counted.
"""

import resource
import subprocess
import sys
from pathlib import Path

N_RUNS = 5
SCRIPT = str(Path(sys.executable).parent / "classmark")
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    'python -c "import classmark"': [sys.executable, "-c", "import classmark"],
    "classmark --help": [SCRIPT, "--help"],
    "classmark methods": [SCRIPT, "methods"],
    "classmark methods linear-svm": [SCRIPT, "methods", "linear-svm"],
    "classmark methods --json": [SCRIPT, "methods", "--json"],
}


def child_seconds() -> float:
    """Give the CPU time of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(command: list[str]) -> float:
    """Run a command and give the CPU time it took."""
    before = child_seconds()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return child_seconds() - before


def main() -> None:
    """Print the figures."""
    rounds = [[seconds(command) for command in COMMANDS.values()] for _ in range(N_RUNS + 1)]
    best = [min(times) for times in zip(*rounds[1:], strict=True)]
    for name, value in zip(COMMANDS, best, strict=True):
        print(f"{name:<30} {value:6.3f} s {value / best[0]:6.1f} ×")


if __name__ == "__main__":
    main()
