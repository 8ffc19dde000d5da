"""The flat strategy: each category learned alone, one against the rest, ancestors added afterwards."""

from itertools import repeat
from typing import Any, ClassVar

from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from classmark.base import COMMON
from classmark.checks import Allowed
from classmark.decision import Decision
from classmark.hierarchy import Hierarchy
from classmark.strategies.learners import LEARNER
from classmark.strategies.one_vs_rest import OneVsRest, Weights, check_weighable


class FlatClassifier(OneVsRest):
    """Learn every category that is some document's own label with a copy of one binary learner.

    The hierarchy plays no part in learning. A node that was never an own label scores the maximum of its descendants.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        The binary learner, `LinearSVC()` by default. Linear ones are kept as one matrix of weights; they can be saved.
    hierarchy : Hierarchy, optional
        The categories; a flat hierarchy over the labels seen by default.
    decision : Decision or str, optional
        How scores become label sets; by default the best path where every training document has exactly one own
        label, otherwise a threshold of 0.
    calibration : "platt", "isotonic" or "softmax", optional
        How scores become probabilities, which `predict_proba` gives; learned by cross-validation.
    n_jobs : int, optional
        How many processes learn at a time. The result is the same for any number.

    Attributes
    ----------
    weights_ : array, (n_features, n_ends)
        The weights of a linear learner, a column for each node of `ends_`.
    intercepts_ : array, (n_ends,)
        Its intercepts.
    estimators_ : list
        The fitted learners where they are not linear.

    Examples
    --------
    >>> from classmark import FlatClassifier, Hierarchy
    >>> tree = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
    >>> X = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> flat = FlatClassifier(hierarchy=tree).fit(X, ["owl", "gull", "oak"])
    >>> flat.predict([[0, 2, 0]])
    array(['gull'], dtype='<U6')
    >>> flat.predict_indicator([[0, 2, 0]]).toarray()
    array([[ True, False, False,  True, False]])
    """

    allowed: ClassVar[Allowed] = {**COMMON, "estimator": LEARNER}

    def __init__(
        self,
        estimator: Any = None,
        *,
        hierarchy: Hierarchy | None = None,
        decision: Decision | str | None = None,
        calibration: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.hierarchy = hierarchy
        self.decision = decision
        self.calibration = calibration
        self.n_jobs = n_jobs

    def _learn(self, X: csr_array, own: csr_array, weight: Weights) -> None:
        learner = LinearSVC(random_state=0) if self.estimator is None else self.estimator
        check_weighable(learner, weight)
        self._learn_nodes(learner, X, csr_array(own[:, self.ends_]), repeat(weight))
