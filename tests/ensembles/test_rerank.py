"""A reranker looks again at the best of its parts, and at nothing that held-out documents would not know."""

from itertools import count

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark import BlendClassifier, FlatClassifier, FlatNB, Hierarchy, RerankClassifier, TextClassifier
from classmark.ensembles import rerank
from classmark.ensembles.rerank import directions
from classmark.explain import explain
from tests.ensembles.test_blend import CATEGORIES, LEAVES, TEXTS, TREE, documents
from tests.oracles import rerank as oracle

PARTS = [("svm", FlatClassifier()), ("nb", FlatNB())]


@pytest.fixture
def looks_again(monkeypatch):
    """Let the trees answer however few documents there are, and whatever they are worth."""
    falling = count(0, -1)
    monkeypatch.setattr(rerank, "FEWEST", 2)
    monkeypatch.setattr(rerank, "worth", lambda decision, held_out: next(falling))


def with_two_labels(y: list[str]) -> list[list[str]]:
    return [[label, LEAVES[number % 4]] if number % 3 == 0 else [label] for number, label in enumerate(y)]


def nobody_knows(X):
    return csr_array((len(X), X.shape[1]))


class Silent(FlatNB):
    """Says nothing of documents without a term, nor ever of ferns."""

    def score_rows(self, X):
        """Score what there is."""
        scores = super().score_rows(X)
        scores[np.diff(X.indptr) == 0] = -np.inf
        scores[:, TREE.position("fern")] = -np.inf
        return scores


@pytest.mark.usefixtures("looks_again")
@pytest.mark.parametrize("parts", [PARTS, [("silent", Silent())]], ids=["known", "unknown"])
def test_against_loops(parts):
    X, y = documents()
    model = RerankClassifier(parts, hierarchy=TREE, count=2, most=3).fit(X, y)
    new = np.vstack([documents(12, seed=1)[0], np.zeros((1, 12))])
    raw = [model.scores_of(part, csr_array(new)) for part in model.parts_]
    nodes = [scale(one) for scale, (one, _) in zip(model.node_scales_, raw, strict=True)]
    own = [scale(one) for scale, (_, one) in zip(model.own_scales_, raw, strict=True)]
    blended = model.own_scale_(sum(factor * one for factor, one in zip(model.own_factors_, own, strict=True)))
    blended_nodes = model.node_scale_(sum(factor * one for factor, one in zip(model.node_factors_, nodes, strict=True)))
    for row, (found_nodes, found_own) in enumerate(zip(model.node_scores(new), model.own_scores(new), strict=True)):
        said = [(one[row].tolist(), node[row].tolist()) for node, one in raw]
        scaled = [
            (
                np.where(known_own[row] > -np.inf, o[row], -np.inf).tolist(),
                np.where(known[row] > -np.inf, n[row], -np.inf).tolist(),
            )
            for (known, known_own), o, n in zip(raw, own, nodes, strict=True)
        ]
        scaled.append((blended[row].tolist(), blended_nodes[row].tolist()))
        expected, candidates = oracle.own_scores(
            said, scaled, blended[row].tolist(), model.ends_.tolist(), (2, 3), model.trees_, model.about_.tolist(), TREE
        )
        assert len(candidates) <= 3
        assert found_own == pytest.approx(expected)
        above = [oracle.node_score(expected, candidates, TREE, node) for node in range(len(TREE))]
        assert found_nodes == pytest.approx(above)


@pytest.mark.usefixtures("looks_again")
def test_candidates_come_before_all_others_and_others_in_the_order_of_the_blend():
    X, y = documents()
    model = RerankClassifier(PARTS, hierarchy=TREE, count=1).fit(X, y)
    blend = BlendClassifier(PARTS, hierarchy=TREE).fit(X, y)
    new = documents(40, seed=1)[0]
    firsts = [part.own_scores(new)[:, model.ends_].argmax(axis=1) for part in model.parts_]
    own, blended = model.own_scores(new)[:, model.ends_], blend.own_scores(new)[:, model.ends_]
    for row in range(40):
        candidates = {int(first[row]) for first in firsts}
        others = [end for end in range(4) if end not in candidates]
        assert own[row, others].max() <= own[row, list(candidates)].min() - 1
        assert np.argsort(own[row, others]).tolist() == np.argsort(blended[row, others]).tolist()


