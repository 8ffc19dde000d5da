"""Flat, multi-component, top-down and win-driven models, each against its definition; and what all of them refuse."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.naive_bayes import MultinomialNB

from classmark import EMMC, NBMC, FlatEM, FlatNB, Hierarchy, PathEM, TopDownEM, TopDownNB, WinDrivenNB, generative
from classmark.generative.odds import CERTAIN, node_log_odds
from tests.generative.problems import problems
from tests.oracles import generative as oracle

TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": ["z", "w"]})
NAMES = ["x", "y", "z", "w"]
MODELS = [getattr(generative, name) for name in generative.__all__]
every_model = pytest.mark.parametrize("kind", MODELS, ids=generative.__all__)


def problem(seed=0, documents=80, terms=8):
    random = np.random.default_rng(seed)
    X = random.poisson(0.4, (documents, terms))
    X[np.arange(documents), np.arange(documents) % 4] += random.poisson(1.5, documents)
    return X.astype(float), np.array(NAMES * documents, dtype=object)[:documents]


class TestFlat:
    def test_equals_the_peer(self):
        X, y = problem()
        peer = MultinomialNB(fit_prior=False).fit(X, y.astype(str))
        model = FlatNB(prior=False, vocabulary="all").fit(X, y)
        assert model.classes_.tolist() == peer.classes_.tolist()
        assert np.allclose(model.log_terms_.T, peer.feature_log_prob_, rtol=1e-12)
        assert model.predict_proba(X) == pytest.approx(peer.predict_proba(X))

    def test_terms_of_labelled_documents_alone(self):
        X = [[1, 0, 0], [0, 1, 0], [0, 2, 9]]
        model = FlatEM().fit(X, ["a", "b", None])
        assert model.known_.tolist() == [True, True, False]
        assert model.node_scores([[1, 0, 0]]).tolist() == model.node_scores([[1, 0, 50]]).tolist()


class TestProbabilities:
    def test_posteriors_are_probabilities_without_calibration(self):
        X, y = problem()
        y[::3] = None
        model = PathEM(hierarchy=TREE).fit(X, y)
        chances = model.predict_proba(X)
        assert chances == pytest.approx(1 / (1 + np.exp(-model.node_scores(X))))
        assert chances[:, TREE.leaves].sum(axis=1) == pytest.approx(1)
        for node in TREE.leaves:
            assert (chances[:, node] <= chances[:, TREE.parent_positions(node)[0]]).all()
        calibrated = PathEM(hierarchy=TREE, calibration="softmax").fit(X, y).predict_proba(X)
        assert np.abs(calibrated - chances).max() > 0.01

    @pytest.mark.parametrize("kind", [TopDownEM, WinDrivenNB])
    def test_margins_are_none(self, kind):
        assert not hasattr(kind(hierarchy=TREE), "predict_proba")
        assert hasattr(kind(hierarchy=TREE, calibration="platt"), "predict_proba")


class TestMulticomponent:
    def test_several_components_find_what_one_cannot(self):
        """A category of two topics, whose mean is that of the other category."""
        random = np.random.default_rng(0)
        rates = np.array([[2.0, 0.05, 0.05, 2.0], [0.05, 2.0, 2.0, 0.05], [1, 1, 1, 1]])
        topics = random.integers(0, 2, 300) + random.integers(0, 2, 300)
        X = random.poisson(rates[topics]).astype(float)
        y = np.where(topics == 2, "even", "split")
        one, two = (NBMC(n_components=count).fit(X, y) for count in (1, 2))
        assert (two.predict(X) == y).mean() > (one.predict(X) == y).mean() + 0.1
        assert two.log_terms_.shape == (4, 4)
        assert (np.diff(two.objective_) >= -1e-9).all()

    def test_the_seed_divides(self):
        X, y = problem()
        one, two, other = (NBMC(n_components=2, random_state=seed).fit(X, y) for seed in (0, 0, 1))
        assert one.log_terms_.tobytes() == two.log_terms_.tobytes() != other.log_terms_.tobytes()

    def test_chances_of_any_tree_sum_to_one(self):
        X, y = problem()
        model = EMMC(hierarchy=TREE, n_components=3).fit(X, np.where(np.arange(80) < 40, y, None))
        assert np.exp(model.log_prior_).sum() == pytest.approx(1)
        assert np.exp(model.log_terms_).sum(axis=0) == pytest.approx(1)


class TestTopDown:
    def test_every_parent_is_a_flat_model_of_its_children(self):
        X, y = problem()
        model = TopDownNB(hierarchy=TREE, vocabulary="all").fit(X, y)
        groups = np.where(np.isin(y, ["x", "y"]), "a", "b")
        root = FlatNB(vocabulary="all").fit(X, groups)
        below = {name: FlatNB(vocabulary="all").fit(X[groups == name], y[groups == name]) for name in ("a", "b")}
        expected = [below[group].predict(x[None])[0] for group, x in zip(root.predict(X), X, strict=True)]
        assert model.predict(X).tolist() == expected
        # A threshold of 0 accepts the greedy path, and nothing else.
        asked = TopDownNB(hierarchy=TREE, vocabulary="all", decision="threshold").fit(X, y)
        assert asked.predict(X) == [[name] for name in expected]
        margins = root.node_scores(X)[:, 0]
        assert model.node_scores(X)[:, TREE.position("a")] == pytest.approx(margins)

    def test_unlabelled_documents_go_down_with_the_answers(self):
        X, y = problem(documents=200)
        hidden = np.where(np.arange(200) < 24, y, None)
        model = TopDownEM(hierarchy=TREE).fit(X, hidden)
        root = FlatEM().fit(X, [None if name is None else "a" if name in "xy" else "b" for name in hidden])
        assert model.objective_[: len(root.objective_)] == pytest.approx(root.objective_)
        assert len(model.objective_) > len(root.objective_)


class TestWinDriven:
    def test_wins_by_hand(self):
        X, y = problem()
        model = WinDrivenNB(hierarchy=TREE, vocabulary="all").fit(X, y)
        groups = np.where(np.isin(y, ["x", "y"]), "a", "b")
        chances = [1 / (1 + np.exp(-FlatNB(vocabulary="all").fit(X, names).node_scores(X))) for names in (groups, y)]
        # On the second level the flat model has w, x, y, z in this order, the tree x, y, z, w.
        wins = chances[0][:, [0, 0, 1, 1]] + chances[1][:, [1, 2, 3, 0]]
        assert model.predict(X).tolist() == [NAMES[place] for place in np.argmax(wins, axis=1)]
        best_of_x = wins[:, 0] - wins[:, 1:].max(axis=1)
        assert model.node_scores(X)[:, TREE.position("x")] == pytest.approx(best_of_x)


class TestOdds:
    @settings(max_examples=50)
    @given(problems(unlabelled=False))
    def test_the_posterior_of_a_node_is_that_of_its_paths(self, problem):
        model = FlatNB(hierarchy=problem.tree).fit(problem.X, problem.labels)
        scores = model.node_scores(problem.X)
        for node, name in enumerate(problem.tree.names):
            through = [name in problem.tree.path(problem.tree.names[end]) for end in problem.ends]
            if not any(through):
                assert (scores[:, node] == -np.inf).all()
            if all(through):
                assert (scores[:, node] >= CERTAIN).all()

    def test_odds_keep_their_digits_far_beyond_certainty(self):
        members = FlatNB(hierarchy=TREE).fit(np.eye(4), NAMES)._members()
        joint = np.array([[0.0, -800.0, -900.0, -2000.0]])
        scores = dict(zip(TREE.names, node_log_odds(joint, members)[0], strict=True))
        assert scores["a"] == pytest.approx(900)
        assert scores["x"] == pytest.approx(800)
        assert scores["y"] == pytest.approx(-800)
        assert scores["w"] == pytest.approx(-2000)
        expected = oracle.log_sum([0.0, -800.0]) - oracle.log_sum([-900.0, -2000.0])
        assert scores["a"] == pytest.approx(expected)


@every_model
def test_an_empty_document_has_the_posterior_of_the_prior(kind):
    X, y = problem()
    X[:3] = 0
    model = kind(hierarchy=TREE, scaling="log-idf").fit(X, y)
    one, two = model.node_scores([[0] * 8, [0] * 8])
    assert np.isfinite(one).all()
    assert one.tolist() == two.tolist()
    assert model.contributions(np.zeros((1, 8)), "x").terms.nnz == 0


@every_model
def test_negative_counts_are_refused(kind):
    X, y = problem()
    model = kind(hierarchy=TREE).fit(X, y)
    X[5, 2] = -1.5
    for refuse in (lambda: kind().fit(X, y), lambda: model.node_scores(X)):
        with pytest.raises(ValueError, match=r"document 5 has -1\.5 for term 2; terms are counted"):
            refuse()


@every_model
def test_a_category_without_a_labelled_document_is_never_answered(kind):
    X, y = problem()
    y = np.where(y == "w", None, y)
    rows = slice(None) if kind.uses_unlabelled else y != None  # noqa: E711
    model = kind(hierarchy=TREE).fit(X[rows], y[rows])
    assert (model.node_scores(X)[:, TREE.position("w")] == -np.inf).all()
    assert set(model.predict(X)) <= {"x", "y", "z"}


@every_model
def test_unlabelled_documents_are_used_or_left_out_in_words(kind):
    X, y = problem()
    y[::2] = None
    if kind.uses_unlabelled:
        assert len(kind(hierarchy=TREE).fit(X, y).objective_) > 0
        return
    with pytest.warns(UserWarning, match="left out 40 of 80 documents that are not labelled"):
        kind(hierarchy=TREE).fit(X, y)


@every_model
def test_documents_that_belong_nowhere_are_left_out_in_words(kind):
    X, y = problem()
    lists = [[] if row < 3 else [name] for row, name in enumerate(y)]
    with pytest.warns(UserWarning, match="left out 3 of 80 documents that belong nowhere"):
        model = kind(hierarchy=TREE).fit(X, lists)
    assert np.array_equal(model.node_scores(X), kind(hierarchy=TREE).fit(X[3:], lists[3:]).node_scores(X))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"smoothing": 0}, "smoothing is 0; give a number above 0"),
        ({"prior": "yes"}, "prior is 'yes'; give True or False"),
        ({"vocabulary": "some"}, "vocabulary is 'some'; choose one of labelled, all"),
        ({"scaling": "tfidf"}, "scaling is 'tfidf'; give log-idf, or None"),
        ({"length": -1}, "length is -1; give a number above 0"),
        ({"unlabelled_weight": np.nan}, "unlabelled_weight is nan; give a number from 0"),
        ({"tolerance": -1}, "tolerance is -1; give a number from 0"),
        ({"max_iter": 0}, "max_iter is 0; give a whole number from 1"),
        ({"growth": 1.5}, "growth is 1.5; give a whole number from 0"),
        ({"growth_min_df": 0}, "growth_min_df is 0; give a whole number from 1"),
        ({"shrinkage": 1}, "shrinkage is 1; give a number from 0, below 1"),
        ({"level_weights": [1, -1]}, "give one number from 0 a level, not all 0"),
        ({"level_weights": [1]}, "level_weights has 1 numbers for paths of 2 levels"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        PathEM(hierarchy=TREE, **settings).fit(X, y)


def test_labels_without_weight_are_none():
    X, y = problem()
    with pytest.raises(ValueError, match="no labelled document counts"):
        PathEM(hierarchy=TREE).fit(X, np.where(np.arange(80) < 4, y, None), sample_weight=np.arange(80) >= 4)


def test_held_out_scores_keep_unlabelled_documents_in_training():
    X, y = problem()
    y = np.where(np.arange(80) % 4 < 2, y, None)
    model = FlatEM(decision="tuned,folds=3").fit(X, y)
    assert len(model.predict(X)) == 80
