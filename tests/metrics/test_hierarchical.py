"""Hierarchical measures: the paper's figure by hand, its requirements as properties, and an oracle."""

from dataclasses import astuple
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from classmark import Hierarchy
from classmark.labels import encode
from classmark.metrics import consistency_rate, hf_score, hierarchical_scores
from tests.generators import evaluations, hierarchies, label_lists
from tests.oracles import metrics as oracle

AVERAGES = ["micro", "macro", "instance"]
BETAS = [0.0, 0.5, 1.0, 2.0]
FIGURE = Hierarchy.from_parents(
    {"A": None, "B": None, "C": None, "D": "A", "E": ["B", "C"], "F": "C", "G": "E", "H": "F", "I": "E"}
)


def test_figure_1_by_hand():
    # Ĉ = {B, C, E, G} and Ĉ' = {C, F} share C.
    scores = hierarchical_scores(["G"], ["F"], FIGURE)
    assert scores.hp == 1 / 2
    assert scores.hr == 1 / 4
    assert scores.hf == pytest.approx(2 * (1 / 2) * (1 / 4) / (1 / 2 + 1 / 4))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (("I", "G"), ("D", "G")),  # requirement 1: partial credit, 3/4 against 0
        (("E", "G"), ("C", "G")),  # 2a: one level down and right, 6/7 against 2/5
        (("C", "G"), ("F", "G")),  # 2b: one level down and wrong, 2/5 against 2/6
        (("I", "G"), ("C", "A")),  # 3: siblings far down against siblings at the top, 3/4 against 0
    ],
)
def test_examples_of_the_requirements(better, worse):
    assert hf_score([better[1]], [better[0]], FIGURE) > hf_score([worse[1]], [worse[0]], FIGURE)


def table(tree, beta):
    """HM(c1|c0): hF of predicting c1 when c0 is true, for all pairs of nodes of a tree."""
    pairs = product(range(len(tree)), repeat=2)
    return {(c1, c0): hierarchical_scores([tree.names[c0]], [tree.names[c1]], tree, beta=beta).hf for c1, c0 in pairs}


def shared(one, other, tree):
    return oracle.with_ancestors([one], tree) & oracle.with_ancestors([other], tree)


@settings(deadline=None, max_examples=30)
@given(hierarchies(max_nodes=9, tree=True), st.sampled_from(BETAS))
def test_requirement_1_partial_credit(tree, beta):
    """A category that shares an ancestor (root apart) with the true one beats any that shares none.

    Strict for every beta: the one hF is above 0, the other is 0.
    """
    hm = table(tree, beta)
    for c0, c1, c2 in product(range(len(tree)), repeat=3):
        if shared(c1, c0, tree) and not shared(c2, c0, tree):
            assert hm[c1, c0] > hm[c2, c0]


@settings(deadline=None, max_examples=30)
@given(hierarchies(max_nodes=9, tree=True), st.sampled_from(BETAS))
def test_requirement_2_distant_errors(tree, beta):
    """From c1 to its child c2, hF rises where that is nearer to c0 (2a) and falls where it is farther (2b).

    With k = level(c1), L = level(c0) and l shared ancestors, hF of c1 is (1 + β²) l / (β² L + k).
    2a: l and k both grow by one from l = k, so hF rises strictly if β > 0; for β = 0 it is 1 for both.
    2b: only k grows, so hF falls strictly, for every β, where l > 0; where l = 0 it is 0 for both. (The paper
    asks for a strict fall there too, which no measure can give that is 0 without a shared ancestor.)
    """
    hm = table(tree, beta)
    for c0, c2 in product(range(len(tree)), repeat=2):
        for c1 in map(int, tree.parent_positions(c2)):
            nearer = oracle.distance(c1, c0, tree) > oracle.distance(c2, c0, tree)
            if nearer and beta > 0:
                assert hm[c1, c0] < hm[c2, c0]
            elif nearer:
                assert hm[c1, c0] == hm[c2, c0] == 1
            elif shared(c1, c0, tree):
                assert hm[c1, c0] > hm[c2, c0]
            else:
                assert hm[c1, c0] == hm[c2, c0] == 0


