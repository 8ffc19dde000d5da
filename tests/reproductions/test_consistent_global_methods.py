"""`global-adaboost` and `local-adaboost` are the paper's approaches, as their settings say."""

import pytest

from classmark import Hierarchy, TextClassifier
from classmark.decision import BestPath, TunedThreshold, parse_decision
from classmark.registry import METHODS

TREE = Hierarchy.from_nested({"bird": ["owl", "gull"], "plant": ["oak"]})
TEXTS = [
    "owl hoots night",
    "owl night",
    "gull cries sea",
    "gull sea",
    "oak acorns",
    "old oak",
    "feathers",
    "feathers wing",
]
TEXTS[:4] = [f"{text} feathers" for text in TEXTS[:4]]
LABELS = ["owl", "owl", "gull", "gull", "oak", "oak", "bird", "bird"]


def built(name, **settings):
    learner, _ = METHODS[name].configure(settings)
    return learner.build(random_state=5, n_jobs=2)


@pytest.mark.parametrize("name", ["global-adaboost", "local-adaboost"])
def test_settings_reach_the_booster(name):
    booster = built(name, n_estimators="7", prediction="abstaining", smoothing=0.5).estimator
    assert (booster.n_estimators, booster.prediction, booster.smoothing, booster.random_state) == (
        7,
        "abstaining",
        0.5,
        5,
    )


def test_threads_are_of_the_classifier_and_not_of_the_booster():
    assert built("global-adaboost").n_jobs == 2
    local = built("local-adaboost")
    assert (local.estimator.n_jobs, local.n_jobs, local.negatives, local.inner) == (None, 2, "subtree", "reach")


@pytest.mark.parametrize("threshold", ["tuned-on-training", "tuned", "tuned-per-node", "0.5", -1, "none"])
def test_the_threshold_of_the_global_approach_is_that_of_the_setting(threshold):
    assert built("global-adaboost", threshold=threshold).threshold == {"none": None, "0.5": 0.5}.get(
        threshold, threshold
    )


def test_the_local_approach_tunes_its_threshold_on_training_scores():
    decision = parse_decision(built("local-adaboost").decision)
    assert decision == TunedThreshold(on="training", consistency="filter")


@pytest.mark.parametrize("name", ["global-adaboost", "local-adaboost"])
class TestLearned:
    def test_inner_categories_and_leaves_are_both_answers(self, name):
        model = TextClassifier(name, settings={"n_estimators": 20}, hierarchy=TREE).fit(TEXTS, LABELS)
        assert isinstance(model.classifier_.decision_, TunedThreshold)
        assert model.classifier_.decision_.on == "training"
        assert model.predict(TEXTS) == [[label] for label in LABELS]

    def test_the_best_path_gives_every_document_one_answer(self, name):
        model = TextClassifier(name, settings={"n_estimators": 5}, hierarchy=TREE, decision="best-path")
        model.fit(TEXTS[:6], LABELS[:6])
        assert isinstance(model.classifier_.decision_, BestPath)
        with pytest.warns(UserWarning, match="no known term"):
            assert model.predict(["nothing known"]).shape == (1,)
