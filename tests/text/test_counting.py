"""Counts by block: the same rows however few tokens a block has."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark.text import Analyser, counting
from classmark.text.counting import Known, Numbered, count, lookup_of

DOCUMENTS = st.lists(
    st.text("ab c", max_size=12) | st.dictionaries(st.sampled_from("abx"), st.sampled_from([0.5, 2.0]), max_size=3),
    max_size=5,
)


@given(DOCUMENTS, st.integers(1, 5), st.booleans())
def test_a_block_of_any_size_gives_the_same_rows(documents, block, binary):
    lookup = lookup_of(Analyser().reader(), Known.of(["a", "ab", "b"]).__getitem__)
    terms = [document if isinstance(document, dict) else Counter(document.split()) for document in documents]
    expected = [[float(of.get(term, 0.0)) for term in ("a", "ab", "b")] for of in terms]
    if binary:
        expected = np.sign(np.reshape(expected, (-1, 3))).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "BLOCK", block)
        found = count(documents, lookup, binary=binary)
    assert found[:, :3].toarray().tolist() == expected


def test_numbers_come_in_turn_until_there_are_too_many(monkeypatch):
    monkeypatch.setattr(counting, "MOST_TERMS", 2)
    numbers = Numbered()
    assert [numbers[term] for term in ("a", "b", "a", "a b", "c")] == [0, 1, 0, -1, 2]
    with pytest.warns(UserWarning, match="more than 2 different terms"):
        counting.warn_of_left_out(numbers.left_out)
