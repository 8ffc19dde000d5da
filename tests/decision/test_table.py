"""Decisions by name: written, read, described and refused."""

import json
from dataclasses import dataclass, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import decision as public
from classmark.decision import (
    DECISIONS,
    BackOff,
    BestPath,
    Decision,
    DSCut,
    ExpectedHF,
    PCut,
    RCut,
    SCut,
    Threshold,
    TunedThreshold,
    describe,
    format_decision,
    make_decision,
    parse_decision,
)

# Values that are not the defaults, for what has no float to draw.
OTHERS = {
    "scut": SCut(fbr=0.5, fallback="global", steady=False, folds=3, thresholds=(0.5, -1e-300)),
    "pcut": PCut(factor=2.0, on="training", thresholds=(1.0,)),
    "rcut": RCut(3),
    "dscut": DSCut((1.0, 0.25)),
    "expected-hf": ExpectedHF(),
    "back-off": BackOff(),
}
values = st.floats(allow_nan=False, allow_infinity=False)
consistencies = st.sampled_from(["close", "filter"])
decisions = (
    st.just(BestPath())
    | st.builds(Threshold, value=values, consistency=consistencies)
    | st.builds(TunedThreshold, value=values, consistency=consistencies, folds=st.integers(2, 9))
)


@given(decisions)
def test_there_and_back(decision):
    assert parse_decision(format_decision(decision)) == decision
    assert make_decision(**describe(decision)) == decision
    assert type(make_decision(**describe(decision))) is type(decision)


@pytest.mark.parametrize("name", OTHERS)
def test_others_there_and_back(name):
    decision = OTHERS[name]
    described = describe(decision)
    assert described["name"] == name
    assert make_decision(**described) == decision
    # As it is in a model file: tuples become lists.
    assert make_decision(**json.loads(json.dumps(described))) == decision
    # The command line does not show what was learned.
    forgotten = {field.name: field.default for field in fields(decision) if field.name in decision.learned}
    assert parse_decision(format_decision(decision)) == replace(decision, **forgotten)


def test_every_decision_is_tested_above():
    assert set(DECISIONS) == {"threshold", "tuned", "best-path", *OTHERS}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("best-path", BestPath()),
        ("threshold", Threshold(0.0, "close")),
        ("threshold,value=-1.5", Threshold(-1.5)),
        ("threshold,value=1,consistency=filter", Threshold(1.0, "filter")),
        ("tuned,consistency=filter", TunedThreshold(consistency="filter")),
    ],
)
def test_parse_by_hand(text, expected):
    assert parse_decision(text) == expected
    assert type(parse_decision(text)) is type(expected)


def test_format_and_describe_by_hand():
    assert format_decision(BestPath()) == "best-path"
    assert format_decision(Threshold(0.25)) == "threshold,value=0.25,consistency=close"
    assert describe(BestPath()) == {"name": "best-path", "settings": {}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zcut", "decision 'zcut' does not exist; choose one of threshold, tuned, scut"),
        ("", "decision '' does not exist; choose one of"),
        ("threshold,vaule=1", "decision 'threshold' has no setting 'vaule'; its settings: consistency, value"),
        ("best-path,value=1", "decision 'best-path' has no setting 'value'; its settings: none"),
        ("threshold,value=high", "decision 'threshold': .*float"),
        ("threshold,value", "decision 'threshold': .*float"),
        ("threshold,value=inf", "decision 'threshold': value is inf; give a finite number"),
        ("threshold,consistency=up", "decision 'threshold': consistency is 'up'; choose one of close, filter"),
        ("tuned,on=test", "decision 'tuned': on is 'test'; choose held-out or training"),
        ("tuned,folds=1", "decision 'tuned': folds is 1; give at least 2"),
        ("rcut,r=0", "decision 'rcut': r is 0; give at least 1"),
    ],
)
def test_refusals_name_what_is_allowed(text, message):
    with pytest.raises(ValueError, match=message):
        parse_decision(text)


@dataclass(frozen=True)
class Own(Decision):
    pass


def test_a_decision_without_a_name_cannot_be_written():
    with pytest.raises(ValueError, match=r"Own\(\) has no name; only threshold, tuned, .* can be written"):
        describe(Own())
    with pytest.raises(ValueError, match="has no name"):
        format_decision(Own())


def test_the_base_decides_nothing():
    with pytest.raises(NotImplementedError):
        Own().decide(None, None, None)


def test_the_public_names_exist():
    assert sorted(public.__all__) == sorted(set(public.__all__))
    assert all(hasattr(public, name) for name in public.__all__)
