"""AdaBoost.MH^KR: committees of the formulas' stumps."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse import csr_array

from classmark.boosting import AdaBoostMH, AdaBoostMHKR
from classmark.boosting.committee import Growing
from tests.boosting.problems import POLICIES, every_prediction, problems
from tests.oracles import boosting as oracle

X = (np.random.default_rng(3).random((60, 8)) < 0.4).astype(float)
Y = np.random.default_rng(4).random((60, 3)) < 0.4


@every_prediction
@settings(max_examples=30)
@given(problem=problems(), policy=POLICIES)
def test_scores_and_pivots_are_those_of_the_formulas(prediction, problem, policy):
    X, Y, weight = problem
    Y = Y[:, Y.any(axis=0)] if Y.any() else np.ones_like(Y)
    model = AdaBoostMHKR(20, committee=policy, prediction=prediction).fit(X, csr_array(Y), weight)
    rounds = oracle.boost(X, Y, 20, prediction=prediction, weight=weight, policy=policy)
    assert model.pivots_.tolist() == [pivot for each in rounds for pivot in each.pivots]
    assert model.z_ == pytest.approx([each.z for each in rounds], abs=1e-9)
    assert model.node_scores(X) == pytest.approx(oracle.scores(X, rounds), abs=1e-8)


def test_a_committee_of_one_is_adaboost():
    one = AdaBoostMHKR(15, committee="constant").fit(X, Y)
    assert one.node_scores(X).tobytes() == AdaBoostMH(15).fit(X, Y).node_scores(X).tobytes()


def test_a_committee_grows_as_it_is_told():
    model = AdaBoostMHKR(7, committee="growing,step=2,every=3").fit(X, Y)
    assert [len(columns) for columns in model._rounds.columns] == [1, 1, 1, 3, 3, 3, 5]
    assert len(model.pivots_) == 17
    same = AdaBoostMHKR(7, committee=Growing(step=2, every=3)).fit(X, Y)
    assert same.pivots_.tolist() == model.pivots_.tolist()
    # There are but eight terms.
    assert len(AdaBoostMHKR(2, committee="constant,count=99").fit(X, Y).pivots_) == 16


@pytest.mark.parametrize("committee", ["crowd", "growing,steps=1", "constant,count=none", "near,limit=0"])
def test_bad_committees_are_refused(committee):
    with pytest.raises(ValueError, match="committee '"):
        AdaBoostMHKR(5, committee=committee).fit(X, Y)
