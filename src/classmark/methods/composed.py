"""Entries of the table whose classifier is built over another one, which has settings too."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from classmark.checks import choice
from classmark.lazy import find
from classmark.methods.method import Method
from classmark.parameters import Parameter, parameters

if TYPE_CHECKING:
    from classmark.base import HierarchicalClassifier

Settings = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class OverLinear(Method):
    """A strategy over a linear learner of scikit-learn's; the solver's settings come first."""

    learner_class: str
    """The learner, one of `classmark.strategies.learners`."""

    def declared(self) -> dict[str, Parameter]:
        """Give the settings of the solver, and those of the strategy."""
        return self.settings_of(find("strategies.learners:Solver")) | super().declared()

    def build(self, settings: Settings, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the strategy over the learner."""
        solver = find("strategies.learners:Solver")
        given, others = _divided(settings, parameters(solver))
        learner = solver(**given).learner(self.learner_class, random_state)
        return super().build(others | {"estimator": learner}, random_state, n_jobs)


@dataclass(frozen=True, kw_only=True)
class OverBooster(Method):
    """A strategy over AdaBoost.MH; the booster's settings come first."""

    booster: str = "boosting.adaboost_mh:AdaBoostMH"
    """The booster's class."""
    boosted: tuple[str, ...] = ("n_rounds", "prediction", "smoothing")
    """The parameters of the booster that are settings."""
    nodes_at_once: bool = False
    """Whether several nodes are learned at a time, so that a booster has one thread."""

    def declared(self) -> dict[str, Parameter]:
        """Give the settings of the booster, and those of the strategy."""
        return self.settings_of(find(self.booster), self.boosted) | super().declared()

    def build(self, settings: Settings, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the strategy over the booster."""
        given, others = _divided(settings, self.boosted)
        booster = find(self.booster)(**given, random_state=random_state, n_jobs=None if self.nodes_at_once else n_jobs)
        return super().build(others | {"estimator": booster}, random_state, n_jobs)


@dataclass(frozen=True, kw_only=True)
class LocalBooster(OverBooster):
    """AdaBoost.MH at each node, with the thresholds of the global approach."""

    nodes_at_once: bool = True

    def declared(self) -> dict[str, Parameter]:
        """Give the settings of the booster, and the threshold, which is one of the global approach's."""
        return super().declared() | self.settings_of(find("strategies.consistent:ConsistentClassifier"), ("threshold",))

    def build(self, settings: Settings, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the strategy; on the way down scores only fall, so that all rules of consistency agree."""
        others = dict(settings)
        threshold = others.pop("threshold")
        decision = None if threshold is None else find("strategies.consistent:decision_by")(threshold, "filter")
        return super().build(others | {"decision": decision}, random_state, n_jobs)


@dataclass(frozen=True, kw_only=True)
class SelfTraining(Method):
    """Self-training over one of some methods."""

    learners: Mapping[str, tuple[Method, Settings, Settings] | None] = field(default_factory=dict)
    """The methods by name, each with the settings and parameters that suit it; None for what is wrapped by default."""

    def declared(self) -> dict[str, Parameter]:
        """Give which method learns, and the settings of self-training."""
        sentence = "What learns in each round; the last three read counts: weighting=counts, norm=none."
        first = next(iter(self.learners))
        return {"learner": Parameter("learner", first, choice(self.learners), sentence)} | super().declared()

    def build(self, settings: Settings, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give self-training over the method."""
        others = dict(settings)
        chosen = self.learners[others.pop("learner")]
        wrapped = None
        if chosen is not None:
            method, changes, parameters_of_it = chosen
            wrapped = method.configure(changes)[0].build(random_state, n_jobs).set_params(**parameters_of_it)
        return super().build(others | {"estimator": wrapped}, random_state, n_jobs)


def _divided(settings: Settings, names: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give the settings that have some names, and the others."""
    return (
        {name: value for name, value in settings.items() if name in names},
        {name: value for name, value in settings.items() if name not in names},
    )
