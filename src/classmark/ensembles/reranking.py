"""Learning which candidates are right from the features of pairs, one reranker for all categories.

scikit-learn's gradient boosting over histograms, with settings that do as well on few pairs as on many. A document's
pairs are never divided: they are learned from together or not at all.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from classmark.arrays import Floats, Positions
from classmark.data.splits import k_fold
from classmark.ensembles.trees import Trees
from classmark.parallel import n_threads, threads

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
