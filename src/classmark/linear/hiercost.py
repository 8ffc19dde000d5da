"""HierCost: logistic regression in which errors cost what they cost in the hierarchy.

After A. Charuvaka and H. Rangwala, "HierCost: Improving Large Scale Hierarchical Classification with Cost Sensitive
Learning" (2015). Each category l has a logistic regression of its own, whose documents i have costs,

    min over w of  Σ_i c_i log(1 + exp(−y_i w·x_i)) + ρ ‖w‖²,        ρ = 1 / (2 `C`),

with y_i = 1 where i belongs to l and −1 otherwise. With γ the tree distance between l and a document's label, α the
number of ancestors that both have (the root is one, a category is not its own), and γ_max, α_max the largest among the
documents, the costs of a document are

    "tree-distance" (TrD)                 c = γ,                 for a positive document γ_max
    "common-ancestors" (NCA)              c = α_max − α + 1,     for a positive document α_max + 1
    "exponentiated-tree-distance" (ExTrD) c = k^γ,               for a positive document k^γ_max,        k = `growth`

so that it is worse to take in a document from far away than one of a sibling. Rare categories may cost more: with
N the number of documents of a document's label, each cost is multiplied by (IMB)

    1 + L / (1 + exp(max(N − N_0, 0))),        L = `imbalance`, N_0 = `few`.

Of several labels of a document the nearest to l counts for the distance, and the rarest for the imbalance; a document
that belongs nowhere lies at the root. In a DAG distances go through common ancestors, as in `classmark.metrics`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, eye_array, hstack
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from classmark.arrays import Floats
from classmark.checks import BOOLEAN, choice, integer, real
from classmark.held_out import ENTRIES_OF_A_DOCUMENT
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.ancestor_paths import AncestorPaths
from classmark.limits import Needed
from classmark.persistence import State
from classmark.strategies.one_vs_rest import (
    BYTES_OF_AN_ENTRY,
    CATEGORY,
    OneVsRest,
    Weights,
    weights_to_state,
    work_of_solver,
)

Members: TypeAlias = npt.NDArray[np.bool_]


class HierCost(OneVsRest):
    """Learn each category by a logistic regression whose errors cost the more the farther they go.

    Attributes
    ----------
    weights_ : array, (n_features, n_ends)
        The weights, a column for each node of `ends_`.
    intercepts_ : array, (n_ends,)
        The intercepts.
    n_iter_ : int
        The most iterations that the solver took for any category.

    Examples
    --------
    >>> from classmark import HierCost, Hierarchy
    >>> tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
    >>> X = [[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 0, 0, 1, 1]]
    >>> HierCost(hierarchy=tree).fit(X, ["owl", "gull", "oak"]).predict([[1, 2, 0, 0, 0]])
    array(['owl'], dtype='<U6')
    """

    cost: Annotated[
        str,
        choice(["exponentiated-tree-distance", "tree-distance", "common-ancestors", "none"]),
        "What a document costs in the learning of a category, by where in the hierarchy it belongs.",
    ] = field(default="exponentiated-tree-distance", kw_only=False)
    growth: Annotated[
        float, real(gt=1), "For the exponentiated tree distance, how many times more each edge costs."
    ] = 1.25
    imbalance: Annotated[
        float,
        real(ge=0),
        "How much more the documents of rare categories cost; the authors' value is 20, and 0 does without.",
    ] = 20.0
    few: Annotated[float, real(ge=0), "With up to this many documents a category is rare."] = 10.0
    C: Annotated[
        float,
        real(gt=0),
        "The inverse of the regularisation; ρ = 1, with which the authors' program starts, is 0.5.",
    ] = 5.0
    fit_intercept: Annotated[bool, BOOLEAN, "Whether to learn an intercept; the authors do without."] = False
    max_iter: Annotated[int, integer(ge=1), "The most iterations of the solver."] = 1000

    def learn(self, X: csr_array, own: csr_array, weight: Weights) -> None:
        """Fit a logistic regression for each end, where every document costs what its distance from the end says."""
        learner = LogisticRegression(
            C=self.C,
            fit_intercept=self.fit_intercept,
            max_iter=self.max_iter,
            random_state=self.random_state,
            solver="liblinear",
        )
        ends = csr_array(own[:, self.ends_])
        self._learn_nodes(learner, X, ends, self._costs(ends, np.ones(X.shape[0]) if weight is None else weight))

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count weights of two fifths of the terms: documents that cost much make them dense."""
        if self.prune == 0:
            return super().memory_to_learn(X, own)
        cells = X.shape[1] * self.ends_.size
        what = f"weights of {self.ends_.size:,} categories × {X.shape[1]:,} terms"
        return Needed(0.0, what, BYTES_OF_AN_ENTRY * X.nnz + 14.0 * cells)

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count every entry of X for every category, as of a logistic regression."""
        entries = X.nnz + ENTRIES_OF_A_DOCUMENT * X.shape[0]
        return (CATEGORY + work_of_solver(LogisticRegression(C=self.C)) * entries) * self.ends_.size

    def _costs(self, ends: csr_array, weight: Floats) -> Iterator[Floats]:
        """Give for each category of the ends what every document costs."""
        counted = weight > 0
        weight = weight * imbalance_costs(ends, weight, self.imbalance, self.few)
        places = Places(self.hierarchy_, self.ends_)
        nearness, cost_of = COSTS[self.cost]
        # The root stands behind the ends, and holds the documents that belong nowhere.
        labels = csr_array(hstack([ends, csr_array((np.diff(ends.indptr) == 0)[:, None])], format="csr"))
        members = ends.tocsc()
        for column in range(ends.shape[1]):
            nearest = np.minimum.reduceat(nearness(places, column)[labels.indices], labels.indptr[:-1])
            # A document without weight is as good as not there: the largest distance is never its own.
            nearest[~counted] = nearest[counted].min()
            positive = np.zeros(ends.shape[0], dtype=bool)
            positive[members.indices[members.indptr[column] : members.indptr[column + 1]]] = True
            yield cost_of(nearest, positive, self.growth) * weight

    def _keep(self, fitted: Iterable[Any], count: int) -> None:
        """Keep the weights, and note the most iterations that any of them took."""
        self.n_iter_ = 1

        def noted() -> Iterator[Any]:
            for estimator in fitted:
                self.n_iter_ = max(self.n_iter_, int(np.max(getattr(estimator, "n_iter_", 1))))
                yield estimator

        super()._keep(noted(), count)

    def _plain_parameters(self) -> list[str]:
        """Leave out what the weights are kept with."""
        return [name for name in super()._plain_parameters() if name != "prune"]

    def _learned_state(self) -> State:
        learned = weights_to_state(self.weights_, self.intercepts_)
        return learned | {"n_iter": self.n_iter_, "prune": self.prune, "parameters": self._parameters_state()}

    def _restore(self, learned: State) -> None:
        super()._restore(learned | {"learner": None})
        self.n_iter_ = int(learned["n_iter"])
        self._restore_parameters(learned["parameters"])


class Places:
    """The learned categories and, behind them, the root: where documents are."""

    def __init__(self, hierarchy: Hierarchy, ends: npt.NDArray[np.int32]) -> None:
        self.paths = AncestorPaths.of(hierarchy)
        self.positions = np.append(ends, self.paths.size - 1).astype(np.int64)
        strict = hierarchy.ancestors.astype(np.int64) - eye_array(len(hierarchy), dtype=np.int64, format="csr")
        self.above = csr_array(strict[ends])

    def distances(self, column: int) -> Floats:
        """Give the tree distance γ from a category to every place."""
        found, _ = self.paths.meet(np.full(self.positions.size, self.positions[column]), self.positions)
        return found.astype(np.float64)

    def strangeness(self, column: int) -> Floats:
        """Give −α, the number of ancestors that a category shares with every place, turned round; the root has none."""
        shared = (self.above @ self.above[[column]].T).toarray().ravel()
        return np.append(-1.0 - shared, 0.0)


def imbalance_costs(ends: csr_array, weight: Floats, imbalance: float, few: float) -> Floats:
    """Give for each document by how much the rarity of its rarest label raises its cost; weights count as documents.

    >>> ends = csr_array([[True, False], [True, False], [True, True], [False, False]])
    >>> imbalance_costs(ends, np.ones(4), 20.0, 1.0).round(2)  # 1 + 20 / (1 + e²) with 3 documents, 1 + 20 / 2 with 1
    array([ 3.38,  3.38, 11.  ,  1.  ])
    """
    counts = weight @ ends.astype(np.float64)
    # The documents that belong nowhere are in a category without end, which is not rare.
    rarest = np.full(ends.shape[0], np.inf)
    rows = np.repeat(np.arange(ends.shape[0]), np.diff(ends.indptr))
    np.minimum.at(rarest, rows, counts[ends.indices])
    return np.asarray(1.0 + imbalance * expit(-np.maximum(rarest - few, 0.0)))


def _common_ancestors(nearest: Floats, positive: Members, growth: float) -> Floats:
    most = -float(nearest.min())
    return np.where(positive, most + 1.0, most + nearest + 1.0)


def _exponentiated(nearest: Floats, positive: Members, growth: float) -> Floats:
    exponents: Floats = np.where(positive, nearest.max(), nearest)
    return np.asarray(growth**exponents, dtype=np.float64)


COSTS: dict[str, tuple[Callable[[Places, int], Floats], Callable[[Floats, Members, float], Floats]]] = {
    "exponentiated-tree-distance": (Places.distances, _exponentiated),
    "tree-distance": (
        Places.distances,
        # Where every document is positive there is no distance at all, and any cost will do.
        lambda nearest, positive, growth: np.where(positive, max(1.0, nearest.max()), nearest),
    ),
    "common-ancestors": (Places.strangeness, _common_ancestors),
    "none": (Places.distances, lambda nearest, positive, growth: np.ones(nearest.size)),
}
"""For each kind of cost what is asked of the places, the less the nearer, and the cost of the nearest."""
