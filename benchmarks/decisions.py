"""Quality of every decision on the real corpora, as one Markdown table.

Each row trains a method with its default settings and one decision, and evaluates it on the split `test`. The corpora
are `reuters90`, several labels a document, and `newsgroups20`, one label a document, in the folder that the
environment variable CLASSMARK_DATA names. The columns:

- leaf F1: micro- and macro-averaged over the leaves of the hierarchy;
- hF: hierarchical F, micro-averaged, ancestors included;
- training: seconds of CPU time from texts to a classifier that can decide. A decision that learns from held-out scores
  trains its folds in it.

Everything runs on one thread: BLAS would otherwise wait for its other threads in a loop, which is CPU time too.
"""

import os
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from classmark.data import Corpus, read_corpus
from classmark.pipeline import TextClassifier
from classmark.service.judging import evaluate_model

ALL_OF_REUTERS = ("train", "train-extra")
HEADER = (
    "| corpus | method | trained on | decision | leaf micro-F1 | leaf macro-F1 | hF | training (s) |\n"
    "|---|---|---|---|--:|--:|--:|--:|"
)


class Run(NamedTuple):
    """What a row of the table measures."""

    corpus: str
    method: str
    decision: str
    splits: tuple[str, ...] = ("train",)


REUTERS = (
    "threshold",
    "average-confidence",
    "tuned",
    "tuned,on=training",
    "scut",
    "scut,steady=false",
    "scut,fallback=highest,steady=false",
    "pcut",
    "rcut",
    "dscut",
)
RCV1 = ("threshold", "tuned", "scut", "scut,steady=false", "scut,fallback=highest,steady=false", "pcut")
NEWSGROUPS = ("best-path", "expected-hf", "back-off", "back-off,to=nothing")
RUNS = (
    *(Run("reuters90", "linear-svm", decision) for decision in REUTERS),
    *(Run("reuters90", "logistic", decision) for decision in ("threshold", "scut")),
    *(Run("reuters90", "linear-svm", decision, ALL_OF_REUTERS) for decision in ("threshold", "scut")),
    *(Run("rcv1v2_sample", "linear-svm", decision) for decision in RCV1),
    *(Run("newsgroups20", "linear-svm", decision) for decision in NEWSGROUPS),
)


@cache
def corpus_of(name: str) -> Corpus:
    """Read a corpus once."""
    return read_corpus(Path(os.environ["CLASSMARK_DATA"], name))


def measure(run: Run) -> str:
    """Train and evaluate, and give the figures as a row of the table."""
    corpus = corpus_of(run.corpus)
    train, test = corpus.select(run.splits), corpus.select(["test"])
    model = TextClassifier(run.method, hierarchy=corpus.hierarchy, decision=run.decision)
    start = time.process_time()
    model.fit(train.documents, train.labels)
    seconds = time.process_time() - start
    scores = evaluate_model(model, test).figures
    quality = (scores["leaves"]["micro_f1"], scores["leaves"]["macro_f1"], scores["hierarchical"]["hf"])
    figures = " | ".join(f"{value:.3f}" for value in quality)
    return (
        f"| {run.corpus} | `{run.method}` | {' + '.join(run.splits)} | `{run.decision}` | {figures} | {seconds:.1f} |"
    )


def main() -> None:
    """Print the table, a row as soon as it is measured."""
    if "CLASSMARK_DATA" not in os.environ:
        print("skipped: needs the real corpora; set CLASSMARK_DATA to the folder that holds them")
        return
    print(HEADER)
    with threadpool_limits(1):
        for run in RUNS:
            print(measure(run), flush=True)


if __name__ == "__main__":
    main()
