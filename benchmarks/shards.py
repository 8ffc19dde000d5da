"""A corpus of three times the memory of a worker: read, learned from and answered for, and what every process held.

Texts of made-up words are written in shards, several workers are started with `--memory-limit`, a third of the corpus,
and `classmark train` (PCEM with a twentieth of the labels, AdaBoost.MH on selected terms) and `predict` run on them.
Printed is the most memory that each process has held, beside the limit; a worker that passes it is ended by Dask.
With `--compare`, the models are also made on this machine alone, and compared byte for byte. Needs the extra `dask`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

TIMES = 3
WORDS = 40_000
TOPICS = 12
SHARDS = 24
CLASSMARK = [sys.executable, "-m", "classmark"]
JOBS = {
    "pcem": ["-m", "pcem"],
    "adaboost-mh": ["-m", "adaboost-mh", "--select", "chi-square,n_terms=2000", "--set", "n_estimators=50"],
}


def write_corpus(folder: Path, size: int, tokens: int) -> int:
    """Write shards of so many bytes in all; give how many documents there are."""
    random = np.random.default_rng(0)
    words = np.array(["".join(chr(97 + digit) for digit in np.unravel_index(word, (26,) * 4)) for word in range(WORDS)])
    zipf = 1 / np.arange(1, WORDS + 1)
    common = np.cumsum(zipf / zipf.sum())
    own = [random.permutation(WORDS)[:400] for _ in range(TOPICS)]
    folder.mkdir(parents=True)
    edges = [f"group{topic // 4}\ttopic{topic}\n" for topic in range(TOPICS)]
    (folder / "hierarchy.tsv").write_text("parent\tchild\n" + "".join(edges))
    count = 0
    for shard in range(SHARDS):
        with (folder / f"docs-{shard:05}.jsonl").open("w") as file:
            while file.tell() < size // SHARDS:
                topic = int(random.integers(TOPICS))
                drawn = np.searchsorted(common, random.random(tokens))
                drawn[: tokens // 20] = random.choice(own[topic], tokens // 20)
                labels = [f"topic{topic}"] if count % 20 == 0 else None
                split = "test" if count % 50 == 7 else "train"
                file.write(json.dumps({"text": " ".join(words[drawn]), "labels": labels, "split": split}) + "\n")
                count += 1
    return count


@contextmanager
def farm(workers: int, limit: int, folder: Path) -> Iterator[tuple[str, dict[str, int]]]:
    """Start a scheduler and workers; give its address, and what will be the most memory of each process."""
    file, held = folder / "scheduler.json", dict[str, int]()
    fixed = ["--no-dashboard", "--host", "127.0.0.1"]
    with (folder / "log").open("w") as log:

        def start(*arguments: str) -> subprocess.Popen[bytes]:
            return subprocess.Popen([sys.executable, "-m", "dask", *arguments, *fixed], stdout=log, stderr=log)

        scheduler = start("scheduler", "--port", "0", "--scheduler-file", str(file), "--no-show")
        while not file.is_file() or not file.read_text().strip():
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        given = ["--nthreads", "1", "--memory-limit", str(limit), "--local-directory", str(folder)]
        started = [start("worker", address, *given) for _ in range(workers)]
        try:
            yield address, held
        finally:
            held["scheduler"] = peak(scheduler.pid)
            for number, one in enumerate(started):
                held[f"worker {number + 1}"] = max(map(peak, children(one.pid)), default=0)
            for process in (*started, scheduler):
                process.terminate()
            for process in (*started, scheduler):
                process.wait(20)


def peak(process: int) -> int:
    """Give the most bytes that a process has held."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return 1024 * int(found[1]) if found else 0


def children(process: int) -> list[int]:
    """Give the processes that a process has started, in whichever thread."""
    lists = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for started in lists for child in started.read_text().split()]


def run(*arguments: str) -> tuple[float, int]:
    """Run a command; give its seconds, and the most bytes that it has held."""
    start = time.perf_counter()
    process = subprocess.Popen([*CLASSMARK, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"classmark {' '.join(arguments)} failed")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def main() -> None:
    """Run everything once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=700, help="the memory of a worker, in MB")
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=1500, help="how long a document is")
    parser.add_argument("--compare", action="store_true")
    asked = parser.parse_args()
    limit = asked.limit * 1_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = folder / "corpus"
        documents = write_corpus(corpus, TIMES * limit, asked.tokens)
        size = sum(file.stat().st_size for file in corpus.iterdir())
        corpus_in_words = f"{documents:,} documents, {size / 1e6:,.0f} MB in {SHARDS} shards"
        print(f"{corpus_in_words}; {asked.workers} workers of {asked.limit} MB", flush=True)
        for method, recipe in JOBS.items():
            model, answers = folder / f"{method}.model", folder / f"{method}-answers"
            with farm(asked.workers, limit, folder) as (address, held):
                where = ["--cluster", address]
                seconds, held["train"] = run("train", str(corpus), *recipe, "-o", str(model), *where)
                answered, held["predict"] = run("predict", str(model), str(corpus), "-o", f"{answers}/", *where)
            shown = ", ".join(f"{who} {most / 1e6:,.0f}" for who, most in held.items())
            print(f"{method}: learned in {seconds:.0f} s, answered in {answered:.0f} s; most MB held: {shown}")
            largest = max(held.values())
            verdict = "" if largest <= limit else ": NO"
            print(f"  the largest process held {largest / limit:.0%} of a worker's limit{verdict}", flush=True)
            if asked.compare:
                alone = folder / "alone"
                seconds, most = run("train", str(corpus), *recipe, "-o", str(alone))
                same = alone.read_bytes() == model.read_bytes()
                print(f"  alone: {seconds:.0f} s, {most / 1e6:,.0f} MB; the same bytes: {'yes' if same else 'NO'}")


if __name__ == "__main__":
    main()
