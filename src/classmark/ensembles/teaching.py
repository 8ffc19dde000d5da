"""Teacher and student: what one method makes of unlabelled documents is what another learns from.

A teacher that uses unlabelled documents, such as `PathEM`, answers for all of them. The documents that it is surest of,
some of each category, count as labelled for the student, which may be any other method and read text in its own way;
then the surest answers of both together take their place, round after round. Where there are enough labelled documents,
some are held out to judge both, and a student that is worse than its teacher is not kept.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from classmark.answers import stacked
from classmark.arrays import Floats
from classmark.base import Calibration, Contributions, HierarchicalClassifier
from classmark.checks import number, whole
from classmark.decision import BestPath
from classmark.ensembles.scales import lowest
from classmark.metrics import hierarchical_scores
from classmark.persistence import State, checked_array
from classmark.progress import track
from classmark.strategies.parts import Lesson, Named, OverParts

FEWEST_TO_JUDGE = 250
"""With fewer labelled documents, the part that is held out would say nothing about which of two is better."""
PART_TO_JUDGE = 5
TEACHER, STUDENT = 0, 1
SAMPLE = 1000
"""How many documents say how far scores lie apart."""

Rows = npt.NDArray[np.intp]
Asked = Mapping[int, HierarchicalClassifier]
"""Who is asked about documents: the teacher, the student, or both."""


class Answered(NamedTuple):
    """Own labels given to documents, and how sure each is; a document that got none is not sure at all."""

    own: csr_array
    sureness: Floats


class TeachingClassifier(OverParts):
    """Let one classifier teach another by its surest answers about unlabelled documents, `None` in y.

    Attributes
    ----------
    trusted_ : str
        Which of the two answers, `teacher` or `student`.
    trust_reason_ : str
        Why.
    rounds_ : array of int
        How many unlabelled documents the student learned from in each round.

    Examples
    --------
    >>> from classmark import FlatClassifier, FlatEM, TeachingClassifier
    >>> X = [[2, 0, 0, 0], [0, 2, 0, 0], [2, 0, 3, 0], [1, 0, 2, 0], [0, 2, 0, 3], [0, 1, 0, 2]]
    >>> y = ["owl", "gull", None, None, None, None]
    >>> model = TeachingClassifier([("teacher", FlatEM()), ("student", FlatClassifier())], surest=1.0).fit(X, y)
    >>> model.predict([[0, 0, 1, 0], [0, 0, 0, 1]]), model.trusted_
    (array(['owl', 'gull'], dtype=object), 'student')
    """

    default_parts: ClassVar[Mapping[str, str]] = {"teacher": "TopDownClassifier", "student": "FlatClassifier"}

    rounds: Annotated[
        int, whole(1), "How often the student learns: from the teacher's surest answers, then from those of both."
    ] = 2
    surest: Annotated[
        float, number(above=0, most=1), "Which part of the documents put into a category is learned from, the surest."
    ] = 0.8
    calibration: Calibration = None

    rounds_: npt.NDArray[np.int64] = field(init=False)

    @property
    def uses_unlabelled(self) -> bool:  # type: ignore[override]
        """Whether documents that are not labelled are learned from: that is what it is for."""
        return True

    def named(self) -> Named:
        """Give the names and unfitted classifiers of teacher and student."""
        found = super().named()
        if [name for name, _ in found] != list(self.default_parts):
            names = ", ".join(name for name, _ in found)
            raise ValueError(f"estimators are {names or 'none'}; give a teacher and a student, in this order")
        return found

    def learn(self, X: csr_array, own: csr_array, weight: Floats | None) -> None:
        """Let the teacher learn, the student from it and from itself, and keep the better one."""
        lesson = self.begin(X, own, weight)
        judged = self._to_judge_by(lesson)
        known = _without_labels(lesson, judged)
        teacher = self.taught(TEACHER, known)
        student, told = self._student(teacher, known, judged)
        self.trusted_, self.trust_reason_ = self._better(teacher, student, lesson, judged)
        if judged.size:
            # What was held out to judge by is learned from too, by what is kept.
            teacher = self.taught(TEACHER, lesson) if self.trusted_ == "teacher" else teacher
            student = self.taught(STUDENT, _with(lesson, told)) if self.trusted_ == "student" else student
        self.parts_ = [teacher, student]
        self.ends_ = self.kept_part.ends_

    @property
    def kept_part(self) -> HierarchicalClassifier:
        """The one of the two that answers."""
        return self.parts_[self._place]

    @property
    def _place(self) -> int:
        return STUDENT if self.trusted_ == "student" else TEACHER

    def _to_judge_by(self, lesson: Lesson) -> Rows:
        """Give the labelled documents to hold out, none where they are few."""
        labelled = np.random.default_rng(0).permutation(lesson.held_out)
        return np.sort(labelled[: labelled.size // PART_TO_JUDGE if labelled.size >= FEWEST_TO_JUDGE else 0])

    def _student(
        self, teacher: HierarchicalClassifier, lesson: Lesson, judged: Rows
    ) -> tuple[HierarchicalClassifier, "tuple[Rows, csr_array]"]:
        """Give the student after the last round, and the documents and labels that it was told then."""
        counted = np.ones(lesson.labelled.size, dtype=bool) if lesson.weight is None else lesson.weight > 0
        others = np.setdiff1d(np.flatnonzero(~lesson.labelled & counted), judged)
        asked: Asked = {TEACHER: teacher}
        told = others[:0], csr_array((0, len(self.hierarchy_)), dtype=bool)
        rounds = []
        for _ in track(range(self.rounds), "rounds", self.rounds):
            answered = self._answered(asked, lesson.X, others)
            sure = surest(answered, self.surest)
            told = others[sure], csr_array(answered.own[sure])
            rounds.append(sure.size)
            # Of the best ends both are asked together from now on, of label sets the student alone.
            together = {TEACHER: teacher} if self.decision_.takes_best_end else {}
            asked = together | {STUDENT: self.taught(STUDENT, _with(lesson, told))}
        self.rounds_ = np.array(rounds)
        return asked[STUDENT], told

    def _answered(self, asked: Asked, X: csr_array, rows: Rows) -> Answered:
        """Ask about documents, a batch at a time."""
        answers = self._best_ends if self.decision_.takes_best_end else self._label_sets
        spreads = {place: self._spread(place, part, X[rows[:SAMPLE]]) for place, part in asked.items()}
        found = [answers(asked, spreads, X[rows[some]]) for some in self.batches(rows.size)]
        labels = stacked([one.own for one in found], len(self.hierarchy_))
        return Answered(labels, np.concatenate([np.empty(0), *(one.sureness for one in found)]))

    def _spread(self, place: int, part: HierarchicalClassifier, X: csr_array) -> float:
        """Give how far the scores of own labels by one of the two lie apart."""
        _, own = self.scores_of(part, X[:, self.columns_[place]])
        known = own[np.isfinite(own)]
        return float(known.std()) or 1.0 if known.size else 1.0

    def _best_ends(self, asked: Asked, spreads: Mapping[int, float], X: csr_array) -> Answered:
        """Give the best ends of documents, as sure as their scores lie above those of the next ones.

        The scores of two are added up, those of either divided by their spread.
        """
        total = np.zeros((X.shape[0], len(self.hierarchy_)))
        for place, part in asked.items():
            own = self.scores_of(part, X[:, self.columns_[place]])[1] / spreads[place]
            total += np.maximum(own, lowest(own))
        order = np.sort(total[:, self.ends_], axis=1)
        sureness = order[:, -1] - order[:, -2] if self.ends_.size > 1 else np.zeros(len(order))
        return Answered(self.hierarchy_.own(BestPath().decide(total, self.hierarchy_, self.ends_)), sureness)

    def _label_sets(self, asked: Asked, _: Mapping[int, float], X: csr_array) -> Answered:
        """Give the label sets of documents, each as sure as its lowest score is high."""
        ((place, part),) = asked.items()
        scores = part.score_rows(X[:, self.columns_[place]])
        own = self.hierarchy_.own(self.hierarchy_.close(part.decide(scores)))
        least = np.where(own.toarray(), part.as_nodes(scores), np.inf).min(axis=1)
        return Answered(own, np.where(np.isfinite(least), least, -np.inf))

    def _better(
        self, teacher: HierarchicalClassifier, student: HierarchicalClassifier, lesson: Lesson, judged: Rows
    ) -> tuple[str, str]:
        """Say which of the two is kept, and why."""
        if not judged.size:
            labelled = int(lesson.labelled.sum())
            return "student", f"{labelled} labelled documents are too few to tell whether it is better than its teacher"
        truth = self.hierarchy_.close(csr_array(lesson.own[judged]))
        worth = []
        for place, part in enumerate((teacher, student)):
            answered = self._answered({place: part}, lesson.X, judged)
            worth.append(hierarchical_scores(truth, self.hierarchy_.close(answered.own), self.hierarchy_).hf)
        kept = "student" if worth[STUDENT] >= worth[TEACHER] else "teacher"
        said = f"hF of the student {worth[STUDENT]:.3f}, of the teacher {worth[TEACHER]:.3f}"
        return kept, f"{said}, on {judged.size} documents held out"

    @property
    def score_columns(self) -> int:
        """How many columns the one that is kept gives."""
        return self.kept_part.score_columns

    def score_rows(self, X: csr_array) -> Floats:
        """Score every node by the one that is kept."""
        return self.kept_part.score_rows(X[:, self.columns_[self._place]])

    def as_own(self, scores: Floats) -> Floats:
        """Turn scores into those of own labels as the one that is kept does."""
        return self.kept_part.as_own(scores)

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give the contributions of the one that is kept, in its columns."""
        columns = self.columns_[self._place]
        terms, bias = self.kept_part.contributions_to(X[:, columns], node, scores)
        placed = csr_array((terms.data, terms.indices + columns.start, terms.indptr), shape=X.shape)
        return Contributions(placed, bias)

    def _learned_state(self) -> State:
        return {
            "parameters": {name: getattr(self, name) for name in self._plain_parameters()},
            "rounds_": self.rounds_,
            **self.parts_state(),
        }

    def _restore(self, learned: State) -> None:
        self.restore_parts(learned)
        self.set_params(**learned["parameters"])
        self.check()
        if self.trusted_ not in ("teacher", "student"):
            raise ValueError("the model says of neither teacher nor student that it is kept")
        self.rounds_ = checked_array(learned, "rounds_", np.int64, (self.rounds,))