def assert_requirement_3(tree, beta):
    """Check all pairs of errors that are alike but for their level; give the number of such pairs."""
    hm = table(tree, beta)
    errors = [pair for pair in hm if pair[0] != pair[1]]
    n_checked = 0
    for (p1, c1), (p2, c2) in product(errors, repeat=2):
        lower = tree.levels[c1] - tree.levels[c2]
        same_distance = oracle.distance(c1, p1, tree) == oracle.distance(c2, p2, tree)
        if lower > 0 and tree.levels[p1] - tree.levels[p2] == lower and same_distance:
            n_checked += 1
            if beta == 0 and p2 in oracle.with_ancestors([c2], tree):
                assert hm[p1, c1] == hm[p2, c2] == 1
            else:
                assert hm[p1, c1] > hm[p2, c2]
    return n_checked


@settings(deadline=None, max_examples=30)
@given(hierarchies(max_nodes=9, tree=True), st.sampled_from(BETAS))
def test_requirement_3_errors_at_higher_levels(tree, beta):
    """Of two errors over the same distance the one Δ levels farther down, on both sides, has the higher hF.

    Equal distances mean that Δ more ancestors are shared, and hF goes from (1 + β²) l / D to
    (1 + β²) (l + Δ) / (D + (1 + β²) Δ), with D = β² level(c2) + level(c2'). That is a strict rise where
    D > (1 + β²) l: always for β > 0, as c2 and c2' differ, so that one of them lies below all they share. For
    β = 0 it needs level(c2') > l, which fails where c2' is an ancestor of c2: hF is 1 for both.
    """
    assert_requirement_3(tree, beta)


@pytest.mark.parametrize("beta", BETAS)
def test_requirement_3_on_a_tree_that_has_such_errors(beta):
    tree = Hierarchy.from_paths(["a/x/u", "a/x/v", "a/y", "b"])
    assert assert_requirement_3(tree, beta) > 0


@settings(deadline=None)
@given(
    evaluations(),
    st.sampled_from(AVERAGES),
    st.sampled_from([*BETAS, 0.1, 10.0]),
    st.sampled_from([0, 0.5, 1]),
)
def test_equal_to_the_oracle(case, average, beta, zero_division):
    hierarchy, true, predicted = case
    ours = hierarchical_scores(true, predicted, hierarchy, beta=beta, average=average, zero_division=zero_division)
    expected = oracle.hierarchical(true, predicted, hierarchy, average, beta, zero_division)
    assert astuple(ours) == pytest.approx(expected)


@settings(deadline=None)
@given(
    evaluations().filter(lambda case: len(case[0]) > 1),
    st.sampled_from([("micro", "micro"), ("macro", "macro"), ("instance", "samples")]),
    st.sampled_from(BETAS),
    st.sampled_from([0.0, 1.0]),
)
def test_equal_to_scikit_learn_on_closed_sets(case, averages, beta, zero_division):
    hierarchy, true, predicted = case
    ours, theirs = averages
    scores = hierarchical_scores(true, predicted, hierarchy, beta=beta, average=ours, zero_division=zero_division)
    closed = [hierarchy.close(labels).toarray() for labels in (true, predicted)]
    expected = precision_recall_fscore_support(*closed, beta=beta, average=theirs, zero_division=zero_division)[:3]
    assert astuple(scores) == pytest.approx(expected)


@settings(deadline=None)
@given(st.data(), hierarchies())
def test_every_form_of_labels_gives_the_same(data, hierarchy):
    true, predicted = data.draw(label_lists(hierarchy, 3)), data.draw(label_lists(hierarchy, 3))
    as_sparse = [encode(labels, hierarchy).indicator for labels in (true, predicted)]
    as_dense = [labels.toarray().astype(int) for labels in as_sparse]
    expected = hierarchical_scores(true, predicted, hierarchy)
    assert hierarchical_scores(*as_sparse, hierarchy) == expected
    assert hierarchical_scores(*as_dense, hierarchy) == expected
    assert hf_score(true, predicted, hierarchy) == expected.hf


