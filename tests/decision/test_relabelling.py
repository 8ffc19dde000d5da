"""Minimum, product of chances and likelihood: by hand, against sets, and by their promises."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from classmark import Hierarchy
from classmark.decision import CONSISTENCY, Threshold, most_likely, product_of_chances
from tests.decision.cases import HALVES, cases, named, sets_of
from tests.generators import hierarchies
from tests.oracles import consistent as oracle

# Node order: a, b, x, u, with x below a and b, and u below x.
DAG = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"], "u": "x"})
TREE = Hierarchy.from_nested({"a": {"x": ["u", "v"]}, "b": None})


def odds(chance):
    return log(chance / (1 - chance))


@st.composite
def tree_cases(draw):
    tree = draw(hierarchies(max_nodes=8, tree=True))
    return tree, draw(arrays(float, (3, len(tree)), elements=HALVES))


@given(cases())
def test_the_minimum_is_the_filter(case):
    hierarchy, margins, _ = case
    found = sets_of(hierarchy, CONSISTENCY["minimum"](margins, hierarchy))
    assert found == [oracle.minimum(set(hierarchy.edges()), named(hierarchy, row)) for row in margins]
    assert found == sets_of(hierarchy, CONSISTENCY["filter"](margins, hierarchy))


@pytest.mark.parametrize(
    ("chances", "expected"),
    [
        # 0.8 · 0.8 · 0.8 = 0.512 > 0.5, and with u 0.512 · 0.9 = 0.46.
        ((0.8, 0.8, 0.8, 0.9), {"a", "b", "x"}),
        # 0.6 · 0.6 · 0.9 = 0.324: each is accepted, not so all together.
        ((0.6, 0.6, 0.9, 0.9), {"a", "b"}),
        # 0.4 · 0.99 · 0.99 < 0.5: nothing makes up for a.
        ((0.4, 0.99, 0.99, 0.99), {"b"}),
        # Exactly one half is not above it.
        ((0.5, 0.6, 0.1, 0.1), {"b"}),
    ],
)
def test_products_by_hand(chances, expected):
    assert sets_of(DAG, product_of_chances(np.array([[odds(one) for one in chances]]), DAG)) == [expected]


@given(cases())
def test_products_equal_to_the_oracle(case):
    hierarchy, margins, _ = case
    found = sets_of(hierarchy, product_of_chances(margins, hierarchy))
    assert found == [oracle.product(set(hierarchy.edges()), named(hierarchy, row)) for row in margins]


@pytest.mark.parametrize(
    ("margins", "expected"),
    [
        # u and v bring x and a: 2 + 2 − 1 − 2 = 1 > 0.
        ((-2, -9, -1, 2, 2), {"a", "x", "u", "v"}),
        # u alone does not: 2 − 1 − 2 < 0.
        ((-2, -9, -1, 2, -1), set()),
        # 2 − 1 − 1 = 0: of two sets that are as likely the smaller is taken.
        ((-1, -9, -1, 2, -1), set()),
        # x pays for itself through u, and not for v.
        ((1, -1, -1, 3, -1), {"a", "x", "u"}),
        ((-np.inf, 1, 9, 9, 9), {"b"}),
    ],
)
def test_likelihood_by_hand_in_a_tree(margins, expected):
    # Node order: a, b, x, u, v.
    assert sets_of(TREE, most_likely(np.array([margins], dtype=float), TREE)) == [expected]


@given(tree_cases())
def test_in_a_tree_no_consistent_set_is_more_likely(case):
    tree, margins = case
    edges = set(tree.edges())
    for row, found in zip(margins, sets_of(tree, most_likely(margins, tree)), strict=True):
        scores = named(tree, row)
        assert oracle.log_likelihood(scores, found) == pytest.approx(oracle.best_likelihood(edges, scores))


@given(cases())
def test_in_a_dag_the_promises_are_kept(case):
    hierarchy, margins, _ = case
    found = most_likely(margins, hierarchy)
    for row, chosen in zip(margins, sets_of(hierarchy, found), strict=True):
        gain = sum(margin for name, margin in named(hierarchy, row).items() if name in chosen)
        assert gain > 0 or not chosen
    # No class outweighs the ancestors that it lacks, its own margin counted.
    taken = found.toarray()
    for node in range(len(hierarchy)):
        above = hierarchy.ancestors[[node]].indices
        assert (np.where(taken[:, above], 0.0, margins[:, above]).sum(axis=1) <= 0).all()


def test_what_the_approximation_in_a_dag_misses():
    """x and y are worth 2 each and need b; x alone, or the half of it that b gets, never pays for b and a."""
    hierarchy = Hierarchy.from_parents({"a": None, "b": None, "c": None, "x": ["a", "b"], "y": ["b", "c"]})
    margins = np.array([[-0.2, -3.5, -0.2, 2.0, 2.0]])
    assert sets_of(hierarchy, most_likely(margins, hierarchy)) == [set()]
    scores = named(hierarchy, margins[0])
    best = oracle.best_likelihood(set(hierarchy.edges()), scores)
    # 2 + 2 − 0.2 − 3.5 − 0.2 = 0.1.
    assert oracle.log_likelihood(scores, set(hierarchy)) == best > oracle.log_likelihood(scores, set())


def test_a_class_brings_its_parents_where_it_outweighs_both():
    """Half of x = 3 does not pay for b = −1.8, all of it pays for a = −1 and b."""
    assert sets_of(DAG, most_likely(np.array([[-1.0, -1.8, 3.0, -9.0]]), DAG)) == [{"a", "b", "x"}]


def test_the_approximation_in_random_dags_is_mostly_exact():
    """As `docs/decisions.md` says: random margins over random DAGs of eight nodes."""
    random = np.random.default_rng(0)
    right = total = 0
    for _ in range(60):
        parents = {f"c{i}": [f"c{p}" for p in range(i) if random.random() < 0.35] or None for i in range(8)}
        hierarchy = Hierarchy.from_parents(parents)
        margins = random.normal(size=(4, 8))
        for row, found in zip(margins, sets_of(hierarchy, most_likely(margins, hierarchy)), strict=True):
            scores = named(hierarchy, row)
            best = oracle.best_likelihood(set(hierarchy.edges()), scores)
            right += oracle.log_likelihood(scores, found) > best - 1e-9
            total += 1
    assert 0.95 < right / total < 1


@pytest.mark.parametrize("name", CONSISTENCY)
@given(case=cases())
def test_on_one_level_every_rule_is_the_threshold(name, case):
    hierarchy, margins, _ = case
    flat = Hierarchy.flat(hierarchy.names)
    assert (CONSISTENCY[name](margins, flat).toarray() == (margins > 0)).all()
    assert (Threshold(0.0, name).decide(margins, flat, flat.leaves).toarray() == (margins > 0)).all()


@pytest.mark.parametrize("name", CONSISTENCY)
def test_no_documents(name):
    assert CONSISTENCY[name](np.empty((0, 4)), DAG).shape == (0, 4)
