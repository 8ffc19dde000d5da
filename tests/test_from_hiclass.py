"""hiclass's public examples and its measures, run on both: what `docs/from-hiclass.md` promises."""

import hiclass
import numpy as np
import pytest
from hiclass import metrics as peer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from classmark import FlatClassifier, Hierarchy, TopDownClassifier
from classmark.metrics import hierarchical_scores

# hiclass is silent about nothing, and numpy about some of what it does.
pytestmark = pytest.mark.filterwarnings("ignore")

X_TRAIN, X_TEST = np.array([[1], [2], [3], [4]]), np.array([[4], [3], [2], [1]])
Y_TRAIN = np.array(
    [
        ["Animal", "Mammal", "Sheep"],
        ["Animal", "Mammal", "Cow"],
        ["Animal", "Reptile", "Snake"],
        ["Animal", "Reptile", "Lizard"],
    ]
)
LEARNERS = pytest.mark.parametrize(
    "learner",
    [RandomForestClassifier(random_state=0), DecisionTreeClassifier(random_state=0), LogisticRegression()],
    ids=lambda learner: type(learner).__name__,
)
OURS = {
    "LocalClassifierPerNode": lambda learner: TopDownClassifier(learner, descent="greedy"),
    "LocalClassifierPerParentNode": lambda learner: TopDownClassifier(learner, per="parent", descent="greedy"),
}
STRATEGIES = pytest.mark.parametrize("name", OURS)


@LEARNERS
@STRATEGIES
def test_the_first_example(name, learner):
    theirs = getattr(hiclass, name)(learner).fit(X_TRAIN, Y_TRAIN).predict(X_TEST)
    ours = OURS[name](learner).fit(X_TRAIN, Y_TRAIN).predict(X_TEST)
    assert ours.tolist() == theirs.tolist() == Y_TRAIN[::-1].tolist()


@pytest.mark.parametrize("learner", [RandomForestClassifier(random_state=0), DecisionTreeClassifier(random_state=0)])
def test_the_flat_classifier(learner):
    theirs = hiclass.FlatClassifier(learner).fit(X_TRAIN, Y_TRAIN).predict(X_TEST)
    assert FlatClassifier(learner).fit(X_TRAIN, Y_TRAIN).predict(X_TEST).tolist() == theirs.tolist()


@LEARNERS
@pytest.mark.parametrize(("policy", "negatives"), [("siblings", "siblings"), ("less_inclusive", "all")])
def test_the_policies(policy, negatives, learner):
    theirs = hiclass.LocalClassifierPerNode(learner, binary_policy=policy).fit(X_TRAIN, Y_TRAIN)
    ours = TopDownClassifier(learner, negatives=negatives, descent="greedy").fit(X_TRAIN, Y_TRAIN)
    assert ours.predict(X_TEST).tolist() == theirs.predict(X_TEST).tolist()


def test_paths_of_different_lengths():
    paths = np.array(
        [
            ["Bird", "", ""],
            ["Reptile", "Snake", ""],
            ["Reptile", "Lizard", ""],
            ["Mammal", "Cat", ""],
            ["Mammal", "Wolf", "Dog"],
        ]
    )
    X, unseen = [[1], [2], [3], [4], [5]], [[5], [4], [3], [2], [1]]
    theirs = hiclass.LocalClassifierPerParentNode(LogisticRegression()).fit(X, paths).predict(unseen)
    ours = OURS["LocalClassifierPerParentNode"](LogisticRegression()).fit(X, paths).predict(unseen)
    assert ours.tolist() == theirs.tolist()


def test_in_a_pipeline():
    texts = ["Struggling to repay loan", "Unable to get annual report"]
    labels = np.array([["Loan", "Student loan"], ["Credit reporting", "Reports"]])
    answers = []
    for last in (
        hiclass.LocalClassifierPerParentNode(LogisticRegression()),
        OURS["LocalClassifierPerParentNode"](LogisticRegression()),
    ):
        pipeline = make_pipeline(CountVectorizer(), TfidfTransformer(), last).fit(texts, labels)
        answers.append(pipeline.predict(texts[::-1]).tolist())
    assert answers[0] == answers[1] == labels[::-1].tolist()


