from __future__ import annotations

import pickle
import re
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csc_array, csr_array, csr_matrix, issparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from classmark.text import TermWeighting, TextVectoriser
from classmark.text.weighting import SCHEMES

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
        ({"scheme": "bm26"}, "scheme='bm26' is not known: give one of binary, counts, tfidf"),
        ({"scheme": ["tfidf"]}, "scheme=['tfidf'] is not known: give one of binary, counts, tfidf"),
        ({"norm": "max"}, "norm='max' is not known: give 'l2', 'l1' or None"),
        ({"sublinear": "no"}, "sublinear='no' is not allowed: give True or False"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        TermWeighting(**parameters).fit(COUNTS)


def test_negative_values_are_refused() -> None:
    with pytest.raises(ValueError, match="Negative values in data passed to TermWeighting"):
        TermWeighting().fit(-COUNTS)
    with pytest.raises(ValueError, match="Negative values in data passed to TermWeighting"):
        TermWeighting().fit(COUNTS).transform(csr_array(-COUNTS))
