"""HierCost: its costs by hand and against the words of the paper, and a logistic regression under them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from classmark import FlatClassifier, Hierarchy, HierCost
from classmark.labels import encode
from classmark.linear.hiercost import COSTS, imbalance_costs
from tests.generators import hierarchies, label_lists
from tests.oracles import consistent as oracle

TREE = Hierarchy.from_nested({"a": {"x": ["u", "v"], "y": None}, "b": None})
LABELS = [["u"], ["v"], ["y"], ["b"], ["u", "b"], []]
N = 36


def costs(hierarchy, labels, cost, growth=1.25, **settings):
    """The costs of all documents, by category, as `learn` uses them."""
    model = HierCost(cost, growth=growth, imbalance=0.0, hierarchy=hierarchy, **settings)
    own = hierarchy.own(hierarchy.close(encode(labels, hierarchy).indicator))
    model.hierarchy_, model.ends_ = hierarchy, np.unique(own.indices).astype(np.int32)
    found = model._costs(csr_array(own[:, model.ends_]), np.ones(len(labels)))
    return dict(zip([hierarchy.names[end] for end in model.ends_], found, strict=True))


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        # From u: v 2 edges, y 3, b 4 (over the root), the root itself 3; positive documents cost the most there is.
        ("tree-distance", [4, 2, 3, 4, 4, 3]),
        ("exponentiated-tree-distance", [2**4, 2**2, 2**3, 2**4, 2**4, 2**3]),
        # Ancestors of u: x, a, the root. v has all 3, y two, b one, the root none; positives α_max + 1 = 4.
        ("common-ancestors", [4, 1, 2, 3, 4, 4]),
        ("none", [1, 1, 1, 1, 1, 1]),
    ],
)
def test_costs_by_hand(cost, expected):
    assert costs(TREE, LABELS, cost, growth=2.0)["u"].tolist() == expected


def test_the_nearest_label_counts():
    # The second document is in b, 4 edges away, and in v, 2.
    assert costs(TREE, [["u"], ["b", "v"], ["b"]], "tree-distance")["u"].tolist() == [4, 2, 4]


@given(st.data(), hierarchies(max_nodes=8), st.sampled_from(list(COSTS)))
def test_costs_equal_to_the_oracle(data, hierarchy, cost):
    labels = data.draw(label_lists(hierarchy, 4))
    own = [[hierarchy.names[i] for i in row.indices] for row in hierarchy.own(encode(labels, hierarchy).indicator)]
    if not any(own):
        return
    for category, found in costs(hierarchy, labels, cost).items():
        expected = oracle.hierarchy_costs(set(hierarchy.edges()), category, own, cost, 1.25)
        if cost == "tree-distance":
            expected = [max(one, 1.0) if category in names else one for one, names in zip(expected, own, strict=True)]
        assert found == pytest.approx(expected)


@given(st.data(), hierarchies(max_nodes=6), st.floats(0, 50), st.integers(0, 5))
def test_imbalance_equal_to_the_oracle(data, hierarchy, imbalance, few):
    labels = data.draw(label_lists(hierarchy, 6))
    found = imbalance_costs(encode(labels, hierarchy).indicator, np.ones(6), imbalance, few)
    assert found == pytest.approx(oracle.imbalance_costs(labels, imbalance, few))


def example(seed=0):
    random = np.random.default_rng(seed)
    X = random.poisson(0.4, (N, 7)).astype(float)
    X[np.arange(N), np.arange(N) % 4] += 1.0
    return X, [[["u", "v", "y", "b"][i % 4]] for i in range(N)]


X, Y = example()


@pytest.mark.parametrize("cost", COSTS)
def test_each_category_is_a_logistic_regression_under_its_costs(cost):
    weight = np.arange(N) % 3 + 1.0
    model = HierCost(cost, growth=1.5, imbalance=20.0, few=8.0, C=2.0, hierarchy=TREE)
    model.fit(X, Y, sample_weight=weight)
    counts = {name: weight[[name in names for names in Y]].sum() for name in "uvyb"}
    rarity = np.array([1 + 20 / (1 + np.exp(max(counts[names[0]] - 8, 0))) for names in Y])
    for column, end in enumerate(model.ends_):
        name = TREE.names[end]
        by_place = oracle.hierarchy_costs(set(TREE.edges()), name, Y, cost, 1.5)
        learner = LogisticRegression(C=2.0, fit_intercept=False, solver="liblinear", random_state=0, max_iter=1000)
        learner.fit(csr_array(X), [name in names for names in Y], sample_weight=by_place * rarity * weight)
        assert model.weights_[:, column] == pytest.approx(learner.coef_[0], abs=1e-12)


def test_without_costs_it_is_the_flat_logistic_regression():
    plain = HierCost("none", imbalance=0.0, C=1.0, fit_intercept=True, hierarchy=TREE).fit(X, Y)
    learner = LogisticRegression(solver="liblinear", random_state=0, max_iter=1000)
    flat = FlatClassifier(learner, hierarchy=TREE).fit(X, Y)
    assert plain.node_scores(X) == pytest.approx(flat.node_scores(X), abs=1e-9)


def test_documents_without_weight_are_as_good_as_not_there():
    weight = np.ones(N)
    weight[-4:] = 0
    labels = [*Y[:-4], ["b"], ["b"], [], ["y"]]
    for cost in COSTS:
        one = HierCost(cost, hierarchy=TREE).fit(X, labels, sample_weight=weight)
        two = HierCost(cost, hierarchy=TREE).fit(X[:-4], labels[:-4])
        assert one.node_scores(X) == pytest.approx(two.node_scores(X), abs=1e-3)


def test_one_category_is_a_constant():
    assert (HierCost("tree-distance").fit(X, ["only"] * N).node_scores(X) == 1.0).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cost": "distance"}, "cost='distance': must be one of exponentiated-tree-distance, tree-distance"),
        ({"growth": 1.0}, r"growth=1.0.*number > 1"),
        ({"imbalance": -1}, r"imbalance=-1.*number >= 0"),
        ({"few": -1}, r"few=-1.*number >= 0"),
        ({"C": 0}, r"C=0.*number > 0"),
    ],
)
def test_refusals(settings, message):
    with pytest.raises(ValueError, match=message):
        HierCost(hierarchy=TREE, **settings).fit(X, Y)
    state = HierCost(hierarchy=TREE).fit(X, Y).to_state()
    learned = state["learned"] | {"parameters": state["learned"]["parameters"] | settings}
    with pytest.raises(ValueError, match=message):
        HierCost().from_state(state | {"learned": learned})


def test_a_state_keeps_the_parameters():
    model = HierCost("tree-distance", imbalance=3.0, C=2.0, hierarchy=TREE).fit(X, Y)
    again = HierCost().from_state(model.to_state())
    assert (again.cost, again.imbalance, again.C, again.n_iter_) == ("tree-distance", 3.0, 2.0, model.n_iter_)
    assert model.n_iter_ > 1
