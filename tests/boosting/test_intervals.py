"""Real-valued terms cut into intervals: a branch each, as the formulas have it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from classmark.boosting import AdaBoostMH, AdaBoostMHKR
from classmark.boosting.adaboost_mh import find_cuts, interval_columns
from tests.oracles import boosting as oracle

VALUES = np.random.default_rng(1).choice([0.0, 0.0, 0.5, 1.0, 2.0, 3.0], (40, 5))
LABELS = np.random.default_rng(2).random((40, 3)) < 0.4
INTERVALS = st.integers(3, 5)


@st.composite
def problems(draw, n_terms):
    """A few documents with weights of terms, and their labels; each label has a document."""
    documents, labels = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    X = draw(arrays(float, (documents, n_terms), elements=st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0])))
    Y = draw(arrays(np.bool_, (documents, labels)))
    Y[0] = True
    return X, Y


def branches_of(X, cuts):
    """0 where the term is absent, and then one more than the number of cuts below its value."""
    return np.where(X > 0, 1 + (X[:, :, None] > cuts).sum(axis=2), 0)


@settings(max_examples=50)
@given(problems(n_terms=4), INTERVALS)
def test_rounds_are_those_of_the_formulas(problem, intervals):
    X, Y = problem
    model = AdaBoostMH(12, intervals=intervals).fit(X, csr_array(Y))
    assert model.cuts_.tolist() == find_cuts(csr_array(X), intervals).tolist()
    branches = branches_of(X, model.cuts_)
    expected = oracle.interval_boost(branches, Y, model.pivots_, count=intervals)
    # No tie is settled by sums taken anew: what is nothing may be 1e-16, and its square root 1e-8.
    assert max(above for above, _, _ in expected) < 1e-6
    assert model.z_ == pytest.approx([z for _, _, z in expected], abs=1e-9)
    chosen = zip(model.pivots_, expected, strict=True)
    scores = sum(answers[branches[:, pivot]] for pivot, (_, answers, _) in chosen)
    assert model.node_scores(X) == pytest.approx(scores, abs=1e-9)


@settings(max_examples=50)
@given(problems(n_terms=5), INTERVALS)
def test_committees_are_the_means_of_the_best_terms(problem, intervals):
    X, Y = problem
    sizes = [1, 1, 3, 3, 2, 2]
    model = AdaBoostMHKR(6, committee="steps,starts=1/3/5,sizes=1/3/2", intervals=intervals).fit(X, csr_array(Y))
    assert len(model.pivots_) == sum(sizes)
    rounds = np.split(model.pivots_, np.cumsum(sizes)[:-1])
    branches = branches_of(X, model.cuts_)
    expected = oracle.interval_committees(branches, Y, rounds, count=intervals)
    for chosen, (costs, _, _) in zip(rounds, expected, strict=True):
        assert len(set(chosen.tolist())) == chosen.size
        # As good as the best, up to ties that rounding settles.
        assert costs[chosen] == pytest.approx(np.sort(costs)[: chosen.size], abs=1e-6)
    assert model.z_ == pytest.approx([z for _, _, z in expected], abs=1e-9)
    assert model.node_scores(X) == pytest.approx(sum(hypothesis for _, hypothesis, _ in expected), abs=1e-9)
    again = AdaBoostMHKR().from_state(model.to_state())
    assert again.node_scores(X).tobytes() == model.node_scores(X).tobytes()


def test_a_committee_of_intervals_by_hand():
    """Both terms tell the two documents apart; their mean says what each says."""
    X, Y = np.array([[1.0, 3.0], [3.0, 1.0]]), np.array([[True], [False]])
    one = AdaBoostMH(1, intervals=3).fit(X, csr_array(Y))
    both = AdaBoostMHKR(1, intervals=3, committee="constant,count=2").fit(X, csr_array(Y))
    assert (one.pivots_.tolist(), both.pivots_.tolist()) == ([0], [0, 1])
    assert both.node_scores(X) == pytest.approx(one.node_scores(X))
    assert both.contributions(X, both.classes_[0]).terms.toarray()[0].tolist() == pytest.approx(
        [one.node_scores(X)[0, 0] / 2] * 2
    )


def test_cuts_and_columns_by_hand():
    X = csr_array(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 0.0]]))
    # 1, 2, 3 and 4 are the values above 0, and half of them are above 2.5.
    assert find_cuts(X, 3).tolist() == [2.5]
    # Columns: term 0 up to 2.5, term 0 above it, term 1 up to 2.5, term 1 above it.
    assert interval_columns(X, np.array([2.5])).toarray().tolist() == [[0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 0]]
    assert find_cuts(csr_array((3, 2)), 4).tolist() == [0, 0]


def test_stages_files_and_a_warm_start():
    model = AdaBoostMH(10, intervals=4, warm_start=True).fit(VALUES, LABELS)
    assert list(model.staged_node_scores(VALUES))[-1] == pytest.approx(model.node_scores(VALUES), abs=1e-12)
    again = AdaBoostMH().from_state(model.to_state())
    assert again.node_scores(VALUES).tobytes() == model.node_scores(VALUES).tobytes()
    model.set_params(n_estimators=30).fit(VALUES, LABELS)
    whole = AdaBoostMH(30, intervals=4).fit(VALUES, LABELS)
    assert model.pivots_.tolist() == whole.pivots_.tolist()
    assert model.node_scores(VALUES) == pytest.approx(whole.node_scores(VALUES), abs=1e-9)
    with pytest.raises(ValueError, match=r"warm_start.*categories and terms"):
        model.set_params(n_estimators=40, intervals=3).fit(VALUES, LABELS)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"intervals": 1}, r"intervals=1.*integer >= 2"),
        ({"intervals": 3, "prediction": "discrete"}, "3 intervals go with real predictions and the choice by Z only"),
        ({"intervals": 3, "criterion": "f1"}, "3 intervals go with real predictions and the choice by Z only"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        AdaBoostMH(5, **settings).fit(VALUES, LABELS)
