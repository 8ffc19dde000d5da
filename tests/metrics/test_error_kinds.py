"""The kinds of errors: by hand, and against an oracle with sets."""

import pytest
from hypothesis import given

from classmark import Hierarchy
from classmark.labels import encode
from classmark.metrics import ERROR_KINDS, error_kinds
from tests.generators import evaluations
from tests.oracles.error_kinds import kind

TREE = Hierarchy.from_paths(["a/x/q", "a/y/z", "a/y/w", "b"])


@pytest.mark.parametrize(
    ("true", "predicted", "expected"),
    [
        (["a/x"], ["a/x"], "right"),
        (["a/x", "a"], ["a/x"], "right"),  # ancestors are no labels of their own
        ([], [], "right"),
        (["a/y/z"], ["a"], "too shallow"),
        (["a/y/z", "a/y/w"], ["a/y"], "too shallow"),
        (["a/y/z", "a/y/w"], ["a/y/w"], "missing"),  # z is not below w
        (["a/y/z"], [], "missing"),
        (["a"], ["a/y/z"], "too deep"),
        (["a/y/z"], ["a/y/z", "b"], "extra"),
        ([], ["b"], "extra"),
        (["a/y/z"], ["a/y/w"], "sibling"),
        (["a/y/z", "b"], ["a/y/w", "b"], "sibling"),
        (["a/y/z"], ["a/x/q"], "other branch"),
        (["a"], ["b"], "other branch"),  # the top is no parent
        (["a/y/z"], ["a/y/w", "b"], "other branch"),  # b is no sibling
    ],
)
def test_by_hand(true, predicted, expected):
    rows = (encode([labels], TREE).indicator for labels in (true, predicted))
    assert [ERROR_KINDS[found] for found in error_kinds(*rows, TREE)] == [expected]
    assert kind(true, predicted, TREE) == expected


@given(evaluations())
def test_as_the_oracle_says(evaluation):
    hierarchy, true, predicted = evaluation

    def names(labels, row):
        return [hierarchy.names[node] for node in labels.indices[labels.indptr[row] : labels.indptr[row + 1]]]

    expected = [kind(names(true, row), names(predicted, row), hierarchy) for row in range(true.shape[0])]
    assert [ERROR_KINDS[found] for found in error_kinds(true, predicted, hierarchy)] == expected
