"""The scores by hand, against the probabilities counted one by one, and against scikit-learn and scipy."""

from math import log

import numpy as np
import pytest
from hypothesis import example, given
from scipy.sparse import coo_array, csr_array
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score

from classmark import selection as public
from classmark.selection import SCORES, score_pairs
from tests.oracles import selection as oracle
from tests.selection.problems import problems, scored

# Eight documents, three with the term; three of the four in the category.
TERM = [1, 1, 1, 0, 0, 0, 0, 0]
CATEGORY = [1, 1, 0, 1, 1, 0, 0, 0]


def one(name, term=TERM, category=CATEGORY):
    pairs = scored(np.array([term]).T, np.array([category]).T, name)
    return pairs.toarray().item()


def test_information_gain_by_hand():
    # Together 2, the term alone 1, the category alone 2, neither 3; P(t) = 3/8, P(c) = 4/8.
    expected = (
        2 / 8 * log((2 / 8) / (3 / 8 * 4 / 8))
        + 1 / 8 * log((1 / 8) / (3 / 8 * 4 / 8))
        + 2 / 8 * log((2 / 8) / (5 / 8 * 4 / 8))
        + 3 / 8 * log((3 / 8) / (5 / 8 * 4 / 8))
    )
    assert one("information-gain") == pytest.approx(expected, rel=1e-12)
    # A term that tells everything: the entropy of the category; one that tells nothing: 0.
    assert one("information-gain", CATEGORY) == pytest.approx(-4 / 8 * log(4 / 8) - 4 / 8 * log(4 / 8), rel=1e-12)
    assert one("information-gain", [1, 1, 1, 0, 0, 1, 0, 0]) == pytest.approx(0.0, abs=1e-15)


def test_chi_square_by_hand():
    # Equation 9: g [P(t,c) P(t̄,c̄) − P(t,c̄) P(t̄,c)]² / (P(t) P(t̄) P(c) P(c̄)).
    expected = 8 * (2 / 8 * 3 / 8 - 1 / 8 * 2 / 8) ** 2 / (3 / 8 * 5 / 8 * 4 / 8 * 4 / 8)
    assert one("chi-square") == pytest.approx(expected, rel=1e-12)
    assert one("chi-square", CATEGORY) == pytest.approx(8.0, rel=1e-12)


def test_odds_ratio_by_hand():
    # The odds of the term inside, 2½ : 2½, over those outside, 1½ : 3½.
    assert one("odds-ratio") == pytest.approx(log((2.5 / 2.5) / (1.5 / 3.5)), rel=1e-12)
    # Never together is a number too: half a document is there.
    assert one("odds-ratio", [0, 0, 1, 0, 0, 0, 0, 0]) == pytest.approx(log((0.5 / 4.5) / (1.5 / 3.5)), rel=1e-12)


def test_document_frequency_by_hand():
    assert one("document-frequency") == 3.0
    assert one("document-frequency", category=[0] * 8) == 3.0


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("constant", [[0] * 8, [1] * 8], ids=["in none", "in all"])
def test_what_is_in_all_documents_or_in_none_says_nothing(name, constant):
    for term, category in ((TERM, constant), (constant, CATEGORY), (constant, constant)):
        expected = {"odds-ratio": oracle.odds_ratio, "document-frequency": oracle.document_frequency}.get(
            name, lambda _: 0.0
        )
        counts = oracle.table([[word] for word in term], [[label] for label in category], 0, 0)
        assert one(name, term, category) == pytest.approx(expected(counts), rel=1e-12)
        if name in ("information-gain", "chi-square"):
            # Exactly: what rounding leaves would break ties.
            assert one(name, term, category) == 0.0


@pytest.mark.parametrize("name", SCORES)
@given(problem=problems())
@example(problem=(np.zeros((3, 2), bool), np.ones((3, 2), bool)))
@example(problem=(np.array([[1, 1], [1, 0]], bool), np.array([[0, 1], [0, 1]], bool)))
def test_every_pair_equals_the_oracle(name, problem):
    presence, labels = problem
    expected = oracle.scores(presence.tolist(), labels.tolist(), name)
    pairs = scored(presence, labels, name)
    np.testing.assert_allclose(pairs.toarray(), expected, rtol=1e-9, atol=1e-14)
    # Stored are exactly the pairs that occur together, whatever they score.
    together = presence.T.astype(int) @ labels.astype(int)
    stored = pairs.together.tocoo()
    assert sorted(zip(*stored.coords, strict=True)) == sorted(zip(*np.nonzero(together), strict=True))
    assert pairs.term.tolist() == presence.sum(axis=0).tolist()
    assert pairs.category.tolist() == labels.sum(axis=0).tolist()
    assert pairs.total == len(presence)


