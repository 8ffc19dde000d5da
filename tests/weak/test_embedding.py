import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from classmark import Hierarchy
from classmark.weak import EmbeddingEM
from tests.oracles import weak as oracle

TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": None, "c": None})


@parametrize_with_checks([EmbeddingEM()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_by_hand():
    X = [[2.0, 0.0], [0.0, 1.0], [3.0, 4.0]]
    model = EmbeddingEM(concentration=5.0, labeled_weight=2.0, max_iter=1).fit(X, ["east", "north", None])
    # The third row is (.6, .8): north has exp(5 · .8) / (exp(5 · .6) + exp(5 · .8)) = 1 / (1 + 1/e) of it.
    north = 1 / (1 + np.exp(-1))
    expected = np.array([[2 + (1 - north) * 0.6, (1 - north) * 0.8], [north * 0.6, 2 + north * 0.8]])
    assert model.centres_ == pytest.approx(expected / np.linalg.norm(expected, axis=1, keepdims=True))
    # The log-odds of two are the difference of cosines times the concentration.
    assert model.node_scores([[7.0, 0.0]])[0, 0] == pytest.approx(5 * (model.centres_[0, 0] - model.centres_[1, 0]))


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.floats(0.1, 40), st.floats(0.1, 5), st.integers(1, 4))
def test_equals_the_oracle(seed, concentration, labeled_weight, iterations):
    random = np.random.default_rng(seed)
    X = random.normal(size=(9, 4))
    labels = [0, 1, 2, None, 1, None, None, None, None]
    model = EmbeddingEM(concentration=concentration, labeled_weight=labeled_weight, max_iter=iterations, tol=0.0).fit(
        X, [None if label is None else "abc"[label] for label in labels]
    )
    expected = oracle.embedding_em(X.tolist(), labels, 3, concentration, labeled_weight, iterations)
    assert model.centres_ == pytest.approx(np.array(expected), abs=1e-9)


def test_nodes_sum_the_chances_of_their_ends():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(12, 3)), ["x", "y", "b"] * 2 + [None] * 6
    model = EmbeddingEM(hierarchy=TREE, concentration=3.0).fit(X, y)
    scores = model.node_scores(X)
    chances = dict(zip(TREE.names, (1 / (1 + np.exp(-scores))).T, strict=True))
    assert chances["a"] == pytest.approx(chances["x"] + chances["y"])
    assert chances["a"] + chances["b"] == pytest.approx(np.ones(12))
    assert np.isneginf(scores[:, TREE.position("c")]).all()


def test_an_inner_category_is_an_end_beside_its_children():
    """Its chance as a node has those of its children in it, and must not win by them."""
    X = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    model = EmbeddingEM(hierarchy=TREE).fit(X, ["a", "x", "y"])
    assert list(model.predict(X)) == ["a", "x", "y"]
    own = 1 / (1 + np.exp(-model.own_scores(X)))
    assert own[:, [TREE.position(name) for name in "axy"]] == pytest.approx(model._posteriors(np.array(X))[:, :3])


def test_contributions_sum_to_the_score():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(9, 3)), ["x", "y", "b"] * 3
    model = EmbeddingEM(hierarchy=TREE).fit(X, y)
    for node in ("a", "x", "b"):
        found = model.contributions(X, node)
        assert found.terms.sum(axis=1) + found.bias == pytest.approx(model.node_scores(X)[:, TREE.position(node)])


def test_state_goes_and_comes_back():
    random = np.random.default_rng(2)
    X, y = random.normal(size=(9, 3)), ["x", "y", "b", *[None] * 6]
    model = EmbeddingEM(hierarchy=TREE, concentration=7.0).fit(X, y)
    again = EmbeddingEM().from_state(model.to_state())
    assert again.get_params() | {"decision": None} == model.get_params()
    assert again.node_scores(X).tobytes() == model.node_scores(X).tobytes()


def test_unlabelled_documents_move_the_centres():
    # Two clouds, the names at their edges: names alone cut through one of them.
    random = np.random.default_rng(3)
    angles = np.concatenate([random.normal(0.2, 0.1, 50), random.normal(1.0, 0.1, 50)])
    X = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    names = np.array([[np.cos(0.4), np.sin(0.4)], [np.cos(1.5), np.sin(1.5)]])
    truth = np.repeat(["left", "right"], 50)
    alone = EmbeddingEM().fit(names, ["left", "right"])
    taught = EmbeddingEM().fit(np.vstack([names, X]), ["left", "right"] + [None] * 100)
    assert (alone.predict(X) == truth).mean() < 0.9
    assert (taught.predict(X) == truth).mean() == 1


@pytest.mark.parametrize(
    "wrong", [{"concentration": 0}, {"concentration": 1e3}, {"labeled_weight": "1"}, {"max_iter": 0}]
)
def test_bad_settings(wrong):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))}=.*>"):
        EmbeddingEM(**wrong).fit([[1.0], [2.0]], ["a", "b"])
