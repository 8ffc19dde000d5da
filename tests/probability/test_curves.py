"""Platt's and isotonic curves: by hand, against scikit-learn, and by what every curve must be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.isotonic import IsotonicRegression

from classmark import Hierarchy
from classmark.probability import CALIBRATIONS, Isotonic, Platt, Softmax, as_rows, monotone
from classmark.probability.calibrators import fit_isotonic, fit_logistic, targets
from tests.decision.cases import named
from tests.generators import hierarchies, indicators
from tests.oracles import consistent as oracle

# Node order: a, b, x, y.
TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": None})
SCORES = st.integers(-6, 6).map(float) | st.just(-np.inf)


@st.composite
def problems(draw, documents=6):
    hierarchy = draw(hierarchies(max_nodes=6))
    scores = draw(arrays(float, (documents, len(hierarchy)), elements=SCORES))
    own = hierarchy.own(hierarchy.close(draw(indicators(hierarchy, documents))))
    ends = np.unique(own.indices).astype(np.int32)
    return hierarchy, scores, own, ends if ends.size else hierarchy.leaves


def test_targets_by_hand():
    # Two of three are positive: (2 + 1) / (2 + 2), and 1 / (1 + 2).
    assert targets(np.array([True, False, True])).tolist() == [3 / 4, 1 / 3, 3 / 4]


@pytest.mark.parametrize("seed", range(8))
def test_no_logistic_curve_is_more_likely(seed):
    random = np.random.default_rng(seed)
    scores = random.normal(size=40) * 10.0 ** random.integers(-3, 4) + random.normal() * 5
    truth = scores + random.normal(size=40) * scores.std() > scores.mean()
    wanted = targets(truth)

    def loss(place):
        line = place[0] * (scores - scores.mean()) / scores.std() + place[1]
        return (np.logaddexp(0, line) - wanted * line).sum()

    best = minimize(loss, [1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000})
    slope, intercept = fit_logistic(scores, truth)
    assert slope > 0
    assert loss([slope * scores.std(), intercept + slope * scores.mean()]) == pytest.approx(best.fun, abs=1e-8)


def test_scores_that_tell_all_documents_apart_give_no_certainty():
    scores = np.array([-2.0, -1.0, 1.0, 2.0] * 5)
    slope, intercept = fit_logistic(scores, scores > 0)
    # Ten of each: the targets are 11/12 and 1/12, and the curve cannot be steeper for them.
    assert 1 / (1 + np.exp(-(slope * 2 + intercept))) < 0.99
    assert intercept == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("scores", "truth", "level"),
    [
        # Nobody is in it: 1 / (4 + 2) for all. Everybody is: (4 + 1) / (4 + 2).
        ([1.0, 2.0, 3.0, 4.0], [False] * 4, 1 / 6),
        ([1.0, 2.0, 3.0, 4.0], [True] * 4, 5 / 6),
        # One score for all: the mean of 2/3, 1/5, 1/5, 1/5.
        ([2.0] * 4, [True, False, False, False], (2 / 3 + 3 / 5) / 4),
        # The better the score the less it is true: 2/4 in the mean, and no curve that falls.
        ([1.0, 2.0, 3.0, 4.0], [True, True, False, False], 1 / 2),
        # Nothing is known at all.
        ([], [], 1 / 2),
    ],
)
def test_where_scores_say_nothing_the_curve_is_flat(scores, truth, level):
    slope, intercept = fit_logistic(np.array(scores), np.array(truth, dtype=bool))
    assert slope == 0.0
    assert 1 / (1 + np.exp(-intercept)) == pytest.approx(level)
    corners, chances = fit_isotonic(np.array(scores), np.array(truth, dtype=bool))
    assert np.interp(2.0, corners, chances) == pytest.approx(level)


@pytest.mark.parametrize("seed", range(4))
def test_isotonic_as_scikit_learn_has_it(seed):
    random = np.random.default_rng(seed)
    scores = random.normal(size=30).round(1)
    truth = scores + random.normal(size=30) > 0
    curve = IsotonicRegression(out_of_bounds="clip").fit(scores, targets(truth))
    unseen = random.normal(size=50) * 3
    assert np.interp(unseen, *fit_isotonic(scores, truth)) == pytest.approx(curve.predict(unseen))


@pytest.mark.parametrize("name", CALIBRATIONS)
@given(problem=problems(), data=st.data())
def test_probabilities_are_monotone_from_0_to_1_and_independent_of_the_batch(name, problem, data):
    hierarchy, scores, own, ends = problem
    calibrator = CALIBRATIONS[name].fit(scores, own, hierarchy, ends)
    unseen = data.draw(arrays(float, (4, len(hierarchy)), elements=SCORES))
    found = calibrator.probabilities(unseen, hierarchy, ends)
    assert found.shape == unseen.shape
    assert ((found >= 0) & (found <= 1)).all()
    for node in range(len(hierarchy)):
        for parent in hierarchy.parent_positions(node):
            assert (found[:, node] <= found[:, parent] + 1e-15).all()
    alone = np.concatenate([calibrator.probabilities(row[None], hierarchy, ends) for row in unseen])
    assert np.array_equal(alone, found)
    again = CALIBRATIONS[name].from_state(calibrator.to_state(), len(hierarchy))
    assert np.array_equal(again.probabilities(unseen, hierarchy, ends), found)


@pytest.mark.parametrize("name", ["platt", "isotonic"])
@given(problem=problems())
def test_a_higher_score_is_never_less_probable_under_one_curve(name, problem):
    hierarchy, scores, own, ends = problem
    flat = Hierarchy.flat(hierarchy.names)
    calibrator = CALIBRATIONS[name].fit(scores, own, flat, ends, pooled=True)
    found = calibrator.probabilities(scores, flat, ends)
    for row, chances in zip(scores, found, strict=True):
        order = np.argsort(row, kind="stable")
        assert (np.diff(chances[order]) >= 0).all()
    rows = as_rows(found, scores)
    assert rows.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    assert np.array_equal(rows.argmax(axis=1), scores.argmax(axis=1))
    again = CALIBRATIONS[name].from_state(calibrator.to_state(), 1)
    assert np.array_equal(again.probabilities(scores, flat, ends), found)


def test_one_curve_for_all_nodes_is_learned_from_all_pairs():
    scores, own = np.array([[2.0, 1.0], [-1.0, 0.5]]), csr_array([[True, False], [False, True]])
    flat = Hierarchy.flat("ab")
    pooled = Platt.fit(scores, own, flat, flat.leaves, pooled=True)
    assert (pooled.slopes[0], pooled.intercepts[0]) == fit_logistic(scores.ravel(), own.toarray().ravel())


@given(hierarchies(max_nodes=7), st.data())
def test_monotone_equal_to_the_oracle(hierarchy, data):
    chances = data.draw(arrays(float, (3, len(hierarchy)), elements=st.integers(0, 8).map(lambda n: n / 8)))
    found = monotone(chances, hierarchy)
    for before, after in zip(chances, found, strict=True):
        assert named(hierarchy, after) == oracle.monotone(set(hierarchy.edges()), named(hierarchy, before))
    assert np.array_equal(monotone(found, hierarchy), found)


def test_nothing_known_is_0_and_says_nothing():
    scores = np.array([[1.0, -np.inf, 1.0, 1.0], [0.0, -np.inf, -np.inf, 0.0], [-1.0, -np.inf, -1.0, -1.0]])
    own = csr_array(np.array([[0, 0, 1, 0], [0, 0, 0, 1], [0, 1, 0, 0]], dtype=bool))
    for name in ("platt", "isotonic"):
        found = CALIBRATIONS[name].fit(scores, own, TREE, TREE.leaves).probabilities(scores, TREE, TREE.leaves)
        assert (found[:, 1] == 0).all()
        assert found[1, 2] == 0
        assert (found[[0, 2], 2] > 0).all()


def test_softmax_by_hand():
    # x, y and b share 1 as 2 : 1 : 1, whatever a scores.
    found = Softmax(2.0).probabilities(2.0 * np.log([[9.0, 1.0, 2.0, 1.0]]), TREE, TREE.leaves)
    assert found.tolist() == [pytest.approx([3 / 4, 1 / 4, 2 / 4, 1 / 4])]


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        (Platt, {"slopes": np.zeros(3)}, "the model's 'slopes' has shape"),
        (Platt, {"intercepts": np.zeros(4, dtype=np.float32)}, r"the model's 'intercepts'.*not an array.*64"),
        (Isotonic, {"starts": np.array([0, 1, 2, 2, 4])}, "not one for each category"),
        (Isotonic, {"starts": np.array([1, 2, 3, 4, 5])}, "not one for each category"),
        (Isotonic, {"scores": np.zeros(9)}, "the model's 'scores' has shape"),
        (Isotonic, {"chances": np.full(4, 2.0)}, "leave the range from 0 to 1"),
        (Softmax, {"temperature": 0.0}, "the model's temperature is 0.0"),
        (Softmax, {"temperature": "warm"}, "the model's temperature is 'warm'"),
    ],
)
def test_a_state_that_cannot_be_one_is_refused(kind, change, message):
    whole = {
        Platt: {"slopes": np.ones(4), "intercepts": np.zeros(4)},
        Isotonic: {"starts": np.arange(5), "scores": np.zeros(4), "chances": np.full(4, 0.5)},
        Softmax: {"temperature": 1.0},
    }[kind]
    kind.from_state(whole, 4)
    with pytest.raises(ValueError, match=message):
        kind.from_state(whole | change, 4)
