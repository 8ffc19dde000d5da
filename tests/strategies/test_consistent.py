"""The global strategy: its three steps, any learner, its thresholds, and what becomes of it in a file."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC

from classmark import ConsistentClassifier, FlatClassifier, Hierarchy, MajorityClassifier, persistence
from classmark.decision import CONSISTENCY, BestPath, SCut, Threshold, TunedThreshold, f1_threshold
from classmark.labels import encode
from classmark.metrics import hf_score
from reproductions.synthetic import make_synthetic

# Node order: a, b, x, y, u, v; nobody is in v.
TREE = Hierarchy.from_nested({"a": {"x": ["u", "v"], "y": None}, "b": None})
NAMES = ["u", "y", "b", "x"]
N = 36


def example(seed=0):
    random = np.random.default_rng(seed)
    X = random.poisson(0.4, (N, 7)).astype(float)
    labels = [[NAMES[i % 4]] if i % 5 else [NAMES[i % 4], "b"] for i in range(N)]
    X[np.arange(N), np.arange(N) % 4] += 1.0
    return X, [sorted(set(names)) for names in labels]


X, Y = example()


def closed_targets(names):
    """Every document's labels and their ancestors, node by node."""
    closed = TREE.close(encode(Y, TREE).indicator).toarray()
    return {name: closed[:, TREE.position(name)] for name in names}


def test_each_node_is_learned_from_the_documents_of_its_offspring():
    model = ConsistentClassifier(hierarchy=TREE).fit(X, Y)
    scores = model.node_scores(X)
    targets = closed_targets("abxyu")
    # a: u, x and y are below it; x: u is below it.
    assert targets["a"].sum() == sum(bool({"u", "x", "y"} & set(one)) for one in Y)
    assert targets["x"].sum() == sum(bool({"u", "x"} & set(one)) for one in Y)
    for name, target in targets.items():
        alone = LinearSVC(random_state=0).fit(csr_array(X), target)
        assert scores[:, TREE.position(name)] == pytest.approx(alone.decision_function(X), abs=1e-12)
    assert (scores[:, TREE.position("v")] == -np.inf).all()
    assert model.weights_.shape == (7, 5)


def test_an_own_label_is_one_that_no_child_has():
    """a, b, x, y, u, v: x is an end with a child, u; a is none, and v is unknown."""
    model = ConsistentClassifier(hierarchy=TREE).fit(X, Y)
    scores = np.array([[3.0, -1, 2, -2, -0.5, -np.inf], [3, -1, 2, -2, 1, -np.inf], [3, -1, 0.2, -2, -1, -np.inf]])
    # min(2, 0.5), min(2, −1), min(0.2, 1).
    assert model.as_own(scores)[:, TREE.position("x")].tolist() == [0.5, -1.0, 0.2]
    others = [TREE.position(name) for name in "abyuv"]
    assert np.array_equal(model.as_own(scores)[:, others], scores[:, others])
    decided = model.set_params(decision="best-path").fit(X, Y)
    assert np.array_equal(decided.own_scores(X), decided.as_own(decided.node_scores(X)))
    first = decided.predict_first(X)
    assert np.array_equal(first, decided.ends_[decided.own_scores(X)[:, decided.ends_].argmax(axis=1)])
    assert [TREE.names[i] for i in first] == [names[0] for names in decided.predict(X)]


def test_inner_categories_with_documents_of_their_own_do_not_win_by_being_general():
    """Half of the documents are in the inner node itself, the others below it."""
    chain = Hierarchy.from_paths(["a/x", "b"])
    labels = np.array(["a", "a/x", "b"] * 12)
    features = np.eye(3)[np.arange(36) % 3] + np.eye(3)[0] * (np.arange(36) % 3 == 1)[:, None]
    model = ConsistentClassifier(hierarchy=chain).fit(features, labels)
    assert model.predict(features).tolist() == labels.tolist()
    scores = model.node_scores(features)
    inside = labels == "a/x"
    assert (scores[inside, chain.position("a")] > 0).all()


def test_any_number_of_processes_gives_the_same_bits():
    one, two = (ConsistentClassifier(hierarchy=TREE, n_jobs=jobs).fit(X, Y) for jobs in (None, 2))
    assert one.weights_.tobytes() == two.weights_.tobytes()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("relabel", CONSISTENCY)
def test_on_one_level_the_global_approach_is_the_flat_one(seed, relabel):
    X, labels = example(seed)
    flat_labels = [[name for name in names if name != "x"] for names in labels]
    one = ConsistentClassifier(threshold=0.0, relabel=relabel).fit(X, flat_labels)
    two = FlatClassifier(decision="threshold").fit(X, flat_labels)
    assert one.node_scores(X).tobytes() == two.node_scores(X).tobytes()
    assert one.predict(X) == two.predict(X)


