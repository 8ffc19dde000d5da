"""A blend is the weighted sum of its parts, and gives the best of them their due."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone

from classmark import (
    BlendClassifier,
    FlatClassifier,
    FlatEM,
    FlatNB,
    Hierarchy,
    MajorityClassifier,
    RerankClassifier,
    TextClassifier,
)
from classmark.decision import BestPath
from classmark.ensembles.blend import learn_weights, loss_of_nodes, loss_of_own
from classmark.ensembles.out_of_fold import scored_out_of_fold
from classmark.ensembles.scales import scale_of_nodes, scale_of_own
from classmark.explain import explain

TREE = Hierarchy.from_nested({"bird": ["owl", "gull"], "plant": ["oak", "fern"]})
LEAVES = ["owl", "gull", "oak", "fern"]


def documents(count: int = 80, noise: float = 0.5, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    """Make counts of terms that tell four leaves apart, more or less."""
    random = np.random.default_rng(seed)
    labels = random.integers(4, size=count)
    means = np.full((4, 12), noise)
    means[np.arange(12) % 4, np.arange(12)] += 1.0
    return random.poisson(means[labels]).astype(float), [LEAVES[label] for label in labels]


class Useless(FlatNB):
    """Knows nothing of any document."""

    def score_rows(self, X):
        """Score by a number that has nothing to do with the labels."""
        return np.random.default_rng(X.nnz).normal(size=(X.shape[0], len(self.hierarchy_)))


def test_equal_parts_have_equal_weights():
    X, y = documents()
    parts = [(name, FlatClassifier()) for name in ("one", "two", "three")]
    assert BlendClassifier(parts, hierarchy=TREE).fit(X, y).weights_ == pytest.approx([1 / 3] * 3, abs=1e-6)


def test_a_useless_part_gets_nearly_nothing():
    X, y = documents(200)
    model = BlendClassifier([("good", FlatClassifier()), ("useless", Useless())], hierarchy=TREE).fit(X, y)
    assert model.weights_[1] < 0.1


@pytest.mark.parametrize("part", [FlatClassifier(), FlatNB(), MajorityClassifier()], ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("decision", ["best-path", "scut"])
def test_the_blend_of_one_part_is_that_part(part, decision):
    X, y = documents()
    alone = clone(part).set_params(hierarchy=TREE, decision=BestPath()).fit(X, y)
    blend = BlendClassifier([("part", part)], hierarchy=TREE, decision=decision).fit(X, y)
    new, _ = documents(seed=1)
    assert blend.predict_first(new).tolist() == alone.predict_first(new).tolist()
    if decision == "best-path":
        assert (blend.predict_indicator(new) != alone.predict_indicator(new)).nnz == 0


def test_scores_are_the_weighted_sum_of_those_of_the_parts():
    X, y = documents()
    columns = [slice(0, 8), slice(4, 12)]
    blend = BlendClassifier([("svm", FlatClassifier()), ("nb", FlatNB())], hierarchy=TREE).fit(X, y, columns=columns)
    total = 0.0
    for part, seen, weight, scale in zip(blend.parts_, columns, blend.node_factors_, blend.node_scales_, strict=True):
        total = total + weight * scale(part.node_scores(X[:, seen]))
    assert blend.node_scores(X) == pytest.approx(blend.node_scale_(total))


def test_contributions_stand_in_the_columns_of_their_part():
    X, y = documents()
    columns = [slice(0, 8), slice(8, 12)]
    blend = BlendClassifier([("svm", FlatClassifier()), ("nb", FlatNB())], hierarchy=TREE).fit(X, y, columns=columns)
    terms, bias = blend.contributions(X, "owl")
    assert np.asarray(terms.sum(axis=1)).ravel() + bias == pytest.approx(blend.node_scores(X)[:, TREE.position("owl")])
    assert set(terms.indices.tolist()) & set(range(8)) and set(terms.indices.tolist()) & set(range(8, 12))


def test_probabilities_are_those_of_documents_held_out():
    X, y = documents(400, noise=1.5)
    new, truth = documents(2000, noise=1.5, seed=1)
    chances = BlendClassifier(hierarchy=TREE).fit(X, y).predict_proba(new)
    owl = TREE.position("owl")
    right = np.array([label == "owl" for label in truth])
    for low, high in ((0.0, 0.3), (0.3, 0.7), (0.7, 1.0)):
        some = (chances[:, owl] >= low) & (chances[:, owl] < high)
        assert right[some].mean() == pytest.approx(chances[some, owl].mean(), abs=0.12)


def test_documents_that_are_not_labelled_go_to_the_parts_that_use_them():
    X, y = documents(60)
    some = [label if row % 3 == 0 else None for row, label in enumerate(y)]
    blend = BlendClassifier([("svm", FlatClassifier()), ("em", FlatEM())], hierarchy=TREE).fit(X, some)
    labelled = [row for row in range(60) if row % 3 == 0]
    svm = FlatClassifier(hierarchy=TREE, decision=BestPath()).fit(X[labelled], [y[row] for row in labelled])
    em = FlatEM(hierarchy=TREE).fit(X, some)
    assert blend.parts_[0].node_scores(X) == pytest.approx(svm.node_scores(X))
    assert blend.parts_[1].node_scores(X) == pytest.approx(em.node_scores(X))


def test_any_number_of_processes_gives_the_same(monkeypatch):
    X, y = documents()
    one = BlendClassifier(hierarchy=TREE, n_jobs=1).fit(X, y)
    monkeypatch.setattr("classmark.ensembles.out_of_fold.WORTH_A_PROCESS", 0.0)
    two = BlendClassifier(hierarchy=TREE, n_jobs=2).fit(X, y)
    assert one.node_scores(X).tobytes() == two.node_scores(X).tobytes()


def test_where_scores_are_many_one_part_is_held_out(monkeypatch):
    X, y = documents(200)
    monkeypatch.setattr("classmark.ensembles.out_of_fold.MOST_SCORES", 100 * len(TREE))
    blend = BlendClassifier(hierarchy=TREE, decision="scut").fit(X, y)
    assert blend.score(X, y) > 0.8


TEXTS = [
    "hoots at night",
    "an owl hoots",
    "cries over the sea",
    "gulls cry",
    "acorns of an oak",
    "ferns and spores",
] * 4
CATEGORIES = ["owl", "owl", "gull", "gull", "oak", "fern"] * 4


def test_parts_read_text_each_in_its_own_way(tmp_path):
    chosen = {"parts": "linear-svm+nb", "nb.stemmer": "porter", "linear-svm.ngrams": 1}
    model = TextClassifier("blend", settings=chosen, hierarchy=TREE).fit(TEXTS, CATEGORIES)
    svm, nb = model.classifier_.columns_
    terms = model.vectoriser_.vocabulary_
    assert {"hoots", "cries"} <= set(terms[svm])
    assert {"hoot", "cri"} <= set(terms[nb])
    assert model.transform(["hoots"]).shape == (1, len(terms))
    path = tmp_path / "blend.classmark"
    model.save(path)
    again = TextClassifier.load(path)
    assert again.node_scores(TEXTS).tobytes() == model.node_scores(TEXTS).tobytes()
    parts = [TextClassifier("linear-svm", settings={"ngrams": 1}), TextClassifier("nb", settings={"stemmer": "porter"})]
    for part, alone in zip(again.classifier_.parts_, parts, strict=True):
        alone.set_params(hierarchy=TREE, decision="best-path").fit(TEXTS, CATEGORIES)
        columns = again.classifier_.columns_[again.classifier_.parts_.index(part)]
        assert part.node_scores(model.transform(TEXTS)[:, columns]) == pytest.approx(alone.node_scores(TEXTS))
    assert again.seen().count == 0
    (told,) = explain(again, "it hoots")
    assert told.category == "owl"
    assert told.score == pytest.approx(again.node_scores(["it hoots"])[0, TREE.position("owl")])


def test_parts_that_read_alike_share_their_columns():
    chosen = {"parts": "linear-svm+topdown-svm"}
    model = TextClassifier("blend", settings=chosen, hierarchy=TREE).fit(TEXTS, CATEGORIES)
    assert model.classifier_.columns_[0] == model.classifier_.columns_[1]


def test_a_setting_of_text_is_one_of_all_parts():
    chosen = {"parts": "linear-svm+nb", "lowercase": "no"}
    model = TextClassifier("blend", settings=chosen)
    assert [part.lowercase for part in model.parts()[1].parts] == [False, False]


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"parts": "linear-svm"}, "needs two parts"),
        ({"parts": "linear-svm+owl"}, "unknown method 'owl'"),
        ({"parts": "nb+nb"}, "nb is there twice"),
        ({"parts": "nb+blend"}, "blend is made of parts itself"),
        ({"parts": "nb+em", "C": 10}, "has no setting"),
        ({"parts": "nb+em", "linear-svm.C": 10}, "has no setting"),
        ({"parts": "nb+em", "nb.C": 10}, "no setting 'C'"),
        ({"folds": 1}, r"folds=1: must be.*integer >= 2"),
    ],
)
def test_parts_that_cannot_be_are_refused(chosen, message):
    with pytest.raises(ValueError, match=message):
        TextClassifier("blend", settings=chosen).fit(TEXTS, CATEGORIES)


def test_what_parts_refuse_is_refused_by_their_name():
    X, y = documents()
    with pytest.raises(ValueError, match="part nb: Negative values"):
        BlendClassifier([("svm", FlatClassifier()), ("nb", FlatNB())], hierarchy=TREE).fit(-X, y)


def test_parts_that_disagree_about_the_hierarchy_are_refused():
    other = Hierarchy.flat(LEAVES)
    parts = [("one", FlatClassifier(hierarchy=TREE)), ("two", FlatNB(hierarchy=other))]
    with pytest.raises(ValueError, match="one and two disagree about the hierarchy"):
        BlendClassifier(parts).fit(*documents())


def test_too_few_documents_are_refused():
    with pytest.raises(ValueError, match="n_samples=1"):
        BlendClassifier().fit([[1.0, 0.0]], ["owl"])


def test_a_blend_inside_a_blend_is_refused():
    with pytest.raises(ValueError, match="made of parts"):
        BlendClassifier([("inner", BlendClassifier())]).fit(*documents())


@settings(max_examples=20)
@given(st.integers(0, 1000), st.booleans())
def test_no_weights_are_likelier_than_those_learned(seed, by_ends):
    random = np.random.default_rng(seed)
    own = csr_array(np.eye(4, dtype=bool)[random.integers(4, size=50)])
    ends = np.arange(4, dtype=np.int32)
    scores = [own.toarray() * strength + random.normal(size=(50, 4)) for strength in (0.5, 1.0, 2.0)]
    scaled = [(scale_of_own(one, own, ends) if by_ends else scale_of_nodes(one, own))(one) for one in scores]
    loss = loss_of_own(scaled, own, ends) if by_ends else loss_of_nodes(scaled, own)
    found = learn_weights(loss, 3, 50, 0.0)
    assert found.min() >= 0 and found.sum() == pytest.approx(1)
    # A multiple of the weights found is best: nobody else's multiple is better.
    factors = np.linspace(0.05, 20, 400)
    best = min(loss(factor * found)[0] for factor in factors)
    for other in random.dirichlet(np.ones(3), size=5):
        assert best <= min(loss(factor * other)[0] for factor in factors) + 1e-3


@pytest.mark.parametrize("kind", [BlendClassifier, RerankClassifier])
@pytest.mark.parametrize("decision", ["best-path", "tuned"])
def test_what_is_known_of_the_parts_is_not_learned_again(kind, decision):
    X, y = documents(150)
    plain = kind([("flat", FlatClassifier()), ("nb", FlatNB())], hierarchy=TREE, decision=decision, calibration="platt")
    whole = clone(plain).fit(X, y)
    seen = clone(plain).set_params(calibration=None).fit(X, y)
    lesson = seen.begin(csr_array(X), TREE.own(csr_array([[name == leaf for name in TREE] for leaf in y])), None)
    found = scored_out_of_fold(seen, lesson, seen.folds)
    scores = seen.learn_from(lesson, found)
    for learned in (None, (seen, scores)):
        told = clone(plain)
        told.know_parts(found, learned)
        assert np.allclose(told.fit(X, y).node_scores(X), whole.node_scores(X))
        assert np.allclose(told.predict_proba(X), whole.predict_proba(X))
        assert told.decision_ == whole.decision_
