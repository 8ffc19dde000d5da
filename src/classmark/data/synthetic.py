"""Synthetic data, where the hierarchy and what its categories pass on to their children are under control.

After Kiritchenko, Matwin, Nock and Famili, "Learning and Evaluation in the Presence of Class Hierarchies: Application
to Text Categorization" (2006), section 7.1. The hierarchy is a balanced tree of `levels` levels, in which every inner
category, and the root, has `out_degree` children: Σ out_degree^i categories, i = 1 … levels. Each category, inner ones
too, has 3 binary attributes of its own and 10 training and 5 test instances, each of which belongs to that category
alone. An attribute of an instance's category is 1 with probability 0.7, any other with probability 0.2. With
inheritance the attributes of all its category's ancestors have the high probability too.

What the paper does not have: a fraction of the categories below the top may get a second parent, another category of
the level above, which makes the tree a DAG. Instances then inherit from all ancestors.
"""

from dataclasses import dataclass
from math import isqrt
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, eye_array, vstack

from classmark.errors import InputError
from classmark.hierarchy import Hierarchy

Edge: TypeAlias = tuple[str | None, str]
Choice: TypeAlias = tuple[list[str], int, str]

CELLS_IN_A_BLOCK = 1 << 22
MOST_CELLS = 1_000_000_000
"""How many attributes of instances are drawn at most; the largest hierarchy of the paper has 686 million."""


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
    second_parents: float = 0.0,
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
    second_parents : float, from 0 to 1
        The fraction of the categories below the top that get a second parent one level up; 0 makes a tree.
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
    _check(levels, out_degree, n_attributes, n_train, n_test)
    _check_size(levels, out_degree, n_attributes, n_train + n_test)
    _check_probabilities(high=high, low=low, second_parents=second_parents)
    # Streams of their own, so that the training instances do not change with the number of test instances.
    for_parents, for_train, for_test = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3))
    hierarchy = _hierarchy(levels, out_degree, second_parents, for_parents)
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


def _hierarchy(levels: int, out_degree: int, second_parents: float, rng: np.random.Generator) -> Hierarchy:
    """Build the balanced tree, and give a fraction of the categories below the top a second parent."""
    upper = list(map(str, range(1, out_degree + 1)))
    edges: list[Edge] = [(None, child) for child in upper]
    choices: list[Choice] = []
    for _ in range(1, levels):
        below = _children(upper, out_degree)
        choices += below
        upper = [child for _, _, child in below]
    edges += [(above[own], child) for above, own, child in choices]
    return Hierarchy.from_edges(edges + _second_parents(choices, second_parents, rng))


def _children(upper: list[str], out_degree: int) -> list[Choice]:
    """Name the categories of a level, each with the level above and its parent's position there."""
    numbers = range(1, out_degree + 1)
    return [(upper, own, f"{parent}.{child}") for own, parent in enumerate(upper) for child in numbers]


def _second_parents(choices: list[Choice], fraction: float, rng: np.random.Generator) -> list[Edge]:
    """Draw some of the children, and for each of these a category of the level above besides its own parent."""
    choices = [choice for choice in choices if len(choice[0]) > 1]
    edges: list[Edge] = []
    for number in np.sort(rng.permutation(len(choices))[: round(fraction * len(choices))]).tolist():
        upper, own, child = choices[number]
        other = int(rng.integers(len(upper) - 1))
        edges.append((upper[other + (other >= own)], child))
    return edges


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


def _check(levels: int, out_degree: int, n_attributes: int, n_train: int, n_test: int) -> None:
    counts = {
        "levels": levels,
        "out_degree": out_degree,
        "n_attributes": n_attributes,
        "n_train": n_train,
        "n_test": n_test,
    }
    for name, value in counts.items():
        if value < 1:
            raise InputError(f"{name}={value!r}: must be an integer >= 1")


def _check_size(levels: int, out_degree: int, n_attributes: int, n_instances: int) -> None:
    """Refuse a hierarchy whose data would fill memory, without ever counting it to the end."""
    most = isqrt(MOST_CELLS // (n_attributes * n_instances))
    categories = level = 0
    width = 1
    while level < levels and categories <= most:
        level, width = level + 1, width * out_degree
        categories += width
    if categories > most:
        raise InputError(
            f"{levels} levels of {out_degree} children each are more than {most:,} categories, the most for "
            f"{n_instances} instances of {n_attributes} attributes a category; give fewer levels or children"
        )


def _check_probabilities(**probabilities: float) -> None:
    for name, value in probabilities.items():
        if not 0 <= value <= 1:
            raise InputError(f"{name}={value!r}: must be a number >= 0 and <= 1")
