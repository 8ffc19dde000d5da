"""MP-Boost from documents to scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark.boosting import MPBoost
from tests.boosting.problems import POLICIES, PREDICTIONS, problems
from tests.oracles import boosting as oracle


def scores(X, rounds):
    """What each label's own stumps say of it, the mean of a committee."""
    return np.stack(
        [oracle.scores(X, [labels[j] for labels, _ in rounds])[:, 0] for j in range(len(rounds[0][0]))], axis=1
    )


@settings(max_examples=40)
@given(problems(), POLICIES, st.sampled_from(["pairs", "label"]), st.sampled_from(list(PREDICTIONS)))
def test_scores_and_z_are_those_of_the_formulas(problem, policy, normalize, prediction):
    X, Y, weight = problem
    Y = Y[:, Y.any(axis=0)] if Y.any() else np.ones_like(Y)
    model = MPBoost(15, committee=policy, normalize=normalize, prediction=prediction).fit(X, csr_array(Y), weight)
    told = {"prediction": prediction, "weight": weight, "policy": policy, "normalize": normalize}
    rounds = oracle.mp_boost(X, Y, 15, **told)
    assert model.z_ == pytest.approx([z for _, z in rounds], abs=1e-9)
    assert model.node_scores(X) == pytest.approx(scores(X, rounds), abs=1e-8)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"normalize": "rows"}, "normalize='rows': must be one of pairs, label"),
        (
            {"committee": "crowd"},
            r"unknown committee 'crowd'.*growing, steps, constant, near, flat",
        ),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        MPBoost(5, **settings).fit(np.eye(2), ["a", "b"])
