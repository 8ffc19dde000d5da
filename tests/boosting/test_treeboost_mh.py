"""TreeBoost.MH: at every inner node the booster of the formulas, on the documents of Definitions 1 and 2."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark import Hierarchy, TopDownClassifier
from classmark.boosting import AdaBoostMH, TreeBoostMH, treeboost_mh
from classmark.boosting.committee import parse_committee
from tests.oracles import boosting as oracle
from tests.oracles import topdown

# b has a single child, and nothing to tell apart.
TREE = Hierarchy.from_nested({"a": {"x": ["u", "v", "w"], "y": None}, "b": ["z"], "c": None})
LEAVES = ["u", "v", "w", "y", "z", "c"]


def documents(seed, count=60):
    """Documents with none, one or several labels, whose first terms tell them with errors."""
    random = np.random.default_rng(seed)
    Y = random.random((count, len(LEAVES))) < 0.25
    X = np.concatenate([np.where(random.random(Y.shape) < 0.1, ~Y, Y), random.random((count, 5)) < 0.5], axis=1)
    return X, [[name for name, has in zip(LEAVES, row, strict=True) if has] for row in Y]


def boosted(X, Y, rounds, prediction, pivots, policy):
    if pivots == "shared":
        return lambda new: oracle.scores(new, oracle.boost(X, Y, rounds, prediction=prediction, policy=policy))
    found = oracle.mp_boost(X, Y, rounds, prediction=prediction, policy=policy)
    labels = range(Y.shape[1])
    return lambda new: np.concatenate([oracle.scores(new, [each[j] for each, _ in found]) for j in labels], axis=1)


def expected_scores(X, own, new, rounds, prediction="real", pivots="shared", policy=None):
    """Figure 1, and section 3.1: a node is reached where every booster on the way lets the document through."""
    positions = [[TREE.position(name) for name in labels] for labels in own]
    scores = np.full((len(new), len(TREE)), -np.inf)
    for parent, slots, taking_part in topdown.problems(positions, TREE, "siblings", stay=False):
        rows, children = sorted(taking_part), [node for _, node in slots]
        margins = np.full((len(new), len(children)), np.inf)
        if len(children) > 1:
            Y = np.array([[row in slots["reach", child] for child in children] for row in rows])
            margins = boosted(X[rows], Y, rounds, prediction, pivots, policy)(new)
        above = np.inf if parent < 0 else scores[:, [parent]]
        scores[:, children] = np.minimum(margins, above)
    return scores


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("prediction", "pivots"), [("real", "shared"), ("abstaining", "shared"), ("real", "own")])
def test_scores_are_those_of_the_formulas(seed, prediction, pivots):
    (X, own), (new, _) = documents(seed), documents(seed + 100)
    model = TreeBoostMH(10, hierarchy=TREE, prediction=prediction, pivots=pivots).fit(X, own)
    assert model.node_scores(new) == pytest.approx(expected_scores(X, own, new, 10, prediction, pivots), abs=1e-8)
    for rounds, scores in zip([1, 4, 10], model.node_scores_at(new, [1, 4, 10]), strict=True):
        assert scores == pytest.approx(expected_scores(X, own, new, rounds, prediction, pivots), abs=1e-8)
    assert len(list(model.staged_node_scores(new))) == 10


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("pivots", ["shared", "own"])
@pytest.mark.parametrize("committee", ["growing,step=1,every=3", "steps,starts=1/2/6,sizes=1/3/2"])
def test_committees_at_every_node_are_those_of_the_formulas(seed, pivots, committee):
    (X, own), (new, _) = documents(seed), documents(seed + 100)
    model = TreeBoostMH(10, hierarchy=TREE, pivots=pivots, committee=committee).fit(X, own)
    expected = expected_scores(X, own, new, 10, "real", pivots, parse_committee(committee))
    assert model.node_scores(new) == pytest.approx(expected, abs=1e-8)
    again = TreeBoostMH().from_state(model.to_state())
    assert again.node_scores(new).tobytes() == model.node_scores(new).tobytes()
    assert again.committee == committee
    node = "x"
    shares = model.contributions(new[:5], node)
    total = np.asarray(shares.terms.sum(axis=1)).ravel() + shares.bias
    assert total == pytest.approx(again.node_scores(new[:5])[:, TREE.position(node)])


def test_models_from_before_committees_load():
    X, own = documents(0)
    model = TreeBoostMH(5, hierarchy=TREE).fit(X, own)
    state = model.to_state()
    del state["learned"]["parameters"]["committee"]
    assert TreeBoostMH().from_state(state).node_scores(X).tobytes() == model.node_scores(X).tobytes()
    with pytest.raises(ValueError, match="unknown committee 'crowd'"):
        TreeBoostMH(committee="crowd").fit(X, own)


def test_a_document_goes_down_where_every_filter_lets_it_through():
    (X, own), (new, _) = documents(0), documents(1)
    model = TreeBoostMH(20, hierarchy=TREE).fit(X, own)
    through = expected_scores(X, own, new, 20) > 0
    assert model.predict_indicator(new).toarray().tolist() == through.tolist()
    assert through.any(axis=0).all()
    # Consistent by itself: nobody is below a node that stopped them.
    assert (through <= TREE.close(through).toarray()).all()
    for child in range(len(TREE)):
        for parent in TREE.parent_positions(child):
            assert (through[:, child] <= through[:, parent]).all()


@pytest.mark.parametrize("descent", ["filter", "greedy", "soft"])
def test_many_nodes_answer_as_few_do(monkeypatch, descent):
    (X, own), (new, _) = documents(0), documents(1)
    few = TreeBoostMH(20, hierarchy=TREE, descent=descent).fit(X, own)
    monkeypatch.setattr(treeboost_mh, "FEW", 0)
    many = TreeBoostMH(20, hierarchy=TREE, descent=descent).fit(X, own)
    assert few._answers is not None and many._answers is None
    given = csr_array(new.astype(float))
    assert few.score_rows(given, 0.0).tobytes() == many.score_rows(given, 0.0).tobytes()


def test_two_threads_give_the_same_bits():
    X, own = documents(0)
    one, two = (TreeBoostMH(10, hierarchy=TREE, n_jobs=count).fit(X, own).node_scores(X) for count in (1, 2))
    assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_estimators": 0}, r"n_estimators=0.*integer >= 1"),
        ({"pivots": "many"}, "pivots='many': must be one of shared, own"),
        ({"prediction": "bold"}, "prediction='bold': must be one of real, abstaining, discrete"),
        ({"smoothing": -1}, r"smoothing=-1.*number > 0"),
        ({"selection": "some"}, "selection='some'.*full, global"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    X, own = documents(0)
    with pytest.raises(ValueError, match=message):
        TreeBoostMH(hierarchy=TREE).set_params(**settings).fit(X, own)


def test_negative_values_are_refused():
    X, own = documents(0)
    with pytest.raises(ValueError, match="Negative values"):
        TreeBoostMH(5, hierarchy=TREE).fit(-X.astype(float), own)


@pytest.mark.filterwarnings("ignore:interrupted")
def test_an_interruption_at_a_node_ends_the_whole():
    def interrupt(one):
        if one.number == 2:
            raise KeyboardInterrupt

    X, own = documents(0)
    with pytest.raises(KeyboardInterrupt):
        TopDownClassifier(AdaBoostMH(5, callback=interrupt), hierarchy=TREE).fit(X, own)
