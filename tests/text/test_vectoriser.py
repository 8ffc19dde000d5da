from __future__ import annotations

import copy
import pickle
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.estimator_checks import check_estimator

from classmark.data.stored import FeatureRows
from classmark.text import Analyser, TextVectoriser
from tests.oracles.text import count
from tests.oracles.text import terms as terms_oracle

WORDS = st.sampled_from(["the", "a", "Cat", "cat", "cats", "dog", "É", "e\u0301", "Straße", "l'été", "x1", "12", "Σας"])
TEXTS = st.one_of(st.lists(WORDS, max_size=12).map(" ".join), st.text(max_size=20))
# Not "é": scikit-learn does not compose accents.
ASCII_TEXTS = st.lists(st.sampled_from(["a", "b", "Cat", "cat", "x-12"]), max_size=6).map(" ".join)
FEATURES = st.dictionaries(st.sampled_from(["cat", "12", "new", "a b"]), st.sampled_from([0, 0.5, 1, 2, 7.25]))
DOCUMENTS = st.lists(st.one_of(TEXTS, TEXTS, FEATURES), min_size=1, max_size=8)
ANALYSIS = st.fixed_dictionaries(
    {
        "token_pattern": st.sampled_from(["letters", "words"]),
        "stop_words": st.sampled_from([(), ("the", "a", "été")]),
        "stemmer": st.sampled_from([None, "porter"]),
        "ngrams": st.sampled_from([(1, 1), (1, 1), (1, 2), (2, 2)]),
    }
)
COUNTING = st.fixed_dictionaries(
    {
        "binary": st.booleans(),
        "min_df": st.sampled_from([1, 1, 2, 0.0, 0.25, 0.5]),
        "max_df": st.sampled_from([1.0, 1.0, 0.5, 0.8, 3]),
        "max_features": st.sampled_from([None, None, 1, 3, 100]),
    }
)


def assert_well_formed(matrix: csr_array, shape: tuple[int, int]) -> None:
    assert isinstance(matrix, csr_array)
    assert matrix.shape == shape
    assert matrix.dtype == np.float64
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    for start, end in zip(matrix.indptr, matrix.indptr[1:], strict=False):
        assert np.all(np.diff(matrix.indices[start:end]) > 0)
    assert np.all(matrix.data > 0)


@given(DOCUMENTS, DOCUMENTS, ANALYSIS, COUNTING, st.sampled_from([1, 5, 1 << 20]))
def test_equals_the_oracle(train: list, test: list, analysis: dict, counting: dict, block: int) -> None:
    def analyse(text: str) -> list[str]:
        return terms_oracle(text, **analysis)

    vectoriser = TextVectoriser(Analyser(**analysis), **counting)
    vocabulary, rows = count(train, analyse, **counting)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("classmark.text.counting.BLOCK", block)
        if not vocabulary:
            with pytest.raises(ValueError, match=r"no term.*left|leave nothing"):
                vectoriser.fit(train)
            return
        matrix = vectoriser.fit_transform(iter(train))
        transformed = vectoriser.transform(test)
    assert vectoriser.vocabulary_ == vocabulary
    assert_well_formed(matrix, (len(train), len(vocabulary)))
    assert matrix.toarray().tolist() == rows

    known, test_rows = count(test, analyse, binary=counting["binary"])
    expected = [[dict(zip(known, row, strict=True)).get(term, 0.0) for term in vocabulary] for row in test_rows]
    assert_well_formed(transformed, (len(test), len(vocabulary)))
    assert transformed.toarray().tolist() == expected


@given(
    st.lists(ASCII_TEXTS, min_size=1, max_size=8),
    st.sampled_from([1, 2, 0.3]),
    st.sampled_from([1.0, 0.7, 4]),
)
def test_equals_scikit_learn(texts: list[str], min_df: float, max_df: float) -> None:
    peer = CountVectorizer(token_pattern=r"[^\W\d_]+", min_df=min_df, max_df=max_df)
    vectoriser = TextVectoriser(min_df=min_df, max_df=max_df)
    try:
        expected = peer.fit_transform(texts).toarray().tolist()
    except ValueError:
        with pytest.raises(ValueError, match=r"no term.*left|leave nothing"):
            vectoriser.fit(texts)
        return
    assert vectoriser.fit_transform(texts).toarray().tolist() == expected
    assert vectoriser.vocabulary_ == peer.get_feature_names_out().tolist()