@pytest.mark.parametrize("relabel", CONSISTENCY)
def test_answers_are_those_of_the_rule_and_consistent(relabel):
    model = ConsistentClassifier(hierarchy=TREE, threshold=0.1, relabel=relabel).fit(X, Y)
    unseen, _ = example(9)
    found = model.predict_indicator(unseen)
    assert TREE.is_consistent(found).all()
    assert (found != CONSISTENCY[relabel](model.node_scores(unseen) - 0.1, TREE)).nnz == 0


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (0.25, Threshold(0.25, "filter")),
        (0, Threshold(0.0, "filter")),
        (None, Threshold(0.0, "filter")),
        ("tuned", TunedThreshold(consistency="filter")),
        ("tuned-on-training", TunedThreshold(consistency="filter", on="training")),
        ("tuned-per-node", SCut("filter", fbr=0.0, steady=False)),
        ("tuned-per-node-on-training", SCut("filter", fbr=0.0, steady=False, on="training")),
    ],
)
def test_every_threshold_is_a_decision(threshold, expected):
    found = ConsistentClassifier(hierarchy=TREE, threshold=threshold, relabel="filter").fit(X, Y).decision_
    given = ConsistentClassifier(hierarchy=TREE, decision=expected).fit(X, Y).decision_
    assert type(found) is type(expected)
    assert found == given


def test_the_threshold_of_the_paper():
    """Section 5.1: the scores of the training documents, all nodes together."""
    model = ConsistentClassifier(hierarchy=TREE, threshold="tuned-on-training").fit(X, Y)
    truth = TREE.close(encode(Y, TREE).indicator).toarray()
    assert model.decision_.value == f1_threshold(model.node_scores(X).ravel(), truth.ravel())
    assert model.decision_.consistency == "average"


def test_a_threshold_given_is_kept_where_every_document_has_one_label():
    single = [names[0] for names in Y]
    assert ConsistentClassifier(hierarchy=TREE).fit(X, single).decision_ == BestPath()
    assert ConsistentClassifier(hierarchy=TREE, threshold=0.0).fit(X, single).decision_ == Threshold(0.0, "average")
    overruled = ConsistentClassifier(hierarchy=TREE, threshold=0.0, decision="best-path").fit(X, single)
    assert overruled.decision_ == BestPath()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threshold": "best"}, "threshold='best': must be a finite number or one of tuned, tuned-on-training"),
        ({"threshold": np.nan}, "threshold=nan: must be a finite number or one of tuned"),
        ({"threshold": [1]}, r"threshold=\[1\]"),
        ({"relabel": "up"}, "relabel='up': must be one of close, filter, average, minimum, product, likelihood"),
    ],
)
def test_refusals(settings, message):
    with pytest.raises(ValueError, match=message):
        ConsistentClassifier(hierarchy=TREE, **settings).fit(X, Y)


