"""Looking for settings, and training with the best ones."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from classmark.data import Corpus, CorpusOptions
from classmark.decision import format_decision
from classmark.errors import InputError
from classmark.held_out import FEWEST_DOCUMENTS
from classmark.metrics.table import check_measure
from classmark.registry import find_method
from classmark.service.corpora import check_output, read
from classmark.service.recipes import Recipe
from classmark.service.results import SavedModel
from classmark.service.training import checked_documents, fit
from classmark.tuning import Record, TuningProblem, check_plotting, plot_trials, table_of_trials, tune
from classmark.tuning import search as searching

SHOWN = 10
"""How many of the best trials are shown."""


@dataclass(frozen=True, kw_only=True)
class Search:
    """What to look for, and how."""

    values: Mapping[str, Sequence[Any]] | None = None
    """The values of each setting to try; by default those that the method is usually tried with."""
    search: str = "coordinates"
    """How to look: `coordinates` or `halving`."""
    measure: str = "hf"
    """What to choose by."""
    validation: int | None = None
    """How many documents to validate on; by default a tenth, at most 3,000."""
    trials: str | None = None
    """The file of all trials; by default beside the model."""
    plot: str | None = None
    """An image file to draw the trials into."""

    def space(self, method: str) -> Mapping[str, Sequence[Any]]:
        """Give the values to try."""
        return self.values or find_method(method).tried

    def check(self, method: str) -> None:
        """Refuse before anything is read what would be refused after it."""
        searching.check_search(self.search)
        searching.check_space(method, self.space(method))
        check_measure(self.measure)
        if self.plot is not None:
            check_plotting()


@dataclass(frozen=True, kw_only=True)
class Tuned(SavedModel):
    """A model that was trained with the best settings found, and saved."""

    validation: int
    """How many of the documents were validated on."""
    trials: int
    """How many settings were tried."""
    measure: str
    """What they were chosen by."""
    score: float
    """The best value of the measure."""
    settings: Mapping[str, Any]
    """The best settings."""
    decision: str | None = None
    """How scores become label sets, where that was learned or asked for."""
    seconds: float
    """How long learning with the best settings took."""
    record: str
    """The file of all trials."""
    table: str
    """The best trials as a Markdown table."""


def tune_and_train(
    data: str,
    output: str,
    recipe: Recipe,
    search: Search | None = None,
    *,
    hierarchy: str | None = None,
    splits: Sequence[str] | None = None,
    resume: bool = False,
    options: CorpusOptions | None = None,
) -> Tuned:
    """Find settings on a validation cut of the training documents, train on all of them with the best, and save.

    Every trial is in a file: the same command takes up an interrupted search, and with `resume` it must find one.
    """
    search = search or Search()
    recipe.check()
    search.check(recipe.method)
    record = search.trials or f"{output}.trials.jsonl"
    if resume and not Path(record).is_file():
        raise InputError(f"{record}: there are no trials to go on from; leave resume out")
    for path in filter(None, (output, record, search.plot)):
        check_output(path, data, hierarchy)
    corpus = checked_documents(read(data, hierarchy, options).part(splits, "train"), recipe)
    problem = TuningProblem(
        corpus,
        recipe.method,
        measure=search.measure,
        size=search.validation,
        fixed=recipe.settings,
        decision=recipe.decision,
        selection=recipe.selection,
        names=recipe.names,
        seed=recipe.seed,
        n_jobs=recipe.jobs,
    )
    space = search.space(recipe.method)
    best, done = tune(problem, space, search=search.search, record=Record(record, problem.fingerprint()))
    if search.plot is not None:
        plot_trials(done, search.plot)
    decision = recipe.decision or _learned_decision(recipe.method, {*recipe.settings, *space}, corpus)
    model, seconds = fit(corpus, replace(recipe, settings={**recipe.settings, **best.settings}, decision=decision))
    model.save(output)
    return Tuned(
        model=output,
        method=recipe.method,
        documents=len(corpus),
        validation=int(problem.held_out.size),
        trials=len(done),
        measure=search.measure,
        score=best.score,
        settings=best.settings,
        decision=None if decision is None else format_decision(model.classifier_.decision_),
        seconds=seconds,
        record=record,
        table=table_of_trials(done, top=SHOWN),
    )


def _learned_decision(method: str, chosen: Collection[str], corpus: Corpus) -> str | None:
    """Let the thresholds of DS-cut be learned for the best settings, where documents have several labels."""
    by_rank = "thresholds" in find_method(method).declared() and "thresholds" not in chosen
    labelled = [labels for labels in corpus.labels if labels is not None]
    several = len(labelled) >= FEWEST_DOCUMENTS and any(len(labels) > 1 for labels in labelled)
    return "tuned-dscut" if by_rank and several else None
