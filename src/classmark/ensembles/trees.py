"""`Trees`: boosted regression trees as plain arrays, which answer without what learned them.

scikit-learn's gradient boosting fits them (`learn_reranker`), and is not needed any more: a model file holds the arrays
alone. A row of features goes down each tree, to the left where its feature is at most the threshold, and where a
feature is NaN to the side that the node names; the values of the leaves it comes to are added up, in the order of the
trees.

The settings of gradient boosting do as well on few pairs as on many. The pairs of a document are never divided between
training and evaluation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from classmark.arrays import Floats, Integers, Positions
from classmark.compilation import kernel
from classmark.data.splits import k_fold
from classmark.errors import InputError
from classmark.parallel import even_ranges, n_threads, threads
from classmark.persistence import State, are_starts, checked_array

LEAF = -1
"""The feature of a node that asks for none."""
ROWS_AT_A_TIME = 1024
"""So many rows stay in the cache while they go down one tree after the other."""


class Nodes(NamedTuple):
    """The nodes of all trees, one tree after the other, a node's children after it.

    Attributes
    ----------
    features : array of int
        The feature that a node asks for, -1 in a leaf.
    thresholds, values : array of float
        What the feature is compared with, and what a leaf adds; 0 in the others.
    left, right : array of int
        The positions of the children; 0 in a leaf.
    missing_left : array of bool
        Whether NaN goes to the left.
    """

    features: Integers
    thresholds: Floats
    values: Floats
    left: Integers
    right: Integers
    missing_left: npt.NDArray[np.bool_]


TYPES = dict(zip(Nodes._fields, (np.int32, np.float64, np.float64, np.int32, np.int32, np.bool_), strict=True))


@kernel
def add_values(nodes: Nodes, roots: Integers, rows: Floats, totals: Floats) -> None:
    """Add to the total of each row the values of the leaves that it comes to."""
    for root in roots:
        for row in range(len(rows)):
            node = root
            while nodes.features[node] >= 0:
                value = rows[row, nodes.features[node]]
                goes_left = nodes.missing_left[node] if np.isnan(value) else value <= nodes.thresholds[node]
                node = nodes.left[node] if goes_left else nodes.right[node]
            totals[row] += nodes.values[node]


# eq=False: numpy compares arrays element by element, so a generated == could only raise.
@dataclass(frozen=True, eq=False)
class Trees:
    """Regression trees whose values add up to the log-odds of the second of two classes.

    Examples
    --------
    >>> features, right = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([False, False, True, True])
    >>> boosting = HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=1, early_stopping=False)
    >>> trees = Trees.from_boosting(boosting.fit(features, right))
    >>> trees.decision_function([[0.5], [2.5]]).round(2)
    array([-0.2,  0.2])
    """

    nodes: Nodes
    starts: Integers
    """Tree i has the nodes from `starts[i]`, its root, to `starts[i + 1]`."""
    baseline: float
    """What every sum begins with."""
    n_features: int

    @classmethod
    def constant(cls, baseline: float, n_features: int) -> Self:
        """Give no tree at all, so that all sums are the same.

        >>> Trees.constant(-1.5, n_features=2).decision_function([[0, 1]])
        array([-1.5])
        """
        nodes = Nodes(*(np.empty(0, dtype) for dtype in TYPES.values()))
        return cls(nodes, np.zeros(1, np.int32), baseline, n_features)

    @classmethod
    def from_boosting(cls, boosting: HistGradientBoostingClassifier) -> Self:
        """Take over what was learned about two classes from features that are numbers.

        Nothing else knows how scikit-learn keeps it: a version that keeps it otherwise is refused.
        """
        try:
            trees = [_tree_of(*predictors) for predictors in boosting._predictors]
            [[baseline]] = boosting._baseline_prediction
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"not trees about two classes as scikit-learn from 1.6 learns them ({error})") from None
        starts = np.cumsum([0, *(len(tree.features) for tree in trees)]).astype(np.int32)
        if not trees:
            return cls.constant(float(baseline), boosting.n_features_in_)
        nodes = Nodes(*map(np.concatenate, zip(*map(_shifted, trees, starts), strict=True)))
        found = cls(nodes, starts, float(baseline), boosting.n_features_in_)
        found._check()
        return found

    def decision_function(self, features: npt.ArrayLike, n_jobs: int | None = None) -> Floats:
        """Give the log-odds of rows of features, the same for any number of threads."""
        rows = np.ascontiguousarray(features, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise InputError(f"the features have shape {rows.shape}; the trees have learned from {self.n_features}")
        totals = np.full(len(rows), self.baseline)
        ranges = even_ranges(len(rows), 1 + len(rows) // ROWS_AT_A_TIME)
        with threads(n_threads(n_jobs)) as run:
            run(add_values, [(self.nodes, self.starts[:-1], rows[a:b], totals[a:b]) for a, b in ranges])
        return totals

    def to_state(self) -> State:
        """Give them as plain data and arrays."""
        plain = {"starts": self.starts, "baseline": self.baseline, "n_features": self.n_features}
        return plain | self.nodes._asdict()

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Take them out of a state, refusing what cannot be trees."""
        starts = checked_array(state, "starts", np.int32, (None,))
        size = int(starts[-1]) if starts.size else 0
        nodes = Nodes(**{name: checked_array(state, name, dtype, (size,)) for name, dtype in TYPES.items()})
        found = cls(nodes, starts, float(state["baseline"]), int(state["n_features"]))
        found._check()
        return found

    def _check(self) -> None:
        """Refuse what a row could not go down: every way ends, and every node is on one way."""
        nodes, starts = self.nodes, self.starts
        if not (are_starts(starts, len(nodes.features)) and (np.diff(starts) > 0).all()):
            raise InputError("the model's trees do not begin one after the other")
        numbers = (nodes.values, self.baseline)
        if np.isnan(nodes.thresholds).any() or not all(np.isfinite(each).all() for each in numbers):
            raise InputError("the model's trees hold what is not a number")
        inner = np.flatnonzero(nodes.features != LEAF)
        asked = nodes.features[inner]
        if inner.size and not (asked.min() >= 0 and asked.max() < self.n_features):
            raise InputError(f"the model's trees ask for features that are not among {self.n_features}")
        children = np.stack([nodes.left, nodes.right])
        ends = np.repeat(starts[1:], np.diff(starts))
        if not ((children[:, inner] > inner) & (children[:, inner] < ends[inner])).all():
            raise InputError("the model's trees have children that are not nodes after them")
        parents = np.bincount(children[:, inner].ravel(), minlength=len(ends))
        parents[starts[:-1]] += 1
        if not (parents == 1).all() or np.delete(children, inner, axis=1).any():
            raise InputError("the model's trees have nodes with other than one parent, or leaves with children")


