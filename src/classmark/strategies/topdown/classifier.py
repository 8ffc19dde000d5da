"""The top-down strategy: a local problem at each inner node, and a way down at prediction.

treeboost_mh_2006, Figure 1, over any learner. Line 8 is `local_problems`, line 10 the selection "glocal", line 11 the
learner, lines 12 to 18 the loop over the problems, section 3.1 the descent "filter".
"""

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Annotated, Any, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack
from sklearn.base import clone
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from classmark.answers import Matrix, Positions
from classmark.arrays import Floats, Integers
from classmark.base import Contributions
from classmark.checkpoints import ResumableClassifier
from classmark.checks import choice, instance, optional, python_only, real
from classmark.errors import InputError
from classmark.held_out import ENTRIES_OF_A_DOCUMENT
from classmark.hierarchy import Hierarchy
from classmark.limits import Needed
from classmark.parallel import n_threads
from classmark.persistence import State
from classmark.progress import track
from classmark.selection import TermSelector, parse_selection
from classmark.strategies.learners import LEARNER
from classmark.strategies.one_vs_rest import CATEGORY, check_weighable, work_of_solver
from classmark.strategies.topdown import state
from classmark.strategies.topdown.contributions import contributions, slot_weights
from classmark.strategies.topdown.descent import CERTAIN, DESCENTS, Structure, walk
from classmark.strategies.topdown.linear_bank import LinearBank, LinearModel
from classmark.strategies.topdown.local import POLICIES, LocalProblem, local_problems
from classmark.strategies.topdown.local_fit import FITS, LocalModel, fit_all, fit_levels, leads_nowhere

PAPER_SELECTOR = "information-gain,per_category=60"
"""The terms of treeboost_mh_2006, section 4: the 60 best of each category, by round robin."""
NODE = 60_000.0
"""What learning at a node costs by itself, beside what an entry costs a linear learner: 1 ms."""
WEIGHTS_OF_A_CHILD = 100
"""Kept weights of terms that the documents of a child do not have (benchmarks/estimates.py)."""
BYTES_OF_AN_ANSWER = 80
"""What a round keeps for a child while the hypotheses of all nodes are merged (benchmarks/estimates.py)."""


