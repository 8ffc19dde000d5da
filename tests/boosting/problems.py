"""Boosting problems for hypothesis: few documents, terms and labels, so that Z ties, and the engines run on them."""

from contextlib import contextmanager
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark.boosting import engine, merits
from classmark.boosting.committee import Flat, Growing, Near, SameSize
from tests.oracles.boosting import Round

PREDICTIONS = {"real": merits.REAL, "abstaining": merits.ABSTAINING, "discrete": merits.DISCRETE}
every_prediction = pytest.mark.parametrize("prediction", PREDICTIONS)
SMOOTHINGS = st.sampled_from([0.01, 1.0, 3.0])
POLICIES = st.sampled_from([SameSize(1), SameSize(3), Growing(1, 5), Growing(3, 4), Near(0.05, 4), Flat(0.1, 3)])

# What small problems must meet to pass where large ones do: rare terms alone, none, or both; one block of documents, or
# several; a document at a time, some, or all; tables, totals and bounds summed anew always, at times, or never.
PLACES = st.fixed_dictionaries(
    {
        "RARE": st.sampled_from([(0, 0), (1, 1), (3, 3), (1000, 1000)]),
        "BLOCKS": st.sampled_from([1, 3, 8]),
        "CHUNK_BYTES": st.sampled_from([1, 100, 1 << 19]),
        "FADED": st.sampled_from([1e-9, 0.5, 10.0]),
        "SUNK": st.sampled_from([0.01, 0.25, 2.0]),
        "WIDEST_STRETCH": st.sampled_from([1.0, 1.5, 1e6]),
    }
)


class Problem(NamedTuple):
    X: Any
    Y: Any
    weight: Any

    def engine(self, kind, prediction, smoothing=1.0, **settings):
        weight = np.ones(len(self.X)) if self.weight is None else np.array(self.weight)
        return kind(
            csr_array(self.X.astype(float)),
            csr_array(self.Y),
            weight,
            prediction=PREDICTIONS[prediction],
            epsilon=smoothing / (weight.sum() * self.Y.shape[1]),
            **settings,
        )


@st.composite
def problems(draw, max_documents=14, max_terms=8, max_labels=4):
    """Draw documents, empty ones and equal columns among them, and labels, of which some have all documents or none."""
    n_documents, n_labels = draw(st.integers(1, max_documents)), draw(st.integers(1, max_labels))
    X = draw(arrays(np.bool_, (n_documents, draw(st.integers(1, max_terms)))))
    columns = draw(st.lists(st.integers(0, X.shape[1] - 1), max_size=3))
    Y = draw(arrays(np.bool_, (n_documents, n_labels)))
    for label in draw(st.sets(st.integers(0, n_labels - 1), max_size=2)):
        Y[:, label] = draw(st.booleans())
    weights = st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=n_documents, max_size=n_documents)
    return Problem(np.concatenate([X, X[:, columns]], axis=1), Y, draw(st.none() | weights))


@contextmanager
def places(found):
    """Move the constants of the engine."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in found.items():
            patch.setattr(engine, name, value)
        yield


def run(boosting, rounds, policy, first=1):
    """Run rounds, from the first on, on an engine whose pivots all labels share."""
    found = []
    with boosting.running():
        for s in range(first, rounds + 1):
            stumps = boosting.best(policy.most(s))
            size = policy.size(stumps.costs)
            found.append(Round(stumps.columns[:size], stumps.answers[:size], stumps.costs[:size], boosting.apply(size)))
    return found


def run_apart(boosting, rounds, policy, first=1):
    """Run rounds, from the first on, on an engine whose labels have pivots of their own."""
    found = []
    with boosting.running():
        for s in range(first, rounds + 1):
            stumps = boosting.best(policy.most(s))
            sizes = np.array([policy.size(costs) for costs in stumps.costs.T])
            labels = [
                Round(stumps.columns[:size, j], stumps.answers[:size, :, [j]], stumps.costs[:size, j], 0.0)
                for j, size in enumerate(sizes)
            ]
            found.append((labels, boosting.apply(sizes)))
    return found


def telling(rounds, expected):
    """Pair rounds up to where no stump tells anything: its Z is 1, and what comes after is made of rounding errors."""
    return takewhile(lambda pair: pair[1].costs[0] < 1 - 1e-10, zip(rounds, expected, strict=True))


def assert_near(ours, expected):
    """The same pivots, and Z, costs and answers to 1e-9."""
    assert ours.pivots.tolist() == expected.pivots.tolist()
    assert ours.answers == pytest.approx(expected.answers, abs=1e-9)
    assert ours.costs == pytest.approx(expected.costs, abs=1e-9)
    assert ours.z == pytest.approx(expected.z, abs=1e-9)


def assert_same_bits(ours, others):
    assert ours.pivots.tolist() == others.pivots.tolist()
    assert ours.answers.tobytes() == others.answers.tobytes()
    assert ours.costs.tobytes() == others.costs.tobytes()
    assert ours.z == others.z
