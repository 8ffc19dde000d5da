"""AdaBoost.MH from documents to scores: the sum of the formulas' stumps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark.boosting import AdaBoostMH
from tests.boosting.problems import SMOOTHINGS, every_prediction, problems
from tests.oracles import boosting as oracle


@every_prediction
@settings(max_examples=40)
@given(problem=problems(), criterion=st.sampled_from(["z", "f1"]), smoothing=SMOOTHINGS)
def test_scores_and_z_are_those_of_the_formulas(prediction, problem, criterion, smoothing):
    X, Y, weight = problem
    # A label that no document has is none to the classifier.
    Y = Y[:, Y.any(axis=0)] if Y.any() else np.ones_like(Y)
    told = {"prediction": prediction, "criterion": criterion, "smoothing": smoothing}
    model = AdaBoostMH(25, **told).fit(X, csr_array(Y), weight)
    rounds = oracle.boost(X, Y, 25, weight=weight, **told)
    assert model.pivots_.tolist() == [each.pivots[0] for each in rounds]
    assert model.z_ == pytest.approx([each.z for each in rounds], abs=1e-9)
    assert model.node_scores(X) == pytest.approx(oracle.scores(X, rounds), abs=1e-8)


def test_a_label_that_all_have_is_always_given_and_one_that_few_have_is_learned():
    X = np.eye(6)
    y = [["all"] if i else ["all", "first"] for i in range(6)]
    answers = AdaBoostMH(20).fit(X, y).predict(X)
    assert [sorted(own) for own in answers] == [sorted(own) for own in y]


def test_a_label_without_documents_left_is_learned_as_nobodys():
    X, y = np.eye(4), ["a", "b", "a", "b"]
    weighted = AdaBoostMH(5).fit(X, y, sample_weight=[1, 0, 1, 0])
    assert (weighted.node_scores(X) @ [1, -1] > 0).all()


def test_an_unknown_choice_is_refused():
    with pytest.raises(ValueError, match="criterion='luck': must be one of z, f1"):
        AdaBoostMH(5, criterion="luck").fit(np.eye(2), ["a", "b"])
