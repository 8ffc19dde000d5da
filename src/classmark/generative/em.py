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

from dataclasses import replace

import numpy as np

from classmark.generative.counts import restricted, rows_of
from classmark.generative.examples import Examples as Examples
from classmark.generative.examples import Prior as Prior
from classmark.generative.examples import Rules as Rules
from classmark.generative.examples import Truths
from classmark.generative.examples import smoothed_prior as smoothed_prior
from classmark.generative.examples import uniform_prior as uniform_prior
from classmark.generative.stages import Mixture as Mixture
from classmark.generative.stages import Stage
from classmark.generative.tallies import Counting, Tally, counting
from classmark.parted import mapped
from classmark.progress import track


def learn(examples: Examples, known: Truths, rules: Rules, start: Mixture | None = None) -> tuple[Mixture, list[float]]:
    """Learn a mixture over the known terms; give it and the objective of every iteration.

    EM starts from the labelled documents, or from the mixture given, whose vocabulary may be another. Where every
    document is labelled and a class is one component, counting once is all there is to do.

    Examples
    --------
    >>> from scipy.sparse import csr_array
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
    X = mapped(examples.X, restricted, known, n_columns=int(np.count_nonzero(known)))
    examples = replace(examples, X=X)
    iterates = bool(examples.unlabelled.any() or rules.per_class > 1)
    with counting(examples, rules, iterates=iterates) as count:
        reached = rules.stages.taken_up(known) if iterates else None
        if reached is None:
            mixture = maximise(count.first(), known, rules) if start is None else widened(start, known)
            reached = Stage(mixture, [], -np.inf, ended=not iterates)
        if not reached.ended:
            try:
                reached = _iterate(count, reached, rules)
            except ConnectionError:
                # The cluster is lost; the last mixture is here, and others can go on from it.
                rules.stages.keep_now()
                raise
            rules.stages.keep(reached)
        return reached.mixture, reached.log


def _iterate(count: Counting, reached: Stage, rules: Rules) -> Stage:
    """Do E-steps and M-steps in turn until Equation 8 gains too little; note the objective of each, too."""
    mixture, log, before, _ = reached
    for _ in track(range(len(log), rules.max_iter), "iterations", rules.max_iter - len(log)):
        tally = count.expect(mixture)
        log.append(tally.objective + mixture.density)
        now = tally.likelihood + mixture.density
        if rules.tol and now - before < rules.tol * abs(before) < np.inf:
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
