"""TreeBoost.MH: a booster at every inner node (treeboost_mh_2006, Figure 1)."""

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Annotated, Any, ClassVar, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from classmark.boosting.adaboost_mh import AdaBoostMH
from classmark.boosting.adaboost_mh_kr import AdaBoostMHKR
from classmark.boosting.booster import Booster, NumberOfRounds, Prediction, Smoothing, check_presence, presence
from classmark.boosting.committee import is_single, parse_committee
from classmark.boosting.descending import Answers
from classmark.boosting.mp_boost import MPBoost
from classmark.checks import choice, instance
from classmark.parallel import n_threads
from classmark.persistence import State
from classmark.strategies.topdown.classifier import TopDownClassifier
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
