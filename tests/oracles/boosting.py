"""AdaBoost.MH, its committees and MP-Boost straight from the formulas: dense, float64, every weight summed directly.

`D[i, j]` is D_s(d_i, c_j), and `W[x, b, j, k]` is W_b^{xjk} of treeboost_mh_2006, section 2.1, with b = 0 for the
positive pairs and 1 for the negative ones.
"""

from typing import Any, NamedTuple

import numpy as np

TIED = 1e-12
CLEARLY = 1 + 1e-9


class Round(NamedTuple):
    pivots: Any  # (count,), or (count, labels) where every label has its own
    answers: Any  # (count, 2, labels)
    costs: Any  # as the pivots
    z: float


def all_weights(D, X, Y):
    """W_b^{xjk}: those without the term are summed over the documents without it."""
    sides, signs = (~X, X), (D * Y, D * ~Y)
    return np.array([[sign.T @ side.astype(float) for sign in signs] for side in sides])


def costs_of(W, by):
    """What chooses a term: its Z for one of the predictions, or 1 - F1; a number for each term."""
    positive, negative = W[:, 0], W[:, 1]
    if by == "real":
        return 2 * np.sqrt(positive * negative).sum(axis=(0, 1))
    if by == "abstaining":
        return W[0].sum(axis=(0, 1)) + 2 * np.sqrt(positive[1] * negative[1]).sum(axis=0)
    if by == "discrete":
        # Z = √(1 - r²) = √((1 - r)(1 + r)), where 1 - r is twice the weight on the wrong side.
        wrong = 2 * np.minimum(positive, negative).sum(axis=(0, 1))
        return np.sqrt(wrong * np.maximum(2 - wrong, 0))
    yes = positive > CLEARLY * negative
    hits, answers = (positive * yes).sum(axis=(0, 1)), ((positive + negative) * yes).sum(axis=(0, 1))
    divisor = answers + positive.sum(axis=(0, 1))
    return 1 - np.divide(2 * hits, divisor, out=np.zeros_like(hits), where=divisor > 0)


def ranked(costs, count, share=1.0):
    """Repeat the choice: of the terms within 1e-12 of the smallest Z that is left, the lowest index.

    Costs are Z, or Z relative to a share of the distribution.
    """
    left, chosen = np.array(costs, dtype=float), []
    for _ in range(min(count, left.size)):
        chosen.append(int(np.flatnonzero(share * (left - left.min()) <= TIED)[0]))
        left[chosen[-1]] = np.inf
    return chosen


def answers_of(W, prediction, epsilon):
    """The values a_xj of one stump (Equation 3, smoothed), from its `W[x, b, j]`."""
    positive, negative = W[:, 0], W[:, 1]
    if prediction == "discrete":
        right, wrong = np.maximum(positive, negative).sum(), np.minimum(positive, negative).sum()
        strength = 0.5 * np.log((right + epsilon) / (wrong + epsilon))
        return np.where(positive > CLEARLY * negative, strength, -strength)
    answers = 0.5 * np.log((positive + epsilon) / (negative + epsilon))
    if prediction == "abstaining":
        answers[0] = 0.0
    return answers


def said(x, answers):
    """What a stump says of every pair (Equation 2)."""
    return np.where(x[:, None], answers[1], answers[0])


def first_distribution(Y, weight):
    weight = np.ones(len(Y)) if weight is None else np.asarray(weight, dtype=float)
    return np.repeat(weight[:, None], Y.shape[1], axis=1) / (weight.sum() * Y.shape[1]), 1 / (weight.sum() * Y.shape[1])


def turned(D, Y, hypothesis):
    """D_{s+1} before it is divided by Z_s (Equation 1)."""
    return D * np.exp(-np.where(Y, 1.0, -1.0) * hypothesis)


def boost(X, Y, rounds, *, prediction="real", criterion="z", smoothing=1.0, weight=None, policy=None):
    """Rounds of AdaBoost.MH, or of AdaBoost.MH^KR with a policy: `most(s)` terms are seen, `size(costs)` taken."""
    D, unit = first_distribution(Y, weight)
    found = []
    for s in range(1, rounds + 1):
        W = all_weights(D, X, Y)
        costs = costs_of(W, "f1" if criterion == "f1" else prediction)
        best = ranked(costs, 1 if policy is None else policy.most(s))
        best = best[: 1 if policy is None else policy.size(costs[best])]
        answers = np.array([answers_of(W[..., k], prediction, smoothing * unit) for k in best])
        # The mean rule of Equation 7.
        hypothesis = np.mean([said(X[:, k], a) for k, a in zip(best, answers, strict=True)], axis=0)
        D = turned(D, Y, hypothesis)
        found.append(Round(np.array(best), answers, costs[best], D.sum()))
        D /= D.sum()
    return found


def scores(X, rounds):
    """Σ_s Φ_s(d_i, c_j), Equation 8."""
    return sum(
        said(X[:, k], answers) / len(each.pivots)
        for each in rounds
        for k, answers in zip(each.pivots, each.answers, strict=True)
    )