class TopDownClassifier(ResumableClassifier):
    """Learn to tell the children of each node apart, and take documents down from the top.

    Attributes
    ----------
    structure_ : Structure
        The local problems and their slots.
    bank_ : LinearBank
        The weights of a linear learner.
    models_ : list
        What was learned at each node where it is not linear.

    Examples
    --------
    >>> from classmark import Hierarchy, TopDownClassifier
    >>> y = ["animal/owl", "animal/gull", "plant/oak"]
    >>> model = TopDownClassifier(hierarchy=Hierarchy.from_paths(y), descent="soft").fit(np.eye(3), y)
    >>> model.predict([[0, 2, 0]])
    array(['animal/gull'], dtype='<U11')
    """

    estimator: Annotated[
        Any,
        LEARNER,
        "A classifier of scikit-learn's, fitted for each child or for each parent, or a multi-label one of "
        "classmark's, fitted once for each parent; `LinearSVC()` by default.",
    ] = field(default=None, kw_only=False)
    negatives: Annotated[
        str,
        choice(POLICIES),
        "Which documents are negative for a child: those of its siblings, all others of its parent's subtree, of its "
        "level, or of the collection; or all that do not have the very category for their own label.",
    ] = "siblings"
    per: Annotated[
        str,
        python_only(choice([*FITS, "level"])),
        "Whether a learner of scikit-learn's decides about each child alone, chooses one of a parent's children, or "
        "one of all categories of a level.",
    ] = "node"
    inner: Annotated[
        str,
        choice(["stay", "reach"]),
        "Where documents belong to an inner node itself: whether staying there is learned beside the children, or the "
        "node's score is that of being reached, as in the papers.",
    ] = "stay"
    descent: Annotated[
        str,
        choice(DESCENTS),
        "How margins on the way down become a score: the least of them, the least distance from the best other child, "
        "or the log-odds of the product of the chances.",
    ] = "filter"
    sharpness: Annotated[
        float,
        real(gt=0),
        "With the soft descent, what a margin is multiplied by before the logistic function makes a chance of it: 1 "
        "for margins that are log-odds, more for others.",
    ] = 1.0
    selection: Annotated[
        str,
        choice(["full", "global", "glocal"]),
        "Whether every term is used, those selected once for all nodes, or for each node as many of its own.",
    ] = "full"
    selector: Annotated[
        TermSelector | str | None,
        optional(instance((TermSelector, str), "a TermSelector, or words such as 'chi-square,share=0.1'")),
        "How terms are selected; by default the 60 of each category with the most information gain.",
    ] = None
    prune: Annotated[float, real(ge=0), "Weights with a smaller absolute value are dropped."] = 0.0

    def local_learner(self) -> Any:
        """Give the learner of the local problems; a subclass may build its own."""
        return LinearSVC(random_state=0) if self.estimator is None else self.estimator

    def check(self) -> None:
        """Refuse parameters that cannot be, alone or together."""
        super().check()
        if isinstance(self.selector, str):
            parse_selection(self.selector, "selector")
        if self.per == "level" and (self.negatives, self.selection == "glocal") != ("siblings", False):
            raise InputError("per is 'level', which goes with the siblings as negatives and without glocal selection")
        if (self.per, self.negatives) == ("parent", "exclusive"):
            raise InputError("negatives are 'exclusive', which goes with per='node' only")

    def learn(self, X: csr_array, own: csr_array, weight: npt.NDArray[np.float64] | None) -> None:
        """Fit the learners of all inner nodes, each on the documents that reach it."""
        learner = self.local_learner()
        check_weighable(learner, weight)
        models = state.taken_up(self.taken_up(X, own, weight))
        problems = list(local_problems(own, self.hierarchy_, self.negatives, self.inner == "stay"))
        X, selector = self._selected(X, own)
        left = problems[len(models) :]
        if self.per == "level":
            fitted: Iterator[LocalModel] = fit_levels(left, X, weight, learner, self.hierarchy_, self.n_jobs)
        else:
            fitted = fit_all(left, X, weight, learner, per=self.per, selector=selector, n_jobs=self.n_jobs)
        for model in track(fitted, "nodes", len(left)):
            models.append(model)
            self._keep_nodes(models)
        self.structure_ = _structure(problems, self.per, len(self.hierarchy_))
        self.bank_: LinearBank | None = None
        self.models_: list[LocalModel] | None = None
        linear = [model for model in models if isinstance(model, LinearModel)]
        if len(linear) == len(models):
            self.bank_ = LinearBank.gather(linear, self.n_features_in_, self.prune)
        else:
            self.models_ = models
        self.normalised_ = self.per != "node" and hasattr(learner, "predict_proba")

    def _keep_nodes(self, models: list[LocalModel]) -> None:
        """Keep the nodes that are learned, where a file can hold them; one learner for a whole level is not cut."""
        if self.per == "level" or not state.can_be_kept(models[-1]):
            self._checkpoint = None
        if self._checkpoint is not None:
            self._checkpoint.keep(lambda: {"nodes": [state.node_state(one) for one in models]})

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count the nodes, their children, and the entries of the documents at or below each node for each child."""
        learner = self.local_learner()
        if hasattr(learner, "work_of_round"):
            return self._work_of_rounds(learner, X, own)
        entries = (np.diff(X.indptr) + ENTRIES_OF_A_DOCUMENT).astype(np.float64)
        nodes, pairs = local_pairs(own, entries, self.hierarchy_)
        children = np.count_nonzero(self.hierarchy_.close(own).sum(axis=0))
        return NODE * nodes + CATEGORY * children + work_of_solver(learner) * pairs

    def _work_of_rounds(self, learner: Any, X: csr_array, own: csr_array) -> float:
        """Count the rounds of a booster at every node, over its documents, terms and children."""
        documents, entries, children = self._local_sizes(X, own)
        # Of the terms of one document alone, which are equal there, one is left.
        once = int(np.count_nonzero(np.bincount(X.indices, minlength=X.shape[1]) == 1))
        terms = np.minimum(entries, X.shape[1] - max(0, once - X.shape[0]))
        nodes = np.flatnonzero(children).tolist()
        # Terms are about as frequent below a node as they are in all documents.
        share = float(np.square(np.bincount(X.indices, minlength=1), dtype=float).sum()) / max(1, X.shape[0]) ** 2
        rounds = sum(
            learner.work_of_round((documents[node], terms[node]), children[node], share * documents[node])
            for node in nodes
        )
        return NODE * len(nodes) + float(documents @ children) + float(learner.n_estimators * rounds)

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count a weight for every child and term at each node, and those that are kept; of boosters their pairs."""
        documents, entries, children = self._local_sizes(X, own)
        learner = self.local_learner()
        if hasattr(learner, "work_of_round"):
            pairs = int((documents * children).max())
            what = f"a weight for {pairs:,} pairs of a document and a child at the largest node"
            answers = BYTES_OF_AN_ANSWER * getattr(learner, "n_estimators", 1) * float(children.sum())
            return Needed(8.0 * pairs, what, 24.0 * pairs + answers)
        cells = float(np.minimum(entries, X.shape[1]) @ children)
        kept = 0.75 * float(entries[1:].sum()) + WEIGHTS_OF_A_CHILD * float(children.sum())
        return Needed(0.0, f"weights of {X.shape[1]:,} terms for the children of each node", 8.0 * cells + 24.0 * kept)

    def _local_sizes(self, X: csr_array, own: csr_array) -> tuple[Floats, Floats, Floats]:
        """Return the documents, their entries and the children of the top, and then of each node."""
        closed = self.hierarchy_.close(own).astype(np.float64)
        documents, entries = closed.sum(axis=0), np.diff(X.indptr) @ closed
        children = (documents > 0) @ self.hierarchy_.parents.astype(np.float64)
        top = np.count_nonzero(documents[self.hierarchy_.tops])
        firsts = ((X.shape[0], documents), (X.nnz, entries), (top, children))
        return tuple(np.append(float(first), others) for first, others in firsts)  # type: ignore[return-value]

    def _selected(self, X: csr_array, own: csr_array) -> tuple[csr_array, TermSelector | None]:
        """Give X with the terms of the global selection alone, or the selector of each node's terms.

        A node's set has the size of the global one (treeboost_mh_2006, section 4).
        """
        if self.selection == "full":
            return X, None
        given = PAPER_SELECTOR if self.selector is None else self.selector
        selector = parse_selection(given) if isinstance(given, str) else clone(given)
        selector.set_params(hierarchy=self.hierarchy_).fit(X, own)
        if self.selection == "glocal":
            size = {"n_terms": selector.support_.size, "share": None, "per_category": None}
            return X, clone(selector).set_params(**size)
        kept = np.isin(X.indices, selector.support_)
        counts = np.append(0, np.cumsum(kept))[X.indptr]
        return csr_array((X.data[kept], X.indices[kept], counts.astype(X.indptr.dtype)), shape=X.shape), None

    def _bank(self) -> LinearBank | None:
        """Give the weights of all slots, where margins are sums over terms."""
        return self.bank_

    def _read(self, X: csr_array) -> csr_array:
        """Give the matrix that those weights go with."""
        return X

    @property
    def _least(self) -> float:
        """The least score of a node in whose way nothing stands; the exclusive policy puts nothing in any way."""
        return -np.inf if self.negatives == "exclusive" else CERTAIN

    def score_rows(self, X: csr_array, floor: float = -np.inf) -> Floats:
        """Score every node; documents that score no more than `floor` at one go no further down there."""
        bank = self._bank()
        if bank is None:
            return walk(
                self.structure_,
                lambda problem, rows: self.margin_scale * self.local_margins(X, problem, rows),
                X.shape[0],
                self.descent,
                normalised=self.normalised_,
                floor=floor,
                least=self._least,
            )
        return bank.scores(
            self._read(X),
            self.structure_,
            self.descent,
            scale=self.margin_scale,
            normalised=self.normalised_,
            floor=floor,
            least=self._least,
            n_threads=n_threads(self.n_jobs),
        )

    @property
    def margin_scale(self) -> float:
        """What margins are multiplied by before they become chances."""
        return self.sharpness if self.descent == "soft" else 1.0

    def local_margins(self, X: csr_array, problem: int, rows: npt.NDArray[np.intp]) -> Floats:
        """Give the margins of one problem's slots for some documents."""
        if self.models_ is None:
            bank = cast(LinearBank, self.bank_)
            return bank.margins(csr_array(X[rows]), self.structure_.of(problem))
        model = self.models_[problem]
        if isinstance(model, LinearModel):
            return np.tile(model.intercepts, (rows.size, 1))
        return model.margins(csr_array(csr_array(X[rows])[:, model.columns]))

    def predict_indicator(self, X: Any) -> csr_array:
        """Give the label sets, ancestors included, as a boolean indicator over the nodes.

        With a threshold, a document that is blocked at a node costs nothing further down.
        """
        check_is_fitted(self)
        X = self._validated(X)
        if self._bank() is not None and self.decision_.takes_best_end:
            return self._paths_to(self._best_ends(X))
        # Documents that are stopped at a score on their way down cost nothing further, and no answer changes.
        floor = self.decision_.stops_at(self.hierarchy_)
        parts = [self.decide(self.score_rows(X[rows], floor)) for rows in self.batches(X.shape[0])]
        none = csr_array((0, len(self.hierarchy_)), dtype=bool)
        return self.hierarchy_.close(csr_array(vstack([none, *parts], format="csr")))

    def predict_first(self, X: Any) -> Integers:
        """Give each document's best category, by position, among those seen as own labels."""
        check_is_fitted(self)
        return super().predict_first(X) if self._bank() is None else self._best_ends(self._validated(X))

    def predict_both(self, X: Any) -> tuple[csr_array, Integers]:
        """Give what `predict_indicator` and `predict_first` give, the documents scored once."""
        check_is_fitted(self)
        if self._bank() is None or not self.decision_.takes_best_end:
            return super().predict_both(X)
        chosen = self._best_ends(self._validated(X))
        return self._paths_to(chosen), chosen

    def _paths_to(self, chosen: Integers) -> csr_array:
        """Give the label sets of one end a document."""
        rows = np.arange(chosen.size + 1)
        own = csr_array((np.ones(chosen.size, bool), chosen, rows), shape=(chosen.size, len(self.hierarchy_)))
        return self.hierarchy_.close(own)

    def _best_ends(self, X: csr_array) -> Integers:
        return cast(LinearBank, self._bank()).best_ends(
            self._read(X),
            self.structure_,
            self.descent,
            self.ends_,
            scale=self.margin_scale,
            normalised=self.normalised_,
            n_threads=n_threads(self.n_jobs),
        )

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give the terms' contributions to a node's score, along the way down to it."""
        return contributions(self, X, node, scores[:, node])

    def term_weights(self, blocks: Sequence[Positions]) -> Iterator[Matrix]:
        """Give the weights by which nodes are told from their siblings, the mean where there are several parents."""
        return slot_weights(self, self._bank(), blocks)

    def _learned_state(self) -> State:
        return state.learned_state(self)

    def _restore(self, learned: State) -> None:
        state.restore(self, learned)


def _structure(problems: list[LocalProblem], per: str, nodes: int) -> Structure:
    """Put the slots of all problems one after the other."""
    nowhere = np.array([-1], dtype=np.int32)
    slots = [np.append(one.slots, nowhere[: leads_nowhere(one, per)]).astype(np.int32) for one in problems]
    starts = np.cumsum([0, *(one.size for one in slots)]).astype(np.int32)
    return Structure(np.array([one.parent for one in problems], np.int32), starts, np.concatenate(slots), nodes)


def local_pairs(own: csr_array, size: Floats, hierarchy: Hierarchy) -> tuple[int, float]:
    """Count the nodes at which there is something to learn, and the pairs of a document there and a child, by size.

    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> labels = csr_array([[0, 0, 1, 0], [0, 1, 0, 0]], dtype=bool)
    >>> local_pairs(labels, np.ones(2), tree)  # two documents and two children at the top; one document and two at a
    (2, 6.0)
    """
    held = size @ hierarchy.close(own).astype(np.float64)
    children = np.diff(hierarchy.children.indptr)
    at_top = float(hierarchy.tops.size * size.sum())
    return 1 + int(np.count_nonzero(children[held > 0])), at_top + float(held @ children)
