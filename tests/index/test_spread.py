"""An index in parts finds the same documents with the same scores as the whole one, to the last bit."""

from contextvars import Context

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.synthetic_lshtc import make_lshtc_matrix
from classmark.index import InvertedIndex, LiveIndex
from classmark.index import spread as spread_module
from classmark.parallel import Here, at
from classmark.text import TextSettings
from tests.neighbours.cases import FREQUENCIES, MEASURES, documents, matrix
from tests.places import Noting

PLAIN = TextSettings(stop_words=None, stemmer=None)
SIZES = {"n_terms": 3000, "n_categories": 50}
WORKERS = st.sampled_from([1, 2, 3, 5])


def assert_same(index, queries, k, terms, place):
    here = index.top(queries, k, terms=terms)
    with at(place):
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
    WORKERS,
    st.lists(st.integers(0, 9), max_size=3),
)
def test_parts_find_what_the_whole_finds(rows, queries, measure, k, terms, workers, gone):
    scoring, k1, b, idf = measure
    index = InvertedIndex.build(matrix(rows), scoring=scoring, k1=k1, b=b, idf=idf)
    assert_same(index, matrix(queries), k, terms, Here(workers))
    index.delete({number for number in gone if number < len(rows)})
    index.add(matrix(queries))
    assert_same(index, matrix(queries), k, terms, Here(workers))


STEPS = st.lists(
    st.one_of(documents(FREQUENCIES, most=6), st.sets(st.integers(0, 30), max_size=4), st.just("compact")),
    min_size=1,
    max_size=7,
)


@given(STEPS, documents(FREQUENCIES, most=3), MEASURES, st.integers(1, 12), WORKERS, st.booleans(), st.booleans())
def test_additions_and_deletions_in_any_order(steps, queries, measure, k, workers, forgets, in_crumbs):
    """The parts follow, whether they are lost before every question or not, and whatever size pieces have."""
    scoring, k1, b, idf = measure
    index, place = InvertedIndex(scoring=scoring, k1=k1, b=b, idf=idf), Noting(workers, forgets=forgets)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spread_module, "ENTRIES_IN_A_PIECE", 2 if in_crumbs else 1000)
        for step in steps:
            if step == "compact":
                index.compact()
            elif isinstance(step, list):
                index.add(matrix(step))
            else:
                index.delete({number for number in step if number < index.n_slots and index.live[number]})
            assert_same(index, matrix(queries), k, None, place)
    assert len(place.opened) <= 1


WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=6).map(" ".join)
NAMES = st.integers(0, 12).map(str)
WRITES = st.lists(
    st.one_of(
        st.dictionaries(NAMES, WORDS, max_size=5), st.sets(NAMES, max_size=4), st.sampled_from(["compact", "open"])
    ),
    min_size=1,
    max_size=7,
)


