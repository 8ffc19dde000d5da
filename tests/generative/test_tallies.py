"""Sums in leaves and a tree: the same bits however many parts there are, and the sums of all documents."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import EMMC, FlatEM, FlatNB, PathEM, WinDrivenEM
from classmark.generative import em
from classmark.generative.em import Subtree, Tally, summed
from classmark.parallel import Here, at
from tests.generative.problems import problems
from tests.places import Noting, in_parts


def tally(value):
    return Tally(np.array([[value]]), np.array([value]), value, value)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40), st.data())
def test_a_tree_has_the_same_bits_however_it_is_cut(values, data):
    expected = summed(Subtree(0, tally(value)) for value in values)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(values)), max_size=6)) | {0, len(values)})
    parts = []
    for start, stop in pairwise(cuts):
        parts += em._merged([Subtree(0, tally(value)) for value in values[start:stop]], start)
    found = summed(parts)
    assert found.counts.tobytes() == expected.counts.tobytes()
    assert (found.objective, found.likelihood) == (expected.objective, expected.likelihood)
    assert expected.objective == pytest.approx(sum(values), abs=1e-3)


@pytest.mark.filterwarnings("ignore:left out")
@pytest.mark.parametrize("kind", [FlatNB, FlatEM, PathEM, EMMC, WinDrivenEM], ids=lambda kind: kind.__name__)
@settings(max_examples=15)
@given(problem=problems(), leaves=st.sampled_from([1, 2, 5, 64]), workers=st.sampled_from([1, 2, 3, 7]))
def test_any_number_of_workers_gives_the_same_bits(kind, problem, leaves, workers):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(em, "MOST_LEAVES", leaves)
        patch.setattr(em, "WORTH_A_LEAF", 1e-9)
        here = kind(hierarchy=problem.tree).fit(problem.X, problem.labels)
        with at(Here(workers)):
            there = kind(hierarchy=problem.tree).fit(problem.X, problem.labels)
    assert there.log_prior_.tobytes() == here.log_prior_.tobytes()
    assert there.log_terms_.tobytes() == here.log_terms_.tobytes()
    assert there.objective_ == here.objective_


@pytest.mark.filterwarnings("ignore:left out")
@pytest.mark.parametrize("scaling", [None, "log-idf"])
@pytest.mark.parametrize("kind", [FlatNB, FlatEM, PathEM], ids=lambda kind: kind.__name__)
@settings(max_examples=20)
@given(
    problem=problems(),
    leaves=st.sampled_from([1, 2, 5, 64]),
    workers=st.sampled_from([1, 2, 3]),
    cuts=st.lists(st.integers(0, 30), max_size=2),
    forgets=st.booleans(),
)
def test_documents_that_are_elsewhere_give_the_same_bits(kind, scaling, problem, leaves, workers, cuts, forgets):
    X = csr_array(np.asarray(problem.X, dtype=float))
    place = Noting(workers, forgets=forgets)
    elsewhere = in_parts(X, sorted(min(cut, X.shape[0]) for cut in cuts), place)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(em, "MOST_LEAVES", leaves)
        patch.setattr(em, "WORTH_A_LEAF", 1e-9)
        here = kind(hierarchy=problem.tree, scaling=scaling).fit(X, problem.labels)
        there = kind(hierarchy=problem.tree, scaling=scaling).fit(elsewhere, problem.labels)
    assert there.log_prior_.tobytes() == here.log_prior_.tobytes()
    assert there.log_terms_.tobytes() == here.log_terms_.tobytes()
    assert there.objective_ == here.objective_
