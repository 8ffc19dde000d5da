"""TreeBoost.MH: a booster at every inner node (treeboost_mh_2006, Figure 1).

Prediction descends with the merged hypotheses of all nodes, a node at a time. A node's pivots have a row of weights
each, a weight for every slot. All documents that come to a node are scored one after the other, while an array says
where a term's row is: so a term costs a look at that array and the sum of a row.
"""

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Annotated, Any, ClassVar, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from classmark.arrays import Floats
from classmark.boosting.adaboost_mh import AdaBoostMH
from classmark.boosting.adaboost_mh_kr import AdaBoostMHKR
from classmark.boosting.booster import Booster, NumberOfRounds, Prediction, Smoothing, check_presence, presence
from classmark.boosting.committee import is_single, parse_committee
from classmark.boosting.merits import Indices, Integers
from classmark.boosting.mp_boost import MPBoost
from classmark.checks import choice, instance
from classmark.compilation import kernel
from classmark.parallel import balanced_ranges, n_threads, threads
from classmark.persistence import State
from classmark.strategies.topdown.classifier import TopDownClassifier
from classmark.strategies.topdown.descent import DESCENTS, Structure, arrive, at_top, finished, localise, lowest, walk
from classmark.strategies.topdown.linear_bank import LinearBank, LinearModel
from classmark.strategies.topdown.local_fit import MultiLabelModel

NOWHERE = np.uint32(0xFFFFFFFF)
"""The row of a term that is no pivot of a node. Rows are unsigned, so that no index is checked for its sign."""


class Answers(NamedTuple):
    """What the boosters of all nodes say of the presence of terms, one node after the other.

    Attributes
    ----------
    columns, column_starts : array of int
        The pivots of problem i are `columns[column_starts[i]:column_starts[i + 1]]`.
    weights, weight_starts : array
        Their rows of weights begin at `weights[weight_starts[i]]`.
    intercepts : array, (n_slots,)
        The margins without any pivot; infinite where there is nothing in a document's way.
    """

    columns: Integers
    column_starts: Integers
    weights: Floats
    weight_starts: Integers
    intercepts: Floats

    @classmethod
    def gather(cls, models: list[LinearModel]) -> "Answers":
        """Put the weights of all nodes one after the other."""
        columns, weights = [model.columns for model in models], [model.weights.ravel() for model in models]
        return cls(
            np.concatenate(columns).astype(np.int64),
            np.cumsum([0, *map(len, columns)]),
            np.concatenate(weights),
            np.cumsum([0, *map(len, weights)]),
            np.concatenate([model.intercepts for model in models]),
        )

    def scores(
        self, X: csr_array, structure: Structure, descent: str, floor: float, least: float, n_threads: int
    ) -> Floats:
        """Score every node, as `LinearBank.scores` does; X is presence."""
        scores = np.full((X.shape[0], structure.nodes), -np.inf)
        terms = X.indices.astype(np.uint32)
        given = (X.indptr, terms, X.shape[1], self, structure, DESCENTS[descent], lowest(floor, descent))
        ranges = balanced_ranges(X.indptr, n_threads) if X.shape[0] else []
        with threads(n_threads) as run:
            run(descend_by_stumps, [(*given, scores, *part) for part in ranges])
        return finished(scores, structure, descent, least)


