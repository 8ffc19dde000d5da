"""S-cut: a threshold for each node, tuned on held-out scores and guarded (Yang 2001, SCutFBR.1)."""

from dataclasses import replace
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.checks import BOOLEAN, choice, real
from classmark.decision.node_thresholds import NodeThresholds, bottom_up, score_at_rank
from classmark.decision.thresholds import best_f1
from classmark.hierarchy import Hierarchy


class SCut(NodeThresholds):
    """Accept a node that scores above its own threshold, the one with the best held-out F1.

    A rare category's best threshold is often an accident. Where its F1 stays under `fbr`, or where held-out scores
    say nothing of a category, it falls back to something steadier.
    """

    fbr: Annotated[float, real(), "The least held-out F1 that a category's own threshold must have."] = 0.3
    fallback: Annotated[
        str,
        choice(["share", "highest", "global"]),
        "What a category without such a threshold gets: that of P-cut, the highest held-out score, which lets hardly "
        "anything in (SCutFBR.1), or the threshold that is best for all nodes together.",
    ] = "share"
    steady: Annotated[
        bool,
        BOOLEAN,
        "Whether to go halfway from the threshold with the best F1 to that of P-cut. The first follows every accident "
        "of a few positive documents, the second none; between them lies, on `reuters90`, the best of both.",
    ] = True

    def fit(self, scores: npt.NDArray[np.float64], labels: csr_array, hierarchy: Hierarchy) -> Self:
        """Learn a threshold for every node."""
        truth = hierarchy.close(labels).toarray()
        # Where no label has a held-out score, as with one document a category, 0 is all that is left.
        known = truth[np.isfinite(scores)].any()
        common = best_f1(scores.ravel(), truth.ravel())[0] if known else 0.0
        found = bottom_up(
            scores,
            hierarchy,
            self.consistency == "close",
            lambda node, column: self._threshold(column, truth[:, node], common),
        )
        return replace(self, thresholds=found)

    def _threshold(self, scores: Any, truth: Any, common: float) -> float:
        """Give the threshold with the best F1, perhaps steadied, where that F1 is good enough."""
        known = bool(truth[np.isfinite(scores)].any())
        threshold, f1 = best_f1(scores, truth) if known else (common, -np.inf)
        if not known or f1 < self.fbr:
            return self._fallback(scores, truth, common)
        return (threshold + score_at_rank(scores, int(truth.sum()))) / 2 if self.steady else threshold

    def _fallback(self, scores: Any, truth: Any, common: float) -> float:
        """Give the steadier threshold of a category whose own would be an accident."""
        if self.fallback == "global" or not np.isfinite(scores).any():
            return common
        return score_at_rank(scores, int(truth.sum()) if self.fallback == "share" else 0)
