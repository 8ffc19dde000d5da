"""What makes a generative classifier semi-supervised: EM's settings, and the vocabulary that grows."""

from dataclasses import replace
from typing import ClassVar

from classmark.arrays import Floats
from classmark.decision import Decision
from classmark.generative.base import GenerativeClassifier
from classmark.generative.em import Examples, Mixture, Rules, learn
from classmark.generative.scaling import document_frequency
from classmark.hierarchy import Hierarchy


class SemiSupervised(GenerativeClassifier):
    """Takes documents that are not labelled; stands before the supervised class of the same model."""

    uses_unlabelled: ClassVar[bool] = True

    unlabelled_weight: float
    tolerance: float
    max_iter: int
    growth: int
    growth_min_df: int

    def __init__(
        self,
        *,
        hierarchy: Hierarchy | None = None,
        decision: Decision | str | None = None,
        calibration: str | None = None,
        smoothing: float = 1.0,
        prior: bool = True,
        vocabulary: str = "labelled",
        unseen_leaves: bool = False,
        scaling: str | None = None,
        length: float = 100.0,
        unlabelled_weight: float = 1.0,
        tolerance: float = 1e-3,
        max_iter: int = 50,
        growth: int = 0,
        growth_min_df: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            hierarchy=hierarchy,
            decision=decision,
            calibration=calibration,
            smoothing=smoothing,
            prior=prior,
            vocabulary=vocabulary,
            unseen_leaves=unseen_leaves,
            scaling=scaling,
            length=length,
            n_jobs=n_jobs,
        )
        self.unlabelled_weight = unlabelled_weight
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.growth = growth
        self.growth_min_df = growth_min_df

    def _rules(self) -> Rules:
        return replace(
            super()._rules(),
            unlabelled_weight=self.unlabelled_weight,
            tolerance=self.tolerance,
            max_iter=self.max_iter,
        )

    def _term_weights(self, examples: Examples) -> Floats:
        weights = super()._term_weights(examples)
        if self.growth_min_df > 1:
            rare = document_frequency(examples.X, examples.weight) < self.growth_min_df
            weights[rare & ~examples.terms(examples.labelled)] = 0.0
        return weights

    def _learned(self, examples: Examples, rules: Rules) -> tuple[Mixture, list[float]]:
        mixture, objective = super()._learned(examples, rules)
        if not self.growth or not examples.unlabelled.any():
            return mixture, objective
        # The posteriors of what EM has found so far say what the other terms mean.
        rules = replace(rules, tolerance=0.0, max_iter=self.growth)
        mixture, further = learn(examples, self.idf_ > 0, rules, mixture)
        return mixture, objective + further
