"""Where missed labels went: by hand, and against an oracle with sets, on trees and DAGs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.labels import encode
from classmark.service.reporting import destinations as places
from classmark.service.reporting.destinations import KINDS, destinations, missed_labels, pairs
from tests.generators import evaluations
from tests.oracles import destinations as oracle

TREE = Hierarchy.from_paths(["a/x/q", "a/y/z", "a/y/w", "b"])


def found_in(hierarchy, true, predicted):
    missed = missed_labels(true, predicted, hierarchy)
    names = [*hierarchy.names, None]
    return [
        (row, hierarchy.names[label], names[answer], KINDS[kind])
        for row, label, answer, kind in zip(*(column.tolist() for column in missed), strict=True)
    ]


@pytest.mark.parametrize(
    ("true", "predicted", "expected"),
    [
        (["a/x"], ["a/x"], []),
        (["a/y/z"], ["a"], [("a/y/z", "a", "parent")]),
        (["a"], ["a/y/z"], [("a", "a/y/z", "below")]),
        (["a/y/z"], ["a/y/w"], [("a/y/z", "a/y/w", "sibling")]),
        (["a/y/z"], ["a/x/q"], [("a/y/z", "a/x/q", "same top")]),
        (["a"], ["b"], [("a", "b", "elsewhere")]),  # the top is no parent
        (["a/y/z"], [], [("a/y/z", None, "nowhere")]),
        (["a/y/z", "b"], ["b"], [("a/y/z", None, "nowhere")]),
        (["a/y/z"], ["a/y/z", "b"], []),  # nothing is missed
        (["a/y/z"], ["b", "a/x", "a/y/w"], [("a/y/z", "a/y/w", "sibling")]),  # the nearest of several
    ],
)
def test_by_hand(true, predicted, expected):
    rows = (encode([labels], TREE).indicator for labels in (true, predicted))
    assert [found[1:] for found in found_in(TREE, *rows)] == expected
    assert oracle.destinations(true, predicted, TREE) == expected


def test_what_everything_is_below_is_no_top():
    tree = Hierarchy.from_paths(["all/a/x", "all/a/y/z", "all/b/w"])
    true, predicted = (encode(labels, tree).indicator for labels in (["all/a/x"] * 2, ["all/a/y/z", "all/b/w"]))
    assert [found[3] for found in found_in(tree, true, predicted)] == ["same top", "elsewhere"]


@given(evaluations(), st.sampled_from([1, 3, 500_000]))
def test_as_the_oracle_says(evaluation, at_a_time):
    hierarchy, true, predicted = evaluation

    def names(labels, row):
        return [hierarchy.names[node] for node in labels.indices[labels.indptr[row] : labels.indptr[row + 1]]]

    expected = [
        (row, *found)
        for row in range(true.shape[0])
        for found in oracle.destinations(names(true, row), names(predicted, row), hierarchy)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "AT_A_TIME", at_a_time)
        assert found_in(hierarchy, true, predicted) == expected


def test_counts_by_kind_and_by_pair():
    true = encode([["a/y/z"]] * 3 + [["b"]], TREE).indicator
    predicted = encode([["a/y/w"], ["a/y/w"], ["b"], []], TREE).indicator
    missed = missed_labels(true, predicted, TREE)
    assert [(one.kind, one.labels) for one in destinations(missed, TREE)] == [
        ("sibling", 2),
        ("elsewhere", 1),
        ("nowhere", 1),
    ]
    most = pairs(missed, 1)[0]
    assert (TREE.names[most.true], TREE.names[most.answered], most.documents) == ("a/y/z", "a/y/w", 2)
    assert [one.answered for one in pairs(missed) if one.kind == "nowhere"] == [None]
    assert pairs(missed_labels(true, true, TREE)) == []
