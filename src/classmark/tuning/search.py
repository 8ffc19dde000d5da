"""Searches for settings, and their trials as a table and as a plot."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from classmark.errors import InputError
from classmark.names import SEARCHES
from classmark.parallel import elsewhere, in_order
from classmark.persistence import check_writable
from classmark.progress import tell
from classmark.registry import Searching, find_method
from classmark.tuning.problem import Record, Trial, TuningProblem, trial_key
from classmark.wording import unknown_name

Space = Mapping[str, Sequence[Any]]
Asked = tuple[dict[str, Any], int | None]
Run = Callable[[Sequence[Asked]], list[Trial]]
"""What runs trials: settings, and how many documents to learn from, or all; several at a time."""


def check_space(method: str, space: Space) -> None:
    """Refuse a setting that the method does not have, or a value that it may not have.

    >>> check_space("knn-bm25", {"k": [0]})
    Traceback (most recent call last):
    classmark.errors.InputError: method 'knn-bm25', setting k=0: must be an integer >= 1
    """
    if isinstance(find_method(method), Searching):
        raise InputError(f"{method} searches by itself; train with it, and give it a budget")
    if not space:
        raise InputError(f"nothing to tune: say which values the settings of {method} may have, as in C=0.1,1,10")
    for name, values in space.items():
        if not values:
            raise InputError(f"setting {name} has no values to try; give some")
        for value in values:
            find_method(method).configure({name: value})


def coordinates(space: Space, start: dict[str, Any], run: Run, rounds: int) -> Trial:
    """Change one setting at a time, keeping its best value, until a round through all of them changes nothing.

    Of equal scores the value found first stays.
    """
    [best] = run([(start, None)])
    for _ in range(rounds):
        before = best
        for name, values in space.items():
            # Whichever value of this setting is the best so far, the others are the same: none waits for another.
            tried = run([(best.settings | {name: value}, None) for value in values])
            best = max([best, *tried], key=attrgetter("score"))
        if best == before:
            break
    return best


def halving(space: Space, run: Run, documents: int, n_candidates: int, factor: int, seed: int) -> Trial:
    """Try many settings on few documents, and the best part of them on `factor` times as many, and so on to the end."""
    candidates = list(_drawn(space, n_candidates, seed))
    part = factor
    while part < len(candidates):
        part *= factor
    while part > 1:
        found = run([(settings, max(1, documents // part)) for settings in candidates])
        trials = list(zip(found, candidates, strict=True))
        # Stable: of equal scores the one drawn first.
        trials.sort(key=lambda one: -one[0].score)
        candidates = [settings for _, settings in trials[: max(1, len(candidates) // factor)]]
        part //= factor
    return max(run([(settings, None) for settings in candidates]), key=lambda trial: trial.score)


def _drawn(space: Space, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Draw different combinations, all of them where there are no more."""
    random = np.random.default_rng(seed)
    total = int(np.prod([float(len(values)) for values in space.values()]))
    seen: set[str] = set()
    while len(seen) < min(count, total):
        settings = {name: values[int(random.integers(len(values)))] for name, values in space.items()}
        key = trial_key(settings, 0)
        if key not in seen:
            seen.add(key)
            yield settings


def check_search(name: str) -> None:
    """Refuse a way to look that does not exist."""
    if name not in SEARCHES:
        raise unknown_name("search", name, SEARCHES)


def tune(
    problem: TuningProblem,
    space: Space | None = None,
    *,
    search: str = "coordinates",
    record: Record | None = None,
    rounds: int = 3,
    n_candidates: int = 27,
    factor: int = 3,
) -> tuple[Trial, list[Trial]]:
    """Look for the best settings of a method.

    Parameters
    ----------
    problem : TuningProblem
        What a trial is.
    space : mapping of setting to values, optional
        What to look through, in this order; by default what the table of methods says (`Method.tried`).
    search : "coordinates" or "halving"
        One setting after the other, from the method's defaults; or successive halving of random combinations.
    record : Record, optional
        Trials that are in there are not run again, and new ones go in.
    rounds : int
        How often `coordinates` goes through all settings at most.
    n_candidates, factor : int
        How many combinations `halving` draws, and which part of them stays each time.

    Returns
    -------
    best : Trial
        The best one on all documents.
    trials : list of Trial
        All, in the order asked for, each once.

    Examples
    --------
    >>> from classmark import load_docstrings
    >>> problem = TuningProblem(load_docstrings().select(["train"]), "knn-bm25", measure="first")
    >>> best, trials = tune(problem, {"k": [1, 5]}, rounds=1)
    >>> [trial.settings for trial in trials]
    [{}, {'k': 1}, {'k': 5}]
    >>> best.score == max(trial.score for trial in trials)
    True
    """
    check_search(search)
    if rounds < 1 or n_candidates < 1 or factor < 2:
        given = f"rounds={rounds}, n_candidates={n_candidates}, factor={factor}"
        raise InputError(f"{given}: give rounds and n_candidates from 1, factor from 2")
    space = problem.method.tried if space is None else space
    check_space(problem.method.name, space)
    asked: dict[str, Trial] = {}
    expected = sum(map(len, space.values())) + 1 if search == "coordinates" else _halved(n_candidates, factor)
    run = _runner(problem, record or Record(None, problem.fingerprint()), asked, expected)
    best = (
        coordinates(space, {}, run, rounds)
        if search == "coordinates"
        else halving(space, run, int(problem.learned.size), n_candidates, factor, problem.seed)
    )
    return best, list(asked.values())


