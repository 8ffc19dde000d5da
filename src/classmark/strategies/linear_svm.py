"""Linear SVM, each category against the rest."""

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Annotated, Any

from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from classmark.checks import choice, integer, optional, real
from classmark.persistence import State
from classmark.strategies.flat import FlatClassifier
from classmark.strategies.one_vs_rest import Weights


class LinearSVMClassifier(FlatClassifier):
    """`FlatClassifier` over scikit-learn's `LinearSVC`, with the parameters of the solver as its own.

    Attributes
    ----------
    n_iter_ : int
        Largest number of iterations of the solver over the categories.

    Examples
    --------
    >>> from classmark import LinearSVMClassifier
    >>> X = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> LinearSVMClassifier(C=10).fit(X, ["owl", "gull", "oak"]).predict([[0, 2, 0]])
    array(['gull'], dtype='<U4')
    """

    C: Annotated[float, real(gt=0), "Inverse regularization strength."] = 1.0
    class_weight: Annotated[
        str | None,
        optional(choice(["balanced"])),
        "Weights of the two classes of each category; balanced: inverse to their frequencies.",
    ] = None
    max_iter: Annotated[int, integer(ge=1), "Maximum number of iterations of the solver."] = 1000

    estimator: Any = field(default=None, init=False)

    def learn(self, X: csr_array, own: csr_array, weight: Weights) -> None:
        """Fit an SVM for every own label, or for every node if a threshold decides."""
        self.estimator = LinearSVC(
            C=self.C, class_weight=self.class_weight, max_iter=self.max_iter, random_state=self.random_state
        )
        super().learn(X, own, weight)

    def _keep(self, fitted: Iterable[Any], count: int) -> None:
        self.n_iter_ = 1

        def counted() -> Iterator[Any]:
            for learner in fitted:
                self.n_iter_ = max(self.n_iter_, int(getattr(learner, "n_iter_", 1)))
                yield learner

        super()._keep(counted(), count)

    def _learned_state(self) -> State:
        return super()._learned_state() | {"n_iter": self.n_iter_}

    def _restore(self, learned: State) -> None:
        super()._restore(learned)
        self.n_iter_ = int(learned["n_iter"])
        for name in ("C", "class_weight", "max_iter", "random_state"):
            setattr(self, name, getattr(self.estimator, name))
