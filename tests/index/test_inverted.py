"""The index answers as brute force does, to the last bit, through additions and deletions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, hstack

from classmark.data.synthetic_lshtc import make_lshtc_matrix
from classmark.index import InvertedIndex
from classmark.index.segment import segment_from_state
from classmark.index.storage import PackedStrings, pack_strings
from classmark.persistence import load, save
from tests.neighbours.cases import FREQUENCIES, MEASURES, N_TERMS, documents, matrix, pairs
from tests.oracles import neighbours as oracle

# By hand: N = 3, term 0 in documents 0 and 1, term 1 in document 0, term 2 in 1, term 3 in 2; lengths 3, 2, 3.
HAND = [{0: 1.0, 1: 2.0}, {0: 1.0, 2: 1.0}, {3: 3.0}]


def built(rows, measure, **options):
    scoring, k1, b, idf = measure
    return InvertedIndex.build(matrix(rows), scoring=scoring, k1=k1, b=b, idf=idf, **options)


def check(index, rows, queries, measure, k, terms=None):
    """Compare with the oracle; `rows` has None for deleted documents."""
    found = index.top(matrix(queries), k, terms=terms)
    for number, query in enumerate(queries):
        assert pairs(found, number) == oracle.top(query, rows, k, *measure, n_terms=terms)


@given(documents(), documents(most=4), MEASURES, st.integers(1, 40), st.sampled_from([None, 1, 3]))
def test_top_equals_brute_force(rows, queries, measure, k, terms):
    check(built(rows, measure), rows, queries, measure, k, terms)


@given(documents(FREQUENCIES), documents(FREQUENCIES, most=4), MEASURES, st.sampled_from([None, 2]))
def test_frequencies_need_not_be_whole(rows, queries, measure, terms):
    check(built(rows, measure), rows, queries, measure, 3, terms)


changes = st.lists(
    st.one_of(documents(most=9), st.lists(st.integers(0, 40), max_size=6), st.just("compact")), min_size=1, max_size=7
)


@given(changes, documents(most=3), MEASURES, st.sampled_from([None, 2]))
def test_adding_and_deleting_equals_building_anew(steps, queries, measure, terms):
    scoring, k1, b, idf = measure
    index, rows = InvertedIndex(scoring=scoring, k1=k1, b=b, idf=idf), []
    for step in steps:
        if step == "compact":
            numbers = index.compact()
            kept = [row for row in rows if row is not None]
            assert [kept[number] for number in numbers if number >= 0] == kept
            rows = kept
        elif step and isinstance(step[0], int):
            gone = {number for number in step if number < len(rows) and rows[number] is not None}
            index.delete(gone)
            rows = [None if number in gone else row for number, row in enumerate(rows)]
        else:
            assert index.add(matrix(step)) == range(len(rows), len(rows) + len(step))
            rows = [*rows, *step]
    check(index, rows, queries, measure, 5, terms)
    anew = built([row for row in rows if row is not None], measure)
    again = InvertedIndex.from_state(index.to_state())
    numbers = np.flatnonzero([row is not None for row in rows])
    for k in (1, 5):
        ours, theirs = index.top(matrix(queries), k, terms=terms), anew.top(matrix(queries), k, terms=terms)
        assert np.array_equal(ours.scores, theirs.scores)
        assert [d for d in ours.documents.ravel() if d >= 0] == [numbers[d] for d in theirs.documents.ravel() if d >= 0]
        assert np.array_equal(again.top(matrix(queries), k, terms=terms).documents, ours.documents)
    assert (len(index), index.n_slots, index.live.tolist()) == (len(numbers), len(rows), [r is not None for r in rows])


@pytest.fixture(scope="module")
def generated():
    """Documents enough for several blocks' worth of seeds, bands and signatures, and queries of the same kind."""
    sizes = {"n_terms": 3000, "n_categories": 50}
    return make_lshtc_matrix(3000, **sizes).counts, make_lshtc_matrix(40, **sizes, stream=1).counts