@kernel
def descend_by_stumps(
    indptr: npt.NDArray[np.integer[Any]],
    indices: Indices,
    n_features: int,
    answers: Answers,
    structure: Structure,
    mode: int,
    floor: float,
    scores: Floats,
    first: int,
    last: int,
) -> None:
    """Score every node for the documents from `first` to `last`, which go down only where they are above a floor."""
    parents, starts, slots, _ = structure
    rows = np.full(n_features, NOWHERE)
    margins = np.empty(np.max(starts[1:] - starts[:-1]))
    for problem in range(parents.size):
        parent, start, size = parents[problem], starts[problem], starts[problem + 1] - starts[problem]
        columns = answers.columns[answers.column_starts[problem] : answers.column_starts[problem + 1]]
        table = answers.weights[answers.weight_starts[problem] : answers.weight_starts[problem + 1]]
        targets = slots[start : start + size]
        found = False
        for document in range(first, last):
            above = scores[document, parent] if parent >= 0 else at_top(mode)
            if above <= floor:
                stop(above, targets, scores[document])
                continue
            if not found:
                for row in range(columns.size):
                    rows[columns[row]] = row * size
                found = True
            for slot in range(size):
                margins[slot] = answers.intercepts[start + slot]
            add_rows(indices[indptr[document] : indptr[document + 1]], rows, table, size, margins)
            localise(margins, 0, size, mode, False)
            go_on(above, targets, margins, mode, scores[document])
        if found:
            for column in columns:
                rows[column] = NOWHERE


@kernel
def add_rows(terms: Indices, rows: Indices, table: Floats, size: int, margins: Floats) -> None:
    """Add the rows of a document's terms to the margins of a node's slots."""
    for k in terms:
        row = rows[k]
        if row != NOWHERE:
            for slot in range(size):
                margins[slot] += table[row + np.uint32(slot)]


@kernel
def stop(above: float, targets: npt.NDArray[np.int32], scores: Floats) -> None:
    """Let everything below a node score no less than the node, where a document goes no further."""
    for node in targets:
        if 0 <= node < scores.size:
            scores[node] = max(scores[node], above)


@kernel
def go_on(above: float, targets: npt.NDArray[np.int32], margins: Floats, mode: int, scores: Floats) -> None:
    """Take a document from a node to where its slots lead."""
    for slot in range(targets.size):
        node, score = targets[slot], arrive(above, margins[slot], mode)
        if node >= scores.size:
            # Staying at the node itself, whose own score has just been asked for the last time.
            scores[node - scores.size] = score
        elif node >= 0:
            scores[node] = max(scores[node], score)


COMMITTEES: dict[str, type[AdaBoostMHKR | MPBoost]] = {"shared": AdaBoostMHKR, "own": MPBoost}
FEW = 100
"""Up to how many nodes are asked one at a time; of more a document passes most by, and one matrix is better."""


