"""The flat strategy: equal to a plain loop, by hand, and the same for every form of X."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from classmark import ConsistentClassifier, FlatClassifier, Hierarchy
from classmark.strategies.one_vs_rest import ConstantMargin, margin

# Node order: a, b, x, y, u; x is both a parent and some document's own label, nobody has a or b for their own.
TREE = Hierarchy.from_nested({"a": {"x": ["u"], "y": None}, "b": None})
N, D = 37, 9


def example(seed=0):
    random = np.random.default_rng(seed)
    X = random.random((N, D)) * (random.random((N, D)) < 0.5)
    y = [["x", "y"][: random.integers(0, 3)] + ["u"] * int(random.integers(0, 2)) for _ in range(N)]
    return X, [labels if "u" not in labels else [name for name in labels if name != "x"] for labels in y]


X, Y = example()


def loop(learner, X, y, names, sample_weight=None):
    """The plain loop: one learner for each category, one document at a time into the target."""
    weight = {} if sample_weight is None else {"sample_weight": sample_weight}
    return [learner().fit(X, [name in labels for labels in y], **weight) for name in names]


@pytest.mark.parametrize(
    "learner",
    [
        lambda: LinearSVC(random_state=0),
        lambda: LogisticRegression(C=10, solver="liblinear", random_state=0),
        lambda: SGDClassifier(random_state=1),
        lambda: LinearSVC(fit_intercept=False, random_state=0),
    ],
    ids=["svm", "logistic", "sgd", "no intercept"],
)
def test_equal_to_a_plain_loop(learner):
    model = FlatClassifier(learner(), hierarchy=TREE).fit(X, Y)
    assert [TREE.names[end] for end in model.ends_] == ["x", "y", "u"]
    fitted = loop(learner, csr_array(X), Y, ["x", "y", "u"])
    assert np.array_equal(model.weights_, np.column_stack([one.coef_[0] for one in fitted]))
    for end, one in zip(model.ends_, fitted, strict=True):
        assert model.node_scores(X)[:, end] == pytest.approx(one.decision_function(X), abs=1e-12)
    assert model.estimators_ is None


def test_the_default_is_a_linear_svm():
    default = FlatClassifier(hierarchy=TREE).fit(X, Y)
    given = FlatClassifier(LinearSVC(random_state=0), hierarchy=TREE).fit(X, Y)
    assert np.array_equal(default.weights_, given.weights_)
    assert default.estimator is None


def test_any_number_of_processes_gives_the_same_bits():
    one = FlatClassifier(hierarchy=TREE).fit(X, Y)
    two = FlatClassifier(hierarchy=TREE, n_jobs=2).fit(X, Y)
    assert one.weights_.tobytes() == two.weights_.tobytes()
    assert one.intercepts_.tobytes() == two.intercepts_.tobytes()


def test_inner_nodes_by_hand():
    model = FlatClassifier(hierarchy=TREE).fit(X, Y)
    scores = model.node_scores(X)
    a, b, x, y, u = scores.T
    assert np.array_equal(a, np.max([x, y, u], axis=0))
    assert (b == -np.inf).all()
    # x was some document's own label: it keeps its own score, also where u below it has a higher one.
    end_scores = X @ model.weights_ + model.intercepts_
    assert x == pytest.approx(end_scores[:, 0], abs=1e-12)
    assert (u > x).any()
    assert (x > u).any()


def test_where_there_is_nothing_to_tell_apart_the_score_is_constant():
    model = FlatClassifier().fit(X, ["only"] * N)
    assert (model.node_scores(X) == 1.0).all()
    assert model.predict(X).tolist() == ["only"] * N
    # Everybody has x; the only document of y counts for nothing.
    labels = [["x", "y"]] + [["x"]] * (N - 1)
    weight = np.arange(N)
    model = FlatClassifier(LogisticRegression()).fit(X, labels, sample_weight=weight)
    assert (model.node_scores(X) == [1.0, -1.0]).all()
    assert model.predict(X) == [["x"]] * N


def test_a_constant_among_learners_that_are_not_linear():
    labels = [["x", "y"] if i % 2 else ["x"] for i in range(N)]
    model = FlatClassifier(DecisionTreeClassifier(random_state=0)).fit(X, labels)
    assert [type(one) for one in model.estimators_] == [ConstantMargin, DecisionTreeClassifier]
    assert (model.node_scores(X)[:, 0] == 1.0).all()
    assert model.predict(X) == labels


def test_sample_weight_is_passed_on():
    weight = np.random.default_rng(1).random(N)
    model = FlatClassifier(hierarchy=TREE).fit(X, Y, sample_weight=weight)
    fitted = loop(lambda: LinearSVC(random_state=0), csr_array(X), Y, ["x", "y", "u"], weight)
    assert np.array_equal(model.weights_, np.column_stack([one.coef_[0] for one in fitted]))
    assert not np.array_equal(model.weights_, FlatClassifier(hierarchy=TREE).fit(X, Y).weights_)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(N - 1), rf"sample_weight has shape \({N - 1},\) for {N} documents"),
        (np.ones((N, 1)), rf"sample_weight has shape \({N}, 1\) for {N} documents"),
        (np.full(N, np.nan), "must be finite and not negative"),
        (np.full(N, -1.0), r"finite.*not negative"),
        (np.zeros(N), "not all zero"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        FlatClassifier(hierarchy=TREE).fit(X, Y, sample_weight=weight)


def test_weights_are_refused_where_the_learner_has_none():
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight; leave it out or choose another"):
        FlatClassifier(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(N))


@pytest.mark.parametrize(
    "learner",
    [
        DecisionTreeClassifier(random_state=0),
        MultinomialNB(),
        KNeighborsClassifier(3),
        SVC(kernel="rbf"),
        make_pipeline(MaxAbsScaler(), LinearSVC(random_state=0)),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_learners_that_are_not_linear(learner):
    model = FlatClassifier(learner, hierarchy=TREE).fit(X, Y)
    fitted = loop(lambda: learner, csr_array(X), [["u"] if "u" in labels else [] for labels in Y], ["u"])
    says_yes = np.asarray(fitted[0].predict(csr_array(X)), dtype=bool)
    scores = model.node_scores(X)[:, TREE.position("u")]
    assert np.array_equal(scores > 0, says_yes)
    assert np.isfinite(scores).all()
    assert not hasattr(model, "weights_")
    name = type(learner).__name__
    with pytest.raises(ValueError, match=f"{name} is not linear"):
        model.contributions(X, "u")
    with pytest.raises(ValueError, match=rf"a model around {name} cannot be saved.*LinearSVC"):
        model.to_state()


def test_chances_become_log_odds():
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit([[0], [0], [0], [1]], [0, 0, 1, 1])
    # A third of what is at 0 is positive, all of what is at 1: no score is infinite.
    assert margin(tree, np.array([[0], [1]])) == pytest.approx([np.log((1 / 3) / (2 / 3)), np.log(1e15)], rel=0.01)


def test_a_linear_learner_with_sparse_weights():
    model = FlatClassifier(SVC(kernel="linear"), hierarchy=TREE).fit(csr_array(X), Y)
    fitted = loop(lambda: SVC(kernel="linear"), csr_array(X), Y, ["u"])
    assert model.node_scores(X)[:, TREE.position("u")] == pytest.approx(fitted[0].decision_function(csr_array(X)))


@pytest.mark.parametrize("seed", range(5))
def test_contributions_and_bias_sum_to_the_score_of_every_node(seed):
    X, y = example(seed)
    model = FlatClassifier(hierarchy=TREE).fit(X, y)
    unseen, _ = example(seed + 100)
    for node, name in enumerate(TREE):
        terms, bias = model.contributions(unseen, name)
        assert terms.shape == unseen.shape
        assert terms.sum(axis=1) + bias == pytest.approx(model.node_scores(unseen)[:, node], abs=1e-9)
        assert not terms.toarray()[unseen == 0].any()


def test_contributions_by_hand():
    model = FlatClassifier(hierarchy=Hierarchy.from_paths(["a/x", "a/y"])).fit([[1, 0], [0, 1]], ["a/x", "a/y"])
    row = np.array([[2.0, 3.0]])
    best = int(np.argmax(row @ model.weights_ + model.intercepts_))
    terms, bias = model.contributions(row, "a")
    assert terms.toarray()[0] == pytest.approx([2 * model.weights_[0, best], 3 * model.weights_[1, best]])
    assert bias == pytest.approx(model.intercepts_[best])


def test_contributions_of_a_stranger():
    with pytest.raises(ValueError, match=r"'z'.*not a category"):
        FlatClassifier(hierarchy=TREE).fit(X, Y).contributions(X, "z")


def unsorted_csr():
    """Every row's entries from the last column to the first, one of them in two halves."""
    rows = [np.flatnonzero(row)[::-1] for row in X]
    data = [X[i, columns] for i, columns in enumerate(rows)]
    data[0] = np.append(data[0], data[0][0] / 2)
    data[0][0] /= 2
    rows[0] = np.append(rows[0], rows[0][0])
    indptr = np.cumsum([0, *map(len, rows)])
    return csr_array((np.concatenate(data), np.concatenate(rows), indptr), shape=X.shape)


