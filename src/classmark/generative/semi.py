"""What makes a generative classifier semi-supervised: EM's settings, and the vocabulary that grows."""

from dataclasses import replace
from typing import Annotated, ClassVar

from classmark.arrays import Floats
from classmark.checks import number, whole
from classmark.generative.base import GenerativeClassifier
from classmark.generative.em import Examples, Mixture, Rules, learn
from classmark.generative.scaling import document_frequency

Tolerance = Annotated[
    float,
    number(least=0),
    "The relative gain of the likelihood below which EM ends; 0 for `max_iter` iterations in any case.",
]
Iterations = Annotated[int, whole(1), "The largest number of iterations."]


class SemiSupervised(GenerativeClassifier):
    """Takes documents that are not labelled; stands before the supervised class of the same model."""

    uses_unlabelled: ClassVar[bool] = True

    unlabelled_weight: Annotated[
        float, number(least=0), "How much an unlabelled document counts beside a labelled one (Nigam's λ)."
    ] = 1.0
    tolerance: Tolerance = 1e-3
    max_iter: Iterations = 50
    growth: Annotated[
        int,
        whole(0),
        "How many iterations follow over all terms, once EM over the terms of labelled documents has ended.",
    ] = 0
    growth_min_df: Annotated[
        int, whole(1), "The least number of documents that a term is in, if no labelled document has it."
    ] = 1

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
