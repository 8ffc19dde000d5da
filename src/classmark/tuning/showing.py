"""Trials as a table and as a plot."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from classmark.persistence import check_writable
from classmark.tuning.problem import Trial


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
    whole = _on_all_documents(trials)
    names = list(dict.fromkeys(name for trial in whole for name in trial.settings)) or ["(defaults)"]
    figure = Figure(figsize=(3.2 * len(names), 3), layout="constrained")
    for place, name in enumerate(names, 1):
        axes = figure.add_subplot(1, len(names), place, title=name, ylabel="score" if place == 1 else None)
        _draw_panel(axes, _scores_by_value(whole, name))
    figure.savefig(path, metadata={"Date": None} if Path(path).suffix == ".svg" else None)


def _on_all_documents(trials: Sequence[Trial]) -> list[Trial]:
    most = max(trial.documents for trial in trials)
    return [trial for trial in trials if trial.documents == most]


def _scores_by_value(trials: Sequence[Trial], name: str) -> dict[str, list[float]]:
    """Give the scores of all trials with each value of a setting, the values in order."""
    scores: dict[str, list[float]] = {}
    for trial in sorted(trials, key=lambda one: _sortable(one.settings.get(name))):
        value = value_in_words(trial.settings[name]) if name in trial.settings else "default"
        scores.setdefault(value, []).append(trial.score)
    return scores


def _draw_panel(axes: Any, scores: dict[str, list[float]]) -> None:
    for value, found in scores.items():
        axes.plot([value] * len(found), found, ".", color="tab:blue", alpha=0.4)
    axes.plot(list(scores), [max(found) for found in scores.values()], color="tab:blue")
    axes.tick_params(axis="x", rotation=60)


def _sortable(value: Any) -> tuple[int, float, str]:
    """Put what is not given first, then numbers by size, then words."""
    if value is None:
        return 0, 0.0, ""
    return (1, float(value), "") if isinstance(value, int | float) else (2, 0.0, str(value))