@pytest.mark.parametrize("scoring", ["okapi", "printed", "overlap"])
@pytest.mark.parametrize("idf", ["robertson", "lucene"])
@pytest.mark.parametrize("terms", [None, 3])
@pytest.mark.parametrize("block", [100, 1 << 16])
def test_pruning_loses_nothing(generated, monkeypatch, scoring, idf, terms, block):
    counts, queries = generated
    monkeypatch.setattr("classmark.index.nearest.BLOCK", block)
    index = InvertedIndex.build(counts, scoring=scoring, idf=idf)
    best = index.top(queries, 10, terms=terms)
    # With k of all documents nothing can be left unread.
    everything = index.top(queries, counts.shape[0], terms=terms)
    assert np.array_equal(best.documents, everything.documents[:, :10])
    assert np.array_equal(best.scores, everything.scores[:, :10])
    rows = [
        dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in (counts[[i]] for i in range(300))
    ]
    few = InvertedIndex.build(counts[:300], scoring=scoring, idf=idf)
    query = queries[[0]]
    asked = dict(zip(query.indices.tolist(), query.data.tolist(), strict=True))
    expected = oracle.top(asked, rows, 10, scoring, 1.2, 0.75, idf, n_terms=terms)
    assert pairs(few.top(query, 10, terms=terms), 0) == expected


def test_pruning_loses_nothing_where_every_document_has_the_same_frequent_terms(generated):
    """Terms in most documents weigh little but something by Lucene's idf, and no signature has a bit for them."""
    counts, queries = generated
    random = np.random.default_rng(0)
    common = csr_array((random.random((counts.shape[0], 40)) < 0.8) * random.integers(1, 5, (counts.shape[0], 40)))
    index = InvertedIndex.build(csr_array(hstack([counts, common])))
    asked = csr_array(hstack([queries, csr_array(np.ones((queries.shape[0], 40)))]))
    best, everything = index.top(asked, 10), index.top(asked, counts.shape[0])
    assert np.array_equal(best.documents, everything.documents[:, :10])
    assert np.array_equal(best.scores, everything.scores[:, :10])


def test_any_number_of_threads_and_segments_gives_the_same(generated):
    counts, queries = generated
    whole, parts = InvertedIndex.build(counts, n_jobs=2), InvertedIndex()
    for start in (0, 1500, 2200, 2600, 2800, 2900):
        parts.add(counts[start : {0: 1500, 1500: 2200, 2200: 2600, 2600: 2800, 2800: 2900, 2900: 3000}[start]])
    assert 1 < parts.n_segments < 6
    expected = whole.top(queries, 20)
    for found in (whole.top(queries, 20, n_jobs=3), parts.top(queries, 20), parts.top(queries, 20, n_jobs=2)):
        assert np.array_equal(found.documents, expected.documents)
        assert np.array_equal(found.scores, expected.scores)


def test_okapi_by_hand():
    index = InvertedIndex.build(matrix(HAND), k1=1.0, b=0.5, idf="robertson")
    assert index.mean_length == (3 + 2 + 3) / 3
    # The term in one of three documents has ln(2.5 / 1.5), that in two of three ln(1.5 / 2.5) < 0: nothing.
    assert index.idf[:4].tolist() == pytest.approx([0, np.log(2.5 / 1.5), np.log(2.5 / 1.5), np.log(2.5 / 1.5)])
    found = index.top(matrix([{0: 1.0, 1: 1.0}]), 3)
    # Document 0: |d| / s = 3 / (8 / 3) = 9 / 8; the query's is 2 / (8 / 3) = 3 / 4.
    in_document = 2 * 2 / (2 + 1 * (1 - 0.5 + 0.5 * 9 / 8))
    in_query = 2 * 1 / (1 + 1 * (1 - 0.5 + 0.5 * 3 / 4))
    assert found.documents.tolist() == [[0, -1, -1]]
    assert found.scores[0].tolist() == pytest.approx([in_document * in_query * np.log(2.5 / 1.5), 0, 0])