def wide_csr():
    matrix = csr_array(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


@pytest.mark.parametrize(
    "form",
    [
        lambda: X,
        lambda: X.tolist(),
        lambda: np.asfortranarray(X),
        lambda: csr_array(X),
        lambda: csr_matrix(X),
        lambda: csc_array(X),
        lambda: coo_array(X),
        unsorted_csr,
        wide_csr,
    ],
    ids=["dense", "lists", "fortran", "csr_array", "csr_matrix", "csc", "coo", "unsorted", "int64"],
)
def test_every_form_of_x_gives_the_same(form):
    expected = FlatClassifier(hierarchy=TREE).fit(csr_array(X), Y)
    given = form()
    model = FlatClassifier(hierarchy=TREE).fit(given, Y)
    assert np.array_equal(model.weights_, expected.weights_)
    assert np.array_equal(model.node_scores(given), expected.node_scores(csr_array(X)))
    assert model.predict(given) == expected.predict(csr_array(X))
    # The caller's matrix is as it was, down to the order of its entries.
    before = form()
    for part in ("data", "indices", "indptr"):
        if isinstance(given, csr_array | csr_matrix):
            assert np.array_equal(getattr(given, part), getattr(before, part))
            assert getattr(given, part).dtype == getattr(before, part).dtype


def test_the_learner_given_is_not_fitted():
    learner = LinearSVC(random_state=0)
    FlatClassifier(learner, hierarchy=TREE).fit(X, Y)
    assert not hasattr(learner, "coef_")


def closed_pair():
    several = [["u"], ["y", "b"], ["x"], ["x", "b"], ["u", "y"], ["b"]] * 4
    matrix = np.random.default_rng(0).random((24, 6))
    return matrix, several


def test_closed_labels_give_the_scores_of_the_global_approach():
    matrix, several = closed_pair()
    closed = FlatClassifier(hierarchy=TREE, inner="closed").fit(matrix, several)
    together = ConsistentClassifier(hierarchy=TREE).fit(matrix, several)
    assert np.array_equal(closed.node_scores(matrix), together.node_scores(matrix))
    assert np.array_equal(closed.own_scores(matrix), together.own_scores(matrix))


@pytest.mark.parametrize(("decision", "closed"), [("threshold", True), ("scut,folds=2", True), ("best-path", False)])
def test_inner_nodes_learn_what_the_decision_asks_for(decision, closed):
    matrix, several = closed_pair()
    model = FlatClassifier(hierarchy=TREE, inner="auto", decision=decision).fit(matrix, several)
    assert model.closed_ is closed
    expected = FlatClassifier(hierarchy=TREE, inner="closed" if closed else "best", decision=decision)
    assert np.array_equal(model.node_scores(matrix), expected.fit(matrix, several).node_scores(matrix))


@pytest.mark.parametrize("inner", ["closed", "best"])
def test_pruned_models_keep_their_answers_in_a_file(inner, tmp_path):
    matrix, several = closed_pair()
    model = FlatClassifier(hierarchy=TREE, inner=inner, prune=0.05).fit(matrix, several)
    again = FlatClassifier().from_state(model.to_state())
    assert (again.inner, again.prune, again.closed_) == (inner, 0.05, inner == "closed")
    assert np.array_equal(again.node_scores(matrix), model.node_scores(matrix))
    whole = FlatClassifier(hierarchy=TREE, inner=inner).fit(matrix, several)
    assert model.weights_.nnz < whole.weights_.size
    assert model.node_scores(matrix) == pytest.approx(whole.node_scores(matrix), abs=0.05 * 6)


@pytest.mark.parametrize(("wrong", "message"), [({"inner": "none"}, "inner='none': must be one of best, closed"),
                                                ({"prune": -1}, r"prune=-1.*number >= 0")])  # fmt: skip
def test_what_inner_and_prune_may_not_be(wrong, message):
    matrix, several = closed_pair()
    with pytest.raises(ValueError, match=message):
        FlatClassifier(hierarchy=TREE, **wrong).fit(matrix, several)
