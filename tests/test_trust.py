"""Trust in unlabelled documents: what held-out labelled ones bear out, or else the agreement of halves."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from classmark import (
    EMMC,
    FlatEM,
    FlatNB,
    Hierarchy,
    MajorityClassifier,
    PathEM,
    SelfTrainingClassifier,
    TextClassifier,
    TopDownEM,
    WinDrivenEM,
    trust,
)
from classmark.held_out import Task
from classmark.registry import METHODS
from classmark.trust import WAYS, agreement, better_way, far_to_trust, likeness, trust_in_words

TREE = Hierarchy.from_paths(["a/x", "a/y", "b/z", "b/w"])
MODELS = [
    FlatEM(hierarchy=TREE),
    PathEM(hierarchy=TREE, scaling="log-idf", prior=False, growth=2),
    TopDownEM(hierarchy=TREE),
    WinDrivenEM(hierarchy=TREE),
    EMMC(hierarchy=TREE),
    SelfTrainingClassifier(FlatNB(), hierarchy=TREE, threshold=0.6),
]
models = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


COUNTS = {"weighting": "counts", "norm": None}
NAMES = np.array(["a/x", "a/y", "b/z", "b/w"], dtype=object)


def drawn(seed=0, labelled=60, unlabelled=400, style=0):
    """Documents of four categories with 25 terms of their own; and a term that comes often, whatever the category."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 4, labelled + unlabelled)
    rates = np.zeros((4, 104))
    for category in range(4):
        rates[category, category * 25 : category * 25 + 25] = 0.12
    rates[:, :100] += 0.04
    X = random.poisson(rates[truth]).astype(float)
    X[np.arange(len(X)), 100 + random.integers(0, 4, len(X))] += style
    y = NAMES[truth]
    y[labelled:] = None
    return X, y, NAMES[truth]


def helpful(seed=0, labelled=60):
    """Documents that fall into groups, which are the categories."""
    return drawn(seed, labelled)


def harmful(seed=0, labelled=60):
    """Documents that fall into groups, which have nothing to do with the categories."""
    return drawn(seed, labelled, style=5)


def fitted(model, X, y, **parameters):
    return clone(model).set_params(**parameters).fit(X, y)


@models
@pytest.mark.parametrize("data", [helpful, harmful])
def test_auto_is_the_way_that_it_takes(model, data):
    X, y = data()[:2]
    chosen = fitted(model, X, y, trust="auto")
    assert chosen.trusted_ in WAYS
    assert chosen.trust_reason_
    alone = fitted(model, X, y, trust=chosen.trusted_)
    assert (alone.trusted_, alone.trust_reason_) == (chosen.trusted_, None)
    assert np.array_equal(chosen.node_scores(X), alone.node_scores(X))


@models
def test_nothing_is_the_model_of_the_labelled_documents(model):
    X, y, _ = helpful()
    told = np.array([one is not None for one in y])
    without, alone = fitted(model, X, y, trust="nothing"), fitted(model, X[told], y[told])
    assert np.array_equal(without.node_scores(X), alone.node_scores(X))


@pytest.mark.parametrize("kind", [FlatEM, PathEM])
def test_once_is_one_iteration_over_the_terms_of_labelled_documents(kind):
    X, y, _ = helpful()
    once = kind(hierarchy=TREE, growth=3, trust="once").fit(X, y)
    alone = kind(hierarchy=TREE, max_iter=1).fit(X, y)
    assert np.array_equal(once.node_scores(X), alone.node_scores(X))


def test_what_helps_is_trusted():
    X, y, truth = helpful()
    model = FlatEM(hierarchy=TREE, trust="auto").fit(X, y)
    start = FlatEM(hierarchy=TREE, trust="nothing").fit(X, y)
    assert model.trusted_ == "full"
    assert model.trust_reason_.startswith("held-out hF: full 0.")
    assert model.trust_reason_.endswith("(60 documents, 3 folds)")
    assert model.score(X, truth) > start.score(X, truth) + 0.02


@pytest.mark.parametrize("seed", range(3))
def test_what_hurts_is_not(seed):
    X, y, _ = harmful(seed)
    unseen, _, truth = harmful(seed + 100)
    ways = {way: FlatEM(hierarchy=TREE, trust=way).fit(X, y) for way in (*WAYS, "auto")}
    assert ways["full"].score(unseen, truth) < ways["nothing"].score(unseen, truth) - 0.1
    assert ways["auto"].trusted_ == "nothing"


def test_too_few_documents_are_asked_by_halves():
    X, y, _ = helpful(seed=1, labelled=12)
    model = FlatEM(hierarchy=TREE, trust="auto").fit(X, y)
    words = "12 labelled documents are too few to hold any out; halves of the labels agree: full "
    assert model.trust_reason_.startswith(words)
    assert model.trusted_ == "full"


def test_halves_that_share_nothing_cannot_say():
    X, y = np.eye(4), np.array(["a/x", "b/z", None, None], dtype=object)
    model = FlatEM(hierarchy=TREE, trust="auto").fit(X, y)
    assert model.trusted_ == "full"
    assert model.trust_reason_.endswith("too few to hold any out, and halves of them share no category")
    assert FlatEM(hierarchy=TREE, trust="auto").fit(X[:3], ["a/x", None, None]).trusted_ == "full"


