"""Several methods on the same documents."""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from classmark.data import Corpus, CorpusOptions
from classmark.hierarchy import Hierarchy
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.corpora import read, warn_of_paths
from classmark.service.judging import Judged, check_labelled, judge, significance, summary
from classmark.service.training import Recipe, fit


def named_recipe(name: str, selection: str | None = None, seed: int = 0, jobs: int | None = None) -> tuple[str, Recipe]:
    """Read a method as `compare` writes it, `method` or `method+decision`.

    >>> named_recipe("linear-svm+scut")[1].decision
    'scut'
    """
    method, _, decision = name.strip().partition("+")
    return name.strip(), Recipe(method, selection=selection, decision=decision or None, seed=seed, jobs=jobs)


def compare(
    data: str,
    recipes: Sequence[tuple[str, Recipe]],
    *,
    hierarchy: Hierarchy | str | None = None,
    train: Sequence[str] = ("train",),
    test: Sequence[str] = ("test",),
    options: CorpusOptions | None = None,
) -> list[dict[str, Any]]:
    """Train and evaluate several methods on the same documents; the others are tested against the first."""
    for _, recipe in recipes:
        recipe.check()
    corpus = read(data, hierarchy, options).select([*train, *test])
    warn_of_paths(corpus)
    corpus = _with_hierarchy(corpus)
    learned, held_out = corpus.select(train), corpus.select(test)
    check_labelled(held_out)
    rows: list[dict[str, Any]] = []
    baseline: Judged | None = None
    for name, recipe in track(recipes, "methods", len(recipes)):
        model, seconds = fit(learned, recipe)
        start = time.perf_counter()
        judged = judge(model, held_out)
        row = _row(name, model, judged, seconds, time.perf_counter() - start)
        if baseline is not None:
            row["significance"] = significance(judged.true, judged.predicted, baseline.predicted, model.hierarchy_)
        baseline = baseline or judged
        rows.append(row)
    return rows


def _with_hierarchy(corpus: Corpus) -> Corpus:
    """Give a corpus without a hierarchy a flat one, over the labels of the test documents too."""
    labels = {label for one in corpus.labels for label in one or ()}
    if corpus.hierarchy is not None or not labels:
        return corpus
    return replace(corpus, hierarchy=Hierarchy.flat(sorted(labels)))


def _row(name: str, model: TextClassifier, judged: Judged, trained: float, predicted: float) -> dict[str, Any]:
    found = summary(model, judged)
    return {
        "method": name,
        "micro_f1": found["leaves"]["micro_f1"],
        "macro_f1": found["leaves"]["macro_f1"],
        "hf": found["hierarchical"]["hf"],
        "train_seconds": trained,
        "predict_seconds": predicted,
        "megabytes": _size(model) / 1e6,
    }


def _size(model: TextClassifier) -> int:
    """Give the bytes of a model's file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return path.stat().st_size
