"""Scores of documents by parts that have not seen them: what a whole learns from about its parts.

They are made once for all that is learned from them: weights, a reranker, the decision, probabilities. All folds of
all parts, and the parts themselves, are learned side by side.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.arrays import Floats
from classmark.base import HierarchicalClassifier
from classmark.held_out import SECONDS_AN_ENTRY, WORTH_A_PROCESS, Task, fold_parts
from classmark.parallel import elsewhere, in_order, n_cores, n_threads
from classmark.progress import track
from classmark.strategies.parts import Lesson, OverParts

MOST_SCORES = 1 << 25
"""How many scores a part may give of documents held out: a quarter of a GiB. With more, one part of them is."""

Rows = npt.NDArray[np.intp]


class OutOfFold(NamedTuple):
    """Which documents were held out, and what each part says of their nodes and own labels.

    Attributes
    ----------
    rows : array of int, (n_held_out,)
        The documents.
    folds : list of pairs of arrays of int
        The documents that the copies of a fold have learned from, and the places, among `rows`, of those they score.
    nodes, own : list of arrays of float, (n_held_out, n_nodes)
        The scores of each part; minus infinity where its copy knows nothing.
    """

    rows: Rows
    folds: list[tuple[Rows, Rows]]
    nodes: list[Floats]
    own: list[Floats]

    def known(self, of_nodes: Floats, of_own: Floats) -> npt.NDArray[np.bool_]:
        """Say of which nodes, and then of which own labels, any part with a factor knows something."""
        both = ((self.nodes, of_nodes), (self.own, of_own))
        counting = ([scores[part] for part in np.flatnonzero(factors)] for scores, factors in both)
        return np.hstack([np.isfinite(np.maximum.reduce(scores)) for scores in counting])


class Job(NamedTuple):
    """A part, what it learns from, and the documents to score then; all of them to learn from, and none to score."""

    part: int
    seen: Rows | None
    places: Rows


def learn_parts(
    whole: OverParts, lesson: Lesson, folds: int, known: OutOfFold | None = None
) -> tuple[list[HierarchicalClassifier], OutOfFold]:
    """Give the parts, fitted, and what copies of them say of documents that they have not seen, unless it is known."""
    divided, held_out = divide(whole, lesson, folds) if known is None else ([], lesson.held_out[:0])
    everything = [Job(part, None, lesson.held_out[:0]) for part in range(len(whole.named()))]
    jobs = _in_order(whole, everything + _jobs(whole, divided))
    found = _nothing_yet(whole, divided, held_out)
    fitted: dict[int, HierarchicalClassifier] = {}
    for job, (part, scores) in zip(jobs, track(_done(whole, lesson, jobs, held_out), "fits", len(jobs)), strict=True):
        if part is not None:
            fitted[job.part] = part
        _keep(found, job, scores)
    return [fitted[part] for part in range(len(fitted))], known or found


def scored_out_of_fold(whole: OverParts, lesson: Lesson, folds: int) -> OutOfFold:
    """Give what copies of the parts say of documents that they have not seen."""
    divided, held_out = divide(whole, lesson, folds)
    found, jobs = _nothing_yet(whole, divided, held_out), _in_order(whole, _jobs(whole, divided))
    for job, (_, scores) in zip(jobs, track(_done(whole, lesson, jobs, held_out), "fits", len(jobs)), strict=True):
        _keep(found, job, scores)
    return found


def _jobs(whole: OverParts, divided: list[tuple[Rows, Rows]]) -> list[Job]:
    return [Job(part, seen, places) for part in range(len(whole.named())) for seen, places in divided]


def _in_order(whole: OverParts, jobs: list[Job]) -> list[Job]:
    """Put those that share the cores first."""
    return sorted(jobs, key=lambda job: (whole.named()[job.part][1].uses_every_core, job.part))


def _nothing_yet(whole: OverParts, divided: list[tuple[Rows, Rows]], held_out: Rows) -> OutOfFold:
    shape = held_out.size, len(whole.hierarchy_)
    parts = range(len(whole.named()))
    return OutOfFold(held_out, divided, *([np.full(shape, -np.inf) for _ in parts] for _ in range(2)))


def _keep(found: OutOfFold, job: Job, scores: tuple[Floats, Floats] | None) -> None:
    if scores is not None:
        found.nodes[job.part][job.places], found.own[job.part][job.places] = scores


def divide(whole: OverParts, lesson: Lesson, folds: int) -> tuple[list[tuple[Rows, Rows]], Rows]:
    """Give for each fold what is learned from and the places of what is not, and all documents that are held out.

    Where the scores of all documents would be too many, a part of them is held out, once.
    """
    labelled = lesson.held_out
    task = Task(lesson.X, lesson.own, lesson.weight, labelled)
    most = MOST_SCORES // len(whole.hierarchy_)
    if labelled.size <= most:
        return fold_parts(whole.hierarchy_, task, folds), labelled
    some = np.random.default_rng(0).permutation(labelled)[: min(most, -(-labelled.size // 10))]
    held_out = np.sort(some)
    return [(np.setdiff1d(np.arange(lesson.X.shape[0]), held_out), np.arange(held_out.size))], held_out


Done = tuple[HierarchicalClassifier | None, tuple[Floats, Floats] | None]


def _done(whole: OverParts, lesson: Lesson, jobs: list[Job], held_out: Rows) -> Iterator[Done]:
    """Do jobs side by side where that saves time, in order."""
    # A part that keeps all cores busy by itself is learned alone.
    shared = [job for job in jobs if not whole.named()[job.part][1].uses_every_core]
    seconds = SECONDS_AN_ENTRY * whole.work_to_learn(lesson.X, lesson.own) * len(jobs) / len(whole.named())
    cores = n_cores() if whole.n_jobs is None else n_threads(whole.n_jobs)
    processes = 1 if seconds < WORTH_A_PROCESS else max(1, min(cores, len(shared)))
    alone = processes == 1 and elsewhere() is None
    tasks = ((job, held_out[job.places], alone) for job in shared)
    yield from in_order(_do, tasks, shared=(whole, lesson), n_jobs=processes)
    for job in jobs[len(shared) :]:
        yield _do(whole, lesson, job, held_out[job.places], True)


def _do(whole: OverParts, lesson: Lesson, job: Job, asked: Rows, alone: bool) -> Done:
    """Learn; give the part itself, or its scores of documents. Nothing where there is no label to learn."""
    if job.seen is None:
        return whole.taught(job.part, lesson, alone=alone), None
    some = lesson.of(job.seen)
    if not some.own.nnz:
        return None, None
    part = whole.taught(job.part, some, alone=alone)
    return None, whole.scores_of(part, lesson.X[asked][:, whole.columns_[job.part]])