@pytest.mark.parametrize(
    "learner",
    [
        KNeighborsClassifier(3),
        RandomForestClassifier(5, random_state=0),
        MLPClassifier((4,), max_iter=5, random_state=0, solver="lbfgs"),
    ],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.filterwarnings("ignore:lbfgs failed to converge")
def test_a_multi_label_learner_of_scikit_learn_learns_all_nodes_at_once(learner):
    model = ConsistentClassifier(learner, hierarchy=TREE, threshold=0.0, relabel="close").fit(X, Y)
    assert type(model.together_) is type(learner)
    targets = closed_targets("abxyu")
    alone = type(learner)(**learner.get_params()).fit(csr_array(X), np.column_stack(list(targets.values())).astype(int))
    says_yes = np.asarray(alone.predict(csr_array(X)), dtype=bool)
    nodes = [TREE.position(name) for name in "abxyu"]
    assert np.array_equal(model.node_scores(X)[:, nodes] > 0, says_yes)
    with pytest.raises(ValueError, match="not linear"):
        model.contributions(X, "a")
    with pytest.raises(ValueError, match=f"a model around {type(learner).__name__} cannot be saved"):
        model.to_state()


@pytest.mark.parametrize("learner", [LogisticRegression(), RidgeClassifier(), MultinomialNB()])
def test_a_binary_learner_learns_node_by_node(learner):
    model = ConsistentClassifier(learner, hierarchy=TREE).fit(X, Y)
    assert model.together_ is None
    for name, target in closed_targets("abxyu").items():
        says_yes = learner.fit(csr_array(X), target).predict(csr_array(X))
        assert np.array_equal(model.node_scores(X)[:, TREE.position(name)] > 0, says_yes)


def test_where_everybody_is_in_a_node_nodes_are_learned_one_by_one():
    chain = Hierarchy.from_paths(["a/x", "a/y"])
    labels = [["a/x"], ["a/y"]] * 5
    model = ConsistentClassifier(KNeighborsClassifier(3), hierarchy=chain).fit(np.eye(10), labels)
    assert model.together_ is None
    assert (model.node_scores(np.eye(10))[:, 0] == 1.0).all()


def test_weights_are_refused_where_the_learner_has_none():
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        ConsistentClassifier(KNeighborsClassifier(), hierarchy=TREE).fit(X, Y, sample_weight=np.ones(N))


@pytest.mark.parametrize("learner", [FlatClassifier(LogisticRegression()), MajorityClassifier()])
def test_a_classifier_of_ours_learns_all_nodes_at_once(learner, tmp_path):
    """A booster does the same; the flat one over closed labels is the node-by-node one by another way."""
    weight = np.arange(N) % 3 + 1.0
    model = ConsistentClassifier(learner, hierarchy=TREE, threshold=0.0).fit(X, Y, sample_weight=weight)
    assert model.together_.hierarchy_.names == ("a", "b", "x", "y", "u")
    assert not hasattr(learner, "hierarchy_")
    if isinstance(learner, FlatClassifier):
        other = ConsistentClassifier(learner.estimator, hierarchy=TREE).fit(X, Y, sample_weight=weight)
        assert model.node_scores(X) == pytest.approx(other.node_scores(X), abs=1e-12)
    for node, name in enumerate(TREE):
        terms, bias = model.contributions(X, name)
        assert terms.sum(axis=1) + bias == pytest.approx(model.node_scores(X)[:, node], abs=1e-9)
    persistence.save(tmp_path / "state", model.to_state())
    again = ConsistentClassifier().from_state(persistence.load(tmp_path / "state"))
    assert again.node_scores(X).tobytes() == model.node_scores(X).tobytes()
    assert again.predict(X) == model.predict(X)
    assert type(again.estimator) is type(learner)
    assert again.estimator.hierarchy is None


class Stranger(FlatClassifier):
    """A classifier that no table names."""


def test_a_classifier_that_no_table_names_is_not_saved():
    model = ConsistentClassifier(Stranger(), hierarchy=TREE).fit(X, Y)
    with pytest.raises(ValueError, match="a model around Stranger cannot be saved"):
        model.to_state()


def test_a_learner_of_other_categories_or_terms_is_refused():
    state = ConsistentClassifier(FlatClassifier(), hierarchy=TREE).fit(X, Y).to_state()
    for other, message in [
        (FlatClassifier(hierarchy=TREE).fit(X, Y), "other categories than the model"),
        (FlatClassifier().fit(X[:, :3], np.arange(N) % 5), "other terms than the model"),
    ]:
        together = {"class": "FlatClassifier", "state": other.to_state()}
        with pytest.raises(ValueError, match=message):
            ConsistentClassifier().from_state(state | {"learned": {"together": together}})
    with pytest.raises(ValueError, match="system"):
        ConsistentClassifier().from_state(state | {"learned": {"together": {"class": "system", "state": {}}}})


def test_on_synthetic_data_it_beats_the_flat_approach_without_inheritance():
    """Table 1's direction, with another learner: hF of `flat` and `global`, mean of six repetitions."""
    flat, together = [], []
    for seed in range(6):
        data = make_synthetic(3, 2, inherit=False, seed=seed)
        for kind, scores in ((FlatClassifier, flat), (ConsistentClassifier, together)):
            learner = LogisticRegression(solver="liblinear")
            model = kind(learner, hierarchy=data.hierarchy, decision="average-confidence").fit(
                data.X_train, data.y_train
            )
            scores.append(hf_score(data.y_test, model.predict(data.X_test), data.hierarchy))
    assert np.mean(together) > np.mean(flat) + 0.05


def test_real_documents(corpora):
    """reuters90, linear SVM: the global approach is as good as the flat one, within half a point."""
    from classmark.data import read_corpus
    from classmark.pipeline import TextClassifier
    from classmark.service.judging import evaluate_model

    corpus = read_corpus(corpora / "reuters90")
    model = TextClassifier("global-svm", hierarchy=corpus.hierarchy)
    train = corpus.select(["train"])
    result = evaluate_model(model.fit(train.documents, train.labels), corpus.select(["test"])).figures
    assert result["leaves"]["micro_f1"] == pytest.approx(0.880, abs=0.005)
    assert result["hierarchical"]["hf"] == pytest.approx(0.903, abs=0.005)
