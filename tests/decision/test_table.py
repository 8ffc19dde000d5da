"""Decisions by name: written, read, described and refused."""

import json
import math
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import decision as public
from classmark.cli import options
from classmark.decision import (
    CONSISTENCY,
    DECISIONS,
    Auto,
    BackOff,
    BestPath,
    Decision,
    DSCut,
    ExpectedHF,
    LearnedDecision,
    PCut,
    RCut,
    SCut,
    Threshold,
    TunedDSCut,
    TunedThreshold,
    describe,
    format_decision,
    make_decision,
    parse_decision,
)
from classmark.decision.table import ALIASES
from classmark.hierarchy import Hierarchy
from classmark.parameters import parameters

DOCS = Path(__file__).parents[2] / "docs"
values = st.floats(allow_nan=False, allow_infinity=False)
positive = st.floats(min_value=1e-300, max_value=1e300)
shares = st.floats(0, 1)
several = st.lists(values, max_size=4).map(tuple)
learning = {"on": st.sampled_from(["held-out", "training"]), "folds": st.integers(2, 99)}
otherwise = st.sampled_from([None, "nearest"])
consistent = {"consistency": st.sampled_from(list(CONSISTENCY))}
STRATEGIES = {
    "auto": st.builds(Auto, folds=st.integers(2, 99), seconds=st.floats(0, 1e9)),
    "threshold": st.builds(Threshold, value=values, otherwise=otherwise, **consistent),
    "tuned": st.builds(TunedThreshold, value=values, otherwise=otherwise, **consistent, **learning),
    "scut": st.builds(
        SCut,
        fbr=values,
        fallback=st.sampled_from(["share", "highest", "global"]),
        steady=st.booleans(),
        thresholds=several,
        **consistent,
        **learning,
    ),
    "rcut": st.builds(RCut, r=st.integers(1, 10**9)),
    "pcut": st.builds(PCut, factor=positive, thresholds=several, **consistent, **learning),
    "dscut": st.builds(DSCut, thresholds=st.lists(shares, min_size=1, max_size=4).map(tuple)),
    "tuned-dscut": st.builds(
        TunedDSCut,
        thresholds=st.lists(shares, min_size=1, max_size=4).map(tuple),
        floor=shares,
        most=st.integers(1, 6),
        **learning,
    ),
    "best-path": st.just(BestPath()),
    "expected-hf": st.builds(ExpectedHF, cost=st.none() | values, temperature=positive, **learning),
    "back-off": st.builds(
        BackOff, confidence=shares, to=st.sampled_from(["parent", "nothing"]), temperature=positive, **learning
    ),
}


@pytest.mark.parametrize("name", DECISIONS)
@given(data=st.data())
def test_there_and_back(name, data):
    decision = data.draw(STRATEGIES[name])
    described = describe(decision)
    assert described["name"] == name
    # As it is in a model file: tuples become lists.
    for one in (described, json.loads(json.dumps(described))):
        assert make_decision(**one) == decision
        assert type(make_decision(**one)) is type(decision) is DECISIONS[name]
    # The command line shows no list of what was learned.
    forgotten = {field.name: field.default for field in fields(decision) if field.name in decision.learned}
    again = parse_decision(format_decision(decision))
    assert type(again) is type(decision)
    assert again == replace(decision, **forgotten)


@pytest.mark.parametrize("name", DECISIONS)
def test_what_is_learned_is_a_field_and_not_shown(name):
    kind = DECISIONS[name]
    assert set(kind.learned) <= {field.name for field in fields(kind)}
    assert not kind.learned or issubclass(kind, LearnedDecision)
    assert not any(f",{field}=" in format_decision(kind()) for field in kind.learned)
    assert parse_decision(name) == kind()


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("auto", "folds, seconds"),
        ("threshold", "consistency, otherwise, value"),
        ("tuned", "consistency, folds, on, otherwise, value"),
        ("scut", "consistency, fallback, fbr, folds, on, steady"),
        ("rcut", "r"),
        ("pcut", "consistency, factor, folds, on"),
        ("dscut", "thresholds"),
        ("tuned-dscut", "floor, folds, most, on, thresholds"),
        ("best-path", ""),
        ("expected-hf", "cost, folds, on"),
        ("back-off", "confidence, folds, on, to"),
    ],
)
def test_the_settings_of_each(name, settings):
    with pytest.raises(ValueError) as error:
        parse_decision(f"{name},unknown=1")
    listed = str(error.value).partition("its settings: ")[2]
    assert sorted(listed.split(", ")) == settings.split(", ")


