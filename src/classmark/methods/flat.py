"""The flat methods, which are the baselines of all others."""

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from classmark.methods.settings import LearnerSettings, Method

if TYPE_CHECKING:
    from classmark.strategies import FlatClassifier, MajorityClassifier


class LinearSVMSettings(LearnerSettings, frozen=True, kw_only=True):
    """Settings of `linear-svm`."""

    C: Annotated[float, Meta(gt=0, description="how much errors count against a wide margin")] = 1.0
    class_weight: Annotated[Literal["balanced"] | None, Meta(description="balanced: rare categories count more")] = None
    max_iter: Annotated[int, Meta(ge=1, description="most iterations of the solver")] = 1000

    def build(self, random_state: int | None, n_jobs: int | None) -> "FlatClassifier":
        """Give a flat classifier over scikit-learn's linear SVM."""
        from sklearn.svm import LinearSVC

        from classmark.strategies import FlatClassifier

        learner = LinearSVC(**msgspec.structs.asdict(self), random_state=random_state)
        return FlatClassifier(learner, n_jobs=n_jobs)


class LogisticSettings(LearnerSettings, frozen=True, kw_only=True):
    """Settings of `logistic`."""

    C: Annotated[float, Meta(gt=0, description="the inverse of the regularisation")] = 1.0
    class_weight: Annotated[Literal["balanced"] | None, Meta(description="balanced: rare categories count more")] = None
    max_iter: Annotated[int, Meta(ge=1, description="most iterations of the solver")] = 1000

    def build(self, random_state: int | None, n_jobs: int | None) -> "FlatClassifier":
        """Give a flat classifier over scikit-learn's logistic regression."""
        from sklearn.linear_model import LogisticRegression

        from classmark.strategies import FlatClassifier

        learner = LogisticRegression(**msgspec.structs.asdict(self), solver="liblinear", random_state=random_state)
        return FlatClassifier(learner, n_jobs=n_jobs)


class MajoritySettings(LearnerSettings, frozen=True, kw_only=True):
    """Settings of `majority`: none."""

    def build(self, random_state: int | None, n_jobs: int | None) -> "MajorityClassifier":
        """Give the majority classifier."""
        from classmark.strategies import MajorityClassifier

        return MajorityClassifier()


FLAT = (
    Method(
        "linear-svm",
        "Linear SVM, each category against the rest; the strong baseline.",
        LinearSVMSettings(),
    ),
    Method("logistic", "Logistic regression, each category against the rest.", LogisticSettings()),
    Method("majority", "Always the most frequent category; what everything must beat.", MajoritySettings()),
)