def test_lucenes_idf_by_hand():
    index = InvertedIndex.build(matrix(HAND), k1=1.0, b=0.5, idf="lucene")
    # One more inside the logarithm: 1 + 1.5 / 2.5 for the term in two of three documents, which counts.
    assert index.idf[:4].tolist() == pytest.approx(np.log([1.6, 1 + 2.5 / 1.5, 1 + 2.5 / 1.5, 1 + 2.5 / 1.5]))
    found = index.top(matrix([{0: 1.0}]), 3)
    in_query = 2 * 1 / (1 + 1 * (1 - 0.5 + 0.5 * 3 / 8))
    in_documents = [2 * 1 / (1 + 1 * (1 - 0.5 + 0.5 * length / (8 / 3))) for length in (2, 3)]
    assert found.documents.tolist() == [[1, 0, -1]]
    assert found.scores[0].tolist() == pytest.approx([one * in_query * np.log(1.6) for one in in_documents] + [0])


def test_a_term_in_every_document_weighs_more_than_nothing_by_lucenes_idf_alone():
    counts = csr_array(np.ones((1000, 1)))
    assert InvertedIndex.build(counts, idf="lucene").idf[0] == pytest.approx(0.5 / 1000.5, rel=1e-3)
    assert InvertedIndex.build(counts, idf="robertson").idf[0] == 0


def test_as_printed_by_hand():
    index = InvertedIndex.build(matrix(HAND), scoring="printed", k1=6, b=0.75, idf="robertson")
    found = index.top(matrix([{3: 2.0}]), 1)
    in_document = 7 * 3 / (6 + 1 - 0.75 + 0.75 * 9 / 8)
    in_query = 7 * 2 / (6 + 1 - 0.75 + 0.75 * 3 / 4)
    assert found.documents.tolist() == [[2]]
    assert found.scores[0, 0] == pytest.approx(in_document * in_query * np.log(2.5 / 1.5))


def test_overlap_is_one_minus_the_papers_distance():
    query = {0: 1.0, 2: 5.0}
    found = InvertedIndex.build(matrix(HAND), scoring="overlap").top(matrix([query]), 3)
    assert found.documents.tolist() == [[1, 0, -1]]
    # Document 1 has both features, N_1 = N_2 = C_f = 2; document 0 one of them: (2 + 2 - 2) / (2 + 2 - 1).
    assert found.scores[0].tolist() == pytest.approx([1 - 0, 1 - 2 / 3, 0])
    assert [oracle.distance(HAND[number], query) for number in (1, 0)] == pytest.approx([0, 2 / 3])


def test_shares_sum_to_the_score(generated):
    counts, queries = generated
    index = InvertedIndex.build(counts)
    index.add(counts[:10])
    found = index.top(queries[[0]], 5)
    for document, score in zip(found.documents[0], found.scores[0], strict=True):
        terms, shares = index.common(queries[[0]], int(document))
        assert set(terms) <= set(queries[[0]].indices) & set(index.counts()[[int(document)]].indices)
        assert np.float32(shares.sum()) == pytest.approx(score)


def test_rescored_shares_the_documents(generated):
    counts, queries = generated
    index = InvertedIndex.build(counts)
    other = index.rescored(scoring="printed", k1=6, idf="robertson")
    other.delete([0])
    expected = InvertedIndex.build(counts, scoring="printed", k1=6, idf="robertson")
    expected.delete([0])
    assert np.array_equal(other.top(queries, 9).documents, expected.top(queries, 9).documents)
    assert len(index) == len(other) + 1