def mp_boost(X, Y, rounds, *, prediction="real", smoothing=1.0, weight=None, policy=None, normalize="pairs"):
    """Rounds of MP-Boost: every label chooses for itself, by its part of Z.

    Ties are those of AdaBoost.MH; a committee sees what a Z is relative to the label's share of the distribution. A
    `Round` for each label and the round's Z; normalised over all pairs, or over the pairs of each label.
    """
    D, unit = first_distribution(Y, weight)
    found = []
    for s in range(1, rounds + 1):
        labels = []
        for j in range(Y.shape[1]):
            W = all_weights(D[:, [j]], X, Y[:, [j]])
            share = D[:, j].sum()
            costs = costs_of(W / share, prediction)
            best = ranked(costs, 1 if policy is None else policy.most(s), share)
            best = best[: 1 if policy is None else policy.size(costs[best])]
            answers = np.array([answers_of(W[..., k], prediction, smoothing * unit) for k in best])
            hypothesis = np.mean([said(X[:, k], a) for k, a in zip(best, answers, strict=True)], axis=0)
            labels.append((Round(np.array(best), answers, costs[best], 0.0), hypothesis[:, 0]))
        D = turned(D, Y, np.stack([hypothesis for _, hypothesis in labels], axis=1))
        found.append(([each for each, _ in labels], D.sum()))
        D /= D.sum() if normalize == "pairs" else D.sum(axis=0) * Y.shape[1]
    return found


def interval_weights(D, Y, branches, count):
    """W_b^{yjk} of every branch y, sign b, label j and term k, and the Z of every term."""
    signs = (D * Y, D * ~Y)
    W = np.array([[sign.T @ (branches == y).astype(float) for sign in signs] for y in range(count)])
    return W, 2 * np.sqrt(W[:, 0] * W[:, 1]).sum(axis=(0, 1))


def interval_committees(branches, Y, pivots, *, count, smoothing=1.0):
    """Rounds of committees with a branch for each of `count` intervals; `pivots` are those of each round, given.

    For each round the costs of all terms, the answers a_yj of each pivot, and the normaliser of their mean.
    """
    D, unit = first_distribution(Y, None)
    found = []
    for chosen in pivots:
        W, costs = interval_weights(D, Y, branches, count)
        smoothed = W + smoothing * unit
        answers = [0.5 * np.log(smoothed[:, 0, :, k] / smoothed[:, 1, :, k]) for k in chosen]
        hypothesis = np.mean([a[branches[:, k]] for k, a in zip(chosen, answers, strict=True)], axis=0)
        D = turned(D, Y, hypothesis)
        found.append((costs, hypothesis, D.sum()))
        D /= D.sum()
    return found


def interval_boost(branches, Y, pivots, *, count, smoothing=1.0, weight=None):
    """Rounds with a branch for each of `count` intervals and given pivots; `branches[i, k]` is that of document i.

    For each round how far the pivot's Z is above the smallest, a_yj for every interval y, and the normaliser.
    """
    D, unit = first_distribution(Y, weight)
    found = []
    for pivot in pivots:
        W, costs = interval_weights(D, Y, branches, count)
        answers = 0.5 * np.log((W[:, 0, :, pivot] + smoothing * unit) / (W[:, 1, :, pivot] + smoothing * unit))
        D = turned(D, Y, answers[branches[:, pivot]])
        found.append((costs[pivot] - costs.min(), answers, D.sum()))
        D /= D.sum()
    return found


class SparseRounds:
    """Rounds of AdaBoost.MH with real predictions, for a corpus too large for dense terms.

    W_b^{1jk} are two sparse products a round. W_b^{0jk} is taken as the total minus that, which is wrong in Z by up to
    2 √(1e-16 T₊ T₋) a label, 1e-8 in all; so for every term within 1e-6 of the smallest Z it is summed over the
    documents without the term, and its Z is that of these sums.
    """

    NEAR = 1e-6

    def __init__(self, X, Y, smoothing=1.0):
        self.by_term, self.transposed, self.Y = X.tocsc(), X.T.tocsr(), Y
        self.D, unit = first_distribution(Y, None)
        self.epsilon = smoothing * unit

    def documents(self, k):
        return self.by_term.indices[self.by_term.indptr[k] : self.by_term.indptr[k + 1]]

    def weights_of(self, k, signs):
        """W_b^{xj} of one term, every one summed directly."""
        has = np.zeros(len(self.Y), dtype=bool)
        has[self.documents(k)] = True
        return np.array([[sign[side].sum(axis=0) for sign in signs] for side in (~has, has)])

    def play(self):
        """One round."""
        signs = (self.D * self.Y, self.D * ~self.Y)
        inside = [self.transposed @ sign for sign in signs]
        outside = [np.maximum(sign.sum(axis=0) - w, 0) for sign, w in zip(signs, inside, strict=True)]
        rough = 2 * (np.sqrt(inside[0] * inside[1]) + np.sqrt(outside[0] * outside[1])).sum(axis=1)
        near = np.flatnonzero(rough <= rough.min() + self.NEAR)
        weights = [self.weights_of(k, signs) for k in near]
        costs = np.array([costs_of(W[..., None], "real")[0] for W in weights])
        place = ranked(costs, 1)[0]
        answers = answers_of(weights[place], "real", self.epsilon)
        hypothesis = np.repeat(answers[:1], len(self.Y), axis=0)
        hypothesis[self.documents(near[place])] = answers[1]
        self.D = turned(self.D, self.Y, hypothesis)
        z = self.D.sum()
        self.D /= z
        return Round(near[[place]], answers[None], costs[[place]], z)