@given(st.permutations(["b a", "a", "c c", "", "é b"]))
def test_columns_do_not_depend_on_the_order_of_documents(texts: list[str]) -> None:
    vectoriser = TextVectoriser().fit(texts)
    assert vectoriser.vocabulary_ == ["a", "b", "c", "é"]
    assert vectoriser.transform(["é c c"]).toarray().tolist() == [[0, 0, 2, 1]]


def test_by_hand() -> None:
    vectoriser = TextVectoriser(Analyser(stop_words="english", stemmer="porter"))
    matrix = vectoriser.fit_transform(["The ponies saw a pony", "", "Ponies!"])
    assert vectoriser.vocabulary_ == ["poni", "saw"]
    assert matrix.toarray().tolist() == [[1 + 1, 1], [0, 0], [1, 0]]
    assert vectoriser.transform(["unknown pony"]).toarray().tolist() == [[1, 0]]
    assert vectoriser.get_feature_names_out().tolist() == ["poni", "saw"]
    stemmed = TextVectoriser(Analyser(stemmer="porter")).fit(["cat s"])
    assert stemmed.vocabulary_ == ["cat"], "Porter leaves nothing of s, so it has no column"


def test_german_and_french_by_hand() -> None:
    german = TextVectoriser(Analyser(stop_words="german"))
    assert german.fit_transform(["Die Größe der Straße", "GRÖSSE, Gro\u0308ße"]).toarray().tolist() == [
        [0, 1, 1],
        [1, 1, 0],
    ]
    assert german.vocabulary_ == ["grösse", "größe", "straße"]
    french = TextVectoriser(Analyser(stop_words="french")).fit(["L'école d'Élise, l'e\u0301cole"])
    assert french.vocabulary_ == ["école", "élise"]
    assert french.transform(["ÉCOLE école E\u0301lise"]).toarray().tolist() == [[2, 1]]


def test_document_frequencies_by_hand() -> None:
    texts = ["a b", "a b c", "a c c c c", "a d"]
    for parameters, kept in (
        ({"min_df": 2}, "abc"),
        ({"min_df": 0.5}, "abc"),
        ({"max_df": 2}, "bcd"),
        ({"max_df": 0.75}, "bcd"),
        ({"min_df": 2, "max_df": 0.5}, "bc"),
        ({"max_features": 1}, "c"),
        ({"max_features": 1, "binary": True}, "a"),
        ({"max_features": 3}, "abc"),
        ({"max_features": 1, "max_df": 1}, "d"),
    ):
        assert TextVectoriser(**parameters).fit(texts).vocabulary_ == list(kept), parameters
    assert TextVectoriser(max_features=1).fit(["b a"]).vocabulary_ == ["a"], "ties go to the alphabet"


def test_ready_made_features() -> None:
    documents = [
        {"12": 2.0, "Cat": 0.25},
        "cat 12",
        {"cat": True, "zero": 0},
        {"12": np.float32(3), "é": 10**9},
    ]
    vectoriser = TextVectoriser()
    assert vectoriser.fit_transform(documents).toarray().tolist() == [
        [2, 0.25, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 1, 0],
        [3, 0, 0, 1e9],
    ]
    assert vectoriser.vocabulary_ == ["12", "Cat", "cat", "é"]
    assert vectoriser.transform([{"new": 1, "12": Fraction(1, 2)}, {}]).toarray().tolist() == [
        [0.5, 0, 0, 0],
        [0, 0, 0, 0],
    ]
    binary = TextVectoriser(binary=True).fit_transform([{"a": 0.5, "b": 0.0}, "b b"])
    assert binary.toarray().tolist() == [[1, 0], [0, 1]]
    assert TextVectoriser(min_df=0.0).fit([{"a": 1, "zero": 0}]).vocabulary_ == ["a"]


