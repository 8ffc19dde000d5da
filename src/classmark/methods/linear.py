"""Linear methods that know the hierarchy: top-down, a local problem at each node, and HierCost."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from classmark.methods.settings import LINEAR_TEXT, LearnerSettings, Method

if TYPE_CHECKING:
    from classmark.linear import HierCost
    from classmark.strategies import TopDownClassifier


class TopDownSettings(LearnerSettings, frozen=True, kw_only=True):
    """What the top-down methods have in common."""

    C: Annotated[float, Meta(gt=0, description="the inverse of the regularisation")] = 1.0
    class_weight: Annotated[Literal["balanced"] | None, Meta(description="balanced: rare categories count more")] = None
    max_iter: Annotated[int, Meta(ge=1, description="most iterations of the solver")] = 1000
    negatives: Annotated[
        Literal["siblings", "subtree", "level", "all", "exclusive"],
        Meta(description="which documents are negative for a category"),
    ] = "siblings"
    inner: Annotated[
        Literal["stay", "reach"], Meta(description="stay: learn which documents stay at an inner category")
    ] = "stay"
    descent: Annotated[Literal["filter", "greedy", "soft"], Meta(description="how margins become scores")] = "soft"
    sharpness: Annotated[float, Meta(gt=0, description="soft: what margins are multiplied by to be log-odds")] = 1.0
    prune: Annotated[float, Meta(ge=0, description="smaller weights are dropped")] = 0.01

    def over(self, learner: type[Any], n_jobs: int | None, **parameters: Any) -> "TopDownClassifier":
        """Give the top-down classifier over a learner of some class."""
        from classmark.strategies import TopDownClassifier

        settings = msgspec.structs.asdict(self)
        solver = {name: settings.pop(name) for name in ("C", "class_weight", "max_iter")}
        return TopDownClassifier(learner(**solver, **parameters), decision="auto", **settings, n_jobs=n_jobs)


class TopDownSVMSettings(TopDownSettings, frozen=True, kw_only=True):
    """Settings of `topdown-svm`."""

    sharpness: Annotated[float, Meta(gt=0, description="soft: what margins are multiplied by to be log-odds")] = 6.0

    def build(self, random_state: int | None, n_jobs: int | None) -> "TopDownClassifier":
        """Give a top-down classifier over scikit-learn's linear SVM."""
        from sklearn.svm import LinearSVC

        return self.over(LinearSVC, n_jobs, random_state=random_state)


class TopDownLogisticSettings(TopDownSettings, frozen=True, kw_only=True):
    """Settings of `topdown-logistic`."""

    C: Annotated[float, Meta(gt=0, description="the inverse of the regularisation")] = 10.0

    def build(self, random_state: int | None, n_jobs: int | None) -> "TopDownClassifier":
        """Give a top-down classifier over scikit-learn's logistic regression."""
        from sklearn.linear_model import LogisticRegression

        return self.over(LogisticRegression, n_jobs, solver="liblinear", random_state=random_state)


class HierCostSettings(LearnerSettings, frozen=True, kw_only=True):
    """Settings of `hiercost`."""

    cost: Annotated[
        Literal["exponentiated-tree-distance", "tree-distance", "common-ancestors", "none"],
        Meta(description="what a document costs by where it belongs"),
    ] = "exponentiated-tree-distance"
    growth: Annotated[float, Meta(gt=1, description="how many times more each edge costs, if exponentiated")] = 1.25
    imbalance: Annotated[float, Meta(ge=0, description="how much more rare categories cost; the authors' is 20")] = 20.0
    few: Annotated[float, Meta(ge=0, description="a category with up to so many documents is rare")] = 10.0
    C: Annotated[float, Meta(gt=0, description="the inverse of the regularisation; 0.5 / the authors' rho")] = 50.0
    fit_intercept: Annotated[bool, Meta(description="learn an intercept; the authors do without")] = True
    max_iter: Annotated[int, Meta(ge=1, description="most iterations of the solver")] = 1000
    prune: Annotated[float, Meta(ge=0, description="smaller weights are dropped")] = 0.01

    def build(self, random_state: int | None, n_jobs: int | None) -> "HierCost":
        """Give the cost-sensitive logistic regression."""
        from classmark.linear import HierCost

        settings = msgspec.structs.asdict(self)
        return HierCost(**settings, decision="auto", random_state=random_state, n_jobs=n_jobs)


LINEAR = (
    Method(
        "topdown-svm",
        "Linear SVM at each node, from the top down; quick with many categories.",
        TopDownSVMSettings(),
        LINEAR_TEXT,
    ),
    Method(
        "topdown-logistic",
        "Logistic regression at each node, from the top down.",
        TopDownLogisticSettings(),
        LINEAR_TEXT,
    ),
    Method("hiercost", "Logistic regression with costs from the hierarchy.", HierCostSettings(), LINEAR_TEXT),
)
