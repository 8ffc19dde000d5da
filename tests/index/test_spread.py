"""An index in parts finds the same documents with the same scores as the whole one, to the last bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from classmark.data.synthetic_lshtc import make_lshtc_matrix
from classmark.index import InvertedIndex
from classmark.parallel import Here, at
from tests.neighbours.cases import FREQUENCIES, MEASURES, documents, matrix


def assert_same(index, queries, k, terms, workers):
    here = index.top(queries, k, terms=terms)
    with at(Here(workers)):
        for _ in range(2):
            there = index.top(queries, k, terms=terms)
            assert there.documents.tobytes() == here.documents.tobytes()
            assert there.scores.tobytes() == here.scores.tobytes()


@given(
    documents(FREQUENCIES),
    documents(FREQUENCIES, most=4),
    MEASURES,
    st.integers(1, 40),
    st.sampled_from([None, 2]),
    st.sampled_from([1, 2, 3, 5]),
    st.lists(st.integers(0, 9), max_size=3),
)
def test_parts_find_what_the_whole_finds(rows, queries, measure, k, terms, workers, gone):
    scoring, k1, b, idf = measure
    index = InvertedIndex.build(matrix(rows), scoring=scoring, k1=k1, b=b, idf=idf)
    assert_same(index, matrix(queries), k, terms, workers)
    index.delete({number for number in gone if number < len(rows)})
    index.add(matrix(queries))
    assert_same(index, matrix(queries), k, terms, workers)


def test_many_documents():
    sizes = {"n_terms": 3000, "n_categories": 50}
    counts, queries = make_lshtc_matrix(3000, **sizes).counts, make_lshtc_matrix(40, **sizes, stream=1).counts
    assert_same(InvertedIndex.build(counts), queries, 20, None, 3)


def test_nothing_to_find():
    with at(Here(2)):
        assert InvertedIndex().top(matrix([{0: 1.0}]), 3).documents.tolist() == [[-1, -1, -1]]
        empty = InvertedIndex.build(matrix([{}, {}, {}]))
        assert np.array_equal(empty.top(matrix([{0: 1.0}]), 1).documents, [[-1]])