def test_reads_the_documents_once() -> None:
    texts = (text for text in ["b a", "a"])
    assert TextVectoriser().fit_transform(texts).toarray().tolist() == [[1, 1], [1, 0]]
    assert list(texts) == []
    assert TextVectoriser().fit(pd.Series(["b a"], index=[7])).vocabulary_ == ["a", "b"]
    assert TextVectoriser().fit(np.array(["b a"])).vocabulary_ == ["a", "b"]


def test_no_documents_and_documents_without_terms() -> None:
    vectoriser = TextVectoriser().fit(["a b"])
    assert_well_formed(vectoriser.transform([]), (0, 2))
    assert_well_formed(vectoriser.transform(["", "???", {}]), (3, 2))
    with pytest.raises(ValueError, match=r"^documents is empty: give at least one document to learn"):
        TextVectoriser().fit([])


def test_pickle_copy_and_clone_of_a_fitted_vectoriser() -> None:
    vectoriser = TextVectoriser(Analyser(stop_words=["the"], stemmer="porter"), min_df=1).fit(["the ponies"])
    expected = vectoriser.transform(["ponies the pony"]).toarray().tolist()
    assert expected == [[2]]
    for twin in (pickle.loads(pickle.dumps(vectoriser)), copy.deepcopy(vectoriser)):
        assert twin.vocabulary_ == ["poni"]
        assert twin.transform(["ponies the pony"]).toarray().tolist() == expected
    fresh = clone(vectoriser)
    assert not hasattr(fresh, "vocabulary_")
    assert fresh.fit_transform(["the ponies"]).toarray().tolist() == [[1]]
    assert set(vectoriser.__getstate__()) == {*vectoriser.get_params(deep=False), "vocabulary_", "runs_", "analyser_"}


def test_a_second_fit_forgets_the_first() -> None:
    vectoriser = TextVectoriser().fit(["a b"])
    assert vectoriser.transform(["b"]).toarray().tolist() == [[0, 1]]
    assert vectoriser.fit(["b c"]).transform(["b"]).toarray().tolist() == [[1, 0]]


def test_the_analyser_given_is_left_alone() -> None:
    analyser = Analyser(stemmer="porter")
    vectoriser = TextVectoriser(analyser).fit(["ponies"])
    assert vectoriser.analyser is analyser
    assert "_reader" not in vars(analyser)
    analyser.stemmer = None
    assert vectoriser.transform(["pony"]).toarray().tolist() == [[1]]


def test_threads_agree() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    texts = [" ".join(f"{a}{b}nation{'s' * (i % 2)}" for b in letters) for i, a in enumerate(letters)] * 4
    fitted = TextVectoriser(Analyser(stemmer="porter")).fit(texts)
    expected = fitted.transform(texts).toarray()
    cold = TextVectoriser.from_vocabulary(fitted.vocabulary_, fitted.analyser_)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            matrices = list(pool.map(cold.transform, [texts] * 8))
    finally:
        sys.setswitchinterval(interval)
    assert all(np.array_equal(matrix.toarray(), expected) for matrix in matrices)


def test_from_vocabulary_keeps_the_order() -> None:
    vectoriser = TextVectoriser.from_vocabulary(["b", "a"], Analyser(stop_words=["the"]), binary=True)
    assert vectoriser.vocabulary_ == ["b", "a"]
    assert vectoriser.transform(["a the a", {"b": 3}]).toarray().tolist() == [[0, 1], [1, 0]]
    for vocabulary in ([], "ab", [1]):
        with pytest.raises(ValueError, match=r"is not allowed: give a list of terms, one at least$"):
            TextVectoriser.from_vocabulary(vocabulary)
    with pytest.raises(ValueError, match=r"^vocabulary has 'a' 2 times: give each term one column$"):
        TextVectoriser.from_vocabulary(["a", "b", "a"])
    with pytest.raises(ValueError, match=r"min_length=0.*>= 1"):
        TextVectoriser.from_vocabulary(["a"], Analyser(min_length=0))


