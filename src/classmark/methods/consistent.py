"""The methods that learn all nodes of the hierarchy together, or each with the hierarchy in mind.

`global-adaboost` and `local-adaboost` are the two approaches that consistent_global_2006 compares.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from classmark.methods.boosting import PRESENCE, BoostingSettings
from classmark.methods.settings import LINEAR_TEXT, LearnerSettings, Method

if TYPE_CHECKING:
    from classmark.boosting import AdaBoostMH
    from classmark.decision import Decision
    from classmark.strategies import ConsistentClassifier, TopDownClassifier


class GlobalSVMSettings(LearnerSettings, frozen=True, kw_only=True):
    """Settings of `global-svm`."""

    C: Annotated[float, Meta(gt=0, description="how much errors count against a wide margin")] = 1.0
    class_weight: Annotated[Literal["balanced"] | None, Meta(description="balanced: rare categories count more")] = None
    max_iter: Annotated[int, Meta(ge=1, description="most iterations of the solver")] = 1000
    prune: Annotated[float, Meta(ge=0, description="smaller weights are dropped")] = 0.01

    def build(self, random_state: int | None, n_jobs: int | None) -> "ConsistentClassifier":
        """Give the global approach over scikit-learn's linear SVM."""
        from sklearn.svm import LinearSVC

        from classmark.strategies import ConsistentClassifier

        solver = msgspec.structs.asdict(self)
        prune = solver.pop("prune")
        learner = LinearSVC(**solver, random_state=random_state)
        return ConsistentClassifier(learner, decision="auto", prune=prune, n_jobs=n_jobs)


class ThresholdSettings(BoostingSettings, frozen=True, kw_only=True):
    """What the two approaches over AdaBoost.MH have in common."""

    threshold: Annotated[
        Literal["tuned-on-training", "tuned", "tuned-per-node-on-training", "tuned-per-node"] | float | None,
        Meta(description="the score that accepts a category, or how it is learned; none: the best path, or 0"),
    ] = "tuned-on-training"

    def booster(self, random_state: int | None, n_jobs: int | None) -> "AdaBoostMH":
        """Give the AdaBoost.MH that learns, imported here because numba takes its time."""
        from classmark.boosting import AdaBoostMH

        settings = {name: getattr(self, name) for name in BoostingSettings.__struct_fields__}
        return AdaBoostMH(**settings, random_state=random_state, n_jobs=n_jobs)


class GlobalAdaBoostSettings(ThresholdSettings, frozen=True, kw_only=True):
    """Settings of `global-adaboost`."""

    relabel: Annotated[
        Literal["average", "minimum", "product", "filter", "close", "likelihood"],
        Meta(description="how inconsistent answers are made consistent"),
    ] = "average"

    def build(self, random_state: int | None, n_jobs: int | None) -> "ConsistentClassifier":
        """Give the global approach over AdaBoost.MH."""
        from classmark.strategies import ConsistentClassifier

        booster = self.booster(random_state, n_jobs)
        return ConsistentClassifier(booster, threshold=self.threshold, relabel=self.relabel, n_jobs=n_jobs)


class LocalAdaBoostSettings(ThresholdSettings, frozen=True, kw_only=True):
    """Settings of `local-adaboost`."""

    def build(self, random_state: int | None, n_jobs: int | None) -> "TopDownClassifier":
        """Give the local approach over AdaBoost.MH."""
        from classmark.strategies import TopDownClassifier

        # Nodes are learned several at a time, so that a booster has one thread.
        booster = self.booster(random_state, None)
        return TopDownClassifier(booster, negatives="subtree", inner="reach", decision=self._decision(), n_jobs=n_jobs)

    def _decision(self) -> "Decision | None":
        """Give a decision by the threshold; on the way down scores only fall, so that all rules agree."""
        from classmark.decision import Threshold
        from classmark.strategies.consistent import THRESHOLDS

        if self.threshold is None:
            return None
        if isinstance(self.threshold, str):
            return replace(THRESHOLDS[self.threshold], consistency="filter")
        return Threshold(self.threshold, "filter")


CONSISTENT = (
    Method(
        "global-svm",
        "Linear SVM over all nodes, labels closed upward, answers made consistent.",
        GlobalSVMSettings(),
        LINEAR_TEXT,
    ),
    Method(
        "global-adaboost",
        "AdaBoost.MH over all nodes, labels closed upward, answers made consistent.",
        GlobalAdaBoostSettings(),
        PRESENCE,
    ),
    Method(
        "local-adaboost",
        "AdaBoost.MH at each node, on all documents of its subtree, from the top down.",
        LocalAdaBoostSettings(),
        PRESENCE,
    ),
)
