"""Looking for settings, and training with the best ones."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from classmark.data import Corpus, CorpusOptions
from classmark.decision import format_decision
from classmark.held_out import FEWEST_DOCUMENTS
from classmark.hierarchy import Hierarchy
from classmark.methods import find_method
from classmark.metrics.table import check_measure
from classmark.persistence import check_writable
from classmark.service.corpora import check_label_column, check_spared, read, warn_of_paths
from classmark.service.training import Recipe, fit
from classmark.tuning import Record, TuningProblem, check_plotting, plot_trials, table_of_trials, tune
from classmark.tuning import search as searching


def tune_and_train(
    data: str,
    output: str,
    recipe: Recipe,
    *,
    values: Mapping[str, Sequence[Any]] | None = None,
    search: str = "coordinates",
    measure: str = "hf",
    validation: int | None = None,
    trials: str | None = None,
    plot: str | None = None,
    hierarchy: Hierarchy | str | None = None,
    splits: Sequence[str] | None = None,
    options: CorpusOptions | None = None,
) -> dict[str, Any]:
    """Find settings on a validation cut of the training documents, train on all of them with the best, and save.

    Every trial is in a file (`trials`, by default beside the model): the same command takes up an interrupted search.
    """
    recipe.check()
    space = values or find_method(recipe.method).tried
    searching.check_search(search)
    searching.check_space(recipe.method, space)
    check_measure(measure)
    if plot is not None:
        check_plotting()
    record = trials or f"{output}.trials.jsonl"
    for path in filter(None, (output, record, plot)):
        check_writable(Path(path))
        check_spared(path, data, hierarchy if isinstance(hierarchy, str) else None)
    corpus = read(data, hierarchy, options).part(splits, "train")
    warn_of_paths(corpus)
    check_label_column(corpus)
    problem = TuningProblem(
        corpus,
        recipe.method,
        measure=measure,
        size=validation,
        fixed=recipe.settings,
        decision=recipe.decision,
        selection=recipe.selection,
        names=recipe.names,
        seed=recipe.seed,
        n_jobs=recipe.jobs,
    )
    best, done = tune(problem, space, search=search, record=Record(record, problem.fingerprint()))
    if plot is not None:
        plot_trials(done, plot)
    decision = recipe.decision or _learned_decision(recipe.method, {*recipe.settings, *space}, corpus)
    model, seconds = fit(corpus, replace(recipe, settings={**recipe.settings, **best.settings}, decision=decision))
    model.save(output)
    return {
        "model": output,
        "method": recipe.method,
        "documents": len(corpus),
        "validation": int(problem.held_out.size),
        "trials": len(done),
        "measure": measure,
        "score": best.score,
        "settings": best.settings,
        **({} if decision is None else {"decision": format_decision(model.classifier_.decision_)}),
        "seconds": seconds,
        "record": record,
        "table": table_of_trials(done, top=10),
    }


def _learned_decision(method: str, chosen: Collection[str], corpus: Corpus) -> str | None:
    """Let the thresholds of DS-cut be learned for the best settings, where documents have several labels."""
    by_rank = "thresholds" in find_method(method).declared() and "thresholds" not in chosen
    labelled = [labels for labels in corpus.labels if labels is not None]
    several = len(labelled) >= FEWEST_DOCUMENTS and any(len(labels) > 1 for labels in labelled)
    return "tuned-dscut" if by_rank and several else None
