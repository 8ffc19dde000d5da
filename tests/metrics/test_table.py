"""The table of measures: what is made from it, and a measure that is added to it."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.cli.main import app
from classmark.metrics import further_figures, summarise, table
from classmark.metrics.evaluation import Evaluation
from classmark.metrics.table import MEASURES, Measure, check_measure, choices, chosen_figure

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands
MANUAL = Path(__file__).parents[2] / "docs" / "command-line.md"
TREE = Hierarchy.from_paths(["a/x", "a/y"])
TRUE, PREDICTED = csr_array([[False, True, False]]), csr_array([[False, False, True]])
FIRST = np.array([1])


def test_every_figure_comes_from_the_table():
    summary, further = summarise(TRUE, PREDICTED, FIRST, TREE), further_figures(TRUE, PREDICTED, np.ones((1, 3)), TREE)
    named = {usual: [one.name for one in MEASURES if one.usual == usual] for usual in (True, False)}
    assert list(summary) == ["documents", *named[True]]
    assert list(further) == [name for name in named[False] if name != "probabilities"]


def test_a_measure_is_left_out_where_what_it_needs_is_missing():
    assert "first" not in table.figures_of(Evaluation(TRUE, PREDICTED, TREE), usual=True)


@pytest.mark.parametrize("name", choices())
def test_what_settings_are_chosen_by_is_among_the_figures(name):
    found = Evaluation(TRUE, PREDICTED, TREE, first=FIRST)
    figures = summarise(TRUE, PREDICTED, FIRST, TREE) | {
        "cosine": further_figures(TRUE, PREDICTED, None, TREE)["cosine"]
    }
    expected = {
        "micro-f1": figures["leaves"]["micro_f1"],
        "macro-f1": figures["leaves"]["macro_f1"],
        "hf": figures["hierarchical"]["hf"],
        "first": figures["first"]["accuracy"],
        "first-hf": figures["first"]["hf"],
        "first-mean": (figures["first"]["accuracy"] + figures["first"]["hf"]) / 2,
        "cosine": figures["cosine"],
    }
    assert chosen_figure(name, found) == expected[name]


def test_the_help_and_the_manual_name_what_settings_are_chosen_by():
    (option,) = (one for one in COMMANDS["tune"].params if one.name == "measure")
    assert set(re.findall(r"[a-z][a-z0-9-]+", option.help.split(":")[1])) - {"or"} == set(choices())
    lines = re.findall(r"^\| `--measure` .*", MANUAL.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(lines) == 2  # train -m auto, and tune
    for line in lines:
        assert set(re.findall(r"`([a-z][a-z0-9-]+)`", line.partition(":")[2])) == set(choices())


def test_a_name_that_nothing_is_chosen_by_is_refused():
    with pytest.raises(ValueError, match=r"unknown measure 'f7'.*micro-f1, .*, cosine$"):
        check_measure("f7")


def test_a_new_measure_is_a_function_and_a_line(monkeypatch):
    def none_right(found):
        return float((found.node_counts.tp == 0).mean())

    monkeypatch.setattr(table, "MEASURES", [*MEASURES, Measure("toy", none_right, choices={"toy": float})])
    assert further_figures(TRUE, PREDICTED, None, TREE)["toy"] == 2 / 3  # x and y
    assert chosen_figure("toy", Evaluation(TRUE, PREDICTED, TREE)) == 2 / 3
