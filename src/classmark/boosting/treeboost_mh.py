"""TreeBoost.MH: a booster at every inner node (treeboost_mh_2006, Figure 1)."""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from classmark.boosting.adaboost_mh import AdaBoostMH
from classmark.boosting.adaboost_mh_kr import AdaBoostMHKR
from classmark.boosting.booster import Booster, check_presence, presence
from classmark.boosting.committee import COMMITTEE, is_single, parse_committee
from classmark.boosting.descending import Answers
from classmark.boosting.mp_boost import MPBoost
from classmark.checks import Allowed, choice
from classmark.decision import Decision
from classmark.hierarchy import Hierarchy
from classmark.parallel import n_threads
from classmark.persistence import State
from classmark.selection import TermSelector
from classmark.strategies.topdown.classifier import NODE, TopDownClassifier, local_pairs
from classmark.strategies.topdown.descent import walk
from classmark.strategies.topdown.linear_bank import LinearBank, LinearModel
from classmark.strategies.topdown.local_fit import MultiLabelModel

COMMITTEES: dict[str, type[AdaBoostMHKR | MPBoost]] = {"shared": AdaBoostMHKR, "own": MPBoost}
FEW = 100
"""Up to how many nodes are asked one at a time; of more a document passes most by, and one matrix is better."""


class TreeBoostMH(TopDownClassifier):
    """Boost the children of every inner node by themselves; take documents down from the top, each node a filter.

    `TopDownClassifier` over a booster, with the paper's choices for defaults: the negative examples of a category are
    its siblings' positive ones (Definition 2), every node has a distribution of its own, and a document blocked at a
    node goes no further down there. With a committee the booster is AdaBoost.MH^KR.

    Parameters
    ----------
    n_rounds : int
        How many rounds at every node.
    pivots : {"shared", "own"}
        Whether the categories of a node share the pivot of a round, as in AdaBoost.MH, or have one of their own, as in
        MP-Boost.
    committee : str
        How many stumps a round takes, of every category where pivots are their own; see `AdaBoostMHKR`.
    prediction : {"real", "abstaining", "discrete"}
        What a stump says; see `AdaBoostMH`.
    smoothing : float
        What is added to the weights before their quotient is taken; see `AdaBoostMH`.
    selection : {"full", "global", "glocal"}
        Whether every term is used, those selected once for all nodes, or for each node as many of its own.
    selector : TermSelector or str, optional
        How terms are selected; by default the 60 of each category with the most information gain.
    hierarchy, decision, calibration, negatives, inner, descent, n_jobs
        As of `TopDownClassifier`.

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
    allowed: ClassVar[Allowed] = {
        **TopDownClassifier.allowed,
        **Booster.allowed,
        "pivots": choice(COMMITTEES),
        # Only what a model file can hold.
        "committee": (lambda value: isinstance(value, str), COMMITTEE[1]),
    }

    per = "node"
    sharpness = 1.0
    prune = 0.0
    _merged: LinearBank | None
    _answers: Answers | None

    def __init__(
        self,
        n_rounds: int = 200,
        *,
        pivots: str = "shared",
        committee: str = "constant,count=1",
        prediction: str = "real",
        smoothing: float = 1.0,
        hierarchy: Hierarchy | None = None,
        decision: Decision | str | None = None,
        calibration: str | None = None,
        negatives: str = "siblings",
        inner: str = "stay",
        descent: str = "filter",
        selection: str = "full",
        selector: TermSelector | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.pivots = pivots
        self.committee = committee
        self.prediction = prediction
        self.smoothing = smoothing
        self.hierarchy = hierarchy
        self.decision = decision
        self.calibration = calibration
        self.negatives = negatives
        self.inner = inner
        self.descent = descent
        self.selection = selection
        self.selector = selector
        self.n_jobs = n_jobs

    def check(self) -> None:
        """Refuse parameters that cannot be, alone or together."""
        super().check()
        parse_committee(self.committee)

    def local_learner(self) -> Booster:
        """Give the booster of a node."""
        given: dict[str, Any] = {"prediction": self.prediction, "smoothing": self.smoothing}
        if self.pivots == "shared" and is_single(parse_committee(self.committee)):
            return AdaBoostMH(self.n_rounds, **given)
        return COMMITTEES[self.pivots](self.n_rounds, committee=self.committee, **given)

    def _work(self, X: csr_array, own: csr_array) -> float:
        """Count the nodes, and in every round them and the pairs of a document below a node and one of its children."""
        learner = self.local_learner()
        nodes, pairs = local_pairs(own, np.ones(X.shape[0]), self.hierarchy_)
        return NODE * nodes + self.n_rounds * (learner.round_cost * nodes + learner.pair_cost * pairs)

    def _learn(self, X: csr_array, own: csr_array, weight: npt.NDArray[np.float64] | None) -> None:
        check_presence(X, self)
        super()._learn(X, own, weight)
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

    def _scores(self, X: csr_array, floor: float = -np.inf) -> npt.NDArray[np.float64]:
        # Where nothing is blocked every node is asked, for which one matrix is better, too.
        if self._answers is None or floor == -np.inf:
            return super()._scores(X, floor)
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
        yield from self.node_scores_at(X, range(1, self.n_rounds + 1))

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
