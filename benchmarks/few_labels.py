"""How far unlabelled documents are trusted, and what that gives, on four corpora with few labels.

Needs corpora in the folder that the environment variable CLASSMARK_DATA names; `docstrings` comes with the library.
Arguments are names of corpora, methods, shares of labels in percent (`1%`) and seeds, all of the lists below by
default. Four fifths of all documents are for training, by each seed at random, and a share of them is labelled. hF of
the model learned from the labelled documents alone, with full trust, and as chosen (`auto`), what was chosen by how
many seeds, the lowest difference of a seed between the last and the first, and the median CPU seconds of `auto`.
"""

import os
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from reproductions.experiments.few_labels import FewLabels, Pool, measure_once, pool_of
from reproductions.surroundings import Surroundings

CORPORA = ("newsgroups20", "clinc150", "docstrings", "wordnet_nouns")
METHODS = ("em-plus", "pcem-plus", "self-training")
RATES = ("1%", "5%", "20%")
SEEDS = ("100", "101", "102", "103", "104")
COMPARED = ("nothing", "full", "auto")
TRAINING = 0.8


class Found(NamedTuple):
    """hF by way, what was chosen and why, and the seconds that `auto` took."""

    hf: dict[str, float]
    way: str
    reason: str
    seconds: float


def measure(condition: FewLabels, pool: Pool, surroundings: Surroundings, seed: int) -> Found:
    """Learn by `auto`, and by the ways that it has not taken."""
    fitted: list[Any] = []

    def teach(classifier: Any, X: csr_array, rows: npt.NDArray[np.intp], known: npt.NDArray[np.bool_]) -> None:
        labels = [pool.labels[row] if one else None for row, one in zip(rows, known, strict=True)]
        fitted.append(classifier.fit(X, labels))

    found = measure_once(condition, pool, surroundings, seed, teach)
    way, reason = fitted[0].trusted_, fitted[0].trust_reason_ or ""
    hf = {"auto": found["micro_f1"], way: found["micro_f1"]}
    for other in COMPARED:
        if other not in hf:
            told = FewLabels(
                **{name: getattr(condition, name) for name in condition.__struct_fields__}
                | {"learner": {"trust": other}}
            )
            hf[other] = measure_once(told, pool, surroundings, seed, teach)["micro_f1"]
    return Found(hf, way, reason, found["train_seconds"])


def row(corpus: str, method: str, rate: str, seeds: list[int], surroundings: Surroundings) -> str:
    """Measure a method with a share of the labels over all seeds."""
    share = float(rate.rstrip("%")) / 100
    condition = FewLabels(corpus=corpus, method=method, training=1, labelled=share)
    pool = pool_of(condition, surroundings)
    condition = FewLabels(corpus=corpus, method=method, training=int(TRAINING * len(pool.rows)), labelled=share)
    found = []
    for seed in seeds:
        found.append(measure(condition, pool, surroundings, seed))
        print(corpus, method, rate, seed, found[-1].way, found[-1].reason, sep="; ", file=sys.stderr, flush=True)
    means = " | ".join(f"{np.mean([one.hf[way] for one in found]):.3f}" for way in COMPARED)
    chosen = ", ".join(f"{way} {count}" for way, count in Counter(one.way for one in found).most_common())
    least = min(one.hf["auto"] - one.hf["nothing"] for one in found)
    seconds = np.median([one.seconds for one in found])
    return f"| {corpus} | {rate} | {method} | {means} | {chosen} | {least:+.3f} | {seconds:.1f} |"


def main() -> None:
    """Print the rows asked for."""
    warnings.simplefilter("ignore")
    asked = sys.argv[1:]
    surroundings = Surroundings(Path(os.environ.get("CLASSMARK_DATA", "nowhere")))
    corpora, methods, rates, seeds = (
        [one for one in asked if one in known] or list(known) for known in (CORPORA, METHODS, RATES, SEEDS)
    )
    print("| corpus | labels | method | alone | full | auto | chosen | least gain | seconds |")
    print("|---|--:|---|--:|--:|--:|---|--:|--:|")
    for corpus in corpora:
        if corpus != "docstrings" and surroundings.find(corpus) is None:
            print(f"few_labels: {corpus} is not here; set CLASSMARK_DATA", file=sys.stderr)
            continue
        for method in methods:
            for rate in rates:
                print(row(corpus, method, rate, [int(seed) for seed in seeds], surroundings), flush=True)


if __name__ == "__main__":
    main()
