"""Estimated and measured CPU seconds and memory of `fit`, for every method on three corpora of different shape.

The corpora are parts of `reuters90` (long documents, several labels), `clinc150` (short documents, 150 categories) and
`wordnet_nouns` (short documents, more than a thousand categories in a deep hierarchy); CLASSMARK_DATA names the folder
that holds them. `embedding-em` and `frozen-encoder` learn from random projections of the terms, in place of the vectors
of an encoder. `auto` keeps to a budget, and `fine-tuned` measures its own steps: neither is here.

Each method is fitted in a child process on one core, after the documents are read and kernels are compiled. Memory is
the growth of the resident set at its peak. Ratios are of seconds beyond a `MOMENT` and of bytes beyond `NOISE`, which
any fit takes.

    CLASSMARK_DATA=... python benchmarks/estimates.py [--corpus NAME] [METHOD ...]
"""

import argparse
import multiprocessing
import os
import resource
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from classmark.data import Corpus, read_corpus
from classmark.reader import Reader, own_reading
from classmark.registry import METHODS, find_method

CORPORA = {"reuters90": 3000, "clinc150": 6000, "wordnet_nouns": 2500}
EXCLUDED = ("auto", "fine-tuned")
OF_VECTORS = ("embedding-em", "frozen-encoder")
WIDTH = 128
NOISE, MOMENT = 16 * 2**20, 0.1
FACTOR = 2.0
MAX_SECONDS = 200
"""CPU seconds after which a method counts as failed."""


class Cost(NamedTuple):
    """Seconds and bytes of a fit, estimated and measured."""

    documents: int
    terms: int
    categories: int
    estimated_seconds: float
    seconds: float
    estimated_bytes: int
    bytes: int

    @property
    def ratios(self) -> tuple[float, float]:
        """Estimated by measured: seconds, and bytes each with what any fit takes."""
        times = (self.estimated_seconds + MOMENT) / (self.seconds + MOMENT)
        return times, (self.estimated_bytes + NOISE) / (self.bytes + NOISE)


def read_part(name: str) -> Corpus:
    """Return the first training documents of a corpus, in a random order that is always the same."""
    corpus = read_corpus(Path(os.environ["CLASSMARK_DATA"]) / name)
    training = corpus.select(["train"]) if "train" in corpus.splits else corpus
    rows = np.sort(np.random.default_rng(0).permutation(len(training))[: CORPORA[name]])
    return training.take(rows.tolist())


def measure(corpus: Corpus, method: str) -> Cost:
    """Fit a method on a corpus in a child process."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=lambda: there.send(fit(corpus, method)))
    child.start()
    there.close()  # so that a child that dies ends the pipe
    try:
        return here.recv()  # type: ignore[no-any-return]
    finally:
        child.join()


def fit(corpus: Corpus, method: str) -> Cost:
    """Estimate and measure a fit in this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    learner, text = find_method(method).configure({})
    if method in OF_VECTORS:
        text = find_method("linear-svm").text
    classifier, warm_up = (learner.build(0, 1).set_params(hierarchy=corpus.hierarchy) for _ in range(2))
    labels: Any = list(corpus.labels)
    reader, counts = Reader.learn(text, list(corpus.documents), own_reading(classifier, text))
    X, _ = reader.weigh(counts)
    if method in OF_VECTORS:
        X = projected(X)
    columns = getattr(reader.vectoriser, "columns", None)
    wanted = {} if columns is None else {"columns": columns}
    few = np.arange(0, X.shape[0], max(1, X.shape[0] // 40))
    # What is imported and compiled belongs to no fit.
    warm_up.fit(csr_array(X[few]), [labels[row] for row in few], **wanted)
    del warm_up
    estimated = classifier.estimate(X, labels, **wanted)
    Path("/proc/self/clear_refs").write_text("5")
    before, start = resident("VmRSS"), cpu_seconds()
    classifier.fit(X, labels, **wanted)
    seconds, grown = cpu_seconds() - start, resident("VmHWM") - before
    size = estimated.documents, estimated.terms, estimated.categories
    return Cost(*size, estimated.seconds, seconds, estimated.bytes, grown)


def projected(X: csr_array) -> csr_array:
    """Return random projections of rows, as long as the vectors of a small encoder."""
    directions = np.random.default_rng(0).standard_normal((X.shape[1], WIDTH))
    vectors = X @ directions
    return csr_array(vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-9))


def resident(field: str) -> int:
    """Return a size of this process in bytes: VmRSS now, or VmHWM at its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    """Print a row for each corpus and method."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="*", default=[name for name in METHODS if name not in EXCLUDED])
    parser.add_argument("--corpus", choices=CORPORA, action="append")
    arguments = parser.parse_args()
    print(f"{'corpus':13} {'method':22} {'seconds':>17} {'ratio':>6} {'MiB':>17} {'ratio':>6}")
    outside = 0
    for name in arguments.corpus or CORPORA:
        corpus = read_part(name)
        for method in arguments.methods:
            try:
                cost = measure(corpus, method)
            except EOFError:
                print(f"{name:13} {method:22} failed", flush=True)
                continue
            times, sizes = cost.ratios
            marks = ["" if 1 / FACTOR <= ratio <= FACTOR else "*" for ratio in (times, sizes)]
            outside += len("".join(marks))
            seconds = f"{cost.estimated_seconds:8.3f} {cost.seconds:8.3f}"
            mebibytes = f"{cost.estimated_bytes / 2**20:8.1f} {cost.bytes / 2**20:8.1f}"
            print(
                f"{name:13} {method:22} {seconds} {times:5.2f}{marks[0]:1} {mebibytes} {sizes:5.2f}{marks[1]:1}",
                flush=True,
            )
        print(f"{name}: {cost.documents:,} documents, {cost.terms:,} terms, {cost.categories:,} categories", flush=True)
    print(f"{outside} ratios are outside a factor of {FACTOR:g}")


if __name__ == "__main__":
    main()
