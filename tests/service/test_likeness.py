import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark.store.signatures import nearest, rows_of, signature_of
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


def test_rows_of_signatures_weigh_terms_by_count_and_rarity() -> None:
    rows = rows_of([signature_of(text) for text in ("owl owl hoots", "Owl cries", "")]).toarray()
    log = np.log
    by_weight = sorted(rows[0][rows[0] > 0])
    assert np.allclose(by_weight, sorted([(1 + log(2)) * (1 + log(4 / 3)), 1 + log(4 / 2)]))
    assert np.allclose(sorted(rows[1][rows[1] > 0]), sorted([1 + log(4 / 3), 1 + log(4 / 2)]))
    assert not rows[2].any()
    assert rows_of([]).shape == (0, 0)


def test_nearest_text_by_signature_is_itself() -> None:
    rows = rows_of([signature_of(text) for text in TEXTS])
    found = nearest(rows, rows[[0]], 5, 0.01)
    assert found[0].position == 0
    assert round(found[0].likeness, 9) == 1
    assert {one.position for one in found} >= {0, 4}  # both are at night
