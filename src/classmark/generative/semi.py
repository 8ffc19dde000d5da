"""What makes a generative classifier semi-supervised: EM's settings, the vocabulary that grows, and trust.

How far unlabelled documents are trusted is one of the ways of `classmark.trust`: without them the supervised class of
the same model learns; *once* is one iteration over the terms of labelled documents; *full* is what the settings say.
"""

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.checkpoints import ResumableClassifier
from classmark.checks import integer, real
from classmark.generative.base import GenerativeClassifier, document_frequency
from classmark.generative.em import learn
from classmark.generative.examples import Examples, Mixture, Rules, Stages
from classmark.limits import Needed
from classmark.parted import sizes_of
from classmark.trust import Trust, Trusted, far_to_trust

Tolerance = Annotated[
    float,
    real(ge=0),
    "The relative gain of the likelihood below which EM ends; 0 for `max_iter` iterations in any case.",
]
Iterations = Annotated[int, integer(ge=1), "The largest number of iterations."]

COMPONENTS_AN_ENTRY = 30
"""With how many components an entry of the matrix meets in the time that a linear learner takes for it, about."""
UNTIL_CONVERGED = 10
"""How many iterations EM takes where the likelihood ends it, about."""


class SemiSupervised(GenerativeClassifier, ResumableClassifier):
    """Takes documents that are not labelled; stands before the supervised class of the same model."""

    uses_unlabelled: ClassVar[bool] = True

    unlabeled_weight: Annotated[
        float, real(ge=0), "How much an unlabelled document counts beside a labelled one (Nigam's λ)."
    ] = 1.0
    tol: Tolerance = 1e-3
    max_iter: Iterations = 50
    growth: Annotated[
        int,
        integer(ge=0),
        "How many iterations follow over all terms, once EM over the terms of labelled documents has ended.",
    ] = 0
    growth_min_df: Annotated[
        int, integer(ge=1), "The least number of documents that a term is in, if no labelled document has it."
    ] = 1
    trust: Trust = "full"

    @property
    def learns_in_parts(self) -> bool:
        """Whether rows may be in parts elsewhere: to find out whom to trust, documents are held out here."""
        return super().learns_in_parts and self.trust != "auto"

    def learn(self, X: csr_array, own: csr_array, weight: Floats | None) -> None:
        """Settle how far unlabelled documents are trusted, and learn that far from them."""
        self.taken_up(X, own, weight)
        self.trusted_, self.trust_reason_ = far_to_trust(self, X, own, weight)
        if self.trusted_ == "nothing":
            told = np.flatnonzero(np.diff(own.indptr))
            X, own, weight = X[told], csr_array(own[told]), None if weight is None else weight[told]
        super().learn(X, own, weight)

    def unfitted_copy(self) -> Self:
        """Give a copy that trusts as far as this one has learned to."""
        copy = super().unfitted_copy()
        return copy if self.trusted_ is None else copy.set_params(trust=self.trusted_)

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count the chances of terms and categories twice: those of an iteration are made of those before."""
        needed = super().memory_to_learn(X, own)
        if self.trust in ("nothing", "auto"):
            return needed
        told = np.flatnonzero(np.diff(own.indptr))
        grown = self.vocabulary == "all" or bool(self.growth and self.trust == "full")
        terms = X.shape[1] if grown else np.unique(X[told].indices).size
        ends = self.ends_.size
        if not self._iterates(own):
            return needed
        what = f"chances of {terms:,} terms × {ends:,} categories, twice"
        return Needed(16.0 * terms * ends, what, needed.expected + 8.0 * terms * self._count_components())

    def _iterates(self, own: csr_array) -> bool:
        """Return whether EM has anything to do besides counting: unlabeled documents, or components of a category."""
        return getattr(self, "n_components", 1) > 1 or bool((np.diff(own.indptr) == 0).any())

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count every entry of X once for each component and iteration."""
        far, table = self.trusted_ or self.trust, super().work_to_learn(X, own) - X.nnz
        if far == "nothing" or not self._iterates(own):
            return float(sizes_of(X)[np.diff(own.indptr) > 0].sum()) + table
        settled = min(self.max_iter, UNTIL_CONVERGED) if self.tol else self.max_iter
        iterations = 1 if far == "once" else settled + self.growth
        return iterations * table + float(X.nnz) * max(1.0, iterations * self.ends_.size / COMPONENTS_AN_ENTRY)

    def _begin_without_labels(self, X: Any) -> csr_array:
        # What nobody has labelled by hand cannot say whom to trust.
        self.trusted_, self.trust_reason_ = Trusted("full" if self.trust == "auto" else self.trust)
        return super()._begin_without_labels(X)

    def _rules(self) -> Rules:
        return replace(
            super()._rules(),
            unlabeled_weight=self.unlabeled_weight,
            tol=self.tol,
            max_iter=1 if self.trusted_ == "once" else self.max_iter,
            stages=Stages(self._checkpoint),
        )

    def _term_weights(self, examples: Examples) -> Floats:
        weights = super()._term_weights(examples)
        if self.growth_min_df > 1:
            rare = document_frequency(examples.X, examples.weight) < self.growth_min_df
            weights[rare & ~examples.terms(examples.labelled)] = 0.0
        return weights

    def _learned(self, examples: Examples, rules: Rules) -> tuple[Mixture, list[float]]:
        mixture, objective = super()._learned(examples, rules)
        if not self.growth or self.trusted_ == "once" or not examples.unlabelled.any():
            return mixture, objective
        # The posteriors of what EM has found so far say what the other terms mean.
        rules = replace(rules, tol=0.0, max_iter=self.growth)
        mixture, further = learn(examples, self.idf_ > 0, rules, mixture)
        return mixture, objective + further