@pytest.mark.usefixtures("looks_again")
def test_of_a_document_that_no_part_knows_all_categories_are_equal():
    X, y = documents()
    model = RerankClassifier([("silent", Silent())], hierarchy=TREE).fit(X, y)
    scores = model.own_scores(nobody_knows(X))[:, model.ends_]
    assert np.isfinite(scores).all() and (scores == scores[0, 0]).all()


@pytest.mark.usefixtures("looks_again")
def test_frequencies_of_held_out_documents_are_those_that_their_copies_have_seen(monkeypatch):
    X, y = documents(60)
    counted, real = [], rerank.node_features
    monkeypatch.setattr(rerank, "node_features", lambda tree, own: counted.append(own) or real(tree, own))
    RerankClassifier(PARTS, hierarchy=TREE, folds=4).fit(X, y)
    truth = csr_array(np.array([[label == name for name in TREE] for label in y]))
    *folds, whole = [own.sum(axis=0) for own in counted]
    assert len(folds) == 4
    assert whole.tolist() == truth.sum(axis=0).tolist()
    # Every document is missing from one fold, its own.
    assert sum(whole - fold for fold in folds).tolist() == whole.tolist()
    assert all(fold.sum() < whole.sum() for fold in folds)


@pytest.mark.usefixtures("looks_again")
def test_what_has_no_weight_is_not_counted():
    X, y = documents(60)
    weight = np.repeat([1.0, 0.0], 30)
    model = RerankClassifier(PARTS, hierarchy=TREE).fit(X, y, weight)
    frequencies = np.expm1(model.about_[:, 0]).round()
    assert frequencies.sum() == 30


def test_with_few_documents_the_blend_answers():
    X, y = documents(80)
    model, blend = (kind(PARTS, hierarchy=TREE).fit(X, y) for kind in (RerankClassifier, BlendClassifier))
    assert model.trees_ is None
    assert model.node_scores(X).tobytes() == blend.node_scores(X).tobytes()


@pytest.mark.parametrize("better", [False, True])
def test_the_better_one_on_documents_held_out_answers(monkeypatch, better):
    X, y = documents(320)
    worths = iter([0.9 if better else 0.5, 0.8])
    monkeypatch.setattr(rerank, "worth", lambda decision, held_out: next(worths))
    model = RerankClassifier(PARTS, hierarchy=TREE).fit(X, y)
    assert (model.trees_ is not None) == better


@pytest.mark.usefixtures("looks_again")
@pytest.mark.parametrize("decision", ["auto", "scut", "best-path", "threshold"])
def test_documents_with_several_labels(decision):
    X, y = documents(200)
    lists = with_two_labels(y)
    model = RerankClassifier(PARTS, hierarchy=TREE, decision=decision).fit(X, lists)
    assert model.trees_ is not None
    assert model.score(X, lists) > 0.7
    scores = model.node_scores(X)
    for node in range(len(TREE)):
        assert (scores[:, node] >= scores[:, TREE.child_positions(node)].max(axis=1, initial=-np.inf) - 1e-9).all()


@pytest.mark.usefixtures("looks_again")
def test_probabilities():
    X, y = documents(400, noise=1.5)
    new, truth = documents(2000, noise=1.5, seed=1)
    chances = RerankClassifier(PARTS, hierarchy=TREE).fit(X, y).predict_proba(new)
    for name in ("owl", "bird"):
        below = [label in (("owl", "gull") if name == "bird" else (name,)) for label in truth]
        given = chances[:, TREE.position(name)]
        for low, high in ((0.0, 0.3), (0.3, 0.7), (0.7, 1.0)):
            some = (given >= low) & (given < high)
            assert np.array(below)[some].mean() == pytest.approx(given[some].mean(), abs=0.12)
    assert RerankClassifier(PARTS).fit(X, y).predict_proba(new).sum(axis=1) == pytest.approx(1)


@pytest.mark.usefixtures("looks_again")
def test_contributions_sum_to_the_scores():
    X, y = documents()
    model = RerankClassifier(PARTS, hierarchy=TREE).fit(X, y)
    for node, name in enumerate(TREE):
        terms, bias = model.contributions(X, name)
        assert terms.nnz
        assert terms.sum(axis=1) + bias == pytest.approx(model.node_scores(X)[:, node])


