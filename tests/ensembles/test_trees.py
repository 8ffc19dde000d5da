"""Trees as arrays against scikit-learn's own answers, by hand, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from classmark.ensembles.trees import LEAF, ROWS_AT_A_TIME, Nodes, Trees
from classmark.persistence import load, save

TWO_TREES = Trees(
    Nodes(
        np.array([1, LEAF, 0, LEAF, LEAF, LEAF], np.int32),
        np.array([0.5, 0, np.inf, 0, 0, 0]),
        np.array([0, 1.0, 0, 2.0, 4.0, 8.0]),
        np.array([1, 0, 3, 0, 0, 0], np.int32),
        np.array([2, 0, 4, 0, 0, 0], np.int32),
        np.array([True, False, False, False, False, False]),
    ),
    np.array([0, 5, 6], np.int32),
    baseline=-16.0,
    n_features=2,
)
"""The second feature up to 0.5, or missing: 1. Otherwise the first is there: 2, missing: 4. And always 8."""


def problem(seed, n_rows=200, n_features=4, missing=0.3):
    """Features, many of them equal and some missing, and which rows are right."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(n_rows, n_features)).round(1)
    right = features[:, 0] + random.normal(size=n_rows) > 0.5
    features[random.random(features.shape) < missing] = np.nan
    return features, right


def learned(features, right, **given):
    # So little is done before its threads wait for each other.
    with threadpool_limits(1, user_api="openmp"):
        return HistGradientBoostingClassifier(early_stopping=False, random_state=0, **given).fit(features, right)


def test_by_hand():
    rows = [[0, 0.5], [0, np.nan], [np.inf, 0.6], [7, 1], [np.nan, 1]]
    assert TWO_TREES.decision_function(rows).tolist() == [-16 + 8 + value for value in (1, 1, 2, 2, 4)]


@settings(max_examples=40)
@given(
    st.integers(0, 1000),
    st.sampled_from([0.0, 0.3, 0.9]),
    st.sampled_from([1, 2, 7]),
    st.sampled_from([0.0, 0.1]),
    st.sampled_from([None, [1, 0, -1, 0]]),
)
def test_the_answers_are_those_of_scikit_learn(seed, missing, max_iter, l2, monotonic):
    features, right = problem(seed, missing=missing)
    boosting = learned(features, right, max_iter=max_iter, l2_regularization=l2, monotonic_cst=monotonic)
    asked = np.vstack([problem(seed + 1, missing=missing)[0], [[np.inf, -np.inf, 0, np.nan]]])
    found = Trees.from_boosting(boosting).decision_function(asked)
    assert np.allclose(found, boosting.decision_function(asked), rtol=0, atol=1e-9)


def test_thirty_trees_on_many_rows_for_any_number_of_threads():
    features, right = problem(0, n_rows=3 * ROWS_AT_A_TIME + 1)
    boosting = learned(features, right, max_iter=30)
    trees = Trees.from_boosting(boosting)
    found = [trees.decision_function(features, n_jobs) for n_jobs in (None, 2, 3, 64)]
    assert all(np.array_equal(one, found[0]) for one in found)
    assert np.allclose(found[0], boosting.decision_function(features), rtol=0, atol=1e-9)


def test_no_rows_and_no_trees():
    assert TWO_TREES.decision_function(np.empty((0, 2))).shape == (0,)
    constant = Trees.constant(2.5, n_features=3)
    assert Trees.from_state(constant.to_state()).decision_function(np.zeros((2, 3))).tolist() == [2.5, 2.5]


def test_the_state_goes_through_a_file(tmp_path):
    features, right = problem(3)
    trees = Trees.from_boosting(learned(features, right, max_iter=20))
    save(tmp_path / "trees", trees.to_state())
    again = Trees.from_state(load(tmp_path / "trees"))
    assert np.array_equal(again.decision_function(features), trees.decision_function(features))


def test_other_features_are_refused():
    with pytest.raises(ValueError, match=r"shape \(1, 3\); the trees have learned from 2"):
        TWO_TREES.decision_function([[1, 2, 3]])


@pytest.mark.parametrize(
    "boosting",
    [
        HistGradientBoostingClassifier(),
        HistGradientBoostingClassifier(max_iter=2).fit(np.arange(60)[:, None], np.arange(60) % 3),
        HistGradientBoostingClassifier(max_iter=2, categorical_features=[0]).fit(
            np.repeat(np.arange(3), 40)[:, None], np.repeat([0, 1, 0], 40)
        ),
    ],
    ids=["not fitted", "three classes", "a category"],
)
def test_other_boosting_is_refused(boosting):
    with pytest.raises(ValueError, match="not trees about two classes as scikit-learn from"):
        Trees.from_boosting(boosting)


def changed(name, position, value):
    """The state of the two trees with one number changed."""
    state = TWO_TREES.to_state()
    array = state[name].copy()
    array[position] = value
    return state | {name: array}


REFUSED = {
    "a cycle": (changed("left", 2, 0), "children that are not nodes after them"),
    "a node below itself": (changed("left", 2, 2), "children that are not nodes after them"),
    "a child in the next tree": (changed("right", 2, 5), "children that are not nodes after them"),
    "a child that is not there": (changed("right", 2, 6), "children that are not nodes after them"),
    "a negative child": (changed("right", 2, -1), "children that are not nodes after them"),
    "two parents": (changed("right", 2, 3), "other than one parent"),
    "a leaf with a child": (changed("left", 1, 3), "leaves with children"),
    "a leaf that asks": (changed("features", 1, 0), "children that are not nodes after them"),
    "an inner node that does not": (changed("features", 2, LEAF), "other than one parent"),
    "a feature too many": (changed("features", 0, 2), "not among 2"),
    "a negative feature": (changed("features", 0, -2), "not among 2"),
    "a threshold that is no number": (changed("thresholds", 0, np.nan), "not a number"),
    "a value without end": (changed("values", 1, np.inf), "not a number"),
    "a baseline that is no number": (TWO_TREES.to_state() | {"baseline": np.nan}, "not a number"),
    "an empty tree": (TWO_TREES.to_state() | {"starts": np.array([0, 5, 5, 6], np.int32)}, "one after the other"),
    "trees that begin late": (TWO_TREES.to_state() | {"starts": np.array([1, 6], np.int32)}, "one after the other"),
    "no starts": (TWO_TREES.to_state() | {"starts": np.empty(0, np.int32)}, "shape"),
    "nodes left over": (TWO_TREES.to_state() | {"starts": np.array([0, 5], np.int32)}, "shape"),
    "another type": (TWO_TREES.to_state() | {"left": np.zeros(6)}, "not an array of int32"),
    "a negative size": (TWO_TREES.to_state() | {"starts": np.array([0, -1], np.int32)}, "shape"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_trees_is_refused(case):
    state, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        Trees.from_state(state)
