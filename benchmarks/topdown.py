"""Top-down models on the largest hierarchy at hand: quality, training time, memory, speed and size.

The corpus is `wordnet_nouns` (17,157 categories, 48,719 training documents) in the folder that the environment variable
CLASSMARK_DATA names; nothing is measured without it. Words are not stemmed, which hurts there. Every row runs in a
process of its own, so that its memory is its own. The columns:

- first: share of test documents whose first category is right;
- hF: hierarchical F of the best path;
- training: seconds of CPU time from texts to a fitted classifier, on one core; memory: the largest of the process;
- documents/s: test documents classified in a second of CPU time, texts to label sets, best of three;
- model: size of the saved file in megabytes (10⁶ bytes).
"""

import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from threadpoolctl import threadpool_limits

from classmark.data import read_corpus
from classmark.service.judging import evaluate_model
from classmark.service.recipes import Recipe
from classmark.service.training import fit

ROWS: dict[str, dict[str, Any]] = {
    "topdown-svm": {},
    "topdown-svm, names": {"names": True},
    "topdown-svm, filter": {"settings": {"descent": "filter"}},
    "topdown-svm, greedy": {"settings": {"descent": "greedy"}},
    "topdown-svm, nothing pruned": {"settings": {"prune": 0.0}},
    "topdown-logistic": {"method": "topdown-logistic"},
}
N_RUNS = 3
HEADER = "| | first | hF | training (s) | memory (GB) | documents/s | model (MB) |\n|---|--:|--:|--:|--:|--:|--:|"


def measure(row: str, folder: str) -> str:
    """Train, evaluate, time and weigh one model, and give its row of the table."""
    with threadpool_limits(1):
        corpus = read_corpus(folder)
        given = {"method": "topdown-svm", "decision": "best-path"} | ROWS[row]
        recipe = Recipe(**given | {"settings": {"stemmer": None, **ROWS[row].get("settings", {})}})
        start = time.process_time()
        model, _ = fit(corpus.select(["train"]), recipe)
        training = time.process_time() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        test = corpus.select(["test"])
        scores = evaluate_model(model, test).figures
        seconds = []
        for _ in range(N_RUNS):
            start = time.process_time()
            model.predict_indicator(test.documents)
            seconds.append(time.process_time() - start)
        with TemporaryDirectory() as name:
            model.save(Path(name) / "model.classmark")
            size = (Path(name) / "model.classmark").stat().st_size / 1e6
        quality = f"{scores['first']['accuracy']:.3f} | {scores['hierarchical']['hf']:.4f}"
        return f"| {row} | {quality} | {training:.1f} | {memory:.2f} | {len(test) / min(seconds):,.0f} | {size:.1f} |"


def main() -> None:
    """Print the table, a row as soon as it is measured."""
    folder = Path(os.environ.get("CLASSMARK_DATA", "")) / "wordnet_nouns"
    if not folder.is_dir():
        print("topdown: needs wordnet_nouns; set CLASSMARK_DATA to the folder that holds it")
        return
    print(HEADER)
    for row in ROWS:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            print(pool.submit(measure, row, str(folder)).result(), flush=True)


if __name__ == "__main__":
    main()
