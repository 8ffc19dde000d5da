"""Classifiers made of other classifiers, each of which may read text in its own way.

A matrix holds all ways of reading side by side (`classmark.reader`), and each part sees its own columns of it. Parts
learn from the same documents and labels, by their own `fit` and with a decision that asks for nothing more: what
decides is the whole.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from classmark.arrays import Floats
from classmark.base import HierarchicalClassifier
from classmark.checks import Constraint, python_only
from classmark.decision import BestPath, Decision, Threshold
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.limits import Estimate, Needed
from classmark.persistence import State
from classmark.registry import find_class, saved_name

NamesRead: TypeAlias = Callable[[Hierarchy], Any]
Told: TypeAlias = tuple[Sequence[slice] | None, NamesRead | None]
Named: TypeAlias = Sequence[tuple[str, HierarchicalClassifier]]


PARTS = python_only(
    Constraint(
        lambda value: (
            value is None
            or (
                isinstance(value, Sequence)
                and len(value) > 0
                and all(
                    isinstance(pair, tuple)
                    and len(pair) == 2
                    and isinstance(pair[0], str)
                    and isinstance(pair[1], HierarchicalClassifier)
                    for pair in value
                )
            )
        ),
        "pairs of a name and a classifier of classmark's, such as ('nb', FlatNB())",
        None,
    )
)

NOTHING_TOLD: Told = (None, None)


class Lesson(NamedTuple):
    """What parts learn from: documents, own labels and weights, and which of the documents are labelled."""

    X: csr_array
    own: csr_array
    weight: Floats | None
    labelled: npt.NDArray[np.bool_]

    @property
    def held_out(self) -> npt.NDArray[np.intp]:
        """The documents that can be held out to learn from what is said of them: labelled ones that count."""
        return np.flatnonzero(self.labelled if self.weight is None else self.labelled & (self.weight > 0))

    def of(self, rows: npt.NDArray[np.intp]) -> "Lesson":
        """Give some of the documents."""
        weight = None if self.weight is None else self.weight[rows]
        return Lesson(csr_array(self.X[rows]), csr_array(self.own[rows]), weight, self.labelled[rows])


def parts_in_words(classifier: HierarchicalClassifier) -> str | None:
    """Say of which parts a fitted classifier is made, and how much each counts, where that was learned."""
    if not isinstance(classifier, OverParts):
        return None
    names = [name for name, _ in classifier.named()]
    weights = getattr(classifier, "weights_", None)
    if weights is None:
        return ", ".join(names)
    return ", ".join(f"{name} {weight:.2f}" for name, weight in zip(names, weights, strict=True))


class OverParts(HierarchicalClassifier):
    """Base of classifiers that are made of several others, the *parts*.

    Attributes
    ----------
    parts_ : list of HierarchicalClassifier
        The parts, fitted.
    columns_ : list of slice
        Which columns of X each part sees.
    """

    default_parts: ClassVar[Mapping[str, str]] = {"flat": "FlatClassifier", "down": "TopDownClassifier"}
    """The parts where nobody names any, by the names of their classes."""

    estimators: Annotated[
        Named | None, PARTS, "Names and classifiers; by default two linear SVMs, one flat and one from the top down."
    ] = field(default=None, kw_only=False)

    parts_: list[HierarchicalClassifier] = field(init=False)
    columns_: list[slice] = field(init=False)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        *,
        columns: Sequence[slice] | None = None,
        names: NamesRead | None = None,
    ) -> Self:
        """Learn from documents as rows of X and labels in any form.

        Each part sees its `columns` of X, all of them by default. `names` reads what the categories are called, for
        parts that ask for it.
        """
        self._told = columns, names
        try:
            return super().fit(X, y, sample_weight)
        finally:
            del self._told

    def estimate(self, X: Any, y: Any, *, columns: Sequence[slice] | None = None) -> Estimate:
        """Estimate what `fit` takes; each part sees its `columns` of X, all of them by default."""
        copy = clone(self)
        copy._told = columns, None
        return copy.estimated(X, y)  # type: ignore[no-any-return]

    @property
    def uses_unlabelled(self) -> bool:  # type: ignore[override]
        """Whether any part does."""
        return any(part.uses_unlabelled for part in self.inside())

    @property
    def one_place(self) -> bool:  # type: ignore[override]
        """Whether documents that are not labelled would be taken for those that belong nowhere."""
        return self.uses_unlabelled

    @property
    def uses_every_core(self) -> bool:  # type: ignore[override]
        """Whether one fit keeps all cores busy: the parts are learned side by side."""
        return True

    def check(self) -> None:
        """Refuse parts that cannot be, by name."""
        super().check()
        names = [name for name, _ in self.named()]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise InputError(f"the part {twice} is there twice; give every part once")
        for name, part in self.named():
            part.check()
            if isinstance(part, OverParts):
                raise InputError(f"the part {name} is made of parts itself; give these")
        known = [(name, part.hierarchy) for name, part in ((type(self).__name__, self), *self.named())]
        given = [(name, hierarchy) for name, hierarchy in known if hierarchy is not None]
        for name, hierarchy in given[1:]:
            if hierarchy != given[0][1]:
                raise InputError(f"{given[0][0]} and {name} disagree about the hierarchy; give both the same")

    def named(self) -> Named:
        """Give the names and unfitted classifiers of the parts."""
        if self.estimators is not None:
            return self.estimators
        return [(name, find_class(kind)()) for name, kind in self.default_parts.items()]

    def inside(self) -> Sequence[HierarchicalClassifier]:
        """Give the parts, fitted ones where there are."""
        return getattr(self, "parts_", None) or [part for _, part in self.named()]

    def begin(self, X: csr_array, own: csr_array, weight: Floats | None) -> Lesson:
        """Take up what `fit` was told; give what the parts learn from."""
        self.columns_ = [columns for _, columns in self._with_columns(X)]
        labelled = np.diff(own.indptr) > 0 if self.uses_unlabelled else np.ones(X.shape[0], dtype=bool)
        return Lesson(X, own, weight, labelled)

    def taught(self, number: int, lesson: Lesson, *, alone: bool = True) -> HierarchicalClassifier:
        """Give a part that has learned a lesson, by itself where several learn at a time."""
        (name, part), columns = self.named()[number], self.columns_[number]
        _, names = getattr(self, "_told", NOTHING_TOLD)
        decision: Decision = BestPath() if self.decision_.ranks_ends else Threshold()
        n_jobs = self.n_jobs if alone else 1
        learner: Any = clone(part).set_params(hierarchy=self.hierarchy_, decision=decision, n_jobs=n_jobs)
        told = {}
        if names is not None and has_fit_parameter(learner, "names"):
            told["names"] = lambda hierarchy: csr_array(names(hierarchy)[:, columns])
        own = lesson.own
        if learner.uses_unlabelled:
            rows = np.arange(lesson.X.shape[0])
            # Lists, where some documents are not labelled.
            labels: Any = [
                [self.hierarchy_.names[node] for node in own.indices[own.indptr[row] : own.indptr[row + 1]]]
                if labelled
                else None
                for row, labelled in enumerate(lesson.labelled)
            ]
        else:
            rows = np.flatnonzero(np.diff(own.indptr) > 0 if learner.one_place else lesson.labelled)
            labels = csr_array(own[rows])
        some = lesson.of(rows)
        try:
            return learner.fit(some.X[:, columns], labels, some.weight, **told)  # type: ignore[no-any-return]
        except InputError as error:
            raise InputError(f"part {name}: {error}") from None

    def scores_of(self, part: HierarchicalClassifier, X: csr_array) -> tuple[Floats, Floats]:
        """Give the scores of nodes and of own labels by a part; minus infinity where it cannot know of any."""
        scores = part.score_rows(X)
        own = np.full((X.shape[0], len(self.hierarchy_)), -np.inf)
        own[:, part.ends_] = part.as_own(scores)[:, part.ends_]
        return part.as_nodes(scores), own

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count the work of all parts."""
        return sum(part.work_to_learn(X[:, columns], own) for part, columns in self._sized(X))

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Give what the part needs that needs most."""
        needed = [part.memory_to_learn(X[:, columns], own) for part, columns in self._sized(X)]
        largest = max(needed, key=lambda one: one.bytes)
        return largest._replace(expected=max(one.peak for one in needed))

    def _sized(self, X: csr_array) -> list[tuple[HierarchicalClassifier, slice]]:
        """Give copies of the parts that know how much there is to learn, and their columns."""
        found: list[tuple[HierarchicalClassifier, slice]] = [
            (clone(part), columns) for part, columns in self._with_columns(X)
        ]
        for part, columns in found:
            part.hierarchy_, part.ends_, part.decision_ = self.hierarchy_, self.ends_, self.decision_
            part.n_features_in_ = columns.stop - columns.start
        return found

    def _with_columns(self, X: csr_array) -> list[tuple[HierarchicalClassifier, slice]]:
        """Give the unfitted parts, and which columns each sees: those that `fit` was told, or all."""
        given = getattr(self, "_told", NOTHING_TOLD)[0] or getattr(self, "columns_", None)
        columns = given or [slice(0, X.shape[1])] * len(self.named())
        return [(part, columns) for (_, part), columns in zip(self.named(), columns, strict=True)]

    def unfitted_copy(self) -> Self:
        """Give a copy that also knows which columns its parts see."""
        copy = super().unfitted_copy()
        copy.columns_ = self.columns_
        return copy

    def parts_state(self) -> State:
        """Give the parts as plain data and arrays."""
        return {
            "names": [name for name, _ in self.named()],
            "columns": [[columns.start, columns.stop] for columns in self.columns_],
            "parts": [{"class": saved_name(part), "state": part.to_state()} for part in self.parts_],
        }

    def restore_parts(self, state: State) -> None:
        """Take up the parts of a model file, refusing what cannot be."""
        self.columns_ = [slice(*msgspec.convert(pair, tuple[int, int])) for pair in state["columns"]]
        self.parts_ = [_restored(part) for part in state["parts"]]
        names = msgspec.convert(state["names"], list[str])
        for part, columns in zip(self.parts_, self.columns_, strict=True):
            if not 0 <= columns.start <= columns.stop <= self.n_features_in_:
                raise InputError("a part of the model sees columns that the model has not")
            if part.hierarchy_ != self.hierarchy_ or part.n_features_in_ != columns.stop - columns.start:
                raise InputError("a part of the model has other categories or terms than the model")
        unfitted = (clone(part).set_params(hierarchy=None, decision=None) for part in self.parts_)
        self.estimators = list(zip(names, unfitted, strict=True))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inside = [get_tags(part) for part in self.inside()]
        tags.input_tags.positive_only = any(one.input_tags.positive_only for one in inside)
        tags.classifier_tags.poor_score = any(one.classifier_tags.poor_score for one in inside)
        return tags


def _restored(state: State) -> HierarchicalClassifier:
    kind = find_class(state["class"])
    if issubclass(kind, OverParts):
        raise InputError("a model of parts inside another")
    return kind().from_state(state["state"])
