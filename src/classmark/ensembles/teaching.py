"""Teacher and student: what one method makes of unlabelled documents is what another learns from.

A teacher that uses unlabelled documents, such as `PathEM`, answers for all of them. The documents that it is surest of,
some of each category, count as labelled for the student, which may be any other method and read text in its own way;
then the surest answers of both together take their place, round after round. Where there are enough labelled documents,
some are held out to judge both, and a student that is worse than its teacher is not kept. Where documents have one
label each, the two answer together: they err on different documents.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from classmark.answers import Matrix, Positions, stacked
from classmark.arrays import Floats
from classmark.base import Contributions, HierarchicalClassifier
from classmark.checks import integer, real
from classmark.decision import BestPath
from classmark.ensembles.scales import Scale, Share, by_spread, lowest, summed_contributions, summed_weights
from classmark.errors import InputError
from classmark.metrics import hierarchical_scores
from classmark.persistence import State, checked_array
from classmark.progress import track
from classmark.strategies.parts import Lesson, Named, OverParts

FEWEST_TO_JUDGE = 250
"""With fewer labelled documents, the part that is held out would say nothing about which of two is better."""
PART_TO_JUDGE = 5
TEACHER, STUDENT = 0, 1
ANSWERING = {"teacher": (TEACHER,), "student": (STUDENT,), "both": (TEACHER, STUDENT)}
"""Who may answer in the end, by rising knowledge."""
RAW = Scale(floor=-np.inf)
SAMPLE = 1000
"""How many documents say how far scores lie apart."""

Rows = npt.NDArray[np.intp]
Asked = Mapping[int, HierarchicalClassifier]
"""Who is asked about documents: the teacher, the student, or both."""
Scales = Mapping[int, tuple[Scale, Scale]]
"""What brings the scores of nodes and of own labels of each to one scale."""


class Answered(NamedTuple):
    """Own labels given to documents, and how sure each is; a document that got none is not sure at all."""

    own: csr_array
    sureness: Floats


class TeachingClassifier(OverParts):
    """Let one classifier teach another by its surest answers about unlabelled documents, `None` in y.

    Attributes
    ----------
    trusted_ : str
        Who answers: `teacher`, `student` or `both`.
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
    (array(['owl', 'gull'], dtype=object), 'both')
    """

    default_parts: ClassVar[Mapping[str, str]] = {"teacher": "TopDownClassifier", "student": "FlatClassifier"}

    rounds: Annotated[
        int, integer(ge=1), "How often the student learns: from the teacher's surest answers, then from those of both."
    ] = 2
    surest: Annotated[
        float, real(gt=0, le=1), "Which part of the documents put into a category is learned from, the surest."
    ] = 0.8

    rounds_: npt.NDArray[np.int64] = field(init=False)
    scales_: Scales = field(init=False)

    @property
    def uses_unlabelled(self) -> bool:  # type: ignore[override]
        """Whether documents that are not labelled are learned from: that is what it is for."""
        return True

    def named(self) -> Named:
        """Give the names and unfitted classifiers of teacher and student."""
        found = super().named()
        if [name for name, _ in found] != list(self.default_parts):
            names = ", ".join(name for name, _ in found)
            raise InputError(f"estimators are {names or 'none'}; give a teacher and a student, in this order")
        return found

    def learn(self, X: csr_array, own: csr_array, weight: Floats | None) -> None:
        """Let the teacher learn, the student from it and from itself, and keep the better one."""
        lesson = self.begin(X, own, weight)
        # Without enough labelled documents none are held out.
        labelled = np.random.default_rng(0).permutation(lesson.held_out)
        judged = np.sort(labelled[: labelled.size // PART_TO_JUDGE if labelled.size >= FEWEST_TO_JUDGE else 0])
        known = _without_labels(lesson, judged)
        teacher = self.taught(TEACHER, known)
        student, told = self._student(teacher, known, judged)
        self.trusted_, self.trust_reason_ = self._better({TEACHER: teacher, STUDENT: student}, lesson, judged)
        if judged.size:
            # What was held out to judge by is learned from too, by those who answer.
            teacher = self.taught(TEACHER, lesson) if self.trusted_ != "student" else teacher
            student = self.taught(STUDENT, _with(lesson, told)) if self.trusted_ != "teacher" else student
        self.parts_ = [teacher, student]
        asked = {place: self.parts_[place] for place in ANSWERING[self.trusted_]}
        self.ends_ = np.unique(np.concatenate([part.ends_ for part in asked.values()]))
        self.scales_ = self._scales(asked, X[:SAMPLE]) if len(asked) > 1 else dict.fromkeys(asked, (RAW, RAW))

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
            together = {TEACHER: teacher} if self.decision_.ranks_ends else {}
            asked = together | {STUDENT: self.taught(STUDENT, _with(lesson, told))}
        self.rounds_ = np.array(rounds)
        return asked[STUDENT], told

    def _answered(self, asked: Asked, X: csr_array, rows: Rows) -> Answered:
        """Ask about documents, a batch at a time."""
        answers = self._best_ends if self.decision_.ranks_ends else self._label_sets
        scales = self._scales(asked, X[rows[:SAMPLE]])
        found = [answers(asked, scales, X[rows[some]]) for some in self.batches(rows.size)]
        labels = stacked([one.own for one in found], len(self.hierarchy_))
        return Answered(labels, np.concatenate([np.empty(0), *(one.sureness for one in found)]))

    def _scales(self, asked: Asked, X: csr_array) -> Scales:
        """Give what divides the scores of either by how far they lie apart, those of nodes and those of own labels."""
        said = {place: self.scores_of(part, X[:, self.columns_[place]]) for place, part in asked.items()}
        return {place: (by_spread(nodes), by_spread(own)) for place, (nodes, own) in said.items()}

    def _sums(self, asked: Asked, scales: Scales, X: csr_array) -> Floats:
        """Give the sums of scores on their scales: those of nodes, then those of own labels."""
        shape = X.shape[0], 2 * len(self.hierarchy_)
        total, known = np.zeros(shape), np.zeros(shape, dtype=bool)
        for place, part in asked.items():
            scores = self.scores_of(part, X[:, self.columns_[place]])
            known |= np.isfinite(np.hstack(scores))
            total += np.hstack([scale(each) for scale, each in zip(scales[place], scores, strict=True)])
        return np.where(known, total, -np.inf)

    def _best_ends(self, asked: Asked, scales: Scales, X: csr_array) -> Answered:
        """Give the best ends of documents, as sure as their scores lie above those of the next ones."""
        own = self._sums(asked, scales, X)[:, len(self.hierarchy_) :]
        order = np.sort(np.maximum(own, lowest(own))[:, self.ends_], axis=1)
        sureness = order[:, -1] - order[:, -2] if self.ends_.size > 1 else np.zeros(len(order))
        return Answered(self.hierarchy_.own(BestPath().decide(own, self.hierarchy_, self.ends_)), sureness)

    def _label_sets(self, asked: Asked, _: Scales, X: csr_array) -> Answered:
        """Give the label sets of documents, each as sure as its lowest score is high."""
        ((place, part),) = asked.items()
        scores = part.score_rows(X[:, self.columns_[place]])
        own = self.hierarchy_.own(self.hierarchy_.close(part.decide(scores)))
        least = np.where(own.toarray(), part.as_nodes(scores), np.inf).min(axis=1)
        return Answered(own, np.where(np.isfinite(least), least, -np.inf))

    def _better(self, asked: Asked, lesson: Lesson, judged: Rows) -> tuple[str, str]:
        """Say who answers, and why."""
        possible = [who for who in ANSWERING if who != "both" or self.decision_.ranks_ends]
        if not judged.size:
            return possible[-1], f"{int(lesson.labelled.sum())} labelled documents are too few to judge by"
        truth = self.hierarchy_.close(csr_array(lesson.own[judged]))
        worth = {}
        for who in possible:
            answered = self._answered({place: asked[place] for place in ANSWERING[who]}, lesson.X, judged)
            worth[who] = hierarchical_scores(truth, self.hierarchy_.close(answered.own), self.hierarchy_).hf
        said = ", ".join(f"{who} {hf:.3f}" for who, hf in reversed(worth.items()))
        # Of equals the last, who knows more.
        return max(reversed(possible), key=lambda who: worth[who]), f"hF of {judged.size} documents held out: {said}"

    @property
    def _answering(self) -> Asked:
        return {place: self.parts_[place] for place in ANSWERING[str(self.trusted_)]}

    @property
    def score_columns(self) -> int:
        """How many columns `score_rows` gives: two for each node."""
        return 2 * len(self.hierarchy_)

    def score_rows(self, X: csr_array) -> Floats:
        """Give the scores of every node, then those of own labels, by those who answer."""
        return self._sums(self._answering, self.scales_, X)

    def as_own(self, scores: Floats) -> Floats:
        """Give the columns of own labels."""
        return scores[:, len(self.hierarchy_) :]

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give the sum of the contributions of those who answer, each term in the columns of its part."""
        shares = [Share(place, 1.0, self.scales_[place][0]) for place in self._answering]
        terms, bias = summed_contributions(self, X, node, shares)
        return Contributions(terms, np.where(np.isfinite(scores[:, node]), bias, scores[:, node]))

    def term_weights(self, blocks: Sequence[Positions]) -> Iterator[Matrix]:
        """Give the sum of what the terms of those who answer say, each term in the columns of its part."""
        return summed_weights(self, blocks, [Share(place, 1.0, self.scales_[place][0]) for place in self._answering])

    def _learned_state(self) -> State:
        return {
            "parameters": self._parameters_state(),
            "rounds_": self.rounds_,
            "scales": np.array([[*nodes, *own] for nodes, own in self.scales_.values()]),
            **self.parts_state(),
        }

    def _restore(self, learned: State) -> None:
        self.restore_parts(learned)
        self._restore_parameters(learned["parameters"])
        if self.trusted_ not in ANSWERING:
            raise InputError("the model says of neither teacher nor student that it is kept")
        answering = ANSWERING[self.trusted_]
        scales = checked_array(learned, "scales", np.float64, (len(answering), 6)).tolist()
        self.scales_ = {place: (Scale(*six[:3]), Scale(*six[3:])) for place, six in zip(answering, scales, strict=True)}
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