def _tree_of(predictor: Any) -> Nodes:
    """Give the nodes of a tree of scikit-learn's, the only one of its round."""
    learned = predictor.nodes
    if learned["is_categorical"].any():
        raise InputError("a feature is a category")
    leaf = learned["is_leaf"].astype(bool)
    fields = {
        "features": np.where(leaf, LEAF, learned["feature_idx"]),
        "thresholds": np.where(leaf, 0, learned["num_threshold"]),
        "values": np.where(leaf, learned["value"], 0),
        "left": np.where(leaf, 0, learned["left"]),
        "right": np.where(leaf, 0, learned["right"]),
        "missing_left": ~leaf & learned["missing_go_to_left"].astype(bool),
    }
    return Nodes(**{name: fields[name].astype(dtype) for name, dtype in TYPES.items()})


def _shifted(tree: Nodes, start: np.int32) -> Nodes:
    """Give the nodes of a tree numbered from `start` on."""
    inner = tree.features != LEAF
    return tree._replace(left=tree.left + start * inner, right=tree.right + start * inner)


MOST_PAIRS = 1_000_000
"""More pairs are not learned from: they would take minutes, and teach a hundred trees nothing."""
FOLDS = 3
SETTINGS = {
    "max_iter": 150,
    "learning_rate": 0.05,
    "max_leaf_nodes": 15,
    "min_samples_leaf": 40,
    "l2_regularization": 10.0,
    "early_stopping": False,
}
"""Many small steps by small trees: twice as large a step, or twice as many, was a little worse wherever tried.

The regularisation is for few documents: on 100 of `newsgroups20` it is worth .002, on thousands nothing.
"""

Bools = npt.NDArray[np.bool_]


def learn_reranker(
    features: Floats, right: Bools, documents: Positions, seed: int = 0, directions: Sequence[int] | None = None
) -> Trees:
    """Learn to tell right pairs from wrong ones; the trees give the log-odds that a pair is right.

    Parameters
    ----------
    features : array of float, (n_pairs, n_features)
        What `pair_features` gives, of scores that are held out.
    right : array of bool, (n_pairs,)
        Whether the category is an own label of the document.
    documents : array of int, (n_pairs,)
        The document of each pair.
    seed : int
        The seed: the same one gives the same trees, on any number of threads.
    directions : sequence of int, optional
        What `pairs.directions` gives: of which features more can only speak for a category (1), or against it (-1).
    """
    kept = _some(documents, seed)
    features, right = features[kept], right[kept]
    odds = (right.sum() + 0.5) / ((~right).sum() + 0.5)
    if right.all() or not right.any():
        return Trees.constant(float(np.log(odds)), features.shape[1])
    # scikit-learn finds no bins for a feature that is never known, such as the parent in a flat hierarchy.
    features[:, np.isnan(features).all(axis=0)] = 0
    boosting = HistGradientBoostingClassifier(random_state=seed, monotonic_cst=directions, **SETTINGS)
    # Sums over several threads may differ in their last digits from those over one.
    with threadpool_limits(1, user_api="openmp"):
        return Trees.from_boosting(boosting.fit(features, right))


def crossed_scores(
    features: Floats,
    right: Bools,
    documents: Positions,
    seed: int = 0,
    directions: Sequence[int] | None = None,
    folds: int = FOLDS,
    n_jobs: int | None = None,
) -> Floats:
    """Score every pair by a reranker that has not seen its document: what a decision can be learned from.

    The parameters are those of `learn_reranker`, and how many parts the documents are divided into.
    """
    distinct, numbers = np.unique(documents, return_inverse=True)
    scores = np.empty(len(features))
    if len(distinct) < 2:
        scores[:] = learn_reranker(features, right, documents, seed, directions).decision_function(features)
        return scores
    parts = [np.isin(numbers, rest) for _, rest in k_fold(len(distinct), min(folds, len(distinct)), seed=seed)]

    def score(part: Bools) -> None:
        trees = learn_reranker(features[~part], right[~part], documents[~part], seed, directions)
        scores[part] = trees.decision_function(features[part])

    with threads(min(n_threads(n_jobs), len(parts))) as run:
        run(score, [(part,) for part in parts])
    return scores


def _some(documents: Positions, seed: int) -> Bools:
    """Say which pairs are learned from: all of some documents, chosen at random where they have too many pairs."""
    distinct, numbers, sizes = np.unique(documents, return_inverse=True, return_counts=True)
    order = (
        np.random.default_rng(seed).permutation(len(distinct))
        if len(documents) > MOST_PAIRS
        else np.arange(len(distinct))
    )
    kept = np.zeros(len(distinct), bool)
    kept[order] = np.cumsum(sizes[order]) <= MOST_PAIRS
    return np.asarray(kept[numbers])