def test_empty_things():
    index = InvertedIndex()
    query = matrix([{0: 1.0}, {}])
    assert index.top(query, 2).documents.tolist() == [[-1, -1], [-1, -1]]
    index.add(csr_array((0, 3)))
    index.add(matrix([{}, {}, {}]))
    assert (len(index), index.mean_length) == (3, 0.0)
    assert index.top(query, 2).documents.tolist() == [[-1, -1], [-1, -1]]
    index.add(matrix([{0: 1.0}]))
    assert index.top(query, 9).documents.tolist() == [[3, *[-1] * 8], [-1] * 9]
    index.delete(range(4))
    assert index.top(query, 1).documents.tolist() == [[-1], [-1]]
    assert index.compact().tolist() == [-1] * 4
    assert (index.n_slots, index.top(query, 1).documents.tolist()) == (0, [[-1], [-1]])


def test_terms_that_come_without_a_document():
    """An index that had been asked before used to end with an IndexError."""
    index = InvertedIndex()
    assert index.top(matrix([{0: 1.0}]), 1).documents.tolist() == [[-1]]
    index.add(matrix([]))
    assert index.n_terms == len(index.idf) == matrix([]).shape[1]
    assert index.top(matrix([{0: 1.0}]), 1).documents.tolist() == [[-1]]


def test_more_than_memory_holds_is_refused():
    index = InvertedIndex.build(matrix([{0: 1.0}]))
    with pytest.raises(ValueError, match=r"k=2147483648 for 1 queries: at most .* give a smaller k, or fewer queries"):
        index.top(matrix([{0: 1.0}]), 2147483648)


def test_duplicates_and_unknown_terms():
    index = InvertedIndex.build(matrix([{0: 1.0}] * 3 + [{1: 1.0}] * 5))
    wide = matrix([{0: 2.0, N_TERMS + 4: 3.0}], N_TERMS + 5)
    assert index.top(wide, 2).documents.tolist() == [[0, 1]]
    index.add(wide)
    assert index.n_terms == N_TERMS + 5
    assert index.top(wide, 1).documents.tolist() == [[8]]


def test_long_queries_find_room():
    counts = csr_array(np.eye(300))
    found = InvertedIndex.build(counts).top(csr_array(np.ones((1, 300))), 300)
    assert found.documents[0].tolist() == list(range(300))


