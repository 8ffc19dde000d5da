"""Learning a mixture of multinomials from labelled and unlabelled documents: counting once, or by EM.

Equations are those of path_prediction_2019, section 4. A *class* is what labels speak of (a path there); a *component*
is a distribution of terms, one per class unless a model asks for more. Symbols: P(p_j) and P(w_t | p_j) are `log_prior`
and `log_terms` of a `Mixture`; S_ij are `scores`, for labelled documents alone; Laplace's 1 is `smoothing`; |V| is the
number of `known` terms.

What EM raises in every iteration is `objective`: log P(θ), plus Σ_j S_ij log P(p_j) P(x_i | p_j) for each labelled
document, plus log Σ_j P(p_j) P(x_i | p_j) for each unlabelled one. Equation 8, by which EM stops, has for a labelled
document its own path alone, and under path scores it may fall. Algorithm 1 says "while not converged" and no more: a
relative gain of 1e-3 and 50 iterations at most are the authors' program's.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.generative.counts import Passes, dense_rows, passes, restricted, rows_of
from classmark.generative.stages import Mixture as Mixture
from classmark.generative.stages import Stage, Stages
from classmark.progress import track

Truths = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Examples:
    """What is learned from.

    Attributes
    ----------
    X : csr_array, (n_documents, n_terms)
        Counts.
    scores : csr_array, (n_documents, n_classes)
        S_ij; a row without an entry is a document that is not labelled.
    own : csr_array, (n_documents, n_classes)
        The weights of a labelled document's own labels, by class, for Equation 8.
    weight : array, (n_documents,)
        How often each document counts.
    """

    X: csr_array
    scores: csr_array
    own: csr_array
    weight: Floats

    @property
    def labelled(self) -> Truths:
        """Which documents are labelled."""
        return np.asarray(np.diff(self.scores.indptr) > 0)

    @property
    def unlabelled(self) -> Truths:
        """Which documents are not labelled, and count."""
        return np.asarray(~self.labelled & (self.weight > 0))

    def terms(self, rows: Truths) -> Truths:
        """Say which terms occur in some documents that count."""
        entries = np.repeat(rows & (self.weight > 0), np.diff(self.X.indptr)) & (self.X.data > 0)
        known = np.zeros(self.X.shape[1], dtype=bool)
        known[self.X.indices[entries]] = True
        return known


class Prior(NamedTuple):
    """Logarithms of the components' chances, and the logarithm of the density that smoothing gives them."""

    logs: Floats
    density: float


def smoothed_prior(totals: Floats, smoothing: float) -> Prior:
    """Give P(p_j) by Equations 3 and 6.

    >>> np.exp(smoothed_prior(np.array([2.0, 0.0]), 1.0).logs)
    array([0.75, 0.25])
    """
    logs = np.log(smoothing + totals) - np.log(smoothing * totals.size + totals.sum())
    return Prior(logs, float(smoothing * logs.sum()))


def uniform_prior(totals: Floats, smoothing: float) -> Prior:
    """Give every component the same chance, whatever was counted."""
    return Prior(np.full(totals.size, -np.log(totals.size)), 0.0)


@dataclass(frozen=True)
class Rules:
    """How a mixture is learned.

    Attributes
    ----------
    smoothing : float
        What is added to every count, 1 in the paper.
    prior : function of totals and smoothing
        How the chances of components come from their totals.
    respond : function, optional
        The E-step instead of Equation 5: turns joint logarithms of unlabelled documents into responsibilities, in their
        memory, and gives their evidence.
    blend : csr_array, (n_components, n_components), optional
        What the counts are multiplied by before they are smoothed.
    unlabelled_weight : float
        How much an unlabelled document counts (Nigam's λ).
    tolerance, max_iter : float, int
        EM ends when the relative gain of Equation 8 falls under `tolerance`, never if that is 0, or after
        `max_iter` iterations.
    per_class : int
        How many components a class has; the components of a class stand together.
    seed : int or None
        What the first division of a class among its components is drawn from.
    n_jobs : int, optional
        The number of threads.
    stages : Stages
        What was learned before EM was stopped, and where what is learned now is kept.
    """

    smoothing: float = 1.0
    prior: Callable[[Floats, float], Prior] = smoothed_prior
    respond: Callable[[Floats], Floats] | None = None
    blend: csr_array | None = None
    unlabelled_weight: float = 1.0
    tolerance: float = 1e-3
    max_iter: int = 50
    per_class: int = 1
    seed: int | None = 0
    n_jobs: int | None = None
    stages: Stages = field(default_factory=Stages)


@dataclass
class Tally:
    """The sums of one pass over the documents."""

    counts: Floats
    totals: Floats
    objective: float = 0.0
    likelihood: float = 0.0


