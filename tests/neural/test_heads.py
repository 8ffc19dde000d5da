"""The two heads: what they say by hand, and through a model file."""

import numpy as np
import pytest

from classmark.neural.heads import Heads


@pytest.fixture
def heads():
    random = np.random.default_rng(0)
    draw = lambda *shape: random.normal(size=shape).astype(np.float32)  # noqa: E731
    return Heads(own=draw(3, 4), own_bias=draw(3), scale=20.0, closed=draw(5, 4), closed_bias=draw(5))


def test_logits_are_those_of_the_formulas(heads):
    vectors = np.random.default_rng(1).normal(size=(2, 4))
    for row, h in enumerate(vectors):
        for c, v in enumerate(heads.own):
            cosine = h @ v / (np.linalg.norm(h) * np.linalg.norm(v))
            assert heads.own_logits(vectors)[row, c] == pytest.approx(20 * cosine + heads.own_bias[c], abs=1e-4)
        for n, u in enumerate(heads.closed):
            assert heads.closed_logits(vectors)[row, n] == pytest.approx(h @ u + heads.closed_bias[n], abs=1e-4)


def test_a_text_without_a_vector_has_the_biases(heads):
    assert (heads.own_logits(np.zeros((1, 4)))[0] == heads.own_bias).all()
    assert (heads.closed_logits(np.zeros((1, 4)))[0] == heads.closed_bias).all()


def test_rounded_heads_come_back_as_they_were(heads):
    rounded = heads.rounded()
    again = Heads.from_state(rounded.to_state(), 3, 5)
    vectors = np.random.default_rng(1).normal(size=(2, 4))
    assert again.own_logits(vectors).tobytes() == rounded.own_logits(vectors).tobytes()
    assert again.closed_logits(vectors).tobytes() == rounded.closed_logits(vectors).tobytes()
    assert rounded.own_logits(vectors) == pytest.approx(heads.own_logits(vectors), abs=2e-2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"own": np.zeros((2, 4), np.float16)}, "has shape"),
        ({"own": np.zeros((3, 4), np.float32)}, "not an array of float16"),
        ({"closed": np.zeros((5, 3), np.float16)}, "has shape"),
        ({"closed_bias": np.full(5, np.nan, np.float16)}, "not a number"),
        ({"scale": float("inf")}, "not a number"),
    ],
)
def test_damaged_states_are_refused(heads, change, words):
    with pytest.raises(ValueError, match=words):
        Heads.from_state(heads.to_state() | change, 3, 5)
