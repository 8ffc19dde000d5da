"""Pairs found by number are those found by joining strings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark.text import Analyser, TextVectoriser
from classmark.text.counting import BLOCK

SLOW = r"(?:[^\W\d_]+)"
"""The same tokens as "letters", by an expression of its own: pairs are then joined as strings."""

words = st.sampled_from(["ice", "cream", "the", "sun", "of", "s"])
texts = st.lists(words, max_size=6).map(" ".join)
features = st.dictionaries(st.lists(words, min_size=1, max_size=3).map(" ".join), st.sampled_from([0, 0.5, 2]))
documents = st.lists(st.one_of(texts, features), min_size=1, max_size=8)
settings = st.fixed_dictionaries(
    {
        "min_df": st.integers(1, 2),
        "ngram_min_df": st.integers(1, 3),
        "max_df": st.sampled_from([0.7, 1.0]),
        "max_features": st.sampled_from([None, 3]),
        "binary": st.booleans(),
    }
)


def both(settings, **analysis):
    """Give the two vectorisers that must agree."""
    return [TextVectoriser(Analyser(token_pattern=p, ngrams=(1, 2), **analysis), **settings) for p in ("letters", SLOW)]


@given(documents, documents, settings, st.sampled_from([{}, {"stop_words": ["the"]}, {"stemmer": "porter"}]))
def test_as_by_strings(learned, asked, settings, analysis):
    by_number, by_string = both(settings, **analysis)
    assert by_number.analyser.reader().pairs
    assert not by_string.analyser.reader().pairs
    try:
        expected = by_string.fit_transform(learned)
    except ValueError as error:
        with pytest.raises(ValueError, match=r"no term.*left|leave nothing") as found:
            by_number.fit_transform(learned)
        assert str(found.value) == str(error)
        return
    counted = by_number.fit_transform(learned)
    assert by_number.vocabulary_ == by_string.vocabulary_
    assert np.array_equal(by_number.runs_, by_string.runs_)
    assert np.array_equal(counted.toarray(), expected.toarray())
    assert np.array_equal(by_number.transform(asked).toarray(), by_string.transform(asked).toarray())


@given(st.lists(st.lists(words, min_size=1, max_size=3).map(" ".join), min_size=1, unique=True), documents)
def test_of_any_vocabulary(vocabulary, asked):
    """Words may stand in pairs and have no column, as where terms were selected."""
    fast, slow = (
        TextVectoriser.from_vocabulary(vocabulary, Analyser(token_pattern=pattern, ngrams=(1, 2)))
        for pattern in ("letters", SLOW)
    )
    assert np.array_equal(fast.transform(asked).toarray(), slow.transform(asked).toarray())
    assert fast.transform([]).shape == (0, len(vocabulary))


def test_no_pair_spans_documents_or_blocks():
    by_number, by_string = both({})
    documents = ["sea sun " * (BLOCK // 4)] * 3 + ["sun sea", "", "sun"]
    expected = by_string.fit_transform(documents)
    assert np.array_equal(by_number.fit_transform(documents).toarray(), expected.toarray())
    assert by_number.vocabulary_ == ["sea", "sea sun", "sun", "sun sea"]
    assert np.array_equal(by_number.transform(documents).toarray(), expected.toarray())
