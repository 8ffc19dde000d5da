"""The neighbour classifiers against the formulas, loop by loop, and by hand."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import BM25KNN, HierarchicalKNN, Hierarchy, OverlapKNN
from classmark.decision import BestPath, DSCut, RCut
from classmark.neighbours.hierarchical import ends_from_top, put_first
from classmark.neighbours.pairs import pair_products
from classmark.neighbours.voting import decide_by_rank, ranked
from classmark.registry import find_method
from tests.neighbours.cases import N_TERMS, matrix
from tests.oracles import neighbours as nearness
from tests.oracles import voting as oracle

# Node order: a, b, x, y, z, u; u has two parents.
DAG = Hierarchy.from_parents({"a": None, "b": None, "x": "a", "y": "a", "z": "b", "u": ["x", "y"]})
TERMS = st.dictionaries(st.integers(0, N_TERMS - 1), st.integers(1, 4).map(float), min_size=1, max_size=5)
DOCUMENTS = st.lists(st.tuples(TERMS, st.sets(st.integers(0, 5), max_size=2)), min_size=2, max_size=14).filter(
    lambda rows: any(labels for _, labels in rows)
)
IDFS = st.sampled_from(["robertson", "lucene"])


def fitted(kind, rows, **parameters):
    indicator = np.zeros((len(rows), len(DAG)), dtype=bool)
    for row, (_, labels) in enumerate(rows):
        indicator[row, list(labels)] = True
    model = kind(hierarchy=DAG, **parameters).fit(matrix([terms for terms, _ in rows]), csr_array(indicator))
    own = [row.indices.tolist() for row in model.labels_]
    return model, [terms for terms, _ in rows], own


def dense(found):
    return [found.get(node, 0.0) for node in range(len(DAG))]


class TestVotes:
    @settings(max_examples=60, deadline=None)
    @given(DOCUMENTS, TERMS, st.sampled_from([0.5, 1.0, 2.0]), st.sampled_from(["okapi", "printed"]), IDFS)
    def test_bm25_scores_are_the_sums_of_the_paper(self, rows, query, alpha, scoring, idf):
        model, documents, own = fitted(BM25KNN, rows, k=4, alpha=alpha, scoring=scoring, idf=idf)
        found = oracle.votes(nearness.top(query, documents, 4, scoring, 1.2, 0.75, idf), own, alpha)
        scores = model.node_scores(matrix([query]))[0]
        assert scores[model.ends_] == pytest.approx(np.array(dense(found))[model.ends_])

    @settings(max_examples=60, deadline=None)
    @given(DOCUMENTS, TERMS)
    def test_overlap_counts_the_five_nearest_of_the_three_heaviest_terms(self, rows, query):
        model, documents, own = fitted(OverlapKNN, rows)
        chosen = nearness.heaviest(query, documents, 3)
        near = [(nearness.distance(terms, query), i) for i, terms in enumerate(documents) if chosen & set(terms)]
        found = oracle.votes([(i, 1.0) for distance, i in sorted(near)[:5] if distance < 1], own, 0.0)
        assert (
            model.node_scores(matrix([query]))[0][model.ends_].tolist() == np.array(dense(found))[model.ends_].tolist()
        )

    def test_by_hand(self):
        # Terms 0 and 1 are in one of four documents each: idf = ln(1 + 3.5 / 1.5), Robertson's ln(3.5 / 1.5); all
        # lengths are the mean, so that TF_1 = 2.2 · 1 / (1 + 1.2) = 1 on both sides.
        X, y = csr_array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]), ["owl", "gull", "oak", "oak"]
        for parameters, idf in (({}, np.log(1 + 3.5 / 1.5)), ({"idf": "robertson"}, np.log(3.5 / 1.5))):
            model = BM25KNN(alpha=2.0, **parameters).fit(X, y)
            assert model.node_scores([[1, 0, 0, 0]])[0].tolist() == pytest.approx([0, 0, idf**2], abs=1e-6)
            weighted = BM25KNN(alpha=2.0, **parameters).fit(X, y, sample_weight=[3, 1, 1, 1])
            assert weighted.node_scores([[1, 0, 0, 0]])[0, 2] == pytest.approx(3 * idf**2, abs=1e-6)

    @pytest.mark.parametrize("kind", [BM25KNN, HierarchicalKNN, OverlapKNN])
    @pytest.mark.parametrize("n_documents", [1, 2, 3])
    def test_a_few_documents_are_near_to_themselves(self, kind, n_documents):
        """Of two documents, half have a term that one of them has: Robertson's idf of every term is 0."""
        X, y = np.eye(n_documents), list("abc")[:n_documents]
        model = kind().fit(X, y)
        assert model.predict(X).tolist() == y
        assert model.neighbours(X).documents[:, 0].tolist() == list(range(n_documents))

    def test_the_paper_s_preset_keeps_the_paper_s_idf(self):
        assert BM25KNN.preset("paper").idf == "robertson"
        assert (BM25KNN.preset("paper").fit(np.eye(2), list("ab")).neighbours(np.eye(2)).documents == -1).all()

    def test_a_document_that_weighs_nothing_is_not_there(self):
        X = csr_array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        model = BM25KNN().fit(X, ["a", "b", "c", "c"], sample_weight=[1, 0, 1, 1])
        assert len(model.index_) == 3
        assert np.isneginf(model.node_scores(X)[:, 1]).all()
        with pytest.raises(ValueError, match="no labelled document"):
            BM25KNN().fit(X, [["a"], [], [], []], sample_weight=[0, 1, 1, 1])

    def test_the_basic_algorithm_takes_three_categories_and_none_without_a_vote(self):
        X = csr_array(np.eye(6)[[0, 0, 0, 1]] + np.eye(6)[[2, 3, 4, 5]])
        model = OverlapKNN().fit(X, [["a"], ["b", "c"], ["d"], ["e"]])
        assert model.decision_ == DSCut((1.0, 0.2, 0.2))
        assert model.predict([[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]) == [["a", "b", "c"], ["e"]]


class TestHierarchy:
    @settings(max_examples=60, deadline=None)
    @given(DOCUMENTS, TERMS, st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 1.0, 2.5]), st.booleans(), IDFS)
    def test_scores_are_those_of_the_formula(self, rows, query, ancestors, borrow, with_bayes, idf):
        parameters = {"ancestors": ancestors, "borrow": borrow, "bayes": 0.5 * with_bayes, "descent": None, "idf": idf}
        model, documents, own = fitted(HierarchicalKNN, rows, k=4, **parameters)
        near = nearness.top(query, documents, 4, "okapi", 1.2, 0.75, idf)
        votes = oracle.votes(near, own, 2.5)
        expected = oracle.with_ancestors(votes, DAG, 0.7, ancestors) if votes else {}
        odds = {node: oracle.log_odds(query, node, documents, own, DAG) for node in expected}
        for node in expected:
            expected[node] += oracle.cosine(query, node, documents, own, DAG, borrow)
            if with_bayes:
                span = max(odds.values()) - min(odds.values())
                expected[node] += 0.5 * (odds[node] - min(odds.values())) / (span if span > 1e-9 else 1.0)
        scores = model.node_scores(matrix([query]))[0]
        assert scores[model.ends_] == pytest.approx(np.array(dense(expected))[model.ends_], abs=1e-5)

    @settings(max_examples=100, deadline=None)
    @given(st.dictionaries(st.integers(0, 5), st.sampled_from([0.5, 1.0, 1.5, 2.0])), st.sampled_from([1.0, 2.0, 5.0]))
    def test_the_way_from_the_top(self, scores, sharpness):
        given_scores = csr_array(np.array([dense(scores)]))
        expected = oracle.descent(scores, DAG, sharpness)
        (found,) = ends_from_top(given_scores, DAG, sharpness)
        assert found == (-1 if expected is None else expected)
        raised = put_first(given_scores, np.array([found])).toarray()[0]
        if expected is not None:
            assert np.flatnonzero(raised == raised.max()).tolist() == [found]
            assert raised == pytest.approx(np.where(np.arange(6) == found, max(scores.values()), dense(scores)))

    def test_ancestors_settle_a_tie(self):
        tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
        X = csr_array(np.eye(8)[[0, 0, 0, 4, 5, 6, 7]] + np.eye(8)[[1, 1, 2, 4, 5, 6, 7]])
        y = ["oak", "owl", "gull", "oak", "oak", "owl", "gull"]
        query = [[1, 1, 0, 0, 0, 0, 0, 0]]
        flat = BM25KNN(hierarchy=tree).fit(X, y)
        votes = dict(zip(tree, flat.node_scores(query)[0], strict=True))
        assert votes["oak"] == votes["owl"] > votes["gull"] > 0
        model = HierarchicalKNN(hierarchy=tree, centroid=0.0, descent=None).fit(X, y)
        total = votes["oak"] + votes["owl"] + votes["gull"]
        scores = dict(zip(tree, model.node_scores(query)[0], strict=True))
        assert scores["oak"] == pytest.approx((votes["oak"] + 0.5 * 0.7 * votes["oak"]) / total)
        assert scores["owl"] == pytest.approx((votes["owl"] + 0.5 * 0.7 * (votes["owl"] + votes["gull"])) / total)
        assert model.predict(query).tolist() == ["owl"]

    @settings(max_examples=20, deadline=None)
    @given(DOCUMENTS, TERMS)
    def test_the_terms_and_the_neighbours_make_the_score(self, rows, query):
        model, *_ = fitted(HierarchicalKNN, rows, k=4, bayes=0.3)
        X = matrix([query])
        for end in model.ends_:
            terms, bias = model.contributions(X, DAG.names[end])
            score = model.node_scores(X)[0, end]
            assert terms.sum() + bias[0] == pytest.approx(score, abs=1e-9)
            votes = [voter.vote for voter in model.voters(X, DAG.names[end])[0]]
            assert votes == sorted(votes, reverse=True)
        flat, *_ = fitted(BM25KNN, rows, k=4)
        for end in flat.ends_:
            score = flat.node_scores(X)[0, end]
            assert sum(voter.vote for voter in flat.voters(X, DAG.names[end])[0]) == pytest.approx(score)
            assert flat.contributions(X, DAG.names[end]).bias[0] == pytest.approx(0, abs=1e-9 * max(1, score))