class TreeBoostMH(TopDownClassifier):
    """Boost the children of every inner node by themselves; take documents down from the top, each node a filter.

    `TopDownClassifier` over a booster, with the paper's choices for defaults: the negative examples of a category are
    its siblings' positive ones (Definition 2), every node has a distribution of its own, and a document blocked at a
    node goes no further down there. With a committee the booster is AdaBoost.MH^KR.

    Attributes
    ----------
    models_ : list
        What was learned at each inner node; the fitted booster is its `classifier`.

    Examples
    --------
    >>> from classmark import Hierarchy, TreeBoostMH
    >>> tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
    >>> X = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]]
    >>> model = TreeBoostMH(5, hierarchy=tree).fit(X, ["owl", "gull", "oak"])
    >>> model.predict([[1, 1, 0, 0]])
    array(['owl'], dtype='<U6')
    """

    counts_terms: ClassVar[bool] = True

    n_estimators: NumberOfRounds = field(default=200, kw_only=False)
    pivots: Annotated[
        str,
        choice(COMMITTEES),
        "Whether the categories of a node share the pivot of a round, as in AdaBoost.MH, or have one of their own, as "
        "in MP-Boost.",
    ] = "shared"
    committee: Annotated[
        str,
        instance(str, "a policy such as 'growing,step=1,every=20'"),
        "How many stumps a round takes, as of AdaBoost.MH^KR; of every category where pivots are their own.",
    ] = "constant,count=1"
    prediction: Prediction = "real"
    smoothing: Smoothing = 1.0
    estimator: Any = field(default=None, init=False)
    per: str = field(default="node", init=False)
    sharpness: float = field(default=1.0, init=False)
    prune: float = field(default=0.0, init=False)

    _merged: LinearBank | None = field(init=False)
    _answers: Answers | None = field(init=False)

    def check(self) -> None:
        """Refuse parameters that cannot be, alone or together."""
        super().check()
        parse_committee(self.committee)

    def local_learner(self) -> Booster:
        """Give the booster of a node."""
        given: dict[str, Any] = {"prediction": self.prediction, "smoothing": self.smoothing}
        if self.pivots == "shared" and is_single(parse_committee(self.committee)):
            return AdaBoostMH(self.n_estimators, **given)
        return COMMITTEES[self.pivots](self.n_estimators, committee=self.committee, **given)

    def learn(self, X: csr_array, own: csr_array, weight: npt.NDArray[np.float64] | None) -> None:
        """Boost at every inner node, and merge what the nodes have learned."""
        check_presence(X, self)
        super().learn(X, own, weight)
        self._merge()

    def _bank(self) -> LinearBank | None:
        return self._merged

    def _merge(self) -> None:
        """Put the hypotheses of all nodes, merged by pivot, into tables: so thousands of nodes are quick."""
        self._merged, self._answers = self.bank_, None
        if self.models_ is not None:
            models = [_linear(model) for model in self.models_]
            self._answers = Answers.gather(models) if len(models) <= FEW else None
            self._merged = LinearBank.gather(models, self.n_features_in_, 0.0, np.float64)

    def _read(self, X: csr_array) -> csr_array:
        return presence(X)

    def score_rows(self, X: csr_array, floor: float = -np.inf) -> npt.NDArray[np.float64]:
        """Score every node; documents that score no more than `floor` at one go no further down there."""
        # Where nothing is blocked every node is asked, for which one matrix is better, too.
        if self._answers is None or floor == -np.inf:
            return super().score_rows(X, floor)
        way = (self.structure_, self.descent, floor, self._least)
        return self._answers.scores(self._read(X), *way, n_threads(self.n_jobs))

    def _restore(self, learned: State) -> None:
        super()._restore(learned)
        self._merge()

    def node_scores_at(self, X: Any, rounds: Iterable[int]) -> Iterator[npt.NDArray[np.float64]]:
        """Score every node as if boosting had ended after each of some rounds, given in rising order."""
        check_is_fitted(self)
        X = self._validated(X)
        wanted = list(rounds)
        everything = np.arange(X.shape[0])
        models = self.models_ or []
        staged = [_staged(model, X, wanted) for model in models]
        for position in range(len(wanted)):

            def margins(problem: int, rows: npt.NDArray[np.intp], position: int = position) -> npt.NDArray[np.float64]:
                found = staged[problem]
                return self.local_margins(X, problem, rows) if found is None else found[position][rows]

            yield walk(self.structure_, margins, everything.size, self.descent, least=self._least)

    def staged_node_scores(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        """Score every node after each round; see `node_scores`."""
        yield from self.node_scores_at(X, range(1, self.n_estimators + 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


def _linear(model: Any) -> LinearModel:
    """Give what a node's booster says of the presence of terms; an infinite intercept where it had nothing to learn."""
    if not isinstance(model, MultiLabelModel):
        return cast(LinearModel, model)
    hypothesis = model.classifier.hypothesis_
    weights = np.zeros((hypothesis.columns.size, model.passed.size))
    weights[:, ~model.passed] = hypothesis.present.toarray() - hypothesis.absent.toarray()
    intercepts = np.full(model.passed.size, np.inf)
    intercepts[~model.passed] = hypothesis.bias
    return LinearModel(model.columns[hypothesis.columns], weights, intercepts)


def _staged(model: Any, X: csr_array, rounds: list[int]) -> list[npt.NDArray[np.float64]] | None:
    """Give the margins of a node's slots after some rounds; None where nothing was boosted."""
    if not isinstance(model, MultiLabelModel):
        return None
    margins = []
    for scores in model.classifier.node_scores_at(csr_array(X[:, model.columns]), rounds):
        found = np.full((X.shape[0], model.passed.size), np.inf)
        found[:, ~model.passed] = scores
        margins.append(found)
    return margins