@pytest.mark.usefixtures("looks_again")
def test_any_number_of_processes_and_of_documents_at_a_time_gives_the_same(monkeypatch):
    X, y = documents()
    one = RerankClassifier(PARTS, hierarchy=TREE, n_jobs=1).fit(X, y)
    monkeypatch.setattr("classmark.ensembles.out_of_fold.WORTH_A_PROCESS", 0.0)
    two = RerankClassifier(PARTS, hierarchy=TREE, n_jobs=2).fit(X, y)
    assert one.node_scores(X).tobytes() == two.node_scores(X).tobytes()
    monkeypatch.setattr(rerank, "SCORES_AT_A_TIME", 7 * len(TREE))
    three = RerankClassifier(PARTS, hierarchy=TREE).fit(X, y)
    assert three.node_scores(X) == pytest.approx(one.node_scores(X))


@pytest.mark.usefixtures("looks_again")
def test_where_scores_are_many_one_part_is_held_out(monkeypatch):
    X, y = documents(200)
    monkeypatch.setattr("classmark.ensembles.out_of_fold.MOST_SCORES", 100 * len(TREE))
    assert RerankClassifier(PARTS, hierarchy=TREE, decision="scut").fit(X, y).score(X, y) > 0.7


@pytest.mark.usefixtures("looks_again")
def test_a_model_file_gives_the_same_answers(tmp_path):
    chosen = {"parts": "linear-svm+nb", "count": 2, "nb.stemmer": "porter"}
    model = TextClassifier("rerank", settings=chosen, hierarchy=TREE, random_state=3).fit(TEXTS, CATEGORIES)
    path = tmp_path / "rerank.classmark"
    model.save(path)
    again = TextClassifier.load(path)
    assert again.classifier_.trees_ is not None
    assert (again.classifier_.count, again.classifier_.random_state) == (2, 3)
    assert again.node_scores(TEXTS).tobytes() == model.node_scores(TEXTS).tobytes()
    assert again.predict(TEXTS).tolist() == model.predict(TEXTS).tolist()
    (told,) = explain(again, "it hoots")
    assert told.score == pytest.approx(again.node_scores(["it hoots"])[0, TREE.position(told.category)])


@pytest.mark.usefixtures("looks_again")
def test_a_reranker_that_cannot_be_is_refused():
    X, y = documents()
    state = RerankClassifier(PARTS, hierarchy=TREE).fit(X, y).to_state()
    learned = state["learned"]
    inside = learned["reranker"]
    about = inside["about"]
    few = len(directions(1))
    for other, message in (
        ({"about": about[:-1]}, "'about'"),
        ({"about": np.where(about == about, np.nan, about)}, "other features"),
        ({"trees": inside["trees"] | {"n_features": few + 100}}, "other features"),
        ({"trees": inside["trees"] | {"baseline": np.nan}}, "not a number"),
    ):
        wrong = state | {"learned": learned | {"reranker": inside | other}}
        with pytest.raises(ValueError, match=message):
            RerankClassifier().from_state(wrong)
    with pytest.raises(ValueError, match="count=0"):
        RerankClassifier().from_state(state | {"learned": learned | {"count": 0}})


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"parts": "linear-svm"}, "needs two parts"),
        ({"parts": "nb+rerank"}, r"rerank.*made of parts"),
        ({"parts": "nb+blend"}, r"blend.*made of parts"),
        ({"folds": 1}, r"folds=1: must be.*integer >= 2"),
        ({"count": 0}, r"count=0: must be.*integer >= 1"),
        ({"most": 0}, r"most=0: must be.*integer >= 1"),
    ],
)
def test_settings_that_cannot_be_are_refused(chosen, message):
    with pytest.raises(ValueError, match=message):
        TextClassifier("rerank", settings=chosen).fit(TEXTS, CATEGORIES)


def test_parts_that_cannot_be_are_refused():
    X, y = documents()
    with pytest.raises(ValueError, match="n_samples=1"):
        RerankClassifier().fit([[1.0, 0.0]], ["owl"])
    with pytest.raises(ValueError, match="part nb: Negative values"):
        RerankClassifier(PARTS, hierarchy=TREE).fit(-X, y)
    with pytest.raises(ValueError, match="made of parts"):
        RerankClassifier([("inner", BlendClassifier())]).fit(X, y)


@pytest.mark.usefixtures("looks_again")
def test_a_flat_hierarchy_has_no_parents_to_ask():
    X, y = documents()
    model = RerankClassifier(PARTS).fit(X, y)
    assert model.hierarchy_ == Hierarchy.flat(LEAVES)
    assert model.score(X, y) > 0.8
    assert model.node_scores(X).tobytes() == model.own_scores(X).tobytes()
