"""A blend: the weighted sum of what several methods say, on one scale.

Different methods err on different documents. Weights come from held-out documents (`learn_weights`), and are then drawn
toward the best part as far as the decision that is asked for does better by it: likelihood is not what people count.

The weights maximize the likelihood of the labels of held-out documents, and are never negative. What pulls them toward
each other counts as some documents do, so that with few documents all parts count alike.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit, log_softmax, softmax

from classmark.answers import Matrix, Positions
from classmark.arrays import Floats
from classmark.base import Contributions
from classmark.checks import integer, real
from classmark.decision import BestPath, Decision
from classmark.decision.auto import HeldOut, worth
from classmark.ensembles.out_of_fold import MOST_SCORES, OutOfFold, learn_parts
from classmark.ensembles.scales import Scale, Share, scale_of_nodes, scale_of_own, summed_contributions, summed_weights
from classmark.errors import InputError
from classmark.held_out import FEWEST_DOCUMENTS, SECONDS_A_SCORE, SPEED
from classmark.limits import Needed
from classmark.persistence import State, checked_array
from classmark.strategies.parts import Lesson, OverParts

Loss = Callable[[Floats], tuple[float, Floats]]


def learn_weights(loss: Loss, parts: int, documents: int, shrinkage: float) -> Floats:
    """Give the weights, which sum to 1, that have the least mean loss over documents, shrunk toward equal ones.

    >>> flat = lambda weights: (0.0, np.zeros_like(weights))
    >>> learn_weights(flat, 4, 100, 10.0)
    array([0.25, 0.25, 0.25, 0.25])
    """

    def shrunk(weights: Floats) -> tuple[float, Floats]:
        value, slopes = loss(weights)
        apart = weights - weights.mean()
        pull = shrinkage / documents
        return value + pull * float(apart @ apart), slopes + 2 * pull * apart

    start = np.full(parts, 1 / parts)
    found = minimize(shrunk, start, jac=True, bounds=[(0, None)] * parts, method="L-BFGS-B").x
    return np.asarray(found / found.sum()) if found.sum() > 0 else start


def loss_of_own(scores: Sequence[Floats], own: csr_array, ends: npt.NDArray[np.int32]) -> Loss:
    """Give the loss where a document belongs to one end: less the log chance of it by the weighted sum of scores.

    Of a document with several labels each counts by its share; documents without any say nothing.
    """
    labels = csr_array(own[:, ends]).astype(np.float64)
    rows = np.flatnonzero(np.diff(labels.indptr) > 0)
    labels = csr_array(labels[rows])
    shares = labels.multiply(1 / labels.sum(axis=1)[:, None]).toarray()
    given = np.stack([part[np.ix_(rows, ends)] for part in scores])
    documents = max(1, rows.size)

    def loss(weights: Floats) -> tuple[float, Floats]:
        chances = log_softmax(np.tensordot(weights, given, axes=1), axis=1)
        error = np.exp(chances) - shares
        return -float((shares * chances).sum()) / documents, np.tensordot(given, error, axes=2) / documents

    return loss


def loss_of_nodes(scores: Sequence[Floats], closed: csr_array) -> Loss:
    """Give the loss where each node is a question of its own: that of log-odds, summed over the nodes of a document."""
    nodes = np.unique(closed.indices)
    truth = closed[:, nodes].toarray().astype(np.float64)
    given = np.stack([part[:, nodes] for part in scores])
    documents = max(1, closed.shape[0])

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = np.tensordot(weights, given, axes=1)
        error = expit(odds) - truth
        value = float((np.logaddexp(0, odds) - truth * odds).sum())
        return value / documents, np.tensordot(given, error, axes=2) / documents

    return loss


DRAWN = (0.0, 0.25, 0.5, 0.75, 1.0)
"""How far weights are drawn toward the best part, in what is tried."""
NOT_WORTH_IT = 0.001
"""The hF that is not worth leaving out what other parts know."""

COPIES_OF_SCORES = 6
"""How many arrays as large as the scores of a part are held for each part (benchmarks/estimates.py)."""


class BlendClassifier(OverParts):
    """Add up the scores of several classifiers, each brought to one scale and weighed by what it is worth.

    Scores are log-odds of nodes, learned from documents that were held out, so that there are probabilities without
    calibration.

    Attributes
    ----------
    parts_ : list of HierarchicalClassifier
        The parts, fitted.
    weights_ : array, (n_parts,)
        How much of what a blend says comes from each part; they sum to 1.
    node_factors_, own_factors_ : array, (n_parts,)
        What each part's scores of nodes, and of own labels, are multiplied with, on the common scale.
    columns_ : list of slice
        Which columns of X each part sees.

    Examples
    --------
    >>> from classmark import BlendClassifier, FlatClassifier, FlatNB
    >>> X = [[3, 0, 1], [2, 0, 0], [0, 3, 1], [0, 2, 0]] * 3
    >>> y = ["owl", "owl", "gull", "gull"] * 3
    >>> model = BlendClassifier([("svm", FlatClassifier()), ("nb", FlatNB())]).fit(X, y)
    >>> model.predict([[1, 0, 0]])
    array(['owl'], dtype='<U4')
    >>> bool(model.weights_.min() >= 0), float(model.weights_.sum().round(6))
    (True, 1.0)
    """

    scores_are_log_odds: ClassVar[bool] = True
    from_held_out: ClassVar[tuple[str, ...]] = (
        *("weights_", "node_factors_", "own_factors_", "node_scales_", "own_scales_", "node_scale_", "own_scale_"),
    )
    """What is learned from documents held out."""

    folds: Annotated[
        int, integer(ge=2), "In how many parts documents are held out, to learn what each part is worth."
    ] = 5
    shrinkage: Annotated[
        float, real(ge=0), "How many documents' worth of doubt pulls the weights toward equal ones."
    ] = 30.0

    weights_: Floats = field(init=False)
    node_factors_: Floats = field(init=False)
    own_factors_: Floats = field(init=False)
    _known_of_parts: "tuple[OutOfFold | None, tuple[BlendClassifier, Floats] | None]" = field(
        default=(None, None), init=False
    )

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count the scores of all parts, besides the part that needs most."""
        needed, scores = super().memory_to_learn(X, own), self._held_out_scores(own)
        copies = 8.0 * COPIES_OF_SCORES * scores
        what = f"{scores:,} held-out scores of {len(self.named())} parts" if copies > needed.peak else needed.what
        return Needed(needed.bytes, what, needed.peak + copies)

    def _held_out_scores(self, own: csr_array) -> int:
        """Return how many scores of documents held out the parts give together."""
        documents, nodes = int(np.count_nonzero(np.diff(own.indptr))), len(self.hierarchy_)
        held_out = documents if documents * nodes <= MOST_SCORES else min(MOST_SCORES // nodes, -(-documents // 10))
        return held_out * nodes * len(self.named())

    def _seconds(self, X: csr_array, own: csr_array) -> float:
        """Count the fit of weights to the scores of the parts, besides their folds."""
        return super()._seconds(X, own) + SPEED * SECONDS_A_SCORE * self._held_out_scores(own)

    def learn(self, X: csr_array, own: csr_array, weight: Floats | None) -> None:
        """Learn the parts, and from what they say of documents that they have not seen, how much each counts."""
        lesson = self.begin(X, own, weight)
        if lesson.held_out.size < 2:
            labelled = f"n_samples={lesson.held_out.size}"
            raise InputError(f"a blend learns from held-out documents, and {labelled}; give at least 2 with labels")
        (known, learned), self._known_of_parts = self._known_of_parts, (None, None)
        self.parts_, found = learn_parts(self, lesson, self.folds, known)
        self.know(found.rows, self.learn_from(lesson, found) if learned is None else self._take_up(*learned))

    def know_parts(self, found: OutOfFold, learned: "tuple[BlendClassifier, Floats] | None" = None) -> None:
        """Take up what copies of the parts say of documents, before `fit`, which then learns the parts alone.

        Where another has `learned` from that already, what it has learned is taken up, and what it says of them.
        """
        self._known_of_parts = found, learned

    def _take_up(self, other: "BlendClassifier", scores: Floats) -> Floats:
        """Take what another has learned from documents held out; give what it says of them."""
        for name in self.from_held_out:
            setattr(self, name, getattr(other, name))
        return scores

    def learn_from(self, lesson: Lesson, found: OutOfFold) -> Floats:
        """Learn from what the parts say of documents held out; give the scores of these as `score_rows` does."""
        own = csr_array(lesson.own[found.rows])
        closed = self.hierarchy_.close(own)
        self.node_scales_ = [scale_of_nodes(scores, closed) for scores in found.nodes]
        self.own_scales_ = [scale_of_own(scores, own, self.ends_) for scores in found.own]
        nodes = [scale(scores) for scale, scores in zip(self.node_scales_, found.nodes, strict=True)]
        owned = [scale(scores) for scale, scores in zip(self.own_scales_, found.own, strict=True)]
        by_ends = self.decision_.ranks_ends
        labelled = np.flatnonzero(np.diff(own.indptr) > 0)
        true, ranked = csr_array(own[labelled]), [part[labelled] for part in owned]
        ranking = self.decision_ if by_ends else BestPath()
        loss = loss_of_own(ranked, true, self.ends_)
        self.own_factors_ = self._drawn(loss, ranking, ranked, self.hierarchy_.close(true))
        self.node_factors_ = (
            self.own_factors_ if by_ends else self._drawn(loss_of_nodes(nodes, closed), self.decision_, nodes, closed)
        )
        # A part that says the same of all counts for nothing.
        factors, scaled = (self.own_factors_, owned) if by_ends else (self.node_factors_, nodes)
        counts = factors * [float(part[:, self.ends_].std()) for part in scaled]
        self.weights_ = counts / counts.sum() if counts.any() else factors
        summed = weighted_sum(self.node_factors_, nodes), weighted_sum(self.own_factors_, owned)
        self.node_scale_, self.own_scale_ = scale_of_nodes(summed[0], closed), scale_of_own(summed[1], own, self.ends_)
        return self._joined(*summed, found.known(self.node_factors_, self.own_factors_))

    def _drawn(self, loss: Loss, decision: Decision, scores: list[Floats], closed: csr_array) -> Floats:
        """Give the likeliest factors, drawn toward the best part as far as the decision is better by it."""
        documents = closed.shape[0]
        likeliest = learn_weights(loss, len(scores), max(1, documents), self.shrinkage)
        if documents < FEWEST_DOCUMENTS or len(scores) == 1:
            return likeliest

        def worth_of(tried: Floats) -> float:
            return worth(decision, HeldOut(weighted_sum(tried, scores), closed, self.hierarchy_, self.ends_))

        alone = [worth_of(one) for one in np.eye(len(scores))]
        best = np.eye(len(scores))[int(np.argmax(alone))]
        tried = [(1 - drawn) * likeliest + drawn * best for drawn in DRAWN]
        found = np.array([worth_of(one) for one in tried])
        enough = max(*found, *alone) - NOT_WORTH_IT
        return np.asarray(tried[int(np.argmax(found >= enough))])

    def _joined(self, nodes: Floats, owned: Floats, known: npt.NDArray[np.bool_]) -> Floats:
        """Give sums as `score_rows` does: log-odds of nodes, then log chances of own labels."""
        joined = np.hstack([self.node_scale_(nodes), self.own_scale_(owned)])
        joined[~known] = -np.inf
        return joined

    @property
    def score_columns(self) -> int:
        """How many columns `score_rows` gives: two for each node."""
        return 2 * len(self.hierarchy_)

    def score_rows(self, X: csr_array) -> Floats:
        """Give the log-odds of every node, then the log chances of own labels."""
        shape = X.shape[0], len(self.hierarchy_)
        nodes, owned, known = np.zeros(shape), np.zeros(shape), np.zeros((shape[0], 2 * shape[1]), dtype=bool)
        for place, (of_nodes, of_own) in self._counting():
            scores = self.scores_of(self.parts_[place], X[:, self.columns_[place]])
            known[:, : shape[1]] |= np.isfinite(scores[0]) & (of_nodes > 0)
            known[:, shape[1] :] |= np.isfinite(scores[1]) & (of_own > 0)
            nodes += of_nodes * self.node_scales_[place](scores[0])
            owned += of_own * self.own_scales_[place](scores[1])
        return self._joined(nodes, owned, known)

    def _counting(self) -> list[tuple[int, tuple[float, float]]]:
        """Give the parts that count, by their numbers, and their factors for nodes and for own labels."""
        both = zip(self.node_factors_.tolist(), self.own_factors_.tolist(), strict=True)
        return [(place, pair) for place, pair in enumerate(both) if any(pair)]

    def as_own(self, scores: Floats) -> Floats:
        """Give the columns of own labels."""
        return scores[:, len(self.hierarchy_) :]

    def probabilities_of(self, scores: Floats) -> Floats:
        """Turn scores into probabilities, by the held-out documents that all scales come from."""
        if self.calibrator_ is None and self._sums_to_one():
            return np.asarray(softmax(self.as_own(scores), axis=1))
        return super().probabilities_of(scores)

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give the weighted sum of the parts' contributions, each term in the columns of its part."""
        slope, offset, _ = self.node_scale_
        factors = enumerate(self.node_factors_.tolist())
        shares = [Share(place, slope * factor, self.node_scales_[place]) for place, factor in factors if factor]
        terms, bias = summed_contributions(self, X, node, shares)
        return Contributions(terms, np.where(np.isfinite(scores[:, node]), bias + offset, scores[:, node]))

    def term_weights(self, blocks: Sequence[Positions]) -> Iterator[Matrix]:
        """Give the weighted sum of what the parts' terms say, each term in the columns of its part."""
        factors = enumerate(self.node_factors_.tolist())
        shares = [Share(place, factor, self.node_scales_[place]) for place, factor in factors if factor]
        return summed_weights(self, blocks, shares)

    def _learned_state(self) -> State:
        return {
            "folds": self.folds,
            "shrinkage": self.shrinkage,
            "weights": self.weights_,
            "factors": np.stack([self.node_factors_, self.own_factors_]),
            "scales": np.array([*self.node_scales_, *self.own_scales_, self.node_scale_, self.own_scale_]),
            **self.parts_state(),
        }

    def _restore(self, learned: State) -> None:
        self.restore_parts(learned)
        self.set_params(folds=learned["folds"], shrinkage=learned["shrinkage"])
        self.check()
        count = len(self.parts_)
        self.weights_ = checked_array(learned, "weights", np.float64, (count,))
        factors = checked_array(learned, "factors", np.float64, (2, count))
        self.node_factors_, self.own_factors_ = factors
        scales = [Scale(*line) for line in checked_array(learned, "scales", np.float64, (2 * count + 2, 3)).tolist()]
        weights = np.append(self.weights_, factors)
        if not (np.isfinite(weights).all() and (weights >= 0).all() and np.isfinite(scales).all()):
            raise InputError("the model's weights or scales cannot be")
        self.node_scales_, self.own_scales_ = scales[:count], scales[count : 2 * count]
        self.node_scale_, self.own_scale_ = scales[2 * count :]


def weighted_sum(weights: Floats, scores: list[Floats]) -> Floats:
    """Give the weighted sum of scores; those without a weight are not looked at."""
    total = np.zeros_like(scores[0])
    for weight, part in zip(weights, scores, strict=True):
        if weight:
            total += weight * part
    return total
