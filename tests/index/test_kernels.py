"""The small kernels, each against the obvious."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from classmark.index.kernels import BANDS, SHORT_LIST, Heap, common, pour, push, put
from classmark.index.scoring import Measure
from classmark.index.searching import new_table, position_of, split_at
from classmark.index.segment import build_segment, rows_of, weigh_segment
from tests.neighbours.cases import documents, matrix

OKAPI, PRINTED = Measure("okapi", 1.2, 0.75, "lucene"), Measure("printed", 6.0, 0.75, "robertson")
scores = st.lists(st.sampled_from([0.5, 1.0, 1.5, 2.0, 2.5]), max_size=40)


@given(scores, st.integers(1, 12))
def test_the_heap_keeps_the_best_and_breaks_ties_by_number(values, k):
    heap, size = Heap(np.empty(k, np.float32), np.empty(k, np.int64)), 0
    order = np.random.default_rng(0).permutation(len(values))
    for number in order:
        size = push(heap, size, np.float32(values[number]), number)
    found, their_scores = np.full(k, -1, np.int32), np.zeros(k, np.float32)
    pour(heap, size, found, their_scores)
    expected = sorted(range(len(values)), key=lambda number: (-values[number], number))[:k]
    assert found[:size].tolist() == expected
    assert their_scores[:size].tolist() == [values[number] for number in expected]


@given(st.lists(st.integers(0, 50), unique=True).map(sorted), st.integers(0, 51))
def test_position_of_is_a_search_by_halves(numbers, stop):
    listed = np.array(numbers, dtype=np.uint32)
    assert position_of(listed, np.uint32(stop)) == np.searchsorted(listed, stop)


@given(st.lists(st.integers(0, 2**31 - 1), unique=True, min_size=1, max_size=200))
def test_the_table_finds_what_was_put_in_and_nothing_else(terms):
    table = new_table(len(terms))
    for factor, term in enumerate(terms[1:], 1):
        put(table, term, float(factor))
    assert [common(table, term) for term in terms[1:]] == list(range(1, len(terms)))
    assert common(table, terms[0]) == 0


@given(st.lists(st.integers(0, 9).map(float), max_size=30), st.integers(1, 12))
def test_split_at_is_the_k_th_highest(bounds, k):
    expected = 0 if len(bounds) <= k else sorted(bounds, reverse=True)[k - 1]
    assert split_at(np.array(bounds, np.float32), k) == expected


@given(documents(most=150), st.sampled_from([OKAPI, PRINTED]))
def test_lists_hold_every_entry_once_in_bands_in_the_order_of_documents(rows, measure):
    counts = matrix(rows)
    segment = build_segment(*rows_of(counts), measure)
    lists = segment.lists
    lengths = segment.lengths()
    assert lengths.tolist() == counts.sum(axis=1).tolist()
    weights = weigh_segment(segment, np.ones(len(rows), np.float32), measure)
    found = np.zeros(counts.shape)
    for place, column in enumerate(segment.vocabulary):
        start, stop = lists.starts[place * BANDS], lists.starts[(place + 1) * BANDS]
        assert stop - start == np.count_nonzero(counts[:, [column]].toarray())
        bands = [slice(*lists.starts[place * BANDS + band : place * BANDS + band + 2]) for band in range(BANDS)]
        for band, inside in enumerate(bands):
            assert (np.diff(lists.documents[inside].astype(np.int64)) > 0).all()
            bound = weights.bounds[place * BANDS + band]
            assert bound == max(weights.postings[inside].tolist(), default=0)
            assert band == 0 or stop - start > SHORT_LIST or inside.start == inside.stop
        found[lists.documents[start:stop], column] = lists.frequencies[start:stop]
    assert np.array_equal(found, counts.toarray())


@given(documents(most=40))
def test_signatures_tell_the_head_terms(rows):
    counts = matrix(rows)
    segment = build_segment(*rows_of(counts), OKAPI)
    for number, signature in enumerate(segment.signatures.tolist()):
        bits = {int(segment.bits[np.searchsorted(segment.vocabulary, column)]) for column in counts[[number]].indices}
        assert {bit for bit in range(64) if signature >> bit & 1} == bits - {-1}
