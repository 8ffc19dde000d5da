"""CPU time to build a hierarchy of 100,000 nodes and depth 20, and to close 100,000 label sets with it."""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array
from timing import best_of_five

from classmark import Hierarchy

N_NODES = 100_000
DEPTH = 20
N_DOCUMENTS = 100_000
N_OWN = 2
SEED = 0
LIMIT = 1.0


def make_edges(rng: np.random.Generator) -> list[tuple[int | None, int]]:
    """Make a random tree of levels of equal size: each node's parent is any node of the level above."""
    width = N_NODES // DEPTH
    above = rng.integers(width, size=N_NODES) + (np.arange(N_NODES) // width - 1) * width
    return [(parent if node >= width else None, node) for node, parent in enumerate(above.tolist())]


def build(edges: list[tuple[int | None, int]]) -> Hierarchy:
    """Build the hierarchy with its ancestors, which are otherwise computed at first use."""
    tree = Hierarchy.from_edges(edges)
    assert tree.ancestors.shape == (N_NODES, N_NODES)
    return tree


def main() -> None:
    """Measure and print."""
    rng = np.random.default_rng(SEED)
    edges = make_edges(rng)
    tree = build(edges)
    documents = np.repeat(np.arange(N_DOCUMENTS), N_OWN)
    nodes = rng.integers(N_NODES, size=documents.size)
    labels = csr_array((np.ones(documents.size, dtype=bool), (documents, nodes)), shape=(N_DOCUMENTS, N_NODES))

    print(f"{tree!r}; CPU seconds, best of five")
    figures: dict[str, Callable[[], object]] = {
        "build, with the ancestors": lambda: build(edges),
        f"close {N_DOCUMENTS:,} label sets": lambda: tree.close(labels),
    }
    for name, call in figures.items():
        seconds = best_of_five(call)
        print(f"{name:<28}{seconds:8.3f}   {'under' if seconds < LIMIT else 'OVER'} {LIMIT} s")


if __name__ == "__main__":
    main()