class TestSparse:
    @settings(max_examples=100, deadline=None)
    @given(
        st.lists(st.dictionaries(st.integers(0, 5), st.sampled_from([0.5, 1.0, 2.0])), min_size=1, max_size=4),
        st.sampled_from([BestPath(), RCut(2), RCut(9), DSCut(), DSCut((1.0, 0.0)), DSCut((1.0, 0.5, 0.5, 0.5))]),
    )
    def test_decisions_by_rank_are_those_over_all_nodes(self, rows, decision):
        scores = np.array([dense(row) for row in rows])
        ends = np.array([1, 2, 4, 5], dtype=np.int32)
        scores[:, [0, 3]] = 0.0
        count = {BestPath: 1, RCut: getattr(decision, "r", 0), DSCut: len(getattr(decision, "thresholds", ()))}
        found = decide_by_rank(decision, csr_array(scores), DAG, ends, count[type(decision)])
        assert (found != decision.decide(scores, DAG, ends)).nnz == 0

    def test_no_dense_scores_are_made(self, monkeypatch):
        X, y = csr_array(np.eye(8)), list("abcdefgh")
        for kind in (BM25KNN, HierarchicalKNN, OverlapKNN):
            model = kind().fit(X, y)
            monkeypatch.setattr(model, "score_rows", None)
            assert model.predict(X).tolist() == y
            assert model.predict_first(X).tolist() == model.hierarchy_.leaves.tolist()

    def test_ranks_go_on_where_votes_end(self):
        nodes, scores = ranked(csr_array((1, 6)), np.array([1, 4], dtype=np.int32), 5)
        assert (nodes.tolist(), scores.tolist()) == ([[1, 4]], [[0.0, 0.0]])

    @settings(max_examples=40, deadline=None)
    @given(st.lists(TERMS, min_size=1, max_size=5), st.lists(TERMS, min_size=1, max_size=5), st.integers(1, 3))
    def test_products_of_pairs(self, rows, others, n_jobs):
        one, two = matrix(rows), matrix(others)
        starts = np.arange(len(rows) + 1) * len(others)
        partners = np.tile(np.arange(len(others)), len(rows))
        found = pair_products(starts, partners, one, two, n_jobs)
        assert found.tolist() == (one @ two.T).toarray().ravel().tolist()


