from __future__ import annotations

import pickle
from math import log, sqrt
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csc_array, csr_array, csr_matrix, issparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from classmark import TextClassifier
from classmark.text import TermWeighting, TextVectoriser
from classmark.text.settings import WEIGHTINGS
from classmark.text.weighting import SCHEMES

if TYPE_CHECKING:
    from pathlib import Path

COUNTS = np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 0.0], [4.0, 0.0, 0.0]])
MATRICES = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.integers(0, 3))


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_scikit_learn_contract(scheme: str) -> None:
    check_estimator(TermWeighting(scheme), on_skip=None)


@given(MATRICES, MATRICES, st.booleans(), st.sampled_from(["l2", "l1", None]))
def test_tfidf_equals_scikit_learn(train: np.ndarray, test: np.ndarray, sublinear: bool, norm: str) -> None:
    test = np.resize(test, (len(test), train.shape[1]))
    peer = TfidfTransformer(sublinear_tf=sublinear, norm=norm).fit(csr_array(train))
    weighting = TermWeighting(sublinear=sublinear, norm=norm).fit(csr_array(train))
    np.testing.assert_allclose(weighting.idf_, peer.idf_, rtol=1e-12)
    expected = peer.transform(csr_array(test)).toarray()
    np.testing.assert_allclose(weighting.transform(csr_array(test)).toarray(), expected, rtol=1e-12)
    np.testing.assert_allclose(weighting.transform(test), expected, rtol=1e-12)


def test_tfidf_by_hand() -> None:
    weighting = TermWeighting(norm=None).fit(COUNTS)
    idf = [log(4 / 3) + 1, log(4 / 3) + 1, log(4 / 1) + 1]
    np.testing.assert_allclose(weighting.idf_, idf)
    np.testing.assert_allclose(weighting.transform([[2, 0, 1]]), [[2 * idf[0], 0, 1 * idf[2]]])
    length = sqrt((2 * idf[0]) ** 2 + idf[2] ** 2)
    scaled = TermWeighting().fit(COUNTS).transform([[2, 0, 1]])
    np.testing.assert_allclose(scaled, [[2 * idf[0] / length, 0, idf[2] / length]])


def test_counts_and_binary_by_hand() -> None:
    row = [[4.0, 0.0, 0.5]]
    for scheme, plain in (("counts", [4, 0, 0.5]), ("binary", [1, 0, 1])):
        weighting = TermWeighting(scheme, norm=None).fit(COUNTS)
        np.testing.assert_array_equal(weighting.idf_, np.ones(3))
        np.testing.assert_array_equal(weighting.transform(row), [plain])
    np.testing.assert_allclose(TermWeighting("counts", norm="l1").fit(COUNTS).transform(row), [[8 / 9, 0, 1 / 9]])
    np.testing.assert_allclose(TermWeighting("binary").fit(COUNTS).transform(row), [[1 / sqrt(2), 0, 1 / sqrt(2)]])


def test_sublinear_by_hand() -> None:
    weighting = TermWeighting("counts", sublinear=True, norm=None).fit(COUNTS)
    np.testing.assert_allclose(weighting.transform([[4, 1, 0]]), [[1 + log(4), 1, 0]])
    binary = TermWeighting("binary", sublinear=True, norm=None).fit(COUNTS)
    np.testing.assert_array_equal(binary.transform([[4, 1, 0]]), [[1, 1, 0]])