def test_scikit_learn_contract() -> None:
    tags = TextVectoriser().__sklearn_tags__()
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    with pytest.warns(SkipTestWarning, match="Can't test estimator"):
        check_estimator(TextVectoriser(), on_skip=None)
    for call in (lambda: TextVectoriser().transform(["a"]), TextVectoriser().get_feature_names_out):
        with pytest.raises(NotFittedError):
            call()


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("a text", r"documents is a single str:.*list of documents"),
        (b"a text", r"documents is a single bytes:.*list of documents"),
        ({"a": 1.0}, r"documents is a single dict:.*list of documents"),
        (None, r"documents is of type NoneType:.*list of documents"),
        (pd.DataFrame({"text": ["a"]}), r"documents is of type DataFrame:.*list of documents"),
        (np.array([["a"]]), r"documents is of type ndarray:.*list of documents"),
        (["a", None], r"document 1 has no text \(None\): fill it in, or leave it out"),
        (pd.Series(["a", None]), r"document 1 has no text \(nan\): fill it in, or leave it out"),
        (["a", "b", 3.5], "document 2 is float: give a text or a mapping of terms to weights"),
        ([b"a"], "document 0 is bytes: give a text or a mapping of terms to weights"),
        (["a", {"b": 1, "c": -1}], "document 1 has the weight -1 for the term 'c': give a text as term and"),
        ([{"b": float("nan")}], "document 0 has the weight nan for the term 'b': give"),
        ([{"b": float("inf")}], "document 0 has the weight inf for the term 'b': give"),
        ([{"b": "2"}], "document 0 has the weight '2' for the term 'b': give"),
        ([{"b": 10**400}], "for the term 'b': give a text as term and a finite number >= 0 as weight"),
        ([{"a": 1, 12: 1}], "document 0 has the weight 1 for the term 12: give a text as term and"),
    ],
)
def test_bad_documents_are_refused_in_one_line(documents: object, message: str) -> None:
    for call in (TextVectoriser().fit, TextVectoriser().fit(["a"]).transform):
        with pytest.raises(ValueError, match=message) as caught:
            call(documents)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"analyser": "english"}, r"analyser='english'"),
        ({"analyser": Analyser(min_length=0)}, r"min_length=0.*integer >= 1"),
        (
            {"analyser": Analyser(stop_words=["cat"])},
            r"no term.*left.*1 documents: loosen min_df=1, max_df=1\.0",
        ),
        ({"binary": 2}, "binary=2: must be True or False"),
        (
            {"min_df": 0},
            r"min_df=0",
        ),
        ({"max_df": 1.5}, r"max_df=1\.5"),
        ({"min_df": "2"}, r"min_df='2'"),
        ({"max_features": 0}, r"max_features=0.*integer >= 1, or None"),
        ({"min_df": 2}, r"min_df=2 and max_df=1\.0 leave nothing of 1 documents: lower min_df or raise max_df"),
    ],
)
def test_bad_parameters_are_refused_in_one_line(parameters: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        TextVectoriser(**parameters).fit(["cat"])
    assert "\n" not in str(caught.value)


@given(
    st.lists(
        st.dictionaries(st.integers(1, 30).map(str), st.sampled_from([0.5, 1.0, 2.0, 300.0, 0.1])),
        min_size=1,
        max_size=9,
    ),
    COUNTING,
)
def test_rows_of_features_are_counted_as_dictionaries_are(documents, counting):
    dense = np.zeros((len(documents), 31))
    for row, document in enumerate(documents):
        for term, weight in document.items():
            dense[row, int(term)] = weight
    rows = FeatureRows(csr_array(dense))
    before = rows.matrix.copy()
    expected, found = TextVectoriser(**counting), TextVectoriser(**counting)
    try:
        counts = expected.fit_transform(documents)
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            found.fit_transform(rows)
        return
    assert (found.fit_transform(rows) != counts).nnz == 0
    assert (found.vocabulary_, found.runs_.tolist()) == (expected.vocabulary_, expected.runs_.tolist())
    assert (found.transform(rows) != expected.transform(documents)).nnz == 0
    assert (rows.matrix != before).nnz == 0