class TestSettings:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"k": 0}, "k=0.*>= 1"),
            ({"k": True}, "k=True"),
            ({"alpha": -1}, "alpha=-1.*>= 0"),
            ({"b": 2}, "b=2.*>= 0 and <= 1"),
            ({"scoring": "overlap"}, "scoring='overlap'.*okapi, printed"),
            ({"idf": "plain"}, "idf='plain'.*robertson, lucene"),
            ({"terms": 0}, "terms=0.*>= 1, or None"),
            ({"thresholds": ()}, r"thresholds=\(\).*numbers >= 0 and <= 1"),
            ({"decay": 1.5}, r"decay=1\.5.*>= 0 and <= 1"),
            ({"descent": 0}, "descent=0.*> 0, or None"),
        ],
    )
    def test_what_may_not_be_is_refused_in_words(self, parameters, message):
        with pytest.raises(ValueError) as error:
            HierarchicalKNN(**parameters).fit(np.eye(2), ["a", "b"])
        assert re.match(message, str(error.value))

    def test_the_paper_s_values(self):
        built = find_method("knn-bm25-paper").learner.build(0, None).get_params()
        assert built == BM25KNN.preset("paper").get_params()
        assert (built["k"], built["alpha"], built["k1"], built["b"], built["terms"]) == (50, 0.75, 6, 0.75, 3)
        assert (built["thresholds"], built["scoring"], built["idf"]) == ((1, 0.6, 0.4), "printed", "robertson")
        with pytest.raises(ValueError, match=r"unknown preset 'best'.*paper"):
            BM25KNN.preset("best")

    @pytest.mark.parametrize("kind", ["knn-overlap", "knn-bm25", "knn-bm25-hier"])
    def test_methods_have_the_defaults_of_their_classifiers(self, kind):
        built = find_method(kind).learner.build(0, None)
        assert built.get_params() == type(built)().get_params()

    @pytest.mark.parametrize("kind", [BM25KNN, HierarchicalKNN, OverlapKNN])
    def test_answers_are_the_same_for_any_number_of_threads(self, kind):
        random = np.random.default_rng(0)
        X, y = random.poisson(0.3, (40, 30)), random.integers(0, 5, 40)
        one, three = (kind(n_jobs=jobs).fit(X, y).node_scores(X) for jobs in (1, 3))
        assert one.tobytes() == three.tobytes()

    @pytest.mark.parametrize(
        ("key", "value", "message"),
        [
            ("label_starts", lambda starts: starts[::-1].copy(), "'label_starts' do not rise from 0"),
            ("label_nodes", lambda nodes: nodes + 9, "'label_nodes' lie outside its hierarchy"),
            ("weight", lambda weight: weight * np.nan, "votes have no weight"),
            ("parameters", lambda _: {"k": 3}, "parameters are not those of BM25KNN"),
        ],
    )
    def test_a_model_that_cannot_be_one_is_refused(self, key, value, message):
        state = BM25KNN().fit(np.eye(4), list("abcd")).to_state()
        changed = state["learned"] | {key: value(state["learned"][key])}
        with pytest.raises(ValueError, match=message):
            BM25KNN().from_state(state | {"learned": changed})
