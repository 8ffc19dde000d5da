"""Kill commands at random moments; what they have said is done is there, nothing is half, and nothing is left over."""

import argparse
import random
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests import forking
from tests.kills.folder import DOCUMENTS_IN_A_WRITE, Folder

COMMANDS = ("add", "delete", "compact", "pack", "train", "tune")
MOST_EVENTS = {"add": 50, "delete": 26, "compact": 34, "pack": 10, "train": 8, "tune": 12}
"""About how often a command opens, renames or removes a file in its folder."""
LONGEST = {"train": 1.5, "tune": 1.5}

CHILD = f"""
import os, signal, sys
last, place, seen = int(sys.argv.pop(1)), os.getcwd(), 0

def count(event, arguments):
    global seen
    if event in ("open", "os.rename", "os.remove", "os.mkdir") and not isinstance(arguments[0], int):
        seen += os.path.abspath(os.fsdecode(arguments[0])).startswith(place)
        if seen == last:
            os.kill(os.getpid(), signal.SIGKILL)

from classmark.cli import main
from classmark.service import indexing, training, tuning
indexing.DOCUMENTS_IN_A_WRITE = {DOCUMENTS_IN_A_WRITE}
print("ready", flush=True)
sys.addaudithook(count)
main()
"""
"""A command that kills itself before it does something to the so manieth file of its folder, if not to so many."""


def kill(folder: Folder, name: str) -> bool:
    """Run a command that is killed, by itself or from outside, and see what it leaves; say whether it was killed."""
    arguments, states = getattr(folder, name)()
    from_outside = folder.rng.random() < 0.4
    at = -1 if from_outside else folder.rng.randrange(1, MOST_EVENTS[name] + 1)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with forking.start([at, *arguments], CHILD, cwd=folder.place, **pipes) as process:
        assert process.stdout is not None
        process.stdout.readline()
        if from_outside:
            time.sleep(folder.rng.uniform(0, LONGEST.get(name, 0.2)))
            process.kill()
        said, complaint = process.communicate()
    killed = process.returncode == -signal.SIGKILL
    assert killed or process.returncode == 0, f"{arguments}: {complaint.decode()}"
    folder.check(states, done=bool(said))
    folder.check_nothing_is_left()
    return killed


def kill_all(kills: int, seed: int, commands: Sequence[str] = COMMANDS) -> Counter[str]:
    """Kill commands in turn until so many have been; give how often each."""
    killed: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        folder = Folder(Path(place, "work"), random.Random(seed))
        turn = 0
        while killed.total() < kills:
            # An index that has something in it is packed.
            name = commands[turn % len(commands)] if folder.known else "add"
            killed[name] += kill(folder, name)
            turn += 1
    return killed


def main() -> None:
    """Print how often each command was killed; whatever does not hold is an error."""
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="where the random moments come from")
    given = parser.parse_args()
    for name, times in kill_all(given.kills, given.seed).items():
        print(f"{times:4} {name}")