def pairs_of(problem, name):
    """Give the score of every term and category, which documents have the term, and which the category."""
    presence, labels = problem
    found = scored(presence, labels, name).toarray()
    for term, words in enumerate(presence.T):
        for category, positive in enumerate(labels.T):
            yield found[term, category], words, positive


@given(problems())
def test_information_gain_is_scikit_learns_mutual_information(problem):
    for found, words, positive in pairs_of(problem, "information-gain"):
        assert found == pytest.approx(mutual_info_score(positive, words), abs=1e-12)


@given(problems())
def test_chi_square_is_scipys_without_correction(problem):
    for found, words, positive in pairs_of(problem, "chi-square"):
        counts = np.array(oracle.table(words[:, None].tolist(), positive[:, None].tolist(), 0, 0))
        if counts.sum(axis=0).all() and counts.sum(axis=1).all():
            peer = chi2_contingency(counts, correction=False).statistic
            assert found == pytest.approx(peer, rel=1e-9, abs=1e-12)
        else:
            assert found == 0.0


@pytest.mark.parametrize("name", SCORES)
def test_of_pairs_that_never_meet_the_score_goes_one_way(name):
    """The claim that `globalise` rests on: over all frequencies that can stay apart, up or down with both."""
    total = 12
    score = SCORES[name]
    for category in range(total + 1):
        terms = np.arange(total - category + 1)
        for one_way in (score.function(0, terms, category, total), score.function(0, category, terms, total)):
            steps = np.diff(one_way)
            assert (steps >= 0).all() if score.rises else (steps <= 0).all()


@pytest.mark.parametrize("name", SCORES)
def test_many_documents_do_not_cost_precision(name):
    counts = [[30_000, 70_000], [170_000, 730_000]]
    found = SCORES[name].function(30_000.0, 100_000.0, 200_000.0, 1e6)
    assert float(found) == pytest.approx(oracle.SCORES[name](counts), rel=1e-9)


@pytest.mark.parametrize("name", SCORES)
def test_the_form_of_the_matrices_changes_nothing(name):
    """Counts instead of presence, unsorted and double entries, stored zeros: a document has a term or has it not."""
    presence = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 0], [0, 1, 1]])
    labels = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool)
    expected = scored(presence, labels, name).toarray()
    counts = csr_array(presence * 3.5)
    messy = csr_array(
        (np.array([2.0, 1, 1, 0, 4, 5, 0, 1, 1]), np.array([2, 0, 0, 1, 1, 0, 2, 2, 1]), np.array([0, 4, 6, 7, 9])),
        shape=(4, 3),
    )
    assert ((messy.toarray() != 0) == presence).all()
    double = coo_array((np.ones(5, bool), (np.array([0, 1, 1, 2, 0]), np.array([0, 0, 1, 1, 0]))), shape=(4, 2))
    twice = csr_array((double.data, double.coords[1][[0, 4, 1, 2, 3]], np.array([0, 2, 4, 5, 5])), shape=(4, 2))
    for X in (counts, messy):
        for Y in (csr_array(labels), twice):
            before = X.copy(), Y.copy()
            assert score_pairs(X, Y, name).toarray().tolist() == expected.tolist()
            assert np.array_equal(X.indices, before[0].indices)
            assert np.array_equal(Y.indices, before[1].indices)


def test_a_score_that_does_not_exist_is_refused():
    message = "unknown score 'gini'.*information-gain, chi-square, odds-ratio, document-frequency"
    with pytest.raises(ValueError, match=message):
        scored([[1]], [[1]], "gini")


def test_the_public_names_exist():
    assert sorted(public.__all__) == sorted(set(public.__all__))
    assert all(hasattr(public, name) for name in public.__all__)