def learn(examples: Examples, known: Truths, rules: Rules, start: Mixture | None = None) -> tuple[Mixture, list[float]]:
    """Learn a mixture over the known terms; give it and the objective of every iteration.

    EM starts from the labelled documents, or from the mixture given, whose vocabulary may be another. Where every
    document is labelled and a class is one component, counting once is all there is to do.

    Examples
    --------
    >>> X = csr_array([[3.0, 0.0], [0.0, 2.0], [1.0, 0.0]])
    >>> scores = csr_array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> examples = Examples(X, scores, scores, np.ones(3))
    >>> mixture, objective = learn(examples, np.ones(2, bool), Rules(max_iter=1))
    >>> np.exp(mixture.log_terms).round(3)
    array([[0.826, 0.292],
           [0.174, 0.708]])
    >>> len(objective)
    1
    """
    with passes(rules.n_jobs) as over:
        examples = replace(examples, X=restricted(examples.X, known))
        iterates = examples.unlabelled.any() or rules.per_class > 1
        reached = rules.stages.taken_up(known) if iterates else None
        if reached is None:
            reached = Stage(_first_mixture(examples, known, rules, start, over), [], -np.inf, ended=not iterates)
        if not reached.ended:
            reached = _iterate(examples, reached, rules, over)
            rules.stages.keep(reached)
        return reached.mixture, reached.log


def _first_mixture(examples: Examples, known: Truths, rules: Rules, start: Mixture | None, over: Passes) -> Mixture:
    """Give what EM starts from."""
    if start is None:
        return maximise(_first_tally(examples, rules, over), known, rules)
    return widened(start, known)


def _iterate(examples: Examples, reached: Stage, rules: Rules, over: Passes) -> Stage:
    """Do E-steps and M-steps in turn until Equation 8 gains too little; note the objective of each, too."""
    mixture, log, before, _ = reached
    for _ in track(range(len(log), rules.max_iter), "iterations", rules.max_iter - len(log)):
        tally = _expect(examples, mixture, rules, over)
        log.append(tally.objective + mixture.density)
        now = tally.likelihood + mixture.density
        if rules.tolerance and now - before < rules.tolerance * abs(before) < np.inf:
            break
        mixture, before = maximise(tally, mixture.known, rules), now
        rules.stages.keep(Stage(mixture, log, before))
    return Stage(mixture, log, before, ended=True)


def maximise(tally: Tally, known: Truths, rules: Rules) -> Mixture:
    """Give the parameters by Equations 6 and 7, in the memory of the counts."""
    counts, totals = tally.counts, tally.totals
    if rules.blend is not None:
        counts, totals = np.ascontiguousarray(counts @ rules.blend), totals @ rules.blend
    # Where no term is known, every document is as good as empty, and the posterior is the prior.
    sums = np.log(rules.smoothing * max(1, known.sum()) + counts.sum(axis=0))
    counts += rules.smoothing
    np.log(counts, out=counts)
    counts -= sums
    prior = rules.prior(totals, rules.smoothing)
    return Mixture(prior.logs, counts, known, prior.density + float(rules.smoothing * counts.sum()))


def widened(mixture: Mixture, known: Truths) -> Mixture:
    """Give a mixture over more terms, about which it says nothing yet."""
    log_terms = np.zeros((int(np.count_nonzero(known)), mixture.log_prior.size))
    log_terms[rows_of(known)[mixture.known]] = mixture.log_terms
    return mixture._replace(log_terms=log_terms, known=known)


def _first_tally(examples: Examples, rules: Rules, over: Passes) -> Tally:
    """Count the labelled documents alone, those of a class divided among its components at random."""
    random = np.random.default_rng(rules.seed)
    components = examples.scores.shape[1] * rules.per_class
    tally = Tally(np.zeros((examples.X.shape[1], components)), np.zeros(components))
    for span in over.blocks(examples.X, components):
        responsibilities = dense_rows(examples.scores, span)
        if rules.per_class > 1:
            parts = random.dirichlet(np.ones(rules.per_class), size=responsibilities.shape)
            responsibilities = (responsibilities[:, :, None] * parts).reshape(len(responsibilities), components)
        over.accumulate(examples.X, span, examples.weight, responsibilities, tally.counts, tally.totals)
    return tally


def _expect(examples: Examples, mixture: Mixture, rules: Rules, over: Passes) -> Tally:
    """Do the E-step, and count every document for the M-step."""
    components = mixture.log_prior.size
    tally = Tally(np.zeros((examples.X.shape[1], components)), np.zeros(components))
    labelled = examples.labelled
    weight = examples.weight * np.where(labelled, 1.0, rules.unlabelled_weight)
    respond = rules.respond or over.posteriors
    for span in over.blocks(examples.X, components):
        here, counted = labelled[slice(*span)], weight[slice(*span)]
        joint = over.log_joint(examples.X, span, mixture.log_prior, mixture.log_terms)
        inside, classes = _divided(joint[here], rules.per_class, over)
        evidence = respond(joint)
        responsibilities = joint  # by now, in its memory
        scores, own = (dense_rows(part, span)[here] for part in (examples.scores, examples.own))
        responsibilities[here] = (scores[:, :, None] * inside).reshape(len(scores), components)
        unlabelled = float((counted * evidence)[~here].sum())
        tally.objective += unlabelled + float(counted[here] @ (scores * classes).sum(axis=1))
        tally.likelihood += unlabelled + float(counted[here] @ (own * classes).sum(axis=1))
        over.accumulate(examples.X, span, weight, responsibilities, tally.counts, tally.totals)
    return tally


def _divided(joint: Floats, per_class: int, over: Passes) -> tuple[Floats, Floats]:
    """Give the responsibilities of the components inside each class, and the joint logarithms of the classes."""
    if per_class == 1:
        return np.ones((*joint.shape, 1)), joint
    classes = joint.shape[1] // per_class
    inside = joint.reshape(-1, per_class)
    evidence = over.posteriors(inside)
    return inside.reshape(len(joint), classes, per_class), evidence.reshape(len(joint), classes)
