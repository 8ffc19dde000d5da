"""Learning the heads: the gradient is that of the slow loss, and going down it finds what there is to learn."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark.neural import head_learning
from classmark.neural.head_learning import Adam, Labelled, Parts, gradient_of, learn_heads
from classmark.neural.heads import unit
from tests.oracles import heads as oracle

OWN = [{0}, {1, 2}, set(), {2}, {0}]
CLOSED = [{0, 3}, {1, 2, 3}, set(), {2}, {0, 3}]


def indicator(rows, width, in_parts=False):
    found = np.zeros((len(rows), width))
    for row, labels in enumerate(rows):
        for label in labels:
            found[row, label] = 1 / len(labels) if in_parts else 1
    return csr_array(found)


@pytest.fixture
def task():
    random = np.random.default_rng(0)
    draw = lambda *shape: random.normal(size=shape)  # noqa: E731
    parts = Parts(np.eye(3) + 0.1 * draw(3, 3), draw(3, 3), draw(3), np.array([1.0]), draw(4, 3), draw(4))
    vectors = unit(draw(5, 3))
    vectors[3] = 0  # a blank text
    return parts, Labelled(vectors, indicator(OWN, 3, in_parts=True), indicator(CLOSED, 4), random.uniform(0.5, 2, 5))


@pytest.mark.parametrize("at_a_time", [1 << 25, 8])
@pytest.mark.parametrize("closed_weight", [0.0, 0.3])
def test_the_gradient_is_that_of_the_slow_loss(task, closed_weight, at_a_time, monkeypatch):
    monkeypatch.setattr(head_learning, "LOGITS_AT_A_TIME", at_a_time)
    parts, documents = task
    expected = oracle.gradient(
        parts, list(zip(documents.vectors, OWN, CLOSED, documents.weight, strict=True)), closed_weight
    )
    found = dict(gradient_of(parts, documents, closed_weight).items())
    assert found.keys() == expected.keys()
    for name in expected:
        assert found[name] == pytest.approx(expected[name], abs=1e-7), name


def test_a_step_of_adam_by_hand():
    one = lambda value: np.full((1, 4), value)  # noqa: E731
    parts = Parts(*(one(1.0) for _ in range(6)))
    adam = Adam(parts, learning_rate=0.01)
    adam.step(Parts(*(one(slope) for slope in (4.0, -4.0, 1e-3, 0.0, 5.0, 5.0))), 0.5)
    # The first step has the size of the rate, whatever the slope: twice it for the turn, over √4, and half of it now.
    found = [float(array[0, 0]) for _, array in parts.items()]
    assert found == pytest.approx([0.995, 1.0025, 0.9975, 1.0, 0.75, 0.975])
    adam.step(Parts(*(one(0.0) for _ in range(6))), 1.0)
    mean, square = 0.9 * 0.1 * 4 / (1 - 0.9**2), 0.999 * 0.001 * 16 / (1 - 0.999**2)
    assert parts.turn[0, 0] == pytest.approx(0.995 - 0.01 * mean / np.sqrt(square))


def test_every_document_is_seen_equally_often(monkeypatch):
    monkeypatch.setattr(head_learning, "BATCH", 4)
    rows = list(head_learning._batches(10, 6, np.random.default_rng(0)))
    assert [len(one) for one in rows] == [4, 4, 2] * 2
    assert sorted(np.concatenate(rows).tolist()) == sorted([*range(10), *range(10)])


def learned(seed):
    random = np.random.default_rng(1)
    centres = unit(random.normal(size=(4, 6))).astype(np.float32)
    truth = random.integers(0, 4, 60)
    vectors = unit(centres[truth] + 0.3 * random.normal(size=(60, 6))).astype(np.float32)
    own = indicator([{one} for one in truth.tolist()], 4)
    parts = Parts.start(unit(random.normal(size=(4, 6))).astype(np.float32), centres)
    documents = Labelled(vectors, csr_array(own, dtype=np.float32), own, np.ones(60, np.float32))
    learn_heads(documents, parts, closed_weight=0.3, epochs=5, learning_rate=0.1, seed=seed)
    h = unit(vectors @ parts.turn)
    return parts, (parts.heads().own_logits(h).argmax(axis=1) == truth).mean(), truth, h


def test_it_learns_and_the_same_seed_gives_the_same():
    parts, right, truth, h = learned(0)
    assert right > 0.95
    assert ((parts.heads().closed_logits(h) > 0).argmax(axis=1) == truth).mean() > 0.9
    again, _, _, _ = learned(0)
    assert all(array.tobytes() == getattr(again, name).tobytes() for name, array in parts.items())