def surest(answered: Answered, share: float) -> Rows:
    """Give the documents of each category that are surest of it, so large a share of those put there, one at least.

    A document with several labels is counted in each of them.

    >>> own = csr_array([[1, 0], [1, 0], [0, 1], [0, 0]]).astype(bool)
    >>> surest(Answered(own, np.array([0.1, 0.9, 0.2, -np.inf])), 0.5)
    array([1, 2])
    """
    columns = csr_array(answered.own.T)
    chosen = np.zeros(answered.own.shape[0], dtype=bool)
    for first, last in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
        put = columns.indices[first:last]
        order = np.argsort(-answered.sureness[put], kind="stable")
        chosen[put[order[: int(np.ceil(share * put.size))]]] = True
    return np.flatnonzero(chosen)


def _without_labels(lesson: Lesson, rows: Rows) -> Lesson:
    """Take the labels of some documents away."""
    left = np.ones(lesson.X.shape[0], dtype=bool)
    left[rows] = False
    own = csr_array(lesson.own.multiply(left[:, None])).astype(bool)
    own.eliminate_zeros()
    return lesson._replace(own=own, labelled=lesson.labelled & left)


def _with(lesson: Lesson, told: "tuple[Rows, csr_array]") -> Lesson:
    """Give the labelled documents, and others with the labels that somebody said they have."""
    rows, labels = told
    labelled = np.flatnonzero(lesson.labelled)
    both = np.append(labelled, rows)
    own = csr_array(vstack([lesson.own[labelled], labels], format="csr"))
    weight = None if lesson.weight is None else lesson.weight[both]
    return Lesson(csr_array(lesson.X[both]), own, weight, np.ones(both.size, dtype=bool))
