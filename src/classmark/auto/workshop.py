"""Where candidates are tried: the documents, read once for each way of reading, and what was learned of them.

`judge` evaluates the scores of held-out documents under the decision with the best metric.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.auto.candidates import Candidate
from classmark.base import HierarchicalClassifier
from classmark.data.stored import FeatureRows
from classmark.decision import parse_decision
from classmark.decision.auto import CANDIDATES, FEW_SCORES, HeldOut, crossed_answers, empty_fraction
from classmark.ensembles.blend import BlendClassifier
from classmark.ensembles.out_of_fold import MOST_SCORES, OutOfFold, scored_out_of_fold
from classmark.ensembles.rerank import RerankClassifier
from classmark.held_out import SECONDS_AN_ENTRY
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText
from classmark.labels import Labels
from classmark.limits import check_memory
from classmark.metrics.evaluation import Evaluation
from classmark.metrics.table import chosen_figure
from classmark.pipeline import TextClassifier
from classmark.reader import Reader, own_reading
from classmark.strategies.parts import Lesson
from classmark.text import TextSettings

HARDLY_MORE = 1.3
STEADY = 2
"""How many decisions are tried where trying all would take minutes: the steadier ones."""


class Said(NamedTuple):
    """What was said of documents held out: scores of nodes, and of own labels."""

    nodes: Floats
    own: Floats


class Truth(NamedTuple):
    """What is true of them."""

    own: csr_array
    closed: csr_array
    hierarchy: Hierarchy
    ends: npt.NDArray[np.int32]


class Verdict(NamedTuple):
    """The best decision, what it is worth, and its answers."""

    decision: str
    score: float
    answers: csr_array
    first: npt.NDArray[np.int32]


def sensible_decisions(labels: float, one_label: bool, scores: int) -> list[str]:
    """Name the decisions to try: the best path where every document has one label, or else those of `auto`.

    Where documents have hardly more than one label in the mean, the best path is tried beside these.
    """
    if one_label:
        return ["best-path"]
    learned = list(CANDIDATES)[: None if scores <= FEW_SCORES else STEADY]
    return [*learned, *(["best-path"] if labels < HARDLY_MORE else [])]


def judge(said: Said, truth: Truth, decisions: list[str], measure: str) -> Verdict:
    """Give the best of some decisions; what it learns, it learns from the other half of the documents.

    One that leaves most documents without an answer is not taken, unless most belong nowhere or all others do too.
    """
    best_ends = said.own[:, truth.ends].argmax(axis=1) if truth.ends.size else np.zeros(len(said.own), dtype=np.intp)
    first = truth.ends[best_ends].astype(np.int32)
    verdicts = []
    for name in decisions:
        decision = parse_decision(name)
        scores = said.own if decision.ranks_ends else said.nodes
        answers = crossed_answers(decision, HeldOut(scores, truth.closed, truth.hierarchy, truth.ends))
        found = Evaluation(truth.own, answers, truth.hierarchy, first=first)
        verdicts.append((empty_fraction(answers), Verdict(name, chosen_figure(measure, found), answers, first)))
    nowhere = empty_fraction(truth.own)
    allowed = [one for without, one in verdicts if without <= max(0.5, nowhere)] or [one for _, one in verdicts]
    return max(allowed, key=lambda one: one.score)


Rows = npt.NDArray[np.intp]
WHOLES: dict[str, type[BlendClassifier]] = {"blend": BlendClassifier, "rerank": RerankClassifier}
"""What puts candidates together."""
MOST_READ = 2 << 30
"""How many bytes the matrices of all ways of reading may take, where they are more than a few."""
FEWEST_READ = 3
SAMPLE = 100
"""So many documents are read to know how long all take."""


class Problem(NamedTuple):
    """What is to be learned: documents, labels and weights, and what else a model is told."""

    documents: Sequence[Any] | FeatureRows
    labels: Labels
    weight: Floats | None
    nodes: Mapping[Any, NodeText]
    seed: int
    n_jobs: int | None

    @property
    def hierarchy(self) -> Hierarchy:
        """The categories."""
        return self.labels.hierarchy


class Read(NamedTuple):
    """Documents read in one way: the matrix, what reads the names of categories, and the seconds that it took."""

    X: csr_array
    names: Callable[[Hierarchy], csr_array]
    seconds: float


class Made(NamedTuple):
    """What a trial made: scores of documents held out by copies of one or several candidates."""

    found: OutOfFold
    said: Said
    truth: Truth
    verdict: Verdict
    whole: BlendClassifier | None = None
    """What was learned about several candidates together."""


class Workshop:
    """Tries candidates on the documents of a problem.

    Parameters
    ----------
    problem : Problem
        What is to be learned.
    measure : str
        What candidates are judged by.
    folds : int
        In how many parts documents are held out.
    """

    def __init__(self, problem: Problem, measure: str, folds: int = 5) -> None:
        self.problem, self.measure, self.folds = problem, measure, folds
        hierarchy = problem.hierarchy
        self.own = hierarchy.own(hierarchy.close(problem.labels.indicator))
        self.labelled = problem.labels.labelled
        self.ends = np.unique(self.own[np.flatnonzero(self.labelled)].indices).astype(np.int32)
        counts = np.diff(self.own[np.flatnonzero(self.labelled)].indptr)
        self.labels, self.one_label = float(counts.mean()) if counts.size else 0.0, bool((counts == 1).all())
        self._read: dict[Any, Read] = {}
        self._work: dict[tuple[str, int], float] = {}

    def built(self, candidate: Candidate) -> tuple[HierarchicalClassifier, TextSettings]:
        """Give the classifier of a candidate, not fitted, and how it reads."""
        model = TextClassifier(
            candidate.method,
            settings=candidate.settings,
            random_state=self.problem.seed,
            n_jobs=self.problem.n_jobs,
        )
        classifier, text = model.parts()
        classifier.check()
        return classifier, text

    def read(self, candidate: Candidate) -> Read:
        """Read all documents as a candidate does, once for each way of reading."""
        classifier, text = self.built(candidate)
        own = own_reading(classifier, text)
        way = text, getattr(own, "max_tokens", None)
        if way not in self._read:
            start = time.perf_counter()
            reader, counts = Reader.learn(text, self.problem.documents, own)
            X, weigher = reader.weigh(counts)
            names = reader.names(weigher, self.problem.nodes)
            self._read[way] = Read(X, names, time.perf_counter() - start)
            self._forget()
        # The way that was asked for last is the last to be forgotten.
        self._read[way] = found = self._read.pop(way)
        return found

    def _forget(self) -> None:
        """Let go of the matrices that nobody has asked for longest, where all together are too large."""
        ways = list(self._read)
        sizes = [self._read[way].X.data.nbytes + self._read[way].X.indices.nbytes for way in ways]
        while len(ways) > FEWEST_READ and sum(sizes) > MOST_READ:
            del self._read[ways.pop(0)], sizes[0]

    def seconds_to_read(self, candidate: Candidate) -> float:
        """Estimate how long reading takes, by reading some documents; no time where they have been read."""
        documents = self.problem.documents
        classifier, text = self.built(candidate)
        own = own_reading(classifier, text)
        if isinstance(documents, FeatureRows) or (text, getattr(own, "max_tokens", None)) in self._read:
            return 0.0
        start = time.perf_counter()
        some = documents[:: max(1, len(documents) // SAMPLE)]
        Reader.learn(text, some, own)
        return (time.perf_counter() - start) * len(documents) / len(some)

    def seconds_to_learn(self, candidate: Candidate, rows: Rows) -> float:
        """Estimate by the size of the problem alone how long all folds take on one core."""
        asked = candidate.in_words(), rows.size
        if asked not in self._work:
            whole, lesson = self._whole(candidate, rows)
            self._work[asked] = float(whole.work_to_learn(lesson.X, lesson.own))
        return SECONDS_AN_ENTRY * self._work[asked] * self.n_fits(rows)

    def held_out_size(self, rows: Rows) -> int:
        """Give how many documents are held out in trials on some."""
        labelled = int(self.labelled[rows].sum())
        most = MOST_SCORES // len(self.problem.hierarchy)
        return labelled if labelled <= most else min(most, -(-labelled // 10))

    def n_fits(self, rows: Rows) -> int:
        """Give how many copies learn in a trial on some documents."""
        return self.folds if self.held_out_size(rows) == int(self.labelled[rows].sum()) else 1

    def scores_of(self, rows: Rows) -> int:
        """Give how many scores of nodes a trial on some documents makes."""
        return self.held_out_size(rows) * len(self.problem.hierarchy)

    def check_memory(self, candidate: Candidate, rows: Rows) -> None:
        """Refuse a candidate that there is no memory for."""
        whole, lesson = self._whole(candidate, rows)
        check_memory(whole.memory_to_learn(lesson.X, lesson.own))

    def rows(self, labelled: int | None = None) -> Rows:
        """Give so many of the labelled documents, drawn by the seed, and all that are not labelled; or all."""
        known = np.flatnonzero(self.labelled)
        if labelled is None or labelled >= known.size:
            return np.arange(len(self.labelled))
        drawn = np.random.default_rng(self.problem.seed).permutation(known)[:labelled]
        return np.sort(np.append(drawn, np.flatnonzero(~self.labelled)))

    def try_alone(self, candidate: Candidate, rows: Rows) -> OutOfFold:
        """Give what copies of a candidate say of documents among some, that they have not seen."""
        whole, lesson = self._whole(candidate, rows)
        return scored_out_of_fold(whole, lesson, self.folds)

    def judged(self, found: OutOfFold, rows: Rows, decisions: list[str]) -> Made:
        """Judge what one candidate has said."""
        said = Said(found.nodes[0], found.own[0])
        return self._made(found, said, rows, decisions)

    def put_together(
        self,
        method: str,
        candidates: Sequence[Candidate],
        founds: Sequence[OutOfFold],
        decision: str,
        decisions: list[str],
    ) -> Made:
        """Learn what several candidates say together, where it is known what each does, and judge it."""
        parts = [(one.method, self.built(one)[0]) for one in candidates]
        whole = WHOLES[method](parts, n_jobs=self.problem.n_jobs)
        self._prepare(whole, decision)
        whole.parts_ = [part for _, part in parts]
        found = OutOfFold(
            founds[0].rows, founds[0].folds, [one.nodes[0] for one in founds], [one.own[0] for one in founds]
        )
        empty = csr_array((len(self.labelled), 1))
        scores = whole.learn_from(Lesson(empty, self.own, self.problem.weight, self.labelled), found)
        said = Said(whole.as_nodes(scores), whole.as_own(scores))
        return self._made(found, said, self.rows(), decisions)._replace(whole=whole)

    def _made(self, found: OutOfFold, said: Said, rows: Rows, decisions: list[str]) -> Made:
        own = csr_array(self.own[rows[found.rows]])
        truth = Truth(own, self.problem.hierarchy.close(own), self.problem.hierarchy, self.ends)
        return Made(found, said, truth, judge(said, truth, decisions, self.measure))

    def _whole(self, candidate: Candidate, rows: Rows) -> tuple[BlendClassifier, Lesson]:
        """Give a classifier of one part, the candidate's, that knows what it will be told, and the lesson."""
        classifier, _ = self.built(candidate)
        read = self.read(candidate)
        whole = BlendClassifier([(candidate.method, classifier)], n_jobs=self.problem.n_jobs)
        self._prepare(whole, "best-path" if self.one_label else "threshold")
        whole._told = None, read.names
        weight = None if self.problem.weight is None else self.problem.weight[rows]
        lesson = whole.begin(read.X[rows], csr_array(self.own[rows]), weight)
        # Some documents have some of the categories, and only these are learned.
        whole.ends_ = np.unique(lesson.own.indices).astype(np.int32)
        return whole, lesson._replace(labelled=self.labelled[rows])

    def _prepare(self, whole: BlendClassifier, decision: str) -> None:
        whole.hierarchy_, whole.ends_ = self.problem.hierarchy, self.ends
        whole.decision_ = parse_decision(decision)
