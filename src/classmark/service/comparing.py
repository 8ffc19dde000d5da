"""Several methods on the same documents."""

import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from classmark.data import CorpusOptions
from classmark.hierarchy import Hierarchy
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.corpora import read, warn_of_paths
from classmark.service.dividing import held_out, read_share, with_flat_hierarchy
from classmark.service.judging import Judged, check_labelled, judge, significance, summary
from classmark.service.training import Recipe, fit


def named_recipes(
    names: Sequence[str],
    selection: str | None = None,
    seed: int = 0,
    jobs: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> list[tuple[str, Recipe]]:
    """Read methods as `compare` writes them, `method` or `method+decision`; a setting `method.name` is of one alone.

    >>> [(_, recipe)] = named_recipes(["nb+rcut"], settings={"nb.smoothing": 0.1, "stemmer": "none"})
    >>> recipe.method, recipe.decision, recipe.settings
    ('nb', 'rcut', {'smoothing': 0.1, 'stemmer': 'none'})
    """
    parted = [(name.strip(), *name.strip().partition("+")[::2]) for name in names]
    own: dict[str, dict[str, Any]] = {method: {} for _, method, _ in parted}
    for setting, value in (settings or {}).items():
        owner, _, plain = setting.rpartition(".")
        if owner and owner not in own:
            raise ValueError(f"setting {setting}: {owner} is not compared; choose one of {', '.join(own)}")
        for method in [owner] if owner else own:
            own[method][plain] = value
    return [
        (name, Recipe(method, own[method], selection, decision or None, seed, jobs))
        for name, method, decision in parted
    ]


def compare(
    data: str,
    recipes: Sequence[tuple[str, Recipe]],
    *,
    hierarchy: Hierarchy | str | None = None,
    train: Sequence[str] = ("train",),
    test: Sequence[str] = ("test",),
    holdout: str | None = None,
    seed: int = 0,
    options: CorpusOptions | None = None,
) -> list[dict[str, Any]]:
    """Train and evaluate several methods on the same documents; the others are tested against the first.

    With `holdout`, such as `20%`, this share of the training documents is evaluated on, and not the test documents.
    """
    share = None if holdout is None else read_share(holdout)
    for _, recipe in recipes:
        recipe.check()
    corpus = read(data, hierarchy, options)
    if all(split is None for split in corpus.splits):
        if share is None:
            raise ValueError(
                f"{corpus.source}: no document has a split, so that there is none to evaluate on; "
                "hold some out (--holdout 20%), or divide them (convert --resplit)"
            )
    else:
        corpus = corpus.select([*train, *test] if share is None else train)
    warn_of_paths(corpus)
    corpus = with_flat_hierarchy(corpus)
    learned, unseen = held_out(corpus, share, seed) if share else (corpus.select(train), corpus.select(test))
    check_labelled(unseen)
    rows: list[dict[str, Any]] = []
    baseline: Judged | None = None
    for name, recipe in track(recipes, "methods", len(recipes)):
        model, seconds = fit(learned, recipe)
        start = time.perf_counter()
        judged = judge(model, unseen)
        row = _row(name, model, judged, seconds, time.perf_counter() - start)
        if baseline is not None:
            row["significance"] = significance(judged.true, judged.predicted, baseline.predicted, model.hierarchy_)
        baseline = baseline or judged
        rows.append(row)
    return rows


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
