"""CPU time of the measures on 100,000 documents × 1,000 nodes, beside scikit-learn on the same indicators."""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array
from sklearn.metrics import precision_recall_fscore_support
from timing import best_of_five

from classmark import Hierarchy
from classmark.metrics import flat_scores, hierarchical_scores, summarise

N_DOCUMENTS = 100_000
N_OWN = 2
LEVEL_SIZES = (10, 90, 300, 600)
SEED = 0
LIMIT = 0.2


def make_tree(rng: np.random.Generator) -> Hierarchy:
    """Make a random tree of four levels: each node's parent is any node of the level above."""
    starts = np.concatenate([[0], np.cumsum(LEVEL_SIZES)])
    edges: list[tuple[int | None, int]] = [(None, node) for node in range(LEVEL_SIZES[0])]
    for level in range(1, len(LEVEL_SIZES)):
        above = rng.integers(starts[level - 1], starts[level], size=LEVEL_SIZES[level]).tolist()
        edges += zip(above, range(starts[level], starts[level + 1]), strict=True)
    return Hierarchy.from_edges(edges)


def make_indicator(rng: np.random.Generator, n_nodes: int) -> csr_array:
    """Give each document labels drawn with replacement, so that a few have one only."""
    documents = np.repeat(np.arange(N_DOCUMENTS), N_OWN)
    nodes = rng.integers(n_nodes, size=documents.size)
    return csr_array((np.ones(documents.size, dtype=bool), (documents, nodes)), shape=(N_DOCUMENTS, n_nodes))


def main() -> None:
    """Measure and print."""
    rng = np.random.default_rng(SEED)
    tree = make_tree(rng)
    true = make_indicator(rng, len(tree))
    # Half of the predictions are right, so that both branches of every intersection are taken.
    right = rng.random(N_DOCUMENTS) < 0.5
    guessed = make_indicator(rng, len(tree))
    predicted = csr_array(true.multiply(right[:, None]) + guessed.multiply(~right[:, None]), dtype=bool)
    first = predicted.indices[predicted.indptr[:-1]]
    closed_true, closed_predicted = tree.close(true), tree.close(predicted)

    print(f"{N_DOCUMENTS:,} documents × {len(tree):,} nodes, {tree!r}; CPU seconds, best of five")
    peer = best_of_five(
        lambda: precision_recall_fscore_support(closed_true, closed_predicted, average=None, zero_division=0)
    )
    print(f"{'scikit-learn, closed sets':<28}{peer:8.3f}")
    ours: dict[str, Callable[[], object]] = {
        "flat_scores, closed sets": lambda: flat_scores(closed_true, closed_predicted),
        "hierarchical_scores": lambda: hierarchical_scores(true, predicted, tree),
        "summarise": lambda: summarise(true, predicted, first, tree),
    }
    for name, call in ours.items():
        seconds = best_of_five(call)
        verdict = "under" if seconds < LIMIT else "OVER"
        print(f"{name:<28}{seconds:8.3f}   scikit-learn ÷ ours {peer / seconds:6.1f}   {verdict} {LIMIT} s")


if __name__ == "__main__":
    main()
