"""What is known of terms whose documents are elsewhere is what is known of those that are here."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark.boosting.engine import Engine
from classmark.boosting.spread import Elsewhere, SpreadEngine, Together
from tests.boosting.problems import PLACES, POLICIES, assert_same_bits, places, problems, run
from tests.places import Noting, in_parts

CUTS = st.lists(st.integers(0, 100), max_size=3)


def elsewhere(X, cuts, place=None):
    return in_parts(X, sorted(min(cut, X.shape[0]) for cut in cuts), place)


@given(problems(), CUTS, st.integers(0, 4), st.booleans())
def test_columns_sizes_and_starts(problem, cuts, rare, merge):
    X = csr_array(problem.X.astype(float))
    ours, theirs = Elsewhere(elsewhere(X, cuts), rare, merge), Together(X, rare, merge)
    for name in ("columns", "sizes", "document_starts", "n_frequent"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
    for column in ours.columns.tolist():
        asked = []
        ours.documents_with(column, asked.append)
        assert asked == [column]


@given(problems(), POLICIES, CUTS, st.sampled_from([1, 2, 3]), PLACES, st.booleans(), st.booleans())
def test_rounds_on_documents_that_are_elsewhere(problem, policy, cuts, parts, found, merge, forgets):
    def make(X, labels, weight, **settings):
        return SpreadEngine(Noting(parts), elsewhere(X, cuts, Noting(forgets=forgets)), labels, weight, **settings)

    with places(found):
        expected = run(problem.engine(Engine, "real", merge=merge), 8, policy)
        rounds = run(problem.engine(make, "real", merge=merge), 8, policy)
    for ours, theirs in zip(rounds, expected, strict=True):
        assert_same_bits(ours, theirs)
