"""CPU time of the further measures on 20,000 documents × 1,000 nodes, best of five."""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array
from sklearn.metrics import ndcg_score
from timing import best_of_five

from classmark import Hierarchy
from classmark.metrics import (
    brier_score,
    cosine_accuracy,
    expected_calibration_error,
    further_figures,
    lca_scores,
    log_loss,
    macro_sign_test,
    macro_t_test,
    micro_sign_test,
    ndcg_at_k,
    paired_bootstrap,
    precision_at_k,
    recall_at_k,
    tree_distance_error,
)

N_DOCUMENTS = 20_000
N_OWN = 2
LEVEL_SIZES = (10, 90, 300, 600)
SEED = 0


def make_hierarchy(rng: np.random.Generator, n_parents: int) -> Hierarchy:
    """Make a random hierarchy of four levels: each node's parents are any nodes of the level above."""
    starts = np.concatenate([[0], np.cumsum(LEVEL_SIZES)])
    edges: set[tuple[int | None, int]] = {(None, node) for node in range(LEVEL_SIZES[0])}
    for level in range(1, len(LEVEL_SIZES)):
        for child in range(starts[level], starts[level + 1]):
            parents = rng.choice(np.arange(starts[level - 1], starts[level]), size=n_parents, replace=False)
            edges |= {(int(parent), child) for parent in parents}
    return Hierarchy.from_edges(sorted(edges, key=lambda edge: (edge[1], edge[0] or 0)))


def make_indicator(rng: np.random.Generator, n_nodes: int) -> csr_array:
    """Give each document labels drawn with replacement, so that a few have one only."""
    documents = np.repeat(np.arange(N_DOCUMENTS), N_OWN)
    nodes = rng.integers(n_nodes, size=documents.size)
    return csr_array((np.ones(documents.size, dtype=bool), (documents, nodes)), shape=(N_DOCUMENTS, n_nodes))


def half_right(rng: np.random.Generator, true: csr_array) -> csr_array:
    """Make predictions that are right for half of the documents."""
    right = rng.random(N_DOCUMENTS) < 0.5
    guessed = make_indicator(rng, true.shape[1])
    return csr_array(true.multiply(right[:, None]) + guessed.multiply(~right[:, None]), dtype=bool)


def main() -> None:
    """Measure and print."""
    rng = np.random.default_rng(SEED)
    tree, dag = make_hierarchy(rng, 1), make_hierarchy(rng, 2)
    true = make_indicator(rng, len(tree))
    first, second = half_right(rng, true), half_right(rng, true)
    scores = rng.random(true.shape)
    dense = true.toarray()
    calls: dict[str, Callable[[], object]] = {
        "tree_distance_error, tree": lambda: tree_distance_error(true, first, tree),
        "tree_distance_error, DAG": lambda: tree_distance_error(true, first, dag),
        "lca_scores, tree": lambda: lca_scores(true, first, tree),
        "lca_scores, DAG": lambda: lca_scores(true, first, dag),
        "cosine_accuracy": lambda: cosine_accuracy(true, first),
        "precision_at_k, k = 5": lambda: precision_at_k(true, scores, 5),
        "recall_at_k, k = 5": lambda: recall_at_k(true, scores, 5),
        "ndcg_at_k, k = 5": lambda: ndcg_at_k(true, scores, 5),
        "  scikit-learn's ndcg_score": lambda: ndcg_score(dense, scores, k=5, ignore_ties=True),
        "brier_score": lambda: brier_score(true, scores),
        "log_loss": lambda: log_loss(true, scores),
        "calibration error, width": lambda: expected_calibration_error(true, scores),
        "calibration error, mass": lambda: expected_calibration_error(true, scores, bins="mass"),
        "micro_sign_test": lambda: micro_sign_test(true, first, second),
        "macro_sign_test": lambda: macro_sign_test(true, first, second),
        "macro_t_test": lambda: macro_t_test(true, first, second),
        "bootstrap × 1,000, micro-F1": lambda: paired_bootstrap(true, first, second, "micro_f1"),
        "bootstrap × 1,000, macro-F1": lambda: paired_bootstrap(true, first, second, "macro_f1"),
        "bootstrap × 1,000, hF": lambda: paired_bootstrap(true, first, second, "hf", hierarchy=tree),
        "further figures, without probabilities": lambda: further_figures(true, first, scores, tree),
    }
    print(f"{N_DOCUMENTS:,} documents × {len(tree):,} nodes, {tree!r} and {dag!r}; CPU seconds, best of five")
    for name, call in calls.items():
        print(f"{name:<30}{best_of_five(call):8.3f}")


if __name__ == "__main__":
    main()
