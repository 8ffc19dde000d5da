"""A blend, or a reranker, beside its parts: `python benchmarks/blending.py METHOD CORPUS [SETTING=VALUE …] [SPLIT …]`.

Learns from the splits named, `train` by default, of a corpus in the folder that the environment variable CLASSMARK_DATA
names, or of `docstrings`, and answers its split `test`: micro- and macro-F1 over the leaves, hF of the label sets, the
share of documents whose best category is right and its hF, of the whole and of every part as a method of its own.
"""

import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from classmark.data import load_docstrings, read_corpus
from classmark.labels import encode
from classmark.metrics import summarise
from classmark.pipeline import TextClassifier


def main(method: str, corpus: str, *others: str) -> None:
    """Print a line for each part, and one for the whole."""
    warnings.simplefilter("ignore")
    told = dict(one.split("=", 1) for one in others if "=" in one)
    splits = [one for one in others if "=" not in one] or ["train"]
    data = load_docstrings() if corpus == "docstrings" else read_corpus(Path(os.environ["CLASSMARK_DATA"], corpus))
    train, test, hierarchy = data.select(splits), data.select(["test"]), data.hierarchy
    assert hierarchy is not None
    truth = hierarchy.close(encode(test.labels, hierarchy).indicator)
    shared = {name: value for name, value in told.items() if "." not in name and name != "parts"}

    def line(name: str, model: TextClassifier, seconds: float) -> None:
        labels, first = model.classifier_.predict_both(model.transform(test.documents))
        found = summarise(truth, labels, first, hierarchy)
        print(f"{name:18} {_figures(found)}  {seconds:.0f} s  {model.classifier_.decision_}", flush=True)

    start = time.perf_counter()
    whole = TextClassifier(method, settings=told, hierarchy=hierarchy).fit(train.documents, train.labels)
    line(method, whole, time.perf_counter() - start)
    names = [name for name, _ in whole.classifier_.named()]
    print(f"{'':18} weights {dict(zip(names, getattr(whole.classifier_, 'weights_', []), strict=False))}", flush=True)
    for name in names:
        own = {key.partition(".")[2]: value for key, value in told.items() if key.startswith(f"{name}.")}
        start = time.perf_counter()
        part = TextClassifier(name, settings=own | shared, hierarchy=hierarchy).fit(train.documents, train.labels)
        line(name, part, time.perf_counter() - start)


def _figures(found: dict[str, Any]) -> str:
    leaves, first = found["leaves"], found["first"]
    return (
        f"leaves {leaves['micro_f1']:.4f} / {leaves['macro_f1']:.4f}  hF {found['hierarchical']['hf']:.4f}  "
        f"first {first['accuracy']:.4f} / {first['hf']:.4f}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