def _halved(n_candidates: int, factor: int) -> int:
    """Give how many trials halving has, if so many combinations can be drawn.

    >>> _halved(27, 3)  # 27 on a 27th of the documents, 9, 3 and 1 on all of them
    40
    """
    part, left, trials = factor, n_candidates, 0
    while part < n_candidates:
        part *= factor
    while part > 1:
        trials, left, part = trials + left, max(1, left // factor), part // factor
    return trials + left


def _runner(problem: TuningProblem, kept: Record, asked: dict[str, Trial], expected: int) -> Run:
    """Give what runs trials, unless they are in the record, and keeps them among those that were asked for."""

    def sized(one: Asked) -> tuple[dict[str, Any], int]:
        settings, documents = one
        size = int(problem.learned.size if documents is None else min(documents, problem.learned.size))
        # As they come back from a file: a tuple would be a list there.
        return msgspec.json.decode(msgspec.json.encode(settings)), size

    def run(several: Sequence[Asked]) -> list[Trial]:
        trials = []
        made = _made(problem, kept, [sized(one) for one in several])
        for trial in made:
            trials.append(trial)
            asked.setdefault(trial.key, trial)
            # A search by coordinates may go round once more, nobody knows how often.
            tell("trials", len(asked), expected if len(asked) <= expected else None)
        return trials

    return run


def _made(problem: TuningProblem, kept: Record, wanted: list[tuple[dict[str, Any], int]]) -> Iterator[Trial]:
    """Give trials in order, each kept as soon as it is made; on a cluster those that are new are made side by side."""
    new = {trial_key(*one): one for one in wanted if kept.find(*one) is None}
    found = None if elsewhere() is None else in_order(TuningProblem.trial, new.values(), shared=(problem.alone(),))
    for settings, size in wanted:
        trial = kept.find(settings, size)
        if trial is None:
            trial = problem.trial(settings, size) if found is None else next(found)
            kept.add(trial)
        yield trial


def table_of_trials(trials: Sequence[Trial], top: int | None = None) -> str:
    """Give trials as a Markdown table, best first; of equal scores, that on more documents, then the earlier one.

    Examples
    --------
    >>> print(table_of_trials([Trial({"k": 5}, 90, 0.5, 0.1), Trial({"k": 9}, 90, 0.75, 0.1)]))
    | score | documents | seconds | settings |
    |---|---|---|---|
    | .7500 | 90 | 0.1 | k=9 |
    | .5000 | 90 | 0.1 | k=5 |
    """
    ordered = sorted(trials, key=lambda trial: (-trial.score, -trial.documents))[:top]
    lines = ["| score | documents | seconds | settings |", "|---|---|---|---|"]
    for trial in ordered:
        written = " ".join(f"{name}={value_in_words(value)}" for name, value in trial.settings.items()) or "(defaults)"
        score = f"{trial.score:.4f}".removeprefix("0")
        lines.append(f"| {score} | {trial.documents} | {trial.seconds:.1f} | {written} |")
    return "\n".join(lines)


def value_in_words(value: Any) -> str:
    """Write a setting's value as the command line takes it.

    >>> value_in_words(None), value_in_words(0.5)
    ('none', '0.5')
    """
    return "none" if value is None else str(value)


def check_plotting() -> None:
    """Refuse to plot without matplotlib, before anything that takes long is done."""
    if find_spec("matplotlib") is None:
        raise ImportError("plots need matplotlib; pip install 'classmark[report]'")


def plot_trials(trials: Sequence[Trial], path: str | Path) -> None:
    """Draw the scores of all values tried, a panel a setting, into an image file such as `trials.svg`.

    A point is a trial on all documents; the line joins the best one of each value.
    """
    check_plotting()
    from matplotlib.figure import Figure

    check_writable(Path(path))
    most = max(trial.documents for trial in trials)
    whole = [trial for trial in trials if trial.documents == most]
    names = list(dict.fromkeys(name for trial in whole for name in trial.settings)) or ["(defaults)"]
    figure = Figure(figsize=(3.2 * len(names), 3), layout="constrained")
    for place, name in enumerate(names, 1):
        axes = figure.add_subplot(1, len(names), place, title=name, ylabel="score" if place == 1 else None)
        scores = _scores_by_value(whole, name)
        for value, found in scores.items():
            axes.plot([value] * len(found), found, ".", color="tab:blue", alpha=0.4)
        axes.plot(list(scores), [max(found) for found in scores.values()], color="tab:blue")
        axes.tick_params(axis="x", rotation=60)
    figure.savefig(path, metadata={"Date": None} if Path(path).suffix == ".svg" else None)


def _scores_by_value(trials: Sequence[Trial], name: str) -> dict[str, list[float]]:
    """Give the scores of all trials with each value of a setting, the values in order."""
    scores: dict[str, list[float]] = {}
    for trial in sorted(trials, key=lambda one: _sortable(one.settings.get(name))):
        value = value_in_words(trial.settings[name]) if name in trial.settings else "default"
        scores.setdefault(value, []).append(trial.score)
    return scores


def _sortable(value: Any) -> tuple[int, float, str]:
    """Put what is not given first, then numbers by size, then words."""
    if value is None:
        return 0, 0.0, ""
    return (1, float(value), "") if isinstance(value, int | float) else (2, 0.0, str(value))
