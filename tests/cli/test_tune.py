import json
import re

import pytest

ARGUMENTS = ("-m", "knn-bm25", "--try", "k=1,2", "--try", "alpha=1,2", "--validation", "2")


def test_the_model_is_that_of_training_with_the_best_settings(run, animals):
    said = run("tune", animals, "-o", "tuned", *ARGUMENTS, "--json").json
    assert said["validation"] == 2
    assert said["record"] == "tuned.trials.jsonl"
    settings = [part for name, value in said["settings"].items() for part in ("--set", f"{name}={value}")]
    run("train", animals, "-o", "trained", "-m", "knn-bm25", *settings)
    figures = [run("evaluate", model, animals, "--json").json for model in ("tuned", "trained")]
    assert figures[0] == figures[1]


def test_it_is_taken_up_again(run, refused, animals):
    first = run("tune", animals, "-o", "tuned", *ARGUMENTS)
    again = run("tune", animals, "-o", "tuned", *ARGUMENTS)
    assert "| score |" in first.out
    assert [line for line in again.out.splitlines() if line.startswith("|")] == [
        line for line in first.out.splitlines() if line.startswith("|")
    ]
    assert "of another search (seed)" in refused("tune", animals, "-o", "tuned", *ARGUMENTS, "--seed", "1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "majority"], r"nothing to tune.*majority.*as in C=0\.1,1,10"),
        (["-m", "knn-bm25", "--try", "k=0"], r"setting k=0: must be.*integer >= 1"),
        (["-m", "knn-bm25", "--try", "k"], "--try k: write it as name=value,value"),
        (["-m", "knn-bm25", "--measure", "luck"], "unknown measure 'luck'"),
        (["-m", "knn-bm25", "--search", "luck"], "unknown search 'luck'"),
        (["-m", "knn"], "unknown method 'knn'"),
    ],
)
def test_asked_wrongly(refused, animals, arguments, message):
    assert re.search(message, refused("tune", animals, "-o", "tuned", *arguments))


def test_calibration_and_selection(run, animals):
    run("tune", animals, "-o", "tuned", *ARGUMENTS, "--calibration", "platt", "--select", "chi-square,n_terms=9")
    answers = run("predict", "tuned", animals, "--probabilities").out
    assert "probabilities" in answers
    assert run("info", "tuned", "--json").json["terms"] == 9


def test_a_plot_without_matplotlib_is_refused_before_the_search(refused, animals, monkeypatch):
    monkeypatch.setattr("classmark.tuning.search.find_spec", lambda _: None)
    message = refused("tune", animals, "-o", "tuned", *ARGUMENTS, "--plot", "trials.svg", code=1)
    assert message == "classmark: plots need matplotlib; pip install 'classmark[report]'\n"


def test_thresholds_by_rank_are_learned_where_documents_have_several_labels(run, inside):
    rows = [
        {"text": f"w{row % 7} v{row % 5} u{row % 3}", "labels": [f"c{row % 7}", f"d{row % 5}"]} for row in range(60)
    ]
    data = inside / "several.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = run("tune", data, "-o", "tuned", "-m", "knn-bm25", "--try", "k=1,3", "--json").json
    assert said["decision"].startswith("tuned-dscut,")
    said = run("tune", data, "-o", "given", "-m", "knn-bm25", "--try", "k=1,3", "--decision", "rcut,r=2", "--json").json
    assert said["decision"] == "rcut,r=2"
    said = run("tune", data, "-o", "set", "-m", "knn-bm25", "--try", "thresholds=1/0.5,1", "--json").json
    assert "decision" not in said
