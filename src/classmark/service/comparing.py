"""Several methods on the same documents."""

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from classmark.data import Corpus, CorpusOptions
from classmark.errors import InputError
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.corpora import read, warn_of_paths
from classmark.service.dividing import held_out, read_share, with_flat_hierarchy
from classmark.service.judging import Judged, check_labelled, judge, significance, summary
from classmark.service.recipes import Recipe, named_recipes
from classmark.service.training import fit


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One of several methods that were trained and evaluated on the same documents."""

    method: str
    """Its name, and that of its decision where it is not the usual one."""
    micro_f1: float
    """F1 over the leaves, all decisions counted together."""
    macro_f1: float
    """The mean F1 of the leaves."""
    hf: float
    """The hierarchical F-measure."""
    train_seconds: float
    """How long learning took."""
    predict_seconds: float
    """How long answering took."""
    megabytes: float
    """The size of the model file."""
    significance: Mapping[str, Mapping[str, float]] | None = None
    """Whether the difference from the first method is more than chance: the figures of each test, by its name."""


def compare(
    data: str,
    methods: Sequence[str],
    shared: Recipe | None = None,
    *,
    hierarchy: str | None = None,
    train: Sequence[str] = ("train",),
    test: Sequence[str] = ("test",),
    holdout: str | None = None,
    options: CorpusOptions | None = None,
) -> list[Compared]:
    """Train and evaluate several methods on the same documents; the others are tested against the first.

    Methods are written `method` or `method+decision`, and `shared` is the recipe of all of them; a setting of it that
    is called `method.name` is of that method alone. With `holdout`, such as `20%`, this share of the training documents
    is evaluated on, and not the test documents.
    """
    shared = shared or Recipe()
    recipes = named_recipes(methods, shared)
    share = None if holdout is None else read_share(holdout)
    for _, recipe in recipes:
        recipe.check()
    corpus = _asked_for(read(data, hierarchy, options), train, test, share)
    warn_of_paths(corpus)
    corpus = with_flat_hierarchy(corpus)
    learned, unseen = held_out(corpus, share, shared.seed) if share else (corpus.select(train), corpus.select(test))
    check_labelled(unseen)
    return list(_rows(recipes, learned, unseen))


def _rows(recipes: Sequence[tuple[str, Recipe]], learned: Corpus, unseen: Corpus) -> Iterator[Compared]:
    """Train and evaluate each method, and test it against the first."""
    baseline: Judged | None = None
    for name, recipe in track(recipes, "methods", len(recipes)):
        model, seconds = fit(learned, recipe)
        start = time.perf_counter()
        judged = judge(model, unseen)
        yield _row(name, model, judged, baseline, seconds, time.perf_counter() - start)
        baseline = baseline or judged


def _asked_for(corpus: Corpus, train: Sequence[str], test: Sequence[str], share: float | None) -> Corpus:
    """Give the documents of the splits that take part; without splits, some are to be held out."""
    if any(split is not None for split in corpus.splits):
        return corpus.select([*train, *test] if share is None else train)
    if share is None:
        raise InputError(
            f"{corpus.source}: no document has a split, so that there is none to evaluate on; "
            "hold some out (--holdout 20%), or divide them (convert --resplit)"
        )
    return corpus


def _row(
    name: str, model: TextClassifier, judged: Judged, baseline: Judged | None, trained: float, predicted: float
) -> Compared:
    figures, tests = summary(model, judged).figures, None
    if baseline is not None:
        tests = significance(judged.true, judged.predicted, baseline.predicted, model.hierarchy_)
    return Compared(
        method=name,
        micro_f1=figures["leaves"]["micro_f1"],
        macro_f1=figures["leaves"]["macro_f1"],
        hf=figures["hierarchical"]["hf"],
        train_seconds=trained,
        predict_seconds=predicted,
        megabytes=_size(model) / 1e6,
        significance=tests,
    )


def _size(model: TextClassifier) -> int:
    """Give the bytes of a model's file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return path.stat().st_size
