"""How good probabilities are: the table of docs/probabilities.md.

Needs `reuters90` and `newsgroups20` in the folder that the environment variable CLASSMARK_DATA names. Training is CPU
time of this process, in which folds are learned unless there are several at a time.
"""

import os
import time
from pathlib import Path

from classmark import read_corpus
from classmark.service.judging import evaluate_model
from classmark.service.recipes import Recipe
from classmark.service.training import fit

CORPORA = ("reuters90", "newsgroups20")
METHODS = ("linear-svm", "global-svm")
CALIBRATIONS = ("platt", "isotonic", "softmax")
MEASURES = ("brier_score", "log_loss", "calibration_error")


def main() -> None:
    """Print the table."""
    places = [Path(os.environ.get("CLASSMARK_DATA", ""), name) for name in CORPORA]
    if not all(place.is_dir() for place in places):
        print("probabilities: the corpora are not here; set CLASSMARK_DATA")
        return
    print("| corpus | method | calibration | Brier score | log loss | calibration error | training (s) |")
    print("|---|---|---|--:|--:|--:|--:|")
    for place in places:
        corpus = read_corpus(place)
        for method in METHODS:
            for calibration in CALIBRATIONS:
                start = time.process_time()
                model, _ = fit(corpus.select(["train"]), Recipe(method, calibration=calibration))
                seconds = time.process_time() - start
                found = evaluate_model(model, corpus.select(["test"]), everything=True).further["probabilities"]
                figures = " | ".join(f"{found[measure]:.5f}" for measure in MEASURES)
                print(f"| `{place.name}` | `{method}` | `{calibration}` | {figures} | {seconds:.1f} |")


if __name__ == "__main__":
    main()
