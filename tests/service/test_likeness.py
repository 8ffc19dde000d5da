import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark import TextClassifier
from classmark.service.likeness import Rows, nearest
from tests.service.animals import TEXTS

matrices = arrays(np.float64, st.tuples(st.integers(1, 6), st.just(4)), elements=st.integers(0, 3).map(float))


@given(matrices, st.integers(1, 4), st.sampled_from([0.0, 0.3, 0.8]))
def test_the_nearest_are_those_of_a_slow_twin(rows: np.ndarray, most: int, least: float) -> None:
    cosines = []
    for row in rows:
        length = np.linalg.norm(row) * np.linalg.norm(rows[0])
        cosines.append(float(row @ rows[0] / length) if length else 0.0)
    expected = sorted((-round(cosine, 9), place) for place, cosine in enumerate(cosines))[:most]
    found = nearest(csr_array(rows), csr_array(rows[:1]), most, 0.0)
    assert [round(one.likeness, 9) for one in found] == [-cosine for cosine, _ in expected]
    assert all(abs(cosines[one.position] - one.likeness) < 1e-9 for one in found)
    near = nearest(csr_array(rows), csr_array(rows[:1]), len(rows), least)
    assert (
        sum(cosine > least + 1e-9 for cosine in cosines)
        <= len(near)
        <= sum(cosine > least - 1e-9 for cosine in cosines)
    )


def test_rows_are_those_of_the_model_whatever_was_kept(model: TextClassifier) -> None:
    kept = Rows()
    assert (kept.of(model, [1, 2], TEXTS[:2]) != model.transform(TEXTS[:2])).nnz == 0
    assert (kept.of(model, [3, 1], [TEXTS[2], TEXTS[0]]) != model.transform([TEXTS[2], TEXTS[0]])).nnz == 0
    # A document is known by its key: its text is not looked at again.
    assert (kept.of(model, [1], ["something else"]) != model.transform(TEXTS[:1])).nnz == 0
    other = TextClassifier("nb").fit(["a b", "c d"], ["x", "y"])
    assert kept.of(other, [1], ["a b"]).shape == other.transform(["a b"]).shape


def test_a_text_is_most_like_itself(model: TextClassifier) -> None:
    rows = model.transform(TEXTS)
    found = nearest(rows, rows[[0]], 5, 0.01)
    assert found[0].position == 0
    assert round(found[0].likeness, 9) == 1
    assert {one.position for one in found} >= {0, 4}  # both are at night
