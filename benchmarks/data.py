"""Reading data: the embedded corpus in a fresh process, and documents a second of a JSON Lines file."""

import os
import subprocess
import sys
import time
from pathlib import Path

from classmark.data import read_corpus

ROUNDS = 5

FRESH = """
import time
from classmark.data import load_docstrings
corpus = load_docstrings()
print(time.process_time(), len(corpus), len(corpus.hierarchy))
"""


def time_docstrings() -> tuple[float, int, int]:
    """Give the best CPU seconds of a fresh process, imports included, and its documents and categories."""
    runs = [
        subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(ROUNDS)
    ]
    return min(float(run[0]) for run in runs), int(runs[0][1]), int(runs[0][2])


def time_reading(folder: Path) -> tuple[float, int]:
    """Give the best CPU seconds of reading a dataset folder, and its documents."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        corpus = read_corpus(folder)
        seconds.append(time.process_time() - start)
    return min(seconds), len(corpus)


def main() -> None:
    """Print both."""
    seconds, documents, categories = time_docstrings()
    print(f"docstrings: {documents} documents, {categories} categories in {seconds:.2f} s of CPU with imports")
    if folder := os.environ.get("CLASSMARK_DATA"):
        seconds, documents = time_reading(Path(folder, "reuters90"))
        print(f"reuters90: {documents} documents in {seconds:.3f} s of CPU, {documents / seconds:,.0f} a second")
    else:
        print("reuters90: left out; set CLASSMARK_DATA to the folder of the corpora")


if __name__ == "__main__":
    main()
