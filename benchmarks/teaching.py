"""A student beside its teacher, with few labels: `python -m benchmarks.teaching [SETTING=VALUE …] [SEED …]`.

Needs `newsgroups20` in the folder that the environment variable CLASSMARK_DATA names. The protocol is that of
`python -m reproductions path_prediction_2019`: all documents pooled, 15,077 for training, 1 % of them labelled, seeds
100 to 104 by default; micro- and macro-F1 over the 26 nodes. Settings are those of the method `self-training`, by
default `headers=subject`, `teacher=pcem-plus` and `student=linear-svm`; with `student=fine-tuned` a GPU is wanted.
"""

import os
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from classmark.data import read_corpus
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.metrics import summarise
from classmark.pipeline import TextClassifier
from reproductions.experiments.few_labels import divide

TRAINING, SHARE = 15_077, 0.01


def main() -> None:
    """Print the figures of teacher, student and the whole for every seed, and their means."""
    warnings.simplefilter("ignore")
    folder = Path(os.environ.get("CLASSMARK_DATA", "nowhere"), "newsgroups20")
    if not folder.is_dir():
        print("teaching: newsgroups20 is not here; set CLASSMARK_DATA")
        return
    seeds = [int(one) for one in sys.argv[1:] if one.isdigit()] or range(100, 105)
    told = dict(one.split("=", 1) for one in sys.argv[1:] if "=" in one)
    settings = {"headers": "subject", "teacher": "pcem-plus", "student": "linear-svm"} | told
    corpus = read_corpus(folder)
    hierarchy = corpus.hierarchy
    assert hierarchy is not None
    truth = encode(corpus.labels, hierarchy).indicator
    found = []
    for seed in seeds:
        labelled, unlabelled, test = divide(len(corpus), TRAINING, SHARE, seed)
        rows = np.sort(np.append(labelled, unlabelled))
        texts = [corpus.documents[row] for row in rows]
        labels = [
            corpus.labels[row] if known else None for row, known in zip(rows, np.isin(rows, labelled), strict=True)
        ]
        start = time.perf_counter()
        model = TextClassifier("self-training", settings=settings, hierarchy=hierarchy, random_state=seed)
        model.fit(texts, labels)
        seconds = time.perf_counter() - start
        X = model.transform([corpus.documents[row] for row in test])
        both = zip(model.classifier_.parts_, model.classifier_.columns_, strict=True)
        asked = [*((part, X[:, columns]) for part, columns in both), (model.classifier_, X)]
        found.append([_figures(part.predict_both(rows), csr_array(truth[test]), hierarchy) for part, rows in asked])
        rounds = ", ".join(str(count) for count in model.classifier_.rounds_)
        said = f"rounds of {rounds} documents; {model.classifier_.trusted_} answer; {seconds:.0f} s"
        print(f"seed {seed}: {_written(found[-1])}; {said}", flush=True)
    print(f"mean:     {_written(np.mean(found, axis=0).tolist())}")


def _figures(answers: tuple[csr_array, Any], truth: csr_array, hierarchy: Hierarchy) -> tuple[float, float]:
    nodes = summarise(truth, *answers, hierarchy=hierarchy)["nodes"]
    return 100 * nodes["micro_f1"], 100 * nodes["macro_f1"]


def _written(figures: Sequence[Sequence[float]]) -> str:
    named = zip(("teacher", "student", "the whole"), figures, strict=True)
    return "  ".join(f"{name} {micro:.1f} / {macro:.1f}" for name, (micro, macro) in named)


if __name__ == "__main__":
    main()
