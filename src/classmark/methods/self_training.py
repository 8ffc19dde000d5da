"""The method that wraps others: `self-training`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from classmark.methods.flat import LinearSVMSettings
from classmark.methods.generative import SCALED, FlatNBSettings, PathNBSettings
from classmark.methods.settings import LearnerSettings, Method

if TYPE_CHECKING:
    from classmark.base import HierarchicalClassifier
    from classmark.strategies import SelfTrainingClassifier

Builder: TypeAlias = "Callable[[int | None, int | None], HierarchicalClassifier | None]"


def _svm(random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
    svm = LinearSVMSettings(class_weight="balanced", inner="best", prune=0.0).build(random_state, n_jobs)
    # Platt's curves suit any number of labels; nobody asks this one for a decision.
    return svm.set_params(calibration="platt", decision=None)  # type: ignore[no-any-return]


LEARNERS: dict[str, Builder] = {
    "logistic": lambda random_state, n_jobs: None,  # what the classifier wraps by itself
    "linear-svm": _svm,
    "nb": FlatNBSettings().build,
    "nb-plus": FlatNBSettings(**SCALED).build,
    "pcnb": PathNBSettings().build,
}


class SelfTrainingSettings(LearnerSettings, frozen=True, kw_only=True):
    """Settings of `self-training`."""

    learner: Annotated[
        Literal["logistic", "linear-svm", "nb", "nb-plus", "pcnb"],
        Meta(description="what learns in each round; the last three read counts: weighting=counts, norm=none"),
    ] = "logistic"
    kind: Annotated[
        Literal["hard", "soft"], Meta(description="hard: sure answers are labels; soft: all answers count, as in EM")
    ] = "hard"
    threshold: Annotated[float, Meta(gt=0, le=1, description="hard: the probability that an answer needs")] = 0.8
    unlabelled_weight: Annotated[float, Meta(ge=0, description="how much an unlabelled document counts")] = 1.0
    tolerance: Annotated[
        float, Meta(ge=0, description="soft: rounds end when less than this part of the shares moves")
    ] = 0.01
    max_iter: Annotated[int, Meta(ge=1, description="most rounds")] = 10

    def build(self, random_state: int | None, n_jobs: int | None) -> "SelfTrainingClassifier":
        """Give self-training over the learner."""
        from classmark.strategies import SelfTrainingClassifier

        parameters = msgspec.structs.asdict(self)
        wrapped = LEARNERS[parameters.pop("learner")](random_state, n_jobs)
        return SelfTrainingClassifier(wrapped, **parameters, n_jobs=n_jobs)


SELF_TRAINING = (
    Method(
        "self-training",
        "Logistic regression whose sure answers about unlabelled documents count as labels.",
        SelfTrainingSettings(),
    ),
)
