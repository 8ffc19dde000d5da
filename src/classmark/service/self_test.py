"""A test of an installation: three methods learn a part of the embedded corpus, and all is done with them.

The parts are chosen so that everything below is used: the solvers of scikit-learn, dense products, compiled kernels,
the model file and explanations. Docstrings differ from version to version, and so do the figures, within tolerances.
"""

import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from classmark.data import Corpus, load_docstrings
from classmark.explain import explain
from classmark.metrics import hf_score
from classmark.pipeline import TextClassifier
from classmark.service.findings import FAILED, Finding

TRAINED_ON, ASKED_ABOUT = 600, 200
"""How many documents are learned from, and how many answered."""
REINSTALL = "reinstall classmark and what it needs (pip install --force-reinstall classmark), or report this line"


class Trial(NamedTuple):
    """A method with its settings, and the hF that it has, give or take a tolerance."""

    settings: Mapping[str, Any]
    hf: float
    tolerance: float


TRIALS = {
    "linear-svm": Trial({}, hf=0.90, tolerance=0.10),
    "nb": Trial({}, hf=0.70, tolerance=0.15),
    "mp-boost": Trial({"n_rounds": 20}, hf=0.82, tolerance=0.12),
}


def self_test() -> Iterator[Finding]:
    """Train, save, load, predict and explain, and compare the figures with what they were."""
    corpus = load_docstrings()
    learned, asked = _some(corpus, "train", TRAINED_ON), _some(corpus, "test", ASKED_ABOUT)
    for method in TRIALS:
        yield _tried(method, learned, asked)


def _some(corpus: Corpus, split: str, count: int) -> Corpus:
    """Give so many documents of a split, evenly spread."""
    part = corpus.select([split])
    return part.take(np.linspace(0, len(part) - 1, count).astype(int).tolist())


def _tried(method: str, learned: Corpus, asked: Corpus) -> Finding:
    trial, start = TRIALS[method], time.perf_counter()
    model = TextClassifier(method, settings=trial.settings, hierarchy=learned.hierarchy)
    model.fit(learned.documents, learned.labels)
    answers = model.predict(asked.documents)
    score = hf_score(asked.labels, answers, model.hierarchy_)
    seconds = time.perf_counter() - start
    wrong = [
        words for words in (_figure(trial, score), _kept(model, asked, answers), _explained(model, asked)) if words
    ]
    if wrong:
        return Finding(part="self-test", name=method, said="; ".join(wrong), state=FAILED, remedy=REINSTALL)
    said = f"trained, saved, loaded, predicted and explained; hF {score:.3f}, {seconds:.1f} s"
    return Finding(part="self-test", name=method, said=said)


def _figure(trial: Trial, score: float) -> str:
    """Say what is wrong with a figure, if anything is."""
    wrong = abs(score - trial.hf) > trial.tolerance
    return f"hF is {score:.3f} and should be {trial.hf:g} ± {trial.tolerance:g}" if wrong else ""


def _kept(model: TextClassifier, asked: Corpus, answers: Any) -> str:
    """Say what is wrong with a model that was saved and loaded, if anything is."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.classmark"
        model.save(path)
        again = TextClassifier.load(path).predict(asked.documents)
    return "" if [*map(list, answers)] == [*map(list, again)] else "answers otherwise after it was saved and loaded"


def _explained(model: TextClassifier, asked: Corpus) -> str:
    """Say what is wrong with an explanation, if anything is."""
    return "" if explain(model, next(iter(asked.documents))) else "explains nothing"
