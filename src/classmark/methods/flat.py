"""The flat methods, which are the baselines of all others."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from classmark.methods.settings import LINEAR_TEXT, LearnerSettings, Method

if TYPE_CHECKING:
    from classmark.strategies import FlatClassifier, MajorityClassifier


class FlatSettings(LearnerSettings, frozen=True, kw_only=True):
    """What the flat linear methods have in common."""

    C: Annotated[float, Meta(gt=0, description="the inverse of the regularisation")] = 1.0
    class_weight: Annotated[Literal["balanced"] | None, Meta(description="balanced: rare categories count more")] = None
    max_iter: Annotated[int, Meta(ge=1, description="most iterations of the solver")] = 1000
    inner: Annotated[
        Literal["auto", "closed", "best"],
        Meta(description="closed: inner nodes learn from all documents below; best: they take the best score below"),
    ] = "auto"
    prune: Annotated[float, Meta(ge=0, description="smaller weights are dropped")] = 0.01

    def over(self, learner: type[Any], n_jobs: int | None, **parameters: Any) -> "FlatClassifier":
        """Give the flat classifier over a learner of some class."""
        from classmark.strategies import FlatClassifier

        settings = msgspec.structs.asdict(self)
        solver = {name: settings.pop(name) for name in ("C", "class_weight", "max_iter")}
        return FlatClassifier(learner(**solver, **parameters), decision="auto", **settings, n_jobs=n_jobs)


class LinearSVMSettings(FlatSettings, frozen=True, kw_only=True):
    """Settings of `linear-svm`."""

    def build(self, random_state: int | None, n_jobs: int | None) -> "FlatClassifier":
        """Give a flat classifier over scikit-learn's linear SVM."""
        from sklearn.svm import LinearSVC

        return self.over(LinearSVC, n_jobs, random_state=random_state)


class LogisticSettings(FlatSettings, frozen=True, kw_only=True):
    """Settings of `logistic`."""

    def build(self, random_state: int | None, n_jobs: int | None) -> "FlatClassifier":
        """Give a flat classifier over scikit-learn's logistic regression."""
        from sklearn.linear_model import LogisticRegression

        return self.over(LogisticRegression, n_jobs, solver="liblinear", random_state=random_state)


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
        LINEAR_TEXT,
    ),
    Method("logistic", "Logistic regression, each category against the rest.", LogisticSettings(), LINEAR_TEXT),
    Method("majority", "Always the most frequent category; what everything must beat.", MajoritySettings()),
)
