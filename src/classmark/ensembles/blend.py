"""A blend: the weighted sum of what several methods say, on one scale.

Different methods err on different documents. Weights come from held-out documents (`weights`), and are then drawn
toward the best part as far as the decision that is asked for does better by it: likelihood is not what people count.
"""

from dataclasses import field
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import softmax

from classmark.arrays import Floats
from classmark.base import Calibration, Contributions
from classmark.checks import number, whole
from classmark.decision.auto import HeldOut, worth
from classmark.ensembles.out_of_fold import OutOfFold, learn_parts
from classmark.ensembles.scales import Scale, scale_of_nodes, scale_of_own
from classmark.ensembles.weights import learn_weights, loss_of_nodes, loss_of_own
from classmark.held_out import FEWEST_DOCUMENTS
from classmark.persistence import State, checked_array
from classmark.strategies.parts import Lesson, OverParts

DRAWN = (0.0, 0.25, 0.5, 0.75, 1.0)
"""How far weights are drawn toward the best part, in what is tried."""
NOT_WORTH_IT = 0.001
"""The hF that is not worth leaving out what other parts know."""


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
    factors_ : array, (n_parts,)
        What the scores of each part, on the common scale, are multiplied with.
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

    folds: Annotated[int, whole(2), "In how many parts documents are held out, to learn what each part is worth."] = 5
    shrinkage: Annotated[
        float, number(least=0), "How many documents' worth of doubt pulls the weights toward equal ones."
    ] = 30.0
    calibration: Calibration = None

    weights_: Floats = field(init=False)
    factors_: Floats = field(init=False)

    def learn(self, X: csr_array, own: csr_array, weight: Floats | None) -> None:
        """Learn the parts, and from what they say of documents that they have not seen, how much each counts."""
        lesson = self.begin(X, own, weight)
        if lesson.held_out.size < 2:
            labelled = f"n_samples={lesson.held_out.size}"
            raise ValueError(f"a blend learns from held-out documents, and {labelled}; give at least 2 with labels")
        self.parts_, found = learn_parts(self, lesson, self.folds)
        self._held_out = found.rows, self.learn_from(lesson, found)

    def learn_from(self, lesson: Lesson, found: OutOfFold) -> Floats:
        """Learn from what the parts say of documents held out; give the scores of these as `score_rows` does."""
        own = csr_array(lesson.own[found.rows])
        closed = self.hierarchy_.close(own)
        self.node_scales_ = [scale_of_nodes(scores, closed) for scores in found.nodes]
        self.own_scales_ = [scale_of_own(scores, own, self.ends_) for scores in found.own]
        nodes = [scale(scores) for scale, scores in zip(self.node_scales_, found.nodes, strict=True)]
        owned = [scale(scores) for scale, scores in zip(self.own_scales_, found.own, strict=True)]
        self.factors_ = self._learned_factors(nodes, owned, own)
        # What a part says of all alike counts for nothing, whatever its factor.
        spreads = [float(scores[:, self.ends_].std()) for scores in (owned if self.decision_.ranks_ends else nodes)]
        counts = self.factors_ * spreads
        self.weights_ = counts / counts.sum() if counts.any() else self.factors_
        summed = weighted_sum(self.factors_, nodes), weighted_sum(self.factors_, owned)
        self.node_scale_, self.own_scale_ = scale_of_nodes(summed[0], closed), scale_of_own(summed[1], own, self.ends_)
        return self._joined(*summed, found.known(self.factors_))

    def _learned_factors(self, nodes: list[Floats], owned: list[Floats], own: csr_array) -> Floats:
        """Learn the factors of the parts; draw them toward the best part as far as the decision is better by it."""
        closed, by_ends = self.hierarchy_.close(own), self.decision_.ranks_ends
        scores = owned if by_ends else nodes
        loss = loss_of_own(owned, own, self.ends_) if by_ends else loss_of_nodes(nodes, closed)
        documents = own.shape[0]
        weights = learn_weights(loss, len(scores), documents, self.shrinkage)
        if documents < FEWEST_DOCUMENTS or len(scores) == 1:
            return weights

        def worth_of(tried: Floats) -> float:
            return worth(self.decision_, HeldOut(weighted_sum(tried, scores), closed, self.hierarchy_, self.ends_))

        alone = [worth_of(one) for one in np.eye(len(scores))]
        best = np.eye(len(scores))[int(np.argmax(alone))]
        tried = [(1 - drawn) * weights + drawn * best for drawn in DRAWN]
        found = np.array([worth_of(one) for one in tried])
        enough = max(*found, *alone) - NOT_WORTH_IT
        return np.asarray(tried[int(np.argmax(found >= enough))])

    def _joined(self, nodes: Floats, owned: Floats, known: npt.NDArray[np.bool_]) -> Floats:
        """Give sums as `score_rows` does: log-odds of nodes, then log chances of own labels."""
        joined = np.hstack([self.node_scale_(nodes), self.own_scale_(owned)])
        joined[~known] = -np.inf
        return joined

    def held_out(self) -> tuple[npt.NDArray[np.intp], Floats] | None:
        """Give the scores of the documents that were held out; they are not kept."""
        found = self._held_out
        del self._held_out
        return found

    @property
    def score_columns(self) -> int:
        """How many columns `score_rows` gives: two for each node."""
        return 2 * len(self.hierarchy_)

    def score_rows(self, X: csr_array) -> Floats:
        """Give the log-odds of every node, then the log chances of own labels."""
        shape = X.shape[0], len(self.hierarchy_)
        nodes, owned, known = np.zeros(shape), np.zeros(shape), np.zeros((shape[0], 2 * shape[1]), dtype=bool)
        for place, weight in self._counting():
            scores = self.scores_of(self.parts_[place], X[:, self.columns_[place]])
            known |= np.isfinite(np.hstack(scores))
            nodes += weight * self.node_scales_[place](scores[0])
            owned += weight * self.own_scales_[place](scores[1])
        return self._joined(nodes, owned, known)

    def _counting(self) -> list[tuple[int, float]]:
        """Give the parts that count, by their numbers, and their factors."""
        return [(place, weight) for place, weight in enumerate(self.factors_.tolist()) if weight]

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
        terms, bias = csr_array(X.shape), np.full(X.shape[0], self.node_scale_.offset)
        for place, counts in self._counting():
            part, columns, scale = self.parts_[place], self.columns_[place], self.node_scales_[place]
            weight = self.node_scale_.slope * counts
            given = part.score_rows(X[:, columns])
            found = part.contributions_to(X[:, columns], node, given)
            # Below the floor nothing that a term says changes the score.
            above = part.as_nodes(given)[:, node] >= scale.floor
            factors = np.where(above, weight * scale.slope, 0.0)
            terms = terms + _placed(found.terms, factors, columns, X.shape[1])
            floor = np.where(above, np.where(above, found.bias, 0.0), scale.floor)
            bias += weight * (scale.slope * floor + scale.offset)
        return Contributions(csr_array(terms), np.where(np.isfinite(scores[:, node]), bias, scores[:, node]))

    def _learned_state(self) -> State:
        return {
            "folds": self.folds,
            "shrinkage": self.shrinkage,
            "weights": self.weights_,
            "factors": self.factors_,
            "scales": np.array([*self.node_scales_, *self.own_scales_, self.node_scale_, self.own_scale_]),
            **self.parts_state(),
        }

    def _restore(self, learned: State) -> None:
        self.restore_parts(learned)
        self.set_params(folds=learned["folds"], shrinkage=learned["shrinkage"])
        self.check()
        count = len(self.parts_)
        self.weights_ = checked_array(learned, "weights", np.float64, (count,))
        self.factors_ = checked_array(learned, "factors", np.float64, (count,))
        scales = [Scale(*line) for line in checked_array(learned, "scales", np.float64, (2 * count + 2, 3)).tolist()]
        weights = np.append(self.weights_, self.factors_)
        if not (np.isfinite(weights).all() and (weights >= 0).all() and np.isfinite(scales).all()):
            raise ValueError("the model's weights or scales cannot be")
        self.node_scales_, self.own_scales_ = scales[:count], scales[count : 2 * count]
        self.node_scale_, self.own_scale_ = scales[2 * count :]


def weighted_sum(weights: Floats, scores: list[Floats]) -> Floats:
    """Give the weighted sum of scores; those without a weight are not looked at."""
    total = np.zeros_like(scores[0])
    for weight, part in zip(weights, scores, strict=True):
        if weight:
            total += weight * part
    return total


def _placed(terms: csr_array, factors: Floats, columns: slice, width: int) -> csr_array:
    """Give the shares of a part's terms, each row times its factor, in the columns that the part has of the whole."""
    terms = csr_array(terms)
    data = terms.data * np.repeat(factors, np.diff(terms.indptr))
    return csr_array((data, terms.indices + columns.start, terms.indptr), shape=(terms.shape[0], width))
