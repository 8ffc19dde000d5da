"""One learner a level: its weights are those of the learner on the categories of that level."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from classmark import Hierarchy, MajorityClassifier, TopDownClassifier

TREE = Hierarchy.from_nested({"a": {"x": ["u", "v"], "y": None}, "b": ["z", "w"], "c": None})
NAMES = ["u", "v", "y", "z", "w", "c", "x"]


def documents(seed=0, count=90):
    random = np.random.default_rng(seed)
    labels = np.array(NAMES)[np.arange(count) % len(NAMES)]
    X = random.poisson(0.4, (count, 12)).astype(float)
    X[np.arange(count), np.arange(count) % len(NAMES)] += 2
    return X, labels


def ancestor(name, level):
    path = TREE.path(name)
    if len(path) > level:
        return path[level]
    # Who stays at an inner node is a class of the level below it.
    return f"at {name}" if level == len(path) and TREE.child_positions(TREE.position(name)).size else None


@pytest.mark.parametrize("learner", [LinearSVC(random_state=0), LogisticRegression()])
def test_the_margins_are_those_of_a_learner_of_the_level(learner):
    X, labels = documents()
    model = TopDownClassifier(learner, hierarchy=TREE, per="level", descent="soft").fit(X, labels)
    for level in range(3):
        classes = [ancestor(name, level) for name in labels]
        rows = [row for row, one in enumerate(classes) if one is not None]
        # The order of classes decides nothing but the last digits.
        one = type(learner)(**learner.get_params()).fit(X[rows], [classes[row] for row in rows])
        expected = dict(zip(one.classes_, one.decision_function(X).T, strict=True))
        for problem, parent in enumerate(model.structure_.parents):
            if (0 if parent < 0 else TREE.levels[parent]) != level:
                continue
            found = model.local_margins(csr_array(X), problem, np.arange(len(X)))
            for slot, margins in zip(model.structure_.slots[model.structure_.of(problem)], found.T, strict=True):
                name = TREE.names[slot] if slot < len(TREE) else f"at {TREE.names[slot - len(TREE)]}"
                assert margins == pytest.approx(expected[name], abs=2e-2)


def test_on_one_level_it_is_the_learner_of_the_parent():
    X, labels = documents()
    level, parent = (TopDownClassifier(per=per).fit(X, labels).node_scores(X) for per in ("level", "parent"))
    assert level == pytest.approx(parent)


def test_answers_are_consistent_and_good_on_what_was_learned():
    X, labels = documents()
    model = TopDownClassifier(hierarchy=TREE, per="level", descent="greedy").fit(X, labels)
    assert TREE.is_consistent(model.predict_indicator(X)).all()
    assert (model.predict(X) == labels).mean() > 0.8
    copy = TopDownClassifier().from_state(model.to_state())
    assert copy.per == "level"
    assert np.array_equal(copy.node_scores(X), model.node_scores(X))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"negatives": "all"}, "per is 'level', which goes with the siblings as negatives"),
        ({"selection": "glocal"}, "per is 'level', which goes with the siblings as negatives"),
        ({"estimator": DecisionTreeClassifier()}, "DecisionTreeClassifier is not linear"),
        ({"estimator": MajorityClassifier()}, "takes linear learners of scikit-learn's, not MajorityClassifier"),
    ],
)
def test_what_does_not_go_with_it(settings, message):
    X, labels = documents()
    with pytest.raises(ValueError, match=message):
        TopDownClassifier(hierarchy=TREE, per="level", **settings).fit(X, labels)
