"""One fit, asked after several numbers of rounds, is as good as a fit for each."""

import pytest

from reproductions import parse_table, run_table
from reproductions.experiments import EXPERIMENTS
from reproductions.experiments import rounds as module
from reproductions.experiments.learning import Learning
from reproductions.experiments.rounds import Rounds
from tests.reproductions.toys import TABLE

CONDITIONS = {
    "adaboost-mh": {"method": "adaboost-mh", "settings": {"stemmer": "none"}},
    "selected": {"method": "adaboost-mh", "selection": "chi-square,n_terms=6"},
    "treeboost-mh": {"method": "treeboost-mh"},
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_each_number_of_rounds_gives_what_a_fit_of_its_own_gives(surroundings, name, monkeypatch):
    condition = CONDITIONS[name]
    numbers = [5, 1, 12]
    monkeypatch.setattr(module, "SCORES_IN_A_BATCH", 11)  # two documents of five nodes at a time
    shared = EXPERIMENTS["rounds"].run([Rounds(corpus="animals", rounds=n, **condition) for n in numbers], surroundings)
    for number, measured in zip(numbers, shared, strict=True):
        settings = condition.get("settings", {}) | {"n_estimators": number}
        own = Learning(corpus="animals", **condition | {"settings": settings})
        (expected,) = EXPERIMENTS["method"].run([own], surroundings)
        for seconds in ("train_seconds", "test_seconds"):
            assert (seconds in measured) == (number == max(numbers))
            expected.pop(seconds)
            measured.pop(seconds, None)
        measured.pop("hypotheses", None)
        assert measured == expected


def test_a_method_without_rounds_is_refused():
    with pytest.raises(ValueError, match="method 'majority' has no setting 'n_estimators'"):
        Rounds(corpus="animals", method="majority", rounds=2).check()


def test_a_decision_that_learns_is_refused(surroundings):
    with pytest.raises(ValueError, match="learned for the last round alone"):
        EXPERIMENTS["rounds"].run(
            [Rounds(corpus="animals", method="adaboost-mh", decision="tuned,on=training", rounds=2)], surroundings
        )


def test_rows_that_differ_in_rounds_share_a_fit(surroundings, cache, monkeypatch):
    text = TABLE.replace('experiment = "method"', 'experiment = "rounds"\nmethod = "adaboost-mh"')
    parts = """
[[parts]]
title = "curve"
rows = [
    { at = { rounds = 3 }, reported = { micro = 0.5 } },
    { at = { rounds = 4, settings = { stemmer = "none" } }, reported = { micro = 0.5 } },
    { at = { rounds = 2 }, reported = { micro = 0.5 } },
]
"""
    table = parse_table(text[: text.index("[[parts]]")] + parts)
    fitted = []
    learn = module.learn
    monkeypatch.setattr(module, "learn", lambda one, *more: fitted.append(one.settings) or learn(one, *more))
    result = run_table(table, surroundings, cache)
    assert fitted == [{"n_estimators": 3}, {"n_estimators": 4, "stemmer": "none"}]
    assert all(row.cells["micro"].ours is not None for row in result.parts[0].rows)