def test_the_settings_of_each_are_tested_above():
    [marker] = test_the_settings_of_each.pytestmark
    assert [name for name, _ in marker.args[1]] == list(DECISIONS) == list(STRATEGIES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("best-path", BestPath()),
        ("threshold", Threshold(0.0, "close")),
        ("threshold,value=-1.5", Threshold(-1.5)),
        ("threshold,otherwise=nearest", Threshold(otherwise="nearest")),
        ("auto,seconds=5", Auto(seconds=5.0)),
        ("threshold,value=1,consistency=filter", Threshold(1.0, "filter")),
        ("tuned,consistency=filter", TunedThreshold(consistency="filter")),
        ("tuned,on=training,folds=3", TunedThreshold(on="training", folds=3)),
        ("scut,fallback=highest,steady=false", SCut(fallback="highest", steady=False)),
        ("scut,fbr=0.1,steady=true", SCut(fbr=0.1)),
        ("pcut,factor=2", PCut(factor=2.0)),
        ("rcut,r=3", RCut(3)),
        ("dscut", DSCut((1.0, 0.6, 0.4))),
        ("dscut,thresholds=1/0.5", DSCut((1.0, 0.5))),
        ("dscut,thresholds=1", DSCut((1.0,))),
        ("tuned-dscut,floor=0.3,most=4", TunedDSCut(floor=0.3, most=4)),
        ("expected-hf,cost=0.8", ExpectedHF(0.8)),
        ("back-off,confidence=0.9,to=nothing", BackOff(0.9, "nothing")),
        ("average-confidence", Threshold(0.0, "average")),
        ("average-confidence,value=0.5", Threshold(0.5, "average")),
    ],
)
def test_parse_by_hand(text, expected):
    assert parse_decision(text) == expected
    assert type(parse_decision(text)) is type(expected)


def test_format_and_describe_by_hand():
    assert format_decision(BestPath()) == "best-path"
    assert format_decision(Threshold(0.25)) == "threshold,value=0.25,consistency=close"
    assert describe(BestPath()) == {"name": "best-path", "settings": {}}
    assert format_decision(Threshold(0.0, "average")) == "threshold,value=0.0,consistency=average"
    assert format_decision(DSCut()) == "dscut,thresholds=1.0/0.6/0.4"
    assert format_decision(ExpectedHF(temperature=3.0)) == "expected-hf,on=held-out,folds=10"
    assert format_decision(ExpectedHF(0.8)) == "expected-hf,on=held-out,folds=10,cost=0.8"
    expected = "scut,on=held-out,folds=10,consistency=close,fbr=0.3,fallback=share,steady=True"
    assert format_decision(SCut(thresholds=(0.5, 0.25))) == expected
    assert describe(SCut(thresholds=(0.5, 0.25)))["settings"]["thresholds"] == (0.5, 0.25)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "zcut",
            r"unknown decision 'zcut'.*auto, threshold, tuned, .*, back-off",
        ),
        ("", "unknown decision ''"),
        (
            "threshold,vaule=1",
            "decision 'threshold' has no setting 'vaule'.*'value'.*value, consistency, otherwise",
        ),
        ("best-path,value=1", "decision 'best-path' has no setting 'value'; it has none"),
        ("threshold,value=high", r"setting value=.*number"),
        ("threshold,value", r"setting value=.*number"),
        ("threshold,value=inf", "value=inf.*number"),
        ("threshold,consistency=up", "decision 'threshold', setting consistency=up: must be one of close, filter"),
        ("tuned,on=test", "decision 'tuned', setting on=test: must be one of held-out, training"),
        ("tuned,folds=1", r"decision 'tuned', setting folds=1.*integer >= 2"),
        ("auto,folds=1", r"decision 'auto', setting folds=1.*integer >= 2"),
        ("threshold,otherwise=all", "otherwise=all: must be nearest, or none"),
        ("rcut,r=0", r"decision 'rcut', setting r=0.*integer >= 1"),
        ("rcut,r=1.5", r"decision 'rcut', setting r=1.5.*integer"),
        ("scut,fallback=mean", "decision 'scut', setting fallback=mean: must be one of share, highest, global"),
        ("scut,steady=perhaps", "steady=perhaps: must be yes or no"),
        ("pcut,factor=0", r"decision 'pcut', setting factor=0.*number > 0"),
        ("dscut,thresholds=1/2", "thresholds=1/2: must be numbers >= 0 and <= 1"),
        ("dscut,thresholds=", "thresholds=: must be numbers"),
        ("back-off,confidence=2", r"decision 'back-off', setting confidence=2.*number >= 0 and <= 1"),
        ("back-off,to=root", "decision 'back-off', setting to=root: must be one of parent, nothing"),
        ("expected-hf,cost=dear", r"cost=dear.*number"),
        ("average-confidence,size=1", "decision 'threshold' has no setting 'size'"),
    ],
)
def test_refusals_name_what_is_allowed(text, message):
    with pytest.raises(ValueError, match=message):
        parse_decision(text)