def test_held_out_documents_that_cannot_tell_leave_it_to_halves():
    random = np.random.default_rng(0)
    X = random.poisson(0.5, (200, 12))
    y = np.array(["a/x", "a/y", "b/z", "b/w"] * 50, dtype=object)
    y[24:] = None
    model = FlatEM(hierarchy=TREE, trust="auto").fit(X, y)
    assert "which cannot tell: the standard error is 0." in model.trust_reason_
    assert "; halves of the labels agree: " in model.trust_reason_


def test_nothing_is_chosen_where_every_document_is_labelled():
    X, _, truth = helpful()
    model = FlatEM(hierarchy=TREE, trust="auto").fit(X, truth)
    assert (model.trusted_, model.trust_reason_, trust_in_words(model)) == ("full", None, None)


def test_soft_labels_are_trusted():
    X = np.eye(4)
    levels = np.array([[0, 2], [1, 4], [-1, -1], [-1, -1]])
    for model in (FlatEM(hierarchy=TREE, trust="auto"), PathEM(hierarchy=TREE, trust="auto")):
        assert model.fit_levels(X, levels).trusted_ == "full"
        assert model.trust_reason_ is None


def test_labels_that_do_not_count_are_not_asked():
    X, y, _ = helpful()
    told = np.flatnonzero([one is not None for one in y])
    weight = np.ones(len(y))
    weight[told[5:]] = 0
    model = FlatEM(hierarchy=TREE, trust="auto").fit(X, y, sample_weight=weight)
    assert model.trust_reason_.startswith("5 labelled documents are too few")


def test_copies_trust_as_far():
    X, y, _ = harmful()
    model = FlatEM(hierarchy=TREE, trust="auto", calibration="softmax").fit(X, y)
    assert model.unfitted_copy().trust == model.trusted_ == "nothing"
    assert model.trust == "auto"


@pytest.mark.parametrize("seconds", [0.002, 0.0005])
def test_long_trials_are_bounded_in_words(monkeypatch, seconds):
    X, y, _ = helpful()
    work = trust.seconds_to_fit(_known(FlatEM(hierarchy=TREE, trust="full"), X, y), _task(X, y))
    monkeypatch.setattr(trust, "SECONDS", seconds * work / 0.001)
    model = FlatEM(hierarchy=TREE, trust="auto").fit(X, y)
    assert "(a third of 60 documents held out: 3 folds would take" in model.trust_reason_
    assert ("unlabelled documents)" in model.trust_reason_) == (seconds < 0.001)


def _task(X, y):
    own = np.zeros((len(y), len(TREE)))
    for row, one in enumerate(y):
        if one is not None:
            own[row, TREE.position(one)] = 1
    return Task(csr_array(X), csr_array(own).astype(bool), None, np.flatnonzero([one is not None for one in y]))


def _known(model, X, y):
    model.hierarchy_, model.n_features_in_, model.decision_ = TREE, X.shape[1], None
    model.ends_ = np.unique(_task(X, y).own.indices).astype(np.int32)
    return model


def test_any_two_ways_are_compared():
    X, _, truth = helpful()
    ways = {"blind": _known(MajorityClassifier(), X, truth), "seeing": _known(FlatNB(), X, truth)}
    found = better_way(ways, _task(X, truth))
    assert found.way == "seeing"
    assert found.reason.startswith("held-out hF: seeing ")
    assert better_way(dict(reversed(ways.items())), _task(X, truth)).way == "seeing"


def test_trust_without_choice_is_what_was_asked_for():
    X, y, _ = helpful()
    task = _task(X, y)
    for way in WAYS:
        assert far_to_trust(FlatEM(trust=way), task.X, task.own, None) == (way, None)


def test_likeness_by_hand():
    rows = csr_array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    others = csr_array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert likeness(rows, others).tolist() == [1.0, 2 / 3, 0.0]


def test_agreement_is_that_of_all_pairs():
    random = np.random.default_rng(0)
    first, second = (csr_array(TREE.ancestors[random.integers(0, 6, 30)]).astype(float) for _ in range(2))
    pairs = [likeness(first[[i]], second[[j]])[0] for i in range(30) for j in range(30)]
    chance = np.mean(pairs)
    expected = (likeness(first, second).mean() - chance) / (1 - chance)
    assert agreement(first, second) == pytest.approx(expected)
    assert agreement(first, first) == pytest.approx(1)
    assert agreement(csr_array((0, 3)), csr_array((0, 3))) == 0


def test_published_methods_trust_and_ours_ask():
    asked = {name for name, method in METHODS.items() if method.defaults.get("trust") == "auto"}
    assert asked == {"em-plus", "pcem-plus", "self-training"}
    assert all(model.trust == "full" for model in MODELS)


@pytest.mark.parametrize(("method", "settings"), [("em-plus", {}), ("self-training", {"learner": "nb", **COUNTS})])
def test_the_model_file_says_it(tmp_path, method, settings):
    words = {"owl": "hoot night wing", "gull": "sea cry wing", "oak": "acorn leaf bark"}
    random = np.random.default_rng(0)
    names = [list(words)[number] for number in random.integers(0, 3, 90)]
    texts = [" ".join(random.choice(words[name].split(), 2)) for name in names]
    labels = [name if row < 30 else None for row, name in enumerate(names)]
    model = TextClassifier(method, settings=settings).fit(texts, labels)
    model.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    assert trust_in_words(again.classifier_) == trust_in_words(model.classifier_) is not None
    assert again.classifier_.trust == "auto"
    assert list(again.predict(texts)) == list(model.predict(texts))