@pytest.mark.parametrize(
    ("average", "zero_division", "expected"),
    [
        # The closed sets: true {a, x}, {b}, {}; predicted {a, y}, {}, {}. Nodes: a, b, x and y below a.
        ("micro", 0.0, (1 / 2, 1 / 3, 2 * 1 / (2 + 3))),
        ("macro", 0.0, ((1 + 0 + 0 + 0) / 4, (1 + 0 + 0 + 0) / 4, (1 + 0 + 0 + 0) / 4)),
        ("instance", 0.0, ((1 / 2 + 0 + 0) / 3, (1 / 2 + 0 + 0) / 3, (1 / 2 + 0 + 0) / 3)),
        # With 0/0 = 1. Macro: b has precision 0/0, x precision 0/0, y recall 0/0, and no F is 0/0.
        ("micro", 1.0, (1 / 2, 1 / 3, 2 * 1 / (2 + 3))),
        ("macro", 1.0, ((1 + 1 + 1 + 0) / 4, (1 + 0 + 0 + 1) / 4, (1 + 0 + 0 + 0) / 4)),
        # Instance: document 1 has precision 0/0, document 2 has all three 0/0.
        ("instance", 1.0, ((1 / 2 + 1 + 1) / 3, (1 / 2 + 0 + 1) / 3, (1 / 2 + 0 + 1) / 3)),
    ],
)
def test_averages_and_zero_division_by_hand(average, zero_division, expected):
    tree = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "x"), ("a", "y")])
    true, predicted = [["x"], ["b"], []], [["y"], [], []]
    scores = hierarchical_scores(true, predicted, tree, average=average, zero_division=zero_division)
    assert astuple(scores) == pytest.approx(expected)


@pytest.mark.parametrize("average", AVERAGES)
def test_nothing_predicted(average):
    scores = hierarchical_scores([["G"], ["D"]], [[], []], FIGURE, average=average)
    assert astuple(scores) == (0, 0, 0)


def test_beta_moves_hf_from_precision_to_recall():
    hf = [hierarchical_scores(["G"], ["F"], FIGURE, beta=beta).hf for beta in (0, 1, 2, 1e200)]
    assert hf == pytest.approx([1 / 2, 1 / 3, 5 * (1 / 8) / (4 / 2 + 1 / 4), 1 / 4])


def test_consistency_by_hand():
    assert consistency_rate([["E", "B", "C"], ["E", "B"], [], ["A"]], FIGURE) == 3 / 4


@settings(deadline=None)
@given(evaluations())
def test_consistency_equals_the_oracle(case):
    hierarchy, _, predicted = case
    assert consistency_rate(predicted, hierarchy) == oracle.consistency(predicted, hierarchy)
    assert consistency_rate(hierarchy.close(predicted), hierarchy) == 1


def test_refuses_an_unknown_average_and_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"average='weighted'.*'micro', 'macro', 'instance'"):
        hierarchical_scores(["G"], ["F"], FIGURE, average="weighted")


@pytest.mark.parametrize("beta", [-1, -0.001, float("nan")])
def test_refuses_a_beta_below_zero(beta):
    with pytest.raises(ValueError, match=r"beta=.*>= 0"):
        hierarchical_scores(["G"], ["F"], FIGURE, beta=beta)


def test_refuses_a_zero_division_that_is_no_score():
    with pytest.raises(ValueError, match="zero_division=2"):
        hierarchical_scores(["G"], ["F"], FIGURE, zero_division=2)


def test_refuses_documents_that_cannot_be_compared():
    with pytest.raises(ValueError, match="document 1 is not labelled"):
        hierarchical_scores([["G"], None], [["F"], ["G"]], FIGURE)
    with pytest.raises(ValueError, match=r"both.*same documents"):
        hierarchical_scores(["G", "G"], ["F"], FIGURE)
    nobody = np.zeros((0, len(FIGURE)), dtype=bool)
    with pytest.raises(ValueError, match=r"no document.*evaluate"):
        hierarchical_scores(nobody, nobody, FIGURE)
    with pytest.raises(ValueError, match=r"no document.*evaluate"):
        consistency_rate(nobody, FIGURE)
