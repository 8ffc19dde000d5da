"""Mutations of model files and index folders by the thousand; nothing may be fooled by them."""

import argparse
import json
import queue
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WELL = ("refused", "same", "other")
TO_START, A_TRIAL = 300, 30
"""Seconds by the clock after which a process hangs; a trial may take five of a processor that others use too."""


def trials(first: int, stop: int, seed: int, which: str) -> Iterator[dict[str, Any]]:
    """Run trials in another process, and in a new one where that hangs or dies."""
    while first < stop:
        command = [sys.executable, "-m", "tests.fuzz.worker", *map(str, (first, stop, seed)), which]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        lines: queue.Queue[str] = queue.Queue()
        reader = threading.Thread(target=_read, args=(process, lines))
        reader.start()
        try:
            wait, ready = TO_START, False
            while first < stop:
                line = lines.get(timeout=wait)
                if not line and not ready:
                    raise RuntimeError("the subjects could not be made")
                found = json.loads(line) if line else {"number": first, "outcome": f"died: {process.wait()}"}
                if found != "ready":
                    yield found
                    first += 1
                wait, ready = A_TRIAL, True
                if not line:
                    break
        except queue.Empty:
            yield {"number": first, "outcome": "hangs"}
            first += 1
        finally:
            process.kill()
            process.wait()
            reader.join()
            assert process.stdout is not None
            process.stdout.close()


def _read(process: "subprocess.Popen[str]", lines: "queue.Queue[str]") -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put("")


def fuzz(first: int, mutations: int, seed: int, which: str) -> tuple[Counter[tuple[str, str]], list[dict[str, Any]]]:
    """Count what became of mutations by kind, and give those that were not taken well."""
    counts: Counter[tuple[str, str]] = Counter()
    wrong = []
    for found in trials(first, first + mutations, seed, which):
        well = found["outcome"] in WELL
        counts[found.get("kind", "?"), found["outcome"] if well else "WRONG"] += 1
        if not well:
            wrong.append(found)
    return counts, wrong


def main() -> None:
    """Print how often each outcome was, and all that is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--mutations", type=int, default=2000, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first, to see one again")
    parser.add_argument("--seed", type=int, default=0, help="the same seed and number give the same mutation")
    parser.add_argument("--few", action="store_true", help="mutate few kinds of models")
    given = parser.parse_args()
    counts, wrong = fuzz(given.first, given.mutations, given.seed, "few" if given.few else "all")
    for one in wrong:
        print(one.pop("outcome"), "\n   ", one)
    for (kind, outcome), number in sorted(counts.items()):
        print(f"{number:6} {kind} {outcome}")
    sys.exit(bool(wrong))
