"""Chances of nodes: by hand, against loops, and the temperature that made the scores."""

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.decision.best_path import fit_temperature, node_chances
from tests.decision.cases import cases, int32, named, names_of
from tests.oracles import decision as oracle

INF = np.inf
TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": None})  # node order: a, b, x, y


def test_by_hand():
    # x, y and b have e², e¹ and e⁰ in proportion; the score of a, which is no end, is not looked at.
    total = exp(2) + exp(1) + exp(0)
    expected = [(exp(2) + exp(1)) / total, exp(0) / total, exp(2) / total, exp(1) / total]
    assert node_chances(np.array([[9.0, 0, 2, 1]]), TREE, int32(1, 2, 3))[0] == pytest.approx(expected)
    # At half the temperature all scores count twice.
    colder = node_chances(np.array([[9.0, 0, 2, 1]]), TREE, int32(1, 2, 3), 0.5)
    assert colder[0, 2] == pytest.approx(exp(4) / (exp(4) + exp(2) + 1))
    # An inner end has its own chance besides those below it.
    inner = node_chances(np.array([[0.0, 0, 0, 0]]), TREE, int32(0, 1, 2))
    assert inner[0] == pytest.approx([2 / 3, 1 / 3, 1 / 3, 0])


def test_minus_infinity_has_no_chance_and_nothing_known_leaves_all_equal():
    scores = np.array([[0.0, -INF, 1, 1], [-INF, -INF, -INF, -INF]])
    before = scores.copy()
    chances = node_chances(scores, TREE, int32(1, 2, 3))
    assert chances[0].tolist() == [1, 0, 0.5, 0.5]
    assert chances[1] == pytest.approx([2 / 3, 1 / 3, 1 / 3, 1 / 3])
    assert np.array_equal(scores, before)


@given(cases(), st.sampled_from([0.25, 1.0, 3.0]))
def test_equal_to_the_oracle(case, temperature):
    hierarchy, scores, ends = case
    edges, names = set(hierarchy.edges()), names_of(hierarchy, ends)
    found = node_chances(scores, hierarchy, ends, temperature)
    for row, chances in zip(scores, found, strict=True):
        expected = oracle.node_chances(edges, named(hierarchy, row), names, temperature)
        assert chances.tolist() == pytest.approx(list(expected.values()))


@given(cases())
def test_monotone_along_the_hierarchy(case):
    hierarchy, scores, ends = case
    chances = node_chances(scores, hierarchy, ends)
    assert (chances >= 0).all()
    assert (chances <= 1 + 1e-9).all()
    for node in range(len(hierarchy)):
        for parent in hierarchy.parent_positions(node):
            assert (chances[:, parent] >= chances[:, node] - 1e-12).all()


@given(cases(), st.data())
def test_in_a_tree_the_top_sums_to_one(case, data):
    scores = case[1]
    names = [f"c{node}" for node in range(scores.shape[1])]
    parents = {name: data.draw(st.sampled_from([None, *names[:node]])) for node, name in enumerate(names)}
    tree = Hierarchy.from_parents(parents)
    assert node_chances(scores, tree, case[2])[:, tree.tops].sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("temperature", [0.2, 1.0, 4.0])
def test_the_temperature_that_made_the_scores_is_found(temperature):
    random = np.random.default_rng(0)
    logits = random.normal(size=(4000, 3))
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    drawn = (random.random((4000, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    # Scores of the ends b, x and y; a constant added to a document's scores changes nothing.
    scores = np.full((4000, 4), 99.0)
    scores[:, 1:] = logits * temperature + random.normal(size=(4000, 1))
    labels = csr_array((np.ones(4000, bool), drawn + 1, np.arange(4001)), shape=(4000, 4))
    assert fit_temperature(scores, labels, int32(1, 2, 3)) == pytest.approx(temperature, rel=0.06)


def test_several_labels_share_a_document():
    """One document with two labels weighs as much as one with one: half each."""
    flat = Hierarchy.flat("ab")
    scores = np.array([[1.0, 0.0], [1.0, 0.0]])
    both = csr_array(np.array([[1, 1], [1, 0]], dtype=bool))
    # Most likely where a has ¾: e^(1 / T) = 3.
    assert fit_temperature(scores, both, flat.leaves) == pytest.approx(1 / np.log(3), rel=1e-3)


def test_labels_without_a_score_teach_nothing():
    flat = Hierarchy.flat("ab")
    scores = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [-INF, 3.0], [-INF, -INF]])
    labels = csr_array(np.array([[1, 0], [1, 0], [1, 0], [0, 1], [1, 0], [1, 0]], dtype=bool))
    assert fit_temperature(scores, labels, flat.leaves) == pytest.approx(1 / np.log(3), rel=1e-3)
    assert fit_temperature(scores[4:], labels[4:], flat.leaves) == 1.0
    assert fit_temperature(scores, csr_array((6, 2), dtype=bool), flat.leaves) == 1.0