@settings(max_examples=40)
@given(WRITES, WORDS, WORKERS, st.booleans())
def test_a_folder_that_changes(tmp_path_factory, steps, query, workers, forgets):
    """Documents are replaced, deleted ones go when segments are merged, and another process writes, too."""
    live = LiveIndex.create(tmp_path_factory.mktemp("live"), text=PLAIN)
    place, states = Noting(workers, forgets=forgets), []
    for step in steps:
        if step == "compact":
            live.compact()
        elif step == "open":
            LiveIndex.open(live.folder).add([None], [query])
        elif isinstance(step, dict):
            live.add(list(step), list(step.values()))
        else:
            live.delete(step & set(live.ids))
        states.append(live.index)
        here = live.search([query, "a b"], 20)
        with at(place):
            assert live.search([query, "a b"], 20) == here
    # An older state, which somebody may still hold, and the newest again.
    queries = matrix([{0: 1.0, 1: 2.0}, {2: 1.0}])
    for state in (states[0], states[len(states) // 2], live.index):
        assert_same(state, queries, 20, None, place)
    assert len(place.opened) <= 1


def test_many_documents():
    counts, queries = make_lshtc_matrix(3000, **SIZES).counts, make_lshtc_matrix(40, **SIZES, stream=1).counts
    index, place = InvertedIndex.build(counts[:2000]), Here(3)
    assert_same(index, queries, 20, None, place)
    index.add(counts[2000:])
    assert_same(index, queries, 20, None, place)


def test_nothing_to_find():
    with at(Here(2)):
        assert InvertedIndex().top(matrix([{0: 1.0}]), 3).documents.tolist() == [[-1, -1, -1]]
        empty = InvertedIndex.build(matrix([{}, {}, {}]))
        assert np.array_equal(empty.top(matrix([{0: 1.0}]), 1).documents, [[-1]])


def test_only_what_is_new_is_sent_and_to_the_smallest_part():
    query, place = matrix([{0: 1.0}]), Noting(3)
    # Entries: 3, 3 and 2, which makes the third part the smallest.
    index = InvertedIndex.build(matrix([{0: 1.0, 1: 1.0, 2: 1.0}, {0: 1.0, 1: 1.0, 2: 1.0}, {0: 1.0, 1: 1.0}]))
    with at(place):
        index.top(query, 3)
        assert place.taken() == [(0, 1, 3), (1, 1, 3), (2, 1, 2)]
        index.top(query, 3)
        assert place.taken() == []
        index.add(matrix([{0: 1.0, 3: 2.0}, {4: 1.0, 5: 1.0}]))
        index.top(query, 3)
        assert place.taken() == [(2, 2, 4)]
        index.add(matrix([{0: 1.0, 3: 2.0}]))
        index.add(matrix([{0: 2.0, 3: 2.0, 4: 1.0, 5: 1.0}]))
        index.top(query, 3)
        # Now 3, 3 and 6 entries, and of the first two the first one.
        assert place.taken() == [(0, 2, 6)]
        index.add(matrix([{7: 1.0}]))
        assert index.top(matrix([{7: 1.0}]), 1).documents.tolist() == [[7]]
        assert place.taken() == [(1, 1, 1)]
    assert [len(part.segments) for part in place.opened[0].parts] == [1, 1, 1]


def test_a_large_addition_is_spread(monkeypatch):
    monkeypatch.setattr(spread_module, "ENTRIES_IN_A_PIECE", 2)
    index, place = InvertedIndex.build(matrix([{0: 1.0}, {0: 1.0}])), Noting(2)
    with at(place):
        index.top(matrix([{0: 1.0}]), 1)
        place.taken()
        index.add(matrix([{0: 1.0, 1: 1.0}] * 4))
        index.top(matrix([{0: 1.0}]), 1)
    assert place.taken() == [(0, 1, 2), (1, 1, 2), (0, 1, 2), (1, 1, 2)]


def test_of_what_is_deleted_the_numbers_are_sent():
    index, place = InvertedIndex.build(matrix([{0: 1.0, 1: 1.0}] * 6)), Noting(2)
    with at(place):
        index.top(matrix([{0: 1.0}]), 1)
        place.calls.clear()
        index.delete([1, 5])
        assert index.top(matrix([{0: 1.0}]), 9).documents.tolist() == [[0, 2, 3, 4, -1, -1, -1, -1, -1]]
        marks = [(part, given) for part, method, given in place.calls if method == "mark"]
        assert [(part, which.tolist(), there.tolist()) for part, (which, there) in marks] == [
            (0, [1], [False]),
            (1, [2], [False]),
        ]
        # Other numbers, the same documents: nothing is sent.
        place.calls.clear()
        index.compact()
        assert index.top(matrix([{0: 1.0}]), 9).documents.tolist() == [[0, 1, 2, 3, -1, -1, -1, -1, -1]]
        assert {method for _, method, _ in place.calls} == {"top"}


def test_where_most_is_gone_all_is_sent_anew():
    index, place = InvertedIndex.build(matrix([{0: 1.0}] * 6)), Noting(2)
    with at(place):
        index.top(matrix([{0: 1.0}]), 1)
        index.delete([0, 1, 2])
        index.top(matrix([{0: 1.0}]), 1)
        assert sum(documents for _, documents, _ in place.taken()) == 6
        index.delete([3])
        assert index.top(matrix([{0: 1.0}]), 3).documents.tolist() == [[4, 5, -1]]
        assert sum(documents for _, documents, _ in place.taken()) == 2
    assert len(place.opened) == 1


def test_a_folder_sends_what_is_new_though_segments_are_merged(tmp_path):
    live, place = LiveIndex.create(tmp_path / "index", text=PLAIN), Noting(2)
    live.add(list("abcdef"), ["a b", "b c", "c d", "d e", "e f", "f g"])
    with at(place):
        live.search(["a"])
        place.taken()
        # One is replaced, and merging leaves the old one out, so that all numbers change.
        live.add(["a", "g", "h"], ["x y", "y z", "a z"])
        assert len(live.manifest.segments) == 1
        assert [found.id for found in live.search(["a"])[0]] == ["h"]
        assert [documents for _, documents, _ in place.taken()] == [3]
        live.compact()
        # "a b" was the only document with an "a" before "h"; every term is still there.
        assert [found.id for found in live.search(["x"])[0]] == ["a"]
        assert place.taken() == []


@pytest.mark.parametrize("method", ["take", "mark", "top"])
def test_after_an_interruption_nothing_is_taken_for_known(method):
    index, place = InvertedIndex.build(matrix([{0: 1.0, 1: 1.0}] * 8)), Noting(2)
    query = matrix([{0: 1.0, 2: 1.0}])
    with at(place):
        index.top(query, 9)
        index.delete([3])
        index.add(matrix([{2: 1.0}]))
        place.interrupted = method
        with pytest.raises(KeyboardInterrupt):
            index.top(query, 9)
        assert not place.opened
    assert_same(index, query, 9, None, place)


def sent_for(farm, counts, added, queries):
    """Give the bytes that a farm of two is sent for an index, a batch of queries, and some documents more and again."""
    index = InvertedIndex.build(counts)
    with farm.cluster(2) as place:
        index.top(queries, 5)
        if added is not None:
            index.add(added)
            index.top(queries, 5)
    return place.sent


def test_workers_are_sent_what_is_new(farm):
    counts, queries = make_lshtc_matrix(3000, **SIZES).counts, make_lshtc_matrix(2, **SIZES, stream=1).counts
    whole = sent_for(farm, counts, None, queries)
    # Five bytes an entry, eight a document, and four for each term of each part.
    assert whole < 5.5 * counts.nnz + 8 * 3000 + 2 * 4 * SIZES["n_terms"]
    assert sent_for(farm, counts, counts[:10], queries) - whole < 0.05 * whole


def assert_same_there(index, queries):
    """Compare what is found on the cluster with what is found here, where nothing is known of it."""
    there, here = index.top(queries, 15), Context().run(index.top, queries, 15)
    assert there.documents.tobytes() == here.documents.tobytes()
    assert there.scores.tobytes() == here.scores.tobytes()


@pytest.mark.parametrize("victim", [0, 1])
def test_a_worker_killed_after_additions(farm, victim):
    """Its part is made anew on the other, with what had come and without what had gone since."""
    counts, queries = make_lshtc_matrix(900, **SIZES).counts, make_lshtc_matrix(20, **SIZES, stream=1).counts
    index = InvertedIndex.build(counts[:500])
    with farm.cluster(2) as place:
        assert_same_there(index, queries)
        index.add(counts[500:650])
        index.delete(range(100, 200, 7))
        assert_same_there(index, queries)
        index.add(counts[650:800])
        assert_same_there(index, queries)
        farm.workers[victim].kill()
        farm.workers[victim].wait(10)
        assert_same_there(index, queries)
        index.add(counts[800:])
        index.delete([0, 850])
        assert_same_there(index, queries)
    assert place.lost >= 1