class Own(Decision):
    pass


def test_a_decision_without_a_name_cannot_be_written():
    with pytest.raises(ValueError, match=r"Own\(\) has no name; only auto, threshold, tuned, .* can be written"):
        describe(Own())
    with pytest.raises(ValueError, match="has no name"):
        format_decision(Own())


def test_the_base_decides_nothing():
    with pytest.raises(NotImplementedError):
        Own().decide(None, None, None)


def test_the_manual_has_them_all():
    listed = re.findall(r"^\| \[`([a-z-]+)`\]", (DOCS / "decisions.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(listed) == {*DECISIONS, *ALIASES}
    described = re.findall(r"autoclass:: classmark\.decision\.(\w+)", (DOCS / "api.md").read_text(encoding="utf-8"))
    assert {kind.__name__ for kind in DECISIONS.values()} <= set(described)


def test_the_public_names_exist():
    assert sorted(public.__all__) == sorted(set(public.__all__))
    assert all(hasattr(public, name) for name in public.__all__)


def test_the_help_names_them_all():
    (option,) = get_args(options.Decision)[1:]
    assert set(re.findall(r"[a-z][a-z-]+", option.help.split(", as in")[0])) - {"or"} == {*DECISIONS, *ALIASES}


@pytest.mark.parametrize("kind", DECISIONS.values())
def test_what_each_needs_is_said_by_its_class(kind):
    assert (kind.learns_from == "scores") == issubclass(kind, LearnedDecision)
    assert kind.takes_best_end <= kind.one_label <= kind.ranks_ends
    assert bool(kind().ranks) <= kind.ranks_ends


def test_a_floor_is_the_threshold_where_nothing_below_it_is_asked_for():
    tree, dag = Hierarchy.from_paths(["a/b"]), Hierarchy.from_nested({"a": ["x"], "b": ["x"]})
    assert Threshold(0.5).stops_at(dag) == TunedThreshold(value=0.5).stops_at(tree) == 0.5
    assert Threshold(0.5, "average").stops_at(tree) == 0.5
    assert Threshold(0.5, "average").stops_at(dag) == Threshold(otherwise="nearest").stops_at(tree) == -math.inf
    assert all(kind().stops_at(tree) == -math.inf for kind in DECISIONS.values() if not issubclass(kind, Threshold))


@pytest.mark.parametrize("kind", DECISIONS.values())
def test_the_docstring_says_what_is_declared(kind):
    for name, one in parameters(kind).items():
        assert (f"    {name} : {one.constraint.description}, default " in kind.__doc__) == (name not in kind.learned)
        assert (f"        {one.description}\n" in kind.__doc__) == (name not in kind.learned)
    assert ("Parameters" in kind.__doc__) == bool(set(parameters(kind)) - set(kind.learned))