# Lengths 4, 2, 1, 2 and 1, 2 on average; the terms are in 1, 4 and 2 of 5 documents.
FIVE = np.array([[3.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
ROBERTSON = [log((5 - 1 + 0.5) / (1 + 0.5)), 0.0, log((5 - 2 + 0.5) / (2 + 0.5))]
BM25 = ("bm25", "bm25-printed")


def bm25(scheme: str = "bm25", norm: str | None = None, **parameters: float) -> TermWeighting:
    return TermWeighting(scheme, norm=norm, **parameters).fit(FIVE)


@pytest.mark.parametrize("scheme", BM25)
def test_robertsons_idf_by_hand(scheme: str) -> None:
    weighting = bm25(scheme)
    np.testing.assert_allclose(weighting.idf_, ROBERTSON)
    assert weighting.mean_length_ == (4 + 2 + 1 + 2 + 1) / 5
    # In four of five documents: ln(1.5 / 4.5) is below 0, and counts as 0.
    assert log((5 - 4 + 0.5) / (4 + 0.5)) < 0
    assert weighting.idf_[1] == 0.0
    # In exactly half of them it is 0 by itself.
    assert TermWeighting(scheme).fit([[1], [0]]).idf_.tolist() == [0.0]


def test_okapi_by_hand() -> None:
    # The first document is twice as long as the mean: k1 counts 1 − .75 + .75 · 2 times.
    expected = (1.2 + 1) * 3 / (3 + 1.2 * (1 - 0.75 + 0.75 * 4 / 2)) * ROBERTSON[0]
    np.testing.assert_allclose(bm25().transform(FIVE)[0], [expected, 0, 0])
    expected = (2 + 1) * 1 / (1 + 2 * (1 - 0.5 + 0.5 * 1 / 2)) * ROBERTSON[2]
    np.testing.assert_allclose(bm25(k1=2.0, b=0.5).transform(FIVE)[4], [0, 0, expected])


def test_bm25_as_printed_by_hand() -> None:
    """lshtc_knn_2014, TF_1: the count is not in the denominator."""
    expected = (1.2 + 1) * 3 / (1.2 + 1 - 0.75 + 0.75 * 4 / 2) * ROBERTSON[0]
    np.testing.assert_allclose(bm25("bm25-printed").transform(FIVE)[0], [expected, 0, 0])
    # With the paper's k1 = 6 and b = .75.
    expected = (6 + 1) * 3 / (6 + 1 - 0.75 + 0.75 * 4 / 2) * ROBERTSON[0]
    np.testing.assert_allclose(bm25("bm25-printed", k1=6.0).transform(FIVE)[0], [expected, 0, 0])


def test_okapi_saturates_and_what_is_printed_does_not() -> None:
    counts = np.array([[1.0, 0, 0], [10.0, 0, 0], [1000.0, 0, 0]])
    okapi = bm25(b=0.0).transform(counts)[:, 0] / ROBERTSON[0]
    np.testing.assert_allclose(okapi, [2.2 * 1 / (1 + 1.2), 2.2 * 10 / (10 + 1.2), 2.2 * 1000 / (1000 + 1.2)])
    assert (np.diff(okapi) > 0).all()
    assert okapi[-1] < 1.2 + 1
    printed = bm25("bm25-printed", b=0.0).transform(counts)[:, 0] / ROBERTSON[0]
    np.testing.assert_allclose(printed, [1, 10, 1000])
    # With k1 = 0 Okapi's count says no more than presence.
    np.testing.assert_allclose(bm25(k1=0.0).transform(counts)[:, 0], [ROBERTSON[0]] * 3)


@pytest.mark.parametrize("scheme", BM25)
def test_how_much_the_length_counts(scheme: str) -> None:
    """The same count in documents of the mean length, of half of it and of twice it."""
    counts = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 3.0, 0.0]])
    same = bm25(scheme, b=0.0).transform(counts)[:, 0]
    np.testing.assert_allclose(same, same[0])
    full = bm25(scheme, b=1.0).transform(counts)[:, 0] / ROBERTSON[0]
    # With b = 1 the length is all: of k1 · l in Okapi's, of k1 + l as printed.
    below = [1 + 1.2 * 1, 1 + 1.2 * 0.5, 1 + 1.2 * 2] if scheme == "bm25" else [1.2 + 1, 1.2 + 0.5, 1.2 + 2]
    np.testing.assert_allclose(full, [2.2 / value for value in below])
    # At the mean length b changes nothing.
    half = bm25(scheme, b=0.5).transform(counts)[:, 0]
    np.testing.assert_allclose([full[0] * ROBERTSON[0], half[0]], same[0])
    assert half[1] > half[0] > half[2]


