"""Trials in a process of their own, a line each, so that a hang, a crash or hunger for memory hurts nobody else.

A trial mutates one subject and asks everything of it. It went well where the mutation was refused in one line, or where
the answers are the same; after a mutation that was signed, any answers will do.
"""

import json
import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

from tests.fuzz.mutations import mutate
from tests.fuzz.subjects import Files, ask, make_subjects, write

SECONDS, BYTES = 5.0, 1 << 30
SHARE_OF_INDEXES = 0.4
REFUSED = (ValueError, FileNotFoundError, NotADirectoryError, IsADirectoryError)


def limit_memory(extra: int) -> None:
    """Let this process have no more than it has and so many bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + extra
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def outcome(files: Files, signed: bool, expected: list[Any], folder: Path) -> str:
    """Say what became of a mutation: refused, same, other, or what is wrong."""
    write(files, folder)
    start = time.process_time()
    try:
        found = ask(folder)
    except REFUSED as error:
        said = "refused" if len(str(error).splitlines()) == 1 else f"several lines: {error}"
    except MemoryError:
        said = "more than a gigabyte of memory\n" + traceback.format_exc()
    except Exception:  # noqa: BLE001 - this is what is looked for
        said = traceback.format_exc()
    else:
        said = "same" if repr(found) == repr(expected) else "other" if signed else "another answer without a word"
    taken = time.process_time() - start
    return said if taken < SECONDS else f"{taken:.1f} s\n{said}"


def trial(number: int, seed: int, subjects: dict[str, Files], expected: dict[str, list[Any]]) -> dict[str, Any]:
    """Run one trial, the same one for a number and a seed."""
    rng = random.Random(f"{seed} {number}")
    indexes = [name for name in subjects if name.startswith("index")]
    name = rng.choice(indexes if rng.random() < SHARE_OF_INDEXES else sorted(subjects))
    files, kind, signed = mutate(rng, subjects[name])
    with tempfile.TemporaryDirectory() as folder:
        said = outcome(files, signed, expected[name], Path(folder, "x"))
    return {"number": number, "subject": name, "kind": kind, "outcome": said}


def main() -> None:
    """Run the trials that the arguments ask for: the first, the last and the seed, and `few` or `all` subjects."""
    first, stop, seed, which = *map(int, sys.argv[1:4]), sys.argv[4]
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        subjects = make_subjects(Path(folder), few=which == "few")
        expected = {}
        for name, files in subjects.items():
            write(files, Path(folder, f"asked-{name}"))
            expected[name] = ask(Path(folder, f"asked-{name}"))
    limit_memory(BYTES)
    print(json.dumps("ready"), flush=True)
    for number in range(first, stop):
        print(json.dumps(trial(number, seed, subjects, expected)), flush=True)


if __name__ == "__main__":
    main()
