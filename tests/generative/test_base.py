"""What all generative models share: probabilities, and what they refuse or leave out, in words."""

import numpy as np
import pytest

from classmark import FlatEM, PathEM, TopDownEM, WinDrivenNB, generative
from tests.generative.problems import TREE, four_leaves

MODELS = [getattr(generative, name) for name in generative.__all__]

every_model = pytest.mark.parametrize("kind", MODELS, ids=generative.__all__)


class TestProbabilities:
    def test_posteriors_are_probabilities_without_calibration(self):
        X, y = four_leaves()
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


@every_model
def test_an_empty_document_has_the_posterior_of_the_prior(kind):
    X, y = four_leaves()
    X[:3] = 0
    model = kind(hierarchy=TREE, scaling="log-idf").fit(X, y)
    one, two = model.node_scores([[0] * 8, [0] * 8])
    assert np.isfinite(one).all()
    assert one.tolist() == two.tolist()
    assert model.contributions(np.zeros((1, 8)), "x").terms.nnz == 0


@every_model
def test_negative_counts_are_refused(kind):
    X, y = four_leaves()
    model = kind(hierarchy=TREE).fit(X, y)
    X[5, 2] = -1.5
    for refuse in (lambda: kind().fit(X, y), lambda: model.node_scores(X)):
        with pytest.raises(ValueError, match=r"document 5 has -1\.5 for term 2; terms are counted"):
            refuse()


@every_model
def test_a_category_without_a_labelled_document_is_never_answered(kind):
    X, y = four_leaves()
    y = np.where(y == "w", None, y)
    rows = slice(None) if kind.uses_unlabelled else y != None  # noqa: E711
    model = kind(hierarchy=TREE).fit(X[rows], y[rows])
    assert (model.node_scores(X)[:, TREE.position("w")] == -np.inf).all()
    assert set(model.predict(X)) <= {"x", "y", "z"}


@every_model
def test_unlabelled_documents_are_used_or_left_out_in_words(kind):
    X, y = four_leaves()
    y[::2] = None
    if kind.uses_unlabelled:
        assert len(kind(hierarchy=TREE).fit(X, y).objective_) > 0
        return
    with pytest.warns(UserWarning, match=r"left out 40 of 80.*are not labelled"):
        kind(hierarchy=TREE).fit(X, y)


@every_model
def test_documents_that_belong_nowhere_are_left_out_in_words(kind):
    X, y = four_leaves()
    lists = [[] if row < 3 else [name] for row, name in enumerate(y)]
    with pytest.warns(UserWarning, match="left out 3 of 80 documents that belong nowhere"):
        model = kind(hierarchy=TREE).fit(X, lists)
    assert np.array_equal(model.node_scores(X), kind(hierarchy=TREE).fit(X[3:], lists[3:]).node_scores(X))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"smoothing": 0}, r"smoothing=0.*number > 0"),
        ({"prior": "yes"}, "prior='yes': must be True or False"),
        ({"vocabulary": "some"}, "vocabulary='some': must be one of labelled, all"),
        ({"scaling": "tfidf"}, "scaling='tfidf': must be log-idf, or None"),
        ({"length": -1}, r"length=-1.*number > 0"),
        ({"unlabeled_weight": np.nan}, r"unlabeled_weight=nan.*number >= 0"),
        ({"tol": -1}, r"tol=-1.*number >= 0"),
        ({"max_iter": 0}, r"max_iter=0.*integer >= 1"),
        ({"growth": 1.5}, r"growth=1.5.*integer >= 0"),
        ({"growth_min_df": 0}, r"growth_min_df=0.*integer >= 1"),
        ({"shrinkage": 1}, r"shrinkage=1.*number >= 0 and < 1"),
        ({"level_weight": [1, -1]}, r"level_weight=\[1, -1\].*>= 0 a level"),
        ({"level_weight": [1]}, r"level_weight has 1.*for paths.*2 levels"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    X, y = four_leaves()
    with pytest.raises(ValueError, match=message):
        PathEM(hierarchy=TREE, **settings).fit(X, y)


def test_labels_without_weight_are_none():
    X, y = four_leaves()
    with pytest.raises(ValueError, match="no labelled document counts"):
        PathEM(hierarchy=TREE).fit(X, np.where(np.arange(80) < 4, y, None), sample_weight=np.arange(80) >= 4)


def test_held_out_scores_keep_unlabelled_documents_in_training():
    X, y = four_leaves()
    y = np.where(np.arange(80) % 4 < 2, y, None)
    model = FlatEM(decision="tuned,folds=3").fit(X, y)
    assert len(model.predict(X)) == 80
