"""The size of LSHTC, end to end and from files: train, load, predict and evaluate, beside the index's own rate.

The files are generated (`synthetic_lshtc`): Zipfian terms of 1.6 million, about 40 a document.
Every command runs in a process of its own, whose CPU seconds, start and loading included, and peak of memory are
printed; loading is best of five in one process. The index's own rate is that of `InvertedIndex.top` for the same
documents, as rows of counts already, in a process of its own. A command is compared with it as a whole and *once
begun*, without what `predict` takes for one document.

    python benchmarks/lshtc.py                  24,000 documents, 3,250 categories
    python benchmarks/lshtc.py --large          240,000 and 2.4 million documents, and the slopes between them; an hour
    python benchmarks/lshtc.py --refused        what methods that cannot say, too
    python benchmarks/lshtc.py --folder FOLDER  keep the files and models there, and find them again
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from processes import classmark, run
from synthetic_lshtc import write_lshtc

METHODS = ("knn-bm25", "knn-bm25-paper", "knn-bm25-hier")
REFUSED = ("linear-svm", "nb", "adaboost-mh", "treeboost-mh")
SIZES = {"small": [(24_000, 3_250, 2_000)], "large": [(240_000, 32_500, 20_000), (2_400_000, 325_000, 20_000)]}
N_TERMS = 1_600_000
N_RUNS = 5
SECONDS_TO_SAY = 120


def load(model: str) -> None:
    """Print the least CPU seconds of loading a model, after the imports."""
    from classmark.pipeline import TextClassifier

    best = math.inf
    for _ in range(N_RUNS):
        start = time.process_time()
        TextClassifier.load(model)
        best = min(best, time.process_time() - start)
    print(best)


def ask(model: str, data: str) -> None:
    """Print the CPU seconds of the index's own answers to all documents of a file, and of one document asked alone."""
    from classmark.data import read_corpus
    from classmark.pipeline import TextClassifier

    loaded = TextClassifier.load(model)
    corpus = read_corpus(data, hierarchy=loaded.hierarchy_)
    rows = loaded.transform(corpus.documents)
    classifier: Any = loaded.classifier_
    index, k, terms = classifier.index_, classifier.k, classifier.terms
    index.top(rows[:10], k, terms=terms)
    start = time.process_time()
    for first in range(0, rows.shape[0], 1000):
        index.top(rows[first : first + 1000], k, terms=terms)
    own = time.process_time() - start
    loaded.predict(corpus.documents[:1])
    start = time.process_time()
    for row in range(20):
        loaded.predict(corpus.documents[row : row + 1])
    print(json.dumps([own, (time.process_time() - start) / 20]))


def measure(folder: Path, method: str, n_test: int) -> dict[str, float]:
    """Print a row for each command, and give the CPU seconds of each."""
    train, test, hierarchy = (str(folder / name) for name in ("train.lshtc", "test.lshtc", "hierarchy.txt"))
    model, answers = str(folder / f"{method}.classmark"), str(folder / "answers.jsonl")
    found = {"train": classmark("train", train, "--hierarchy", hierarchy, "-m", method, "-o", model)}
    found["load"] = run(str(Path(__file__)), "--load", model)
    found["load"] = found["load"]._replace(seconds=float(found["load"].printed))
    index = run(str(Path(__file__)), "--ask", model, test)
    own, alone = json.loads(index.printed)
    found["index alone"] = index._replace(seconds=own)
    first = folder / "first.lshtc"
    with Path(test).open() as file:
        first.write_text(file.readline())
    found["predict one"] = classmark("predict", model, str(first), "-o", answers)
    found["predict"] = classmark("predict", model, test, "-o", answers)
    found["evaluate"] = classmark("evaluate", model, test, "--json")
    begun = found["predict one"].seconds
    for name, taken in found.items():
        whole = name in ("predict", "evaluate")
        rate = f"{n_test / taken.seconds:8,.0f} documents/s" if whole or name == "index alone" else ""
        share = (
            f", {own / taken.seconds:.2f} of the index; once begun {own / (taken.seconds - begun):.2f}" if whole else ""
        )
        print(f"  {method:15} {name:12} {taken.seconds:8.2f} s  {taken.megabytes:7,.0f} MB  {rate}{share}", flush=True)
    print(f"  {method:15} {'one document':12} {alone * 1000:8.1f} ms", flush=True)
    result = json.loads(found["evaluate"].printed)
    print(f"  {method:15} {'hF':12} {result['hierarchical']['hf']:8.3f}", flush=True)
    Path(model).unlink()
    return {name: taken.seconds for name, taken in found.items()}


def say(folder: Path) -> None:
    """Print what methods say that cannot, or that take hours; those that begin are stopped."""
    for method in REFUSED:
        asked = [str(folder / "train.lshtc"), "--hierarchy", str(folder / "hierarchy.txt"), "-m", method]
        command = [sys.executable, "-m", "classmark", "train", *asked, "-o", str(folder / "none.classmark")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, said = process.communicate(timeout=SECONDS_TO_SAY)
        except subprocess.TimeoutExpired:
            process.terminate()
            _, said = process.communicate()
        lines = [line for line in said.splitlines() if "learning" in line]
        print(f"  {method}: {lines[0] if lines else said.strip()[-200:]}", flush=True)


def main(arguments: argparse.Namespace) -> None:
    """Make the files, and print what was measured, a row as soon as it is there."""
    sizes = SIZES["large" if arguments.large else "small"]
    with tempfile.TemporaryDirectory() as name:
        place = Path(arguments.folder or name)
        seconds: list[dict[str, dict[str, float]]] = []
        for n_documents, n_categories, n_test in sizes:
            folder = place / f"lshtc-{n_documents}"
            print(f"# {n_documents:,} documents, {n_categories:,} leaves, {n_test:,} to answer", flush=True)
            if not (folder / "train.lshtc").exists():
                write_lshtc(folder, n_documents, n_categories=n_categories, n_terms=N_TERMS, n_test=n_test)
            seconds.append({method: measure(folder, method, n_test) for method in arguments.methods.split(",")})
            if arguments.refused:
                say(folder)
        for method in seconds[0] if len(seconds) == 2 else ():
            first, second = (one[method] for one in seconds)
            grown = math.log(sizes[1][0] / sizes[0][0])
            slopes = ", ".join(f"{name} {math.log(second[name] / first[name]) / grown:.2f}" for name in first)
            print(f"  {method}: slopes (1 is in proportion to the documents) {slopes}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--refused", action="store_true")
    parser.add_argument("--folder")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--load", metavar="MODEL")
    parser.add_argument("--ask", nargs=2, metavar=("MODEL", "DATA"))
    given = parser.parse_args()
    if given.load:
        load(given.load)
    elif given.ask:
        ask(*given.ask)
    else:
        main(given)
