"""Leaves without a labelled document: Equation 3 counts them among its M_d paths."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classmark import FlatEM, FlatNB, Hierarchy, PathEM, PathNB, generative
from tests.generative.problems import problems
from tests.oracles import generative as oracle

TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": ["z"]})
every_model = pytest.mark.parametrize("name", generative.__all__)


def ends_with_unseen(problem):
    """The ends of labels, and the leaves without one at or above them."""
    tree, seen = problem.tree, {problem.tree.names[end] for end in problem.ends}
    unseen = [int(leaf) for leaf in tree.leaves if not seen & set(tree.path(tree.names[leaf]))]
    return sorted([*problem.ends, *unseen])


class TestByHand:
    def test_equations_3_and_4(self):
        """Nobody has labelled y or z: y has what its sibling says of their parent, z has smoothing alone."""
        model = PathNB(hierarchy=TREE, unseen_leaves=True).fit([[3, 1]], ["x"])
        assert [TREE.names[end] for end in model.ends_] == ["x", "y", "z"]
        # Path scores 2, 1 and 0, M_d = 3.
        assert np.exp(model.log_prior_) == pytest.approx([3 / 6, 2 / 6, 1 / 6])
        # (1 + 2·3, 1 + 2·1) / (2 + 8), (1 + 3, 1 + 1) / (2 + 4), and 1 / 2 each.
        x, y, z = np.exp(model.log_terms_.T)
        assert x == pytest.approx([7 / 10, 3 / 10])
        assert y == pytest.approx([4 / 6, 2 / 6])
        assert z == pytest.approx([1 / 2, 1 / 2])
        joint = np.array([3 / 6 * 0.3**4, 2 / 6 * (2 / 6) ** 4, 1 / 6 * 0.5**4])
        chances = 1 / (1 + np.exp(-model.node_scores([[0, 4]])[0]))
        assert [chances[TREE.position(name)] for name in "xyz"] == pytest.approx(joint / joint.sum())
        assert model.predict([[3, 1], [0, 4]]).tolist() == ["x", "z"]

    def test_an_unlabelled_document_can_found_a_leaf(self):
        """What is like no labelled document goes, by EM, to a leaf that nobody has labelled."""
        X = [[4, 0, 0], [0, 4, 0], [0, 0, 9], [0, 0, 8]]
        model = FlatEM(hierarchy=TREE, unseen_leaves=True, vocabulary="all", max_iter=5).fit(X, ["x", "y", None, None])
        assert model.predict([[0, 0, 5], [5, 0, 0]]).tolist() == ["z", "x"]

    def test_an_inner_label_with_nothing_labelled_below_stays_an_end(self):
        model = PathNB(hierarchy=TREE, unseen_leaves=True).fit(np.eye(2), ["a", "z"])
        assert [TREE.names[end] for end in model.ends_] == ["a", "z"]

    def test_without_it_they_have_no_path(self):
        model = PathNB(hierarchy=TREE).fit([[3, 1]], ["x"])
        assert [TREE.names[end] for end in model.ends_] == ["x"]
        assert np.isneginf(model.node_scores([[0, 4]])[0, TREE.position("y")])


@settings(max_examples=80)
@given(problems(unlabelled=False), st.sampled_from([0.5, 1.0]))
def test_chances_are_those_of_equations_3_and_4(problem, smoothing):
    ends = ends_with_unseen(problem)
    depth = max(len(problem.tree.path(problem.tree.names[end])) for end in ends)
    given_settings = {"hierarchy": problem.tree, "smoothing": smoothing, "unseen_leaves": True, "vocabulary": "all"}
    known = problem.known("all")
    for kind, scores in (
        (PathNB, [oracle.path_scores(problem.tree, ends, own, [1.0] * depth) for own in problem.own]),
        (FlatNB, [oracle.flat_scores(problem.tree, ends, own) for own in problem.own]),
    ):
        prior, theta = oracle.estimate(problem.X.tolist(), scores, known, smoothing)
        model = kind(**given_settings).fit(problem.X, problem.labels)
        assert model.ends_.tolist() == ends
        assert np.exp(model.log_prior_) == pytest.approx(prior)
        assert np.exp(model.log_terms_.T) == pytest.approx(np.array(theta))


@settings(max_examples=40)
@given(problems(), st.integers(1, 4))
def test_em_is_that_of_algorithm_1(problem, iterations):
    ends = ends_with_unseen(problem)
    depth = max(len(problem.tree.path(problem.tree.names[end])) for end in ends)
    scores = [own and oracle.path_scores(problem.tree, ends, own, [1.0] * depth) for own in problem.own]
    model = PathEM(hierarchy=problem.tree, unseen_leaves=True, tol=0.0, max_iter=iterations)
    model.fit(problem.X, problem.labels)
    if None not in scores:
        iterations = 0
    known = problem.known("labelled")
    prior, theta, _ = oracle.em(problem.X.tolist(), scores, known, 1.0, 1.0, iterations)
    assert np.exp(model.log_prior_) == pytest.approx(prior)
    assert np.exp(model.log_terms_.T) == pytest.approx(np.array(theta)[:, known])


@every_model
def test_every_model_can_answer_with_them_and_be_saved(name):
    kind = getattr(generative, name)
    X, y = [[3, 0, 0], [0, 3, 0]], ["x", "y"]
    model = kind(hierarchy=TREE, unseen_leaves=True).fit(X, y)
    scores = model.node_scores(X)
    assert np.isfinite(scores).all()
    state = model.to_state()
    assert kind().from_state(state).node_scores(X).tobytes() == scores.tobytes()
