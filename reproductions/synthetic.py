"""Synthetic data, where the hierarchy and what its categories pass on to their children are under control.

After Kiritchenko, Matwin, Nock and Famili, "Learning and Evaluation in the Presence of Class Hierarchies: Application
to Text Categorization" (2006), section 7.1. The hierarchy is a balanced tree of `levels` levels, in which every inner
category, and the root, has `out_degree` children: Σ out_degree^i categories, i = 1 … levels. Each category, inner ones
too, has 3 binary attributes of its own and 10 training and 5 test instances, each of which belongs to that category
alone. An attribute of an instance's category is 1 with probability 0.7, any other with probability 0.2. With
inheritance the attributes of all its category's ancestors have the high probability too.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, eye_array, vstack

from classmark.hierarchy import Hierarchy

CELLS_IN_A_BLOCK = 1 << 22


# eq=False: numpy compares arrays element by element, so a generated == could only raise.
@dataclass(frozen=True, eq=False)
class SyntheticData:
    """A hierarchy with instances to learn from and to test on.

    Attributes
    ----------
    hierarchy : Hierarchy
        The categories, named by their paths: `1.2` is the second child of `1`.
    X_train, X_test : csr_array of uint8, (n_instances, n_attributes)
        0 and 1; the attributes of a category stand together, the categories in node order.
    y_train, y_test : arrays of str, (n_instances,)
        The one category of each instance, in node order.
    """

    hierarchy: Hierarchy
    X_train: csr_array
    y_train: npt.NDArray[np.str_]
    X_test: csr_array
    y_test: npt.NDArray[np.str_]


def make_synthetic(
    levels: int = 2,
    out_degree: int = 2,
    *,
    inherit: bool = True,
    n_attributes: int = 3,
    n_train: int = 10,
    n_test: int = 5,
    high: float = 0.7,
    low: float = 0.2,
    seed: int = 0,
) -> SyntheticData:
    """Make the synthetic data of section 7.1.

    Parameters
    ----------
    levels, out_degree : int
        The depth of the hierarchy and the number of children; from 2 to 5 in the paper.
    inherit : bool
        Whether the attributes of a category's ancestors are probable too.
    n_attributes : int
        The number of attributes that a category has of its own.
    n_train, n_test : int
        The number of instances of each category to learn from and to test on.
    high, low : float, from 0 to 1
        The probabilities of an attribute that belongs to an instance's category, and of one that does not.
    seed : int
        The same seed gives the same data. Training and test instances are drawn independently of each other.

    Examples
    --------
    >>> data = make_synthetic(levels=2, out_degree=2)
    >>> data.hierarchy.names
    ('1', '2', '1.1', '1.2', '2.1', '2.2')
    >>> data.X_train.shape, data.X_test.shape, data.y_test[:6].tolist()
    ((60, 18), (30, 18), ['1', '1', '1', '1', '1', '2'])
    """
    # Separate streams, so that the training instances do not change with the number of test instances. The published
    # results were drawn from the second and the third.
    _, for_train, for_test = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3))
    hierarchy = _hierarchy(levels, out_degree)
    related: Any = hierarchy.ancestors if inherit else eye_array(len(hierarchy), dtype=bool, format="csr")
    names = np.array(hierarchy.names, dtype=np.str_)

    def draw(n_instances: int, rng: np.random.Generator) -> csr_array:
        return _instances(csr_array(related), n_attributes, n_instances, high, low, rng)

    return SyntheticData(
        hierarchy=hierarchy,
        X_train=draw(n_train, for_train),
        y_train=np.repeat(names, n_train),
        X_test=draw(n_test, for_test),
        y_test=np.repeat(names, n_test),
    )


def _hierarchy(levels: int, out_degree: int) -> Hierarchy:
    """Build the balanced tree."""
    upper: list[str | None] = [None]
    edges: list[tuple[str | None, str]] = []
    for _ in range(levels):
        below = [
            (parent, str(number) if parent is None else f"{parent}.{number}")
            for parent in upper
            for number in range(1, out_degree + 1)
        ]
        edges += below
        upper = [child for _, child in below]
    return Hierarchy.from_edges(edges)


def _instances(
    related: csr_array, n_attributes: int, n_instances: int, high: float, low: float, rng: np.random.Generator
) -> csr_array:
    """Draw the instances of all categories; `related` says which categories' attributes are probable in each."""
    n_categories = related.shape[0]
    size = max(1, CELLS_IN_A_BLOCK // (n_categories * n_attributes * n_instances))
    blocks = []
    # In blocks of categories: the probabilities of all instances at once would take gigabytes in large hierarchies.
    for start in range(0, n_categories, size):
        probable = np.repeat(related[start : start + size].toarray(), n_attributes, axis=1)
        probabilities = np.repeat(np.where(probable, high, low), n_instances, axis=0)
        blocks.append(csr_array((rng.random(probabilities.shape) < probabilities).astype(np.uint8)))
    return csr_array(vstack(blocks, format="csr"))