@pytest.mark.parametrize("scheme", BM25)
def test_the_mean_length_is_that_of_training(scheme: str) -> None:
    one = bm25(scheme).transform(FIVE[:1])
    np.testing.assert_allclose(one, bm25(scheme).transform(FIVE)[:1])
    assert bm25(scheme).transform(np.zeros((1, 3))).tolist() == [[0, 0, 0]]
    # Nothing but empty documents: there is no length to divide by.
    empty = TermWeighting(scheme, norm=None).fit(np.zeros((3, 1)))
    assert empty.mean_length_ == 0.0
    assert np.isfinite(empty.transform([[2.0]])).all()


def test_a_document_of_terms_that_count_nothing_has_no_length() -> None:
    assert bm25(norm="l2").transform([[0, 5, 0]]).tolist() == [[0, 0, 0]]
    np.testing.assert_allclose(bm25(norm="l2").transform([[1, 5, 0]]), [[1, 0, 0]])


def test_log_entropy_by_hand() -> None:
    # The first term: 1 and 3 of 4 in two of four documents. The second: once in each. The third: all in one.
    counts = np.array([[1.0, 1, 0], [3, 1, 0], [0, 1, 5], [0, 1, 0]])
    weighting = TermWeighting("log-entropy", norm=None).fit(counts)
    entropy = -(1 / 4 * log(1 / 4) + 3 / 4 * log(3 / 4))
    np.testing.assert_allclose(weighting.idf_, [1 - entropy / log(4), 0, 1], atol=1e-15)
    np.testing.assert_allclose(
        weighting.transform(counts)[[1, 2]], [[log(1 + 3) * (1 - entropy / log(4)), 0, 0], [0, 0, log(1 + 5)]]
    )


@pytest.mark.parametrize("n_documents", [2, 3, 5, 7, 12, 24, 39, 1000])
def test_a_term_that_is_spread_evenly_counts_nothing(n_documents: int) -> None:
    """Not even what rounding leaves, which a norm would make a whole document of."""
    counts = np.ones((n_documents, 2))
    counts[0, 1] = 2
    weighting = TermWeighting("log-entropy").fit(counts)
    assert weighting.idf_[0] == 0.0
    assert weighting.transform([[1, 0]]).tolist() == [[0, 0]]
    # One count more than even is enough to be something.
    assert weighting.idf_[1] > 0
    assert weighting.transform([[1, 1]]).tolist() == [[0, 1]]


def test_a_term_in_one_document_counts_in_full() -> None:
    counts = np.eye(6) * np.arange(1, 7)
    np.testing.assert_array_equal(TermWeighting("log-entropy").fit(counts).idf_, np.ones(6))
    # So does one in the only document there is, and one in none.
    np.testing.assert_array_equal(TermWeighting("log-entropy").fit([[3, 0]]).idf_, [1, 1])


@given(MATRICES)
def test_every_weight_of_a_term_is_a_finite_number_from_zero(counts: np.ndarray) -> None:
    for scheme in SCHEMES:
        weighting = TermWeighting(scheme, norm=None).fit(counts)
        assert (weighting.idf_ >= 0).all()
        weights = weighting.transform(counts)
        assert np.isfinite(weights).all()
        assert (weights >= 0).all()
        assert not weights[counts == 0].any()
    # With entropies from 0 to ln N, log-entropy lies between 0 and 1.
    assert (TermWeighting("log-entropy").fit(counts).idf_ <= 1).all()


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_a_saved_classifier_weighs_as_it_did(scheme: str, tmp_path: Path) -> None:
    texts = ["owl owl hoots at night", "gull over the sea", "oak and acorns", "old oak by the wide wide sea"]
    words = {"language": "english", "stop_words": "language", "ngrams": 1}
    settings = {"weighting": scheme, "k1": 2.0, "b": 0.5, **words}
    model = TextClassifier(settings=settings).fit(texts, ["owl", "gull", "oak", "oak"])
    model.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    # Of lengths 4, 2, 2 and 5, stop words not counted.
    assert again.weighting_.mean_length_ == model.weighting_.mean_length_ == (4 + 2 + 2 + 5) / 4
    assert (again.weighting_.scheme, again.weighting_.k1, again.weighting_.b) == (scheme, 2.0, 0.5)
    queries = [*texts, "sea sea sea", "nothing known", ""]
    assert again.node_scores(queries).tobytes() == model.node_scores(queries).tobytes()
    assert again.predict(queries[:-2]).tolist() == model.predict(queries[:-2]).tolist()


