"""Documents that a model was trained on are known again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy, TextClassifier, seen
from classmark.data import Corpus
from classmark.seen import Seen, row_numbers
from classmark.service.judging import evaluate_model

TREE = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
TEXTS = ["hoots at night", "cries over the sea", "grows acorns"]
LABELS = [["owl"], ["gull"], ["oak"]]


@given(st.lists(st.lists(st.integers(-2, 2), min_size=4, max_size=4), min_size=1, max_size=20), st.integers(1, 9))
def test_rows_are_the_same_where_their_columns_and_signs_are(rows, at_a_time):
    dense = np.array(rows, dtype=float)
    whole = row_numbers(csr_array(dense))
    signs = [tuple(row) for row in np.sign(dense)]
    for i, one in enumerate(signs):
        for j, other in enumerate(signs):
            assert (whole[i] == whole[j]) == (one == other)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seen, "ENTRIES_AT_A_TIME", at_a_time)
        assert np.array_equal(row_numbers(csr_array(dense)), whole)


def test_a_row_without_terms_is_never_seen():
    X = csr_array(np.zeros((2, 3)))
    counted = Seen(row_numbers(X))
    list(counted.counting([X]))
    assert counted.count == 0


def corpus_of(texts):
    return Corpus([str(row) for row in range(len(texts))], texts, LABELS[: len(texts)], [None] * len(texts), TREE, "c")


@pytest.mark.parametrize("method", ["linear-svm", "nb", "knn-bm25", "treeboost-mh"])
def test_evaluating_on_them_is_said(method, tmp_path):
    model = TextClassifier(method, hierarchy=TREE).fit(TEXTS, LABELS)
    model.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    with pytest.warns(UserWarning, match=r"trained on 3 of these 3 documents.*train --holdout 20%"):
        assert evaluate_model(again, corpus_of(TEXTS)).seen_in_training == 3
    # The same words in another order are the same document, as far as anyone can tell who counts words.
    assert evaluate_model(again, corpus_of(["hoots over acorns", "at sea", "night at sea"])).seen_in_training == 0
