"""Sparse scores against the dense ones, and one search however much is asked."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import BM25KNN, HierarchicalKNN, OverlapKNN
from classmark.neighbours.voting import spread_votes
from classmark.strategies.spread import spread_upward
from tests.counting import count_scored
from tests.generators import hierarchies
from tests.neighbours.cases import matrix
from tests.neighbours.test_classifiers import DAG, DOCUMENTS, TERMS, fitted

KINDS = st.sampled_from([BM25KNN, HierarchicalKNN, OverlapKNN])


@st.composite
def votes(draw):
    """Draw a hierarchy, some of its nodes as ends, and votes for some of these, all above 0."""
    hierarchy = draw(hierarchies())
    ends = np.array(sorted(draw(st.sets(st.integers(0, len(hierarchy) - 1), min_size=1))), dtype=np.int32)
    shape = (draw(st.integers(0, 4)), ends.size)
    drawn = draw(st.lists(st.integers(0, 3), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    table = np.zeros((shape[0], len(hierarchy)))
    table[:, ends] = np.array(drawn, dtype=np.float64).reshape(shape)
    return hierarchy, ends, table


@given(votes())
def test_votes_spread_as_dense_scores_do(case):
    hierarchy, ends, table = case
    expected = spread_upward(table[:, ends], ends, hierarchy)
    found = spread_votes(csr_array(table), ends, hierarchy)
    assert found.has_canonical_format
    assert np.array_equal(found.toarray(), np.where(np.isneginf(expected), 0.0, expected))


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, st.lists(TERMS, min_size=1, max_size=3), KINDS)
def test_scores_of_pairs_are_the_dense_ones(rows, queries, kind):
    model, _, _ = fitted(kind, rows, k=4)
    X = matrix(queries)
    (batch,) = model.answers(X)
    documents, nodes = (part.ravel() for part in np.indices((len(queries), len(DAG))))
    assert batch.scores(documents, nodes).tobytes() == model.node_scores(X).tobytes()
    assert batch.scores(documents[:0], nodes[:0]).shape == (0,)


@settings(max_examples=30, deadline=None)
@given(DOCUMENTS, TERMS, KINDS)
def test_explanations_are_those_of_one_document_asked_alone(rows, query, kind):
    model, _, _ = fitted(kind, rows, k=4)
    (batch,) = model.answers(matrix([query]))
    for node, name in enumerate(DAG.names):
        terms, bias = model.contributions(matrix([query]), name)
        again = batch.contributions(node)
        assert (terms.toarray().tobytes(), bias.tobytes()) == (again.terms.toarray().tobytes(), again.bias.tobytes())
        assert batch.voters(node) == model.voters(matrix([query]), name)


def test_one_search_for_everything(monkeypatch):
    X = csr_array([[1.0, 0, 1], [1, 1, 0], [0, 0, 1], [0, 1, 1]])
    model = BM25KNN(hierarchy=DAG).fit(X, ["x", "y", "z", "u"])
    scored = count_scored(monkeypatch)
    (batch,) = model.answers(X)
    batch.labels(), batch.top(3), batch.scores(np.array([0]), np.array([1]))
    for node in range(len(DAG)):
        batch.contributions(node), batch.voters(node)
    assert scored.by(model) == 4