@pytest.mark.parametrize("kind", [csr_array, csr_matrix, csc_array])
def test_sparse_stays_sparse_and_the_input_as_it_was(kind: type) -> None:
    X = kind(COUNTS)
    before = X.copy()
    weights = TermWeighting(sublinear=True).fit_transform(X)
    assert issparse(weights)
    assert weights.format == "csr"
    assert weights.dtype == np.float64
    assert (before != X).nnz == 0
    assert np.array_equal(X.data, before.data)
    np.testing.assert_allclose(weights.toarray(), TermWeighting(sublinear=True).fit_transform(COUNTS))


def test_unsorted_duplicate_and_stored_zero_entries() -> None:
    messy = csr_array((np.array([1.0, 2.0, 1.0, 0.0, 3.0]), np.array([1, 0, 1, 0, 1]), np.array([0, 3, 5])))
    clean = messy.toarray()
    assert clean.tolist() == [[2, 2], [0, 3]]
    data, indices = messy.data.copy(), messy.indices.copy()
    for scheme in SCHEMES:
        weighting = TermWeighting(scheme, sublinear=True)
        np.testing.assert_array_equal(weighting.fit_transform(messy).toarray(), weighting.fit_transform(clean))
    assert np.array_equal(messy.data, data)
    assert np.array_equal(messy.indices, indices)


def test_integers_and_no_documents() -> None:
    weighting = TermWeighting().fit(csr_array(COUNTS.astype(np.int64)))
    assert weighting.transform(csr_array(COUNTS.astype(np.int32))).dtype == np.float64
    assert weighting.transform(csr_array((0, 3))).shape == (0, 3)
    assert weighting.transform(csr_array((2, 3))).nnz == 0


def test_in_a_pipeline_and_pickled() -> None:
    pipeline = make_pipeline(TextVectoriser(), TermWeighting(norm="l1")).fit(["a b", "b"])
    idf = [log(3 / 2) + 1, log(3 / 3) + 1]
    expected = [[idf[0] / sum(idf), idf[1] / sum(idf)]]
    for model in (pipeline, pickle.loads(pickle.dumps(pipeline))):
        np.testing.assert_allclose(model.transform(["b a"]).toarray(), expected)
    assert pipeline.transform([]).shape == (0, 2)
    assert pipeline.get_feature_names_out().tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"scheme": "bm26"}, f"scheme='bm26': must be one of {', '.join(WEIGHTINGS)}"),
        ({"scheme": ["tfidf"]}, rf"scheme=\['tfidf'\]: must be one of {', '.join(WEIGHTINGS)}"),
        ({"norm": "max"}, "norm='max': must be one of l2, l1, or None"),
        ({"sublinear": "no"}, "sublinear='no': must be True or False"),
        ({"k1": -0.1}, r"k1=-0\.1.*>= 0"),
        ({"k1": float("inf")}, r"k1=inf.*>= 0"),
        ({"b": 1.5}, r"b=1\.5.*number >= 0 and <= 1"),
        ({"b": float("nan")}, r"b=nan.*number >= 0 and <= 1"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        TermWeighting(**parameters).fit(COUNTS)


def test_negative_values_are_refused() -> None:
    with pytest.raises(ValueError, match=r"data passed.*TermWeighting"):
        TermWeighting().fit(-COUNTS)
    with pytest.raises(ValueError, match=r"data passed.*TermWeighting"):
        TermWeighting().fit(COUNTS).transform(csr_array(-COUNTS))


def test_every_scheme_can_be_set():
    assert set(SCHEMES) == set(WEIGHTINGS)
