"""What parameters may be: every one of every public estimator and decision, given what it should not be."""

import inspect
import re
from dataclasses import fields
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import classmark
from classmark import Analyser, Hierarchy, TermWeighting, TextClassifier, TextVectoriser
from classmark.checks import (
    BOOLEAN,
    LARGEST,
    check_values,
    choice,
    instance,
    integer,
    is_number,
    is_whole,
    optional,
    python_only,
    real,
)
from classmark.decision import DECISIONS
from classmark.parameters import parameters
from tests.neural import of_counts

ESTIMATORS = [
    one
    for one in (getattr(classmark, name) for name in classmark.__all__)
    if isinstance(one, type) and issubclass(one, BaseEstimator)
]
SILLY = ["x", None, True, -1, 2.5, np.nan, np.inf, 10**30, [], {}, object(), np.arange(3), b"x", object]
PROCESSES = (-1, 10**30)
"""Silly as numbers, but not of processes, which take seconds to start: `tests/test_parallel.py` asks for those."""
NO_NUMBER = ["x", True, np.nan, np.inf, -np.inf, [], {}, object(), np.arange(3), b"1", 1j]

TREE = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
LABELS = ["owl", "gull", "oak"] * 2
COUNTS = np.eye(6)[:, :4] + 1
TEXTS = ["it hoots", "it cries", "it grows", "who hoots", "who cries", "who grows"]


def fit(estimator: Any) -> None:
    if isinstance(estimator, Analyser):
        estimator.terms("it hoots")
    elif isinstance(estimator, TextClassifier):
        estimator.fit(TEXTS, LABELS)
    elif isinstance(estimator, TextVectoriser):
        estimator.fit(TEXTS)
    elif isinstance(estimator, TermWeighting):
        estimator.fit(COUNTS)
    else:
        estimator.fit(COUNTS, LABELS)


def small(kind: type) -> dict[str, Any]:
    """Give parameters that make learning quick."""
    known = inspect.signature(kind).parameters
    return {
        name: value
        for name, value in {"n_estimators": 2, "max_iter": 5, "epochs": 1, "hierarchy": TREE}.items()
        if name in known
    }


def complaint(make: Any, name: str, value: Any) -> str | None:
    """Say what is wrong with how a value is answered; None where it is taken, or refused in words."""
    try:
        make()
    except (ValueError, TypeError) as error:
        said = str(error)
        in_words = re.search(rf"\b{name}\b", said) and re.search(r"\b(give|choose|must be|set|leave)\b", said, re.I)
        return None if in_words and "\n" not in said else f"{name}={value!r}: {type(error).__name__}: {said}"
    except Exception as error:  # noqa: BLE001 - whatever a user would see as a traceback
        return f"{name}={value!r}: {type(error).__name__}: {error}"
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_estimators_take_a_value_or_refuse_it_in_words(kind):
    if kind.__name__ == "FineTunedClassifier":
        if not of_counts.TORCH:
            pytest.skip("fine-tuning needs torch, transformers and tokenizers")
        kind = of_counts.FineTunedClassifier
    found = [
        complaint(lambda n=name, v=value: fit(kind(**small(kind) | {n: v})), name, value)
        for name in inspect.signature(kind).parameters
        for value in SILLY
        if not (name == "n_jobs" and is_whole(value) and value in PROCESSES)
    ]
    assert len(found) >= len(SILLY)
    assert not list(filter(None, found))


def is_numeric(annotation: Any) -> bool:
    kinds = set(get_args(annotation)) or {annotation}
    return bool(kinds & {int, float}) and not kinds - {int, float, type(None)}


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_numbers_are_numbers(kind):
    hints = get_type_hints(kind.__init__)
    for name in inspect.signature(kind).parameters:
        for value in NO_NUMBER if is_numeric(hints[name]) else ():
            with pytest.raises(ValueError, match=rf"\b{name}\b"):
                fit(kind(**small(kind) | {name: value}))


@pytest.mark.parametrize("name", DECISIONS)
def test_decisions_take_a_value_or_refuse_it_in_words(name):
    kind = DECISIONS[name]
    found = []
    hints = get_type_hints(kind)
    for field in fields(kind):
        for value in SILLY:
            found.append(complaint(lambda n=field.name, v=value: kind(**{n: v}), field.name, value))
            if is_numeric(hints[field.name]) and value is not None and not (is_number(value) or is_whole(value)):
                with pytest.raises(ValueError, match=rf"\b{field.name}\b"):
                    kind(**{field.name: value})
    assert set(parameters(kind)) == {field.name for field in fields(kind)}
    assert not list(filter(None, found))


@pytest.mark.parametrize("decision", ["nonsense", "threshold,value=x", "rcut,r=0", 5, [], object(), "scut,folds=1"])
def test_a_text_classifier_is_checked_before_there_is_a_document(decision):
    with pytest.raises(ValueError, match=r"decision|r=0|folds=1"):
        TextClassifier(decision=decision).check()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"min_df": -3}, "setting min_df=-3: must be "),
        ({"max_features": 0}, "setting max_features=0: must be "),
        ({"token_pattern": "("}, "token_pattern='\\('.*no regular expression"),
    ],
)
def test_text_settings_are_checked_before_there_is_a_document(settings, said):
    with pytest.raises(ValueError, match=said):
        TextClassifier(settings=settings).check()


def test_rules_in_words():
    assert integer(ge=1).description == "an integer >= 1"
    assert integer(ge=2, le=50).description == "an integer >= 2 and <= 50"
    assert real(gt=0).description == "a number > 0"
    assert real(ge=0, lt=1).description == "a number >= 0 and < 1"
    assert real(gt=0, le=1).description == "a number > 0 and <= 1"
    assert real(ge=0, le=1).description == "a number >= 0 and <= 1"
    assert real().description == "a finite number"
    assert choice("ab").description == "one of a, b"
    assert choice(["a"]).description == "a"
    assert optional(real(gt=0)).description == "a number > 0, or None"


def test_rules_read_text():
    assert integer(ge=1).parse("3") == 3
    assert real().parse("0.5") == 0.5
    assert optional(integer(ge=1)).parse("none") is None
    assert [BOOLEAN.parse(word) for word in ("yes", "True", "1", "no", "False", "0")] == [True] * 3 + [False] * 3
    with pytest.raises(ValueError, match="'perhaps' is neither yes nor no"):
        BOOLEAN.parse("perhaps")
    assert python_only(integer(ge=1)).parse is optional(python_only(integer(ge=1))).parse is None
    assert instance(Hierarchy, "a Hierarchy").parse is None


def test_rules_by_their_edges():
    rule = integer(ge=1, le=3).accepts
    assert [value for value in (0, 1, 3, 4, 1.0, True, np.int8(2), "1") if rule(value)] == [1, 3, np.int8(2)]
    assert integer(ge=0).accepts(LARGEST)
    assert not integer(ge=0).accepts(LARGEST + 1)
    above = real(gt=0, lt=1).accepts
    assert [value for value in (0, 0.5, 1, np.nan, True) if above(value)] == [0.5]
    closed = real(ge=0, le=1).accepts
    assert [value for value in (-0.1, 0, 1, np.float32(0.5), 1.1) if closed(value)] == [0, 1, 0.5]
    assert optional(real()).accepts(None)


def test_the_first_wrong_setting_is_named():
    with pytest.raises(ValueError, match=r"^scheme=3: .*a, b$"):
        check_values({"scheme": 3}, {"scheme": choice("ab")})
    with pytest.raises(ValueError, match=r"^k1=-1: .*> 0, or None$"):
        check_values({"k1": -1}, {"k1": optional(real(gt=0))})
