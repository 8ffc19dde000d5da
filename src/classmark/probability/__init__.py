"""From scores to probabilities, learned from held-out scores, no node's above its parents'.

Either every node is a question of its own, with a curve from its score to its probability, or the ends compete. With s
a node's score, y = 1 where the document belongs to the node (ancestors added) and 0 otherwise, N₊ and N₋ the
numbers of both among the held-out documents:

- *Platt*: p = 1 / (1 + exp(−(a s + b))), where a ≥ 0 and b maximise the likelihood of the targets
  (N₊ + 1) / (N₊ + 2) for y = 1 and 1 / (N₋ + 2) for y = 0 (J. Platt, "Probabilistic outputs for support vector
  machines", 1999), found by Newton's method (H.-T. Lin, C.-J. Lin and R. Weng, "A note on Platt's probabilistic
  outputs", 2007);
- *isotonic*: the rising step curve with the least squares to the same targets, straight between its steps (B. Zadrozny
  and C. Elkan, "Transforming classifier scores into accurate multiclass probability estimates", 2002). Without the
  targets a few documents would make 0 and 1 of it, which is more than a few documents can know;
- *softmax*: each document is taken to belong in one place, and the ends share 1 in proportion to exp(s / T); a node has
  the sum of the ends at and below it, and T is the temperature under which the own labels of the held-out documents
  are most likely (C. Guo, G. Pleiss, Y. Sun and K. Weinberger, "On calibration of modern neural networks", 2017).

Curves know nothing of each other, so a node may come out above one of its parents. There are two ways to put that
right, to lower the children to their parents and to raise the parents to their children; the mean of both is taken,
which had the lowest Brier score and log loss of all that was tried (`docs/probabilities.md`).

A probability depends on the scores of its document alone, not on what else is asked. A node that nothing was learned
about has the probability 0.
"""

from classmark.probability.calibrators import (
    CALIBRATIONS,
    Calibrator,
    Isotonic,
    Platt,
    Softmax,
    as_rows,
    monotone,
    own_chances,
)
from classmark.probability.promise import Promise, Promised

__all__ = [
    "CALIBRATIONS",
    "Calibrator",
    "Isotonic",
    "Platt",
    "Promise",
    "Promised",
    "Softmax",
    "as_rows",
    "monotone",
    "own_chances",
]