def problem(seed):
    """Three levels, a category below each of which is as likely as the next, and features that half tell."""
    random = np.random.default_rng(seed)
    tops, middles, leaves = (random.integers(0, 2, 90) for _ in range(3))
    paths = [[f"{a}", f"{a}.{b}", f"{a}.{b}.{c}"] for a, b, c in zip(tops, middles, leaves, strict=True)]
    X = random.normal(size=(90, 6))
    X[:, 0] += 2 * tops
    X[:, 1] += 2 * middles
    X[:, 2] += 2 * leaves
    return X[:60], np.array(paths[:60]), X[60:], np.array(paths[60:])


@pytest.mark.parametrize("seed", range(5))
@STRATEGIES
def test_noisy_data(name, seed):
    X, paths, unseen, _ = problem(seed)
    theirs = getattr(hiclass, name)(LogisticRegression()).fit(X, paths).predict(unseen)
    ours = OURS[name](LogisticRegression()).fit(X, paths).predict(unseen)
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("average", "theirs"), [("micro", "micro"), ("instance", "macro")])
def test_the_measures(seed, average, theirs):
    X, paths, unseen, truth = problem(seed)
    tree = Hierarchy.from_paths(np.concatenate([paths, truth]).tolist())
    answers = FlatClassifier(hierarchy=tree).fit(X, paths).predict(unseen)
    found = hierarchical_scores(truth, answers, tree, average=average)
    assert found.hp == pytest.approx(peer.precision(truth, answers, average=theirs))
    assert found.hr == pytest.approx(peer.recall(truth, answers, average=theirs))
    if average == "micro":
        assert found.hf == pytest.approx(peer.f1(truth, answers, average="micro", zero_division=0))


def test_labels_come_back_as_they_went_in():
    """hiclass gives strings for integers; classmark gives integers."""
    paths = np.array([[1, 10], [1, 11], [2, 20], [2, 21]])
    answers = OURS["LocalClassifierPerParentNode"](DecisionTreeClassifier()).fit(X_TRAIN, paths).predict(X_TRAIN)
    assert answers.tolist() == paths.tolist()
    assert answers.dtype == paths.dtype


@pytest.mark.parametrize("seed", range(5))
def test_per_level_where_the_levels_agree(seed):
    """hiclass lets every level answer for itself; where its answers make a path, they are ours."""
    X, paths, unseen, _ = problem(seed)
    learner = LogisticRegression()
    theirs = hiclass.LocalClassifierPerLevel(learner).fit(X, paths).predict(unseen)
    ours = TopDownClassifier(learner, per="level", descent="greedy").fit(X, paths).predict(unseen)
    known = {tuple(path) for path in paths.tolist()}
    agree = [row for row, path in enumerate(theirs.tolist()) if tuple(path) in known]
    assert len(agree) > len(unseen) / 2
    assert ours[agree].tolist() == theirs[agree].tolist()
    assert {tuple(path) for path in ours.tolist()} <= known


def test_names_that_are_shared_and_what_is_divided_by_zero():
    """What `docs/from-hiclass.md` says of figures that differ."""
    two = np.array([["Bird", "other"], ["Mammal", "other"]])
    tree = Hierarchy.from_paths(two)
    assert peer.f1(two[[0]], two[[1]], average="micro") == 0.5
    assert hierarchical_scores(two[[0]], two[[1]], tree).hf == 0
    apart = np.array([["Bird", "owl"], ["Mammal", "cat"]])
    assert peer.f1(apart[[0]], apart[[1]], average="micro", zero_division=1.0) == 1
    assert hierarchical_scores(apart[[0]], apart[[1]], Hierarchy.from_paths(apart), zero_division=1).hf == 0
    with pytest.raises(ZeroDivisionError):
        peer.precision(two[[0]], np.array([["", ""]]), average="micro")
