"""Training on a corpus in shards: CPU seconds and peak memory of `classmark train -m pcem --label-rate 0.01`.

The corpus is 20 times `newsgroups20` (`--large`: 100 times): every document keeps its category and its length, and its
words are drawn from those of its category's documents. The ratio is that of the peak to what has to be held: the term
matrix, and a number for each path and term. Beside it, unless large, the same from a corpus in memory.

Needs `newsgroups20` in the folder that the environment variable CLASSMARK_DATA names.
"""

import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from shutil import copy, disk_usage
from typing import Any

import msgspec
import numpy as np

from classmark.data import Corpus, read_corpus

BYTES_A_TIME = 25_000_000
"""What the corpus takes on the disk each time, with room to spare."""

FRESH = """
import json, resource, sys, time
from pathlib import Path
from classmark import TextClassifier, TextVectoriser, service
from classmark.progress import listening
from classmark.service import training

def peak():
    # By the process's own account where there is one: `ru_maxrss` begins with what the parent held.
    for line in Path("/proc/self/status").read_text().splitlines() if sys.platform == "linux" else ():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

phases, sizes = {}, {}

def note(what, done=0, total=None):
    if what not in phases:
        phases[what] = time.process_time(), peak()

def counted(self, documents, y=None, *, plain=TextVectoriser.fit_transform):
    X = plain(self, documents)
    sizes["matrix"] = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    note("weighing")
    return X

folder, output, where = sys.argv[1:]
if where == "memory":
    training.read = lambda *given, stored, plain=training.read: plain(*given)
TextVectoriser.fit_transform = counted
with listening(note):
    trained = training.train(folder, output, recipes.Recipe("pcem", label_rate=0.01))
note("end")
learned = TextClassifier.load(output).classifier_
sizes |= {"table": learned.log_terms_.nbytes, "iterations": learned.n_iter_, "documents": trained.documents}
print(json.dumps({"phases": phases, "terms": trained.terms, **sizes}))
"""


def drawn(corpus: Corpus, times: int) -> Iterator[list[dict[str, Any]]]:
    """Yield the documents of each time, with the lengths and the categories of the real ones."""
    words: defaultdict[str, list[str]] = defaultdict(list)
    lengths = []
    for document, labels in zip(corpus.documents, corpus.labels, strict=True):
        found = str(document).split()
        words[str(labels)] += map(sys.intern, found)
        lengths.append(len(found))
    pools = {labels: np.array(found, dtype=object) for labels, found in words.items()}
    random = np.random.default_rng(0)
    for number in range(times):
        documents = []
        for row, (length, labels) in enumerate(zip(lengths, corpus.labels, strict=True)):
            pool = pools[str(labels)]
            text = " ".join(pool[random.integers(len(pool), size=length)].tolist())
            documents.append({"id": f"{number}-{row}", "text": text, "labels": labels})
        yield documents


def write_shards(source: Path, folder: Path, times: int) -> int:
    """Write a shard each time; give the bytes of text in all."""
    size = 0
    copy(source / "hierarchy.tsv", folder)
    for number, documents in enumerate(drawn(read_corpus(source), times)):
        size += sum(len(document["text"].encode()) for document in documents)
        with gzip.open(folder / f"docs-{number:03}.jsonl.gz", "wb", compresslevel=1) as file:
            file.write(msgspec.json.Encoder().encode_lines(documents))
    return size


def train(folder: Path, where: str) -> dict[str, Any]:
    """Train in a fresh process, the documents stored or in memory; give what it measured."""
    command = [sys.executable, "-c", FRESH, str(folder), str(folder / "model"), where]
    measured: dict[str, Any] = msgspec.json.decode(subprocess.run(command, capture_output=True, check=True).stdout)
    return measured


def report(measured: dict[str, Any]) -> None:
    """Print the seconds and the peak at the end of every phase, and the ratio."""
    phases = list(measured["phases"].items())
    for (what, (start, _)), (_, (end, peak)) in pairwise(phases):
        print(f"  {what:10} {end - start:8.1f} s of CPU, peak so far {peak / 1e6:8,.0f} MB")
    needed = measured["matrix"] + measured["table"]
    print(
        f"  {measured['documents']:,} documents, {measured['terms']:,} terms, {measured['iterations']} iterations:"
        f" matrix {measured['matrix'] / 1e6:,.0f} MB, paths x terms {measured['table'] / 1e6:,.0f} MB,"
        f" peak {measured['phases']['end'][1] / 1e6:,.0f} MB, ratio {measured['phases']['end'][1] / needed:.2f}"
    )


def main(times: int, *, compare: bool) -> None:
    """Make the corpus and print what training on it takes."""
    source = Path(os.environ.get("CLASSMARK_DATA", ""), "newsgroups20")
    if not source.is_dir():
        print("streaming: newsgroups20 is not here; set CLASSMARK_DATA")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if disk_usage(folder).free < 2 * times * BYTES_A_TIME:
            print(f"streaming: {folder} has no room for {times * BYTES_A_TIME / 1e9:.1f} GB of shards; set TMPDIR")
            return
        start = time.process_time()
        size = write_shards(source, folder, times)
        packed = sum(file.stat().st_size for file in folder.glob("docs-*"))
        print(f"# streaming: {times} times newsgroups20, {size / 1e6:,.0f} MB of text, {packed / 1e6:,.0f} MB packed")
        print(f"  {'generating':10} {time.process_time() - start:8.1f} s of CPU")
        for where in ("stored", "memory") if compare else ("stored",):
            print(f"{where}:")
            report(train(folder, where))


if __name__ == "__main__":
    large = "--large" in sys.argv
    main(100 if large else 20, compare=not large)