@pytest.mark.parametrize("idf", ["robertson", "lucene"])
def test_a_saved_index_answers_the_same(generated, tmp_path, idf):
    counts, queries = generated
    index = InvertedIndex.build(counts, idf=idf)
    index.delete([5, 7])
    save(tmp_path / "index.classmark", index.to_state())
    again = InvertedIndex.from_state(load(tmp_path / "index.classmark"))
    assert again.measure == index.measure
    assert np.array_equal(again.top(queries, 9).scores, index.top(queries, 9).scores)


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("row_terms", lambda a: a + np.int32(10**6)),
        ("list_documents", lambda a: a - np.int32(1)),
        ("list_documents", lambda a: a + np.int32(10**6)),
        ("row_starts", lambda a: a[::-1].copy()),
        ("list_starts", lambda a: a + np.int64(1)),
        ("vocabulary", lambda a: a * np.int32(0)),
        ("bits", lambda a: a + np.int8(64)),
        ("signatures", lambda a: a[1:]),
        ("row_frequencies", lambda a: a.astype(np.float64)),
    ],
)
def test_a_damaged_index_is_refused(key, change):
    state = InvertedIndex.build(matrix(HAND)).to_state()["segments"][0]
    segment_from_state(state)
    with pytest.raises(ValueError, match=r"damaged|shape|not an array"):
        segment_from_state({**state, key: change(state[key])})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda index: index.top(matrix([{}]), 0), "k=0 and terms=None are not allowed"),
        (lambda index: index.top(matrix([{}]), 1, terms=0), "terms=0 are not allowed"),
        (lambda index: index.top(csr_array([[-1.0]]), 1), r"finite.*not negative"),
        (lambda index: index.add(csr_array([[np.inf]])), r"finite.*not negative"),
        (lambda index: index.add(csr_array([[1e300]])), "from 1e-09 to 1e.09; scale"),
        (lambda index: index.delete([0, 7]), "there is no document 7 to delete"),
        (lambda index: (index.delete([0]), index.delete([0])), "no document 0"),
        (lambda index: index.common(matrix([{}]), 3), "no document 3"),
        (lambda index: index.rescored(scoring="cosine"), "scoring='cosine' is not known: give one of okapi"),
        (lambda index: index.rescored(b=1.5), "b from 0 to 1"),
        (lambda index: index.rescored(idf="plain"), r"idf='plain' is not known.*robertson, lucene"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    index = InvertedIndex.build(matrix(HAND))
    with pytest.raises(ValueError, match=message):
        call(index)


@settings(max_examples=30)
@given(documents(most=12))
def test_counts_come_back(rows):
    index = InvertedIndex.build(matrix(rows))
    assert np.array_equal(index.counts().toarray(), matrix(rows).toarray())


def test_a_real_corpus(corpora):
    """The first 50 test documents of `wordnet_nouns`, against a matrix product over all training documents."""
    from classmark.data import read_corpus
    from classmark.text import TextVectoriser

    corpus = read_corpus(corpora / "wordnet_nouns")
    train, test = corpus.select(["train"]), corpus.select(["test"])
    vectoriser = TextVectoriser()
    counts, queries = vectoriser.fit_transform(train.documents), vectoriser.transform(test.documents[:50])
    index = InvertedIndex.build(counts)
    lengths = np.asarray(counts.sum(axis=1))
    norms = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
    weights = csr_array(counts, copy=True)
    weights.data = 2.2 * counts.data / (counts.data + np.repeat(norms, np.diff(counts.indptr)))
    asked = csr_array(queries, copy=True)
    of_queries = 1.2 * (0.25 + 0.75 * np.asarray(queries.sum(axis=1)) / lengths.mean())
    asked.data = 2.2 * queries.data / (queries.data + np.repeat(of_queries, np.diff(queries.indptr)))
    scores = ((asked * index.idf) @ weights.T).toarray()
    expected = -np.sort(-scores, axis=1)[:, :50]
    assert np.allclose(index.top(queries, 50).scores, expected, rtol=1e-5)


def test_weights_are_kept_and_computed_anew_after_a_change(generated):
    counts, queries = generated
    index = InvertedIndex.build(counts)
    state = index.to_state()
    again = InvertedIndex.from_state(state)
    assert again.statistics().segments[0].weights.postings is state["segments"][0]["weights"]
    again.delete([3])
    index.delete([3])
    assert np.array_equal(again.top(queries, 9).scores, index.top(queries, 9).scores)
    # A file from before they were kept.
    segments = [
        {name: value for name, value in segment.items() if name not in ("weights", "bounds")}
        for segment in state["segments"]
    ]
    older = InvertedIndex.from_state(state | {"segments": segments})
    older.delete([3])
    assert np.array_equal(older.top(queries, 9).scores, index.top(queries, 9).scores)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
@pytest.mark.parametrize("key", ["weights", "bounds"])
def test_weights_that_cannot_be_some_are_refused(key, value):
    state = InvertedIndex.build(matrix(HAND)).to_state()
    wrong = state["segments"][0] | {key: np.full_like(state["segments"][0][key], value)}
    with pytest.raises(ValueError, match="some weights are no numbers from 0"):
        InvertedIndex.from_state(state | {"segments": [wrong]})


def test_strings_stay_bytes_until_they_are_asked_for():
    names = ["a", "", "é", "\ud800", "b" * 9]
    packed = PackedStrings(*pack_strings(names))
    assert (list(packed), packed[-1], packed[1:3], len(packed)) == (names, names[-1], names[1:3], 5)
    with pytest.raises(IndexError):
        packed[5]
    data, ends = pack_strings(["ab", "c"])
    for wrong in (ends[::-1].copy(), ends + 1, ends - 9):
        with pytest.raises(ValueError, match="not fit together"):
            PackedStrings(data, wrong)
    with pytest.raises(ValueError, match="not UTF-8"):
        PackedStrings(np.array([255], np.uint8), np.array([1]))[0]
