"""What the first use costs: CPU time of `train` and `predict` with an empty cache of machine code and a full one.

One method of each family that has kernels, on a corpus so small that nothing else takes time. The figure is user and
system time of the child process; the difference of both runs is compiling, which nobody should wait for longer than
ten seconds. A command that compiles says so in a line on standard error, and one that does not is silent: both are
checked.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from classmark.compilation import ONCE

METHODS = (
    "linear-svm",
    "topdown-svm",
    "pcem",
    "adaboost-mh",
    "adaboost-mh-kr",
    "mp-boost",
    "treeboost-mh",
    "knn-overlap",
    "knn-bm25",
    "knn-bm25-hier",
)
CATEGORIES = ("bird.owl", "bird.gull", "tree.oak", "tree.elm")


def write_corpus(path: Path) -> None:
    """Write ten documents for each category."""
    lines = [f"{name.replace('.', ' ')} word{number} and more,{name}" for number in range(10) for name in CATEGORIES]
    path.write_text("\n".join(["text,labels", *lines]) + "\n")


def child_seconds() -> float:
    """Give the CPU time of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(cache: Path, *arguments: object) -> tuple[float, bool]:
    """Run a command with a cache; give the CPU time it took, and whether it said that it compiles."""
    before = child_seconds()
    command = [sys.executable, "-m", "classmark", *map(str, arguments)]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return child_seconds() - before, ONCE in done.stderr


def measured(folder: Path, method: str) -> list[float]:
    """Give the seconds of `train` and of `predict`, each with an empty cache and with a full one."""
    documents, model, cache = folder / "documents.csv", folder / f"{method}.classmark", folder / method
    train = ("train", documents, "-m", method, "-o", model)
    predict = ("predict", model, documents)
    seconds = []
    for command in (train, predict):
        kept = set(cache.rglob("*.nbc"))
        cold, said = run(cache, *command)
        if said != (set(cache.rglob("*.nbc")) > kept):
            sys.exit(f"{method}: {command[0]} {'said that it compiles, and did not' if said else 'compiled silently'}")
        warm, said = run(cache, *command)
        if said:
            sys.exit(f"{method}: {command[0]} compiled twice")
        seconds += [cold, warm]
    return seconds


def main() -> None:
    """Print the figures."""
    print(f"{'':<16}{'train':>8}{'again':>8}{'compiling':>11}{'predict':>10}{'again':>8}{'compiling':>11}")
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_corpus(folder / "documents.csv")
        for method in METHODS:
            train, train_again, predict, predict_again = measured(folder, method)
            print(
                f"{method:<16}{train:8.1f}{train_again:8.1f}{train - train_again:11.1f}"
                f"{predict:10.1f}{predict_again:8.1f}{predict - predict_again:11.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
