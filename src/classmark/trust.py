"""How far to trust documents that nobody has labelled: as far as the labelled ones bear it out.

A classifier that learns from unlabelled documents has several *ways* to, in rising order of trust, the first without
them. Labelled documents that are held out say which way is better, by the hF of the best category. Where the
difference lies within its standard error they cannot tell; then two models, each learned from one half of the labelled
documents by the same way, are asked about the unlabelled ones, and a way is believed whose halves agree more. (Any two
models become alike by documents that both have seen: a little more says nothing.)

`better_way` compares any ways to learn, whatever they differ in.
"""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from classmark.arrays import Floats
from classmark.checks import choice
from classmark.data.splits import stratified_k_fold
from classmark.decision import best_end
from classmark.held_out import FEWEST_DOCUMENTS, Task, fold_parts, learns, seconds_to_fit
from classmark.hierarchy import Hierarchy
from classmark.metrics.flat import Counts
from classmark.progress import track

__all__ = ["WAYS", "Trust", "Trusted", "better_way", "far_to_trust", "trust_in_words"]

Rows: TypeAlias = npt.NDArray[np.intp]

WAYS = ("nothing", "once", "full")
"""How far unlabelled documents are trusted, in rising order."""
Trust = Annotated[
    str,
    choice([*WAYS, "auto"]),
    "How far unlabelled documents are trusted: not at all (`nothing`), for one round over the terms of labelled ones "
    "(`once`), as the other settings say (`full`), or as far as held-out labelled documents bear it out (`auto`).",
]
FOLDS = 3
SECONDS = 60.0
"""How long held-out trials may take, as estimated from the size of the problem: the same on any machine."""
MORE_AGREEMENT = 0.05
"""How much more halves must agree, of all that chance leaves, for a way to be believed."""
ASKED_FOR_AGREEMENT = 2000
"""How many unlabelled documents both halves are asked about."""


class Trusted(NamedTuple):
    """The way that is believed, and why, in words with figures; no reason where there was no choice."""

    way: str
    reason: str | None = None


class Trial(NamedTuple):
    """The documents to compare ways by, how many parts of the labelled ones are held out in turn, and both in words."""

    task: Task
    parts: int
    words: str


def far_to_trust(classifier: Any, X: csr_array, own: csr_array, weight: Floats | None) -> Trusted:
    """Give how far a classifier with a parameter `trust` trusts the documents without labels among these."""
    if classifier.trust != "auto":
        return Trusted(classifier.trust)
    told = np.diff(own.indptr) > 0
    counted = told if weight is None else told & (weight > 0)
    if told.all() or not counted.any():
        return Trusted(WAYS[-1])
    ways = {way: classifier.unfitted_copy().set_params(trust=way) for way in WAYS}
    return better_way(ways, Task(X, own, weight, np.flatnonzero(counted)))


def trust_in_words(classifier: Any) -> str | None:
    """Say how far a fitted classifier trusts unlabelled documents, and why, where that was chosen."""
    return None if classifier.trust_reason_ is None else f"{classifier.trusted_}; {classifier.trust_reason_}"


def better_way(ways: Mapping[str, Any], task: Task) -> Trusted:
    """Give the way of learning that labelled documents bear out, the first unless another is better.

    Parameters
    ----------
    ways : mapping of names to classifiers
        What learns, none of it fitted (`unfitted_copy` of a classifier that knows its categories), in rising order
        of trust.
    task : Task
        What is learned from.
    """
    ends = np.unique(task.own[task.labelled].indices).astype(np.int32)
    for classifier in ways.values():
        classifier.ends_ = ends
    few = f"{task.labelled.size:,} labelled documents are too few to hold any out"
    trial = _trial(ways, task)
    if task.labelled.size < FEWEST_DOCUMENTS:
        return _by_agreement(ways, trial, few)
    found = _held_out_hf(ways, trial)
    first, *others = found
    more = {way: float((found[way] - found[first]).mean()) for way in others}
    errors = {way: standard_error(found[way] - found[first]) for way in others}
    # Of equals the most trusting: it is what was asked for.
    best = max(reversed(others), key=lambda way: more[way])
    said = f"held-out hF: {figures_of({way: float(hf.mean()) for way, hf in found.items()})} ({trial.words})"
    possible = [way for way in others if more[way] >= -errors[way]]
    if more[best] > errors[best] or not possible:
        return Trusted(best if possible else first, said)
    said = f"{said}, which cannot tell: the standard error is {errors[best]:.3f}"
    return _by_agreement({way: ways[way] for way in (first, *possible)}, trial, said)


def standard_error(differences: Floats) -> float:
    """Give the standard error of a mean, as if one document more had differed: a single one is no evidence.

    >>> standard_error(np.array([1.0, 0.0, 0.0, 0.0])) > 0.25, standard_error(np.array([1.0] * 6 + [0.0] * 2)) < 0.75
    (True, True)
    """
    return float(np.sqrt(differences.size * differences.var() + 1.0) / differences.size)


def figures_of(figures: Mapping[str, float]) -> str:
    """Write figures by name, the last first.

    >>> figures_of({"nothing": 0.551, "full": 0.7123})
    'full 0.712, nothing 0.551'
    """
    return ", ".join(f"{name} {figures[name]:.3f}" for name in reversed(list(figures)))


def _trial(ways: Mapping[str, Any], task: Task) -> Trial:
    """Give what the time is enough for: folds, or one part held out, and then only some of the unlabelled documents."""
    documents = f"{task.labelled.size:,} documents"
    seconds = sum(seconds_to_fit(classifier, task) for classifier in ways.values())
    if seconds * FOLDS <= SECONDS:
        return Trial(task, FOLDS, f"{documents}, {FOLDS} folds")
    one = f"a third of {documents} held out: {FOLDS} folds would take about {FOLDS * seconds:,.0f} s"
    if seconds <= SECONDS:
        return Trial(task, 1, one)
    others = np.setdiff1d(np.arange(task.X.shape[0]), task.labelled)
    some = np.random.default_rng(0).permutation(others)[: int(others.size * SECONDS / seconds)]
    rows = np.sort(np.append(task.labelled, some))
    smaller = Task(*task.part(rows), np.flatnonzero(np.isin(rows, task.labelled)))
    return Trial(smaller, 1, f"{one}; {some.size:,} of {others.size:,} unlabelled documents")


def _held_out_hf(ways: Mapping[str, Any], trial: Trial) -> dict[str, Floats]:
    """Give the hF of each labelled document that is held out, by each way."""
    task = trial.task
    hierarchy = next(iter(ways.values())).hierarchy_
    parts = fold_parts(hierarchy, task, FOLDS)[: trial.parts]
    truth = [csr_array(hierarchy.close(task.own[task.labelled[rest]])).astype(np.float64) for _, rest in parts]
    return {
        way: np.concatenate(
            [
                likeness(_answered(classifier, task, seen, task.labelled[rest]), true)
                for (seen, rest), true in zip(parts, truth, strict=True)
            ]
        )
        for way, classifier in track(ways.items(), "ways to learn", len(ways))
    }


def _by_agreement(ways: Mapping[str, Any], trial: Trial, said: str) -> Trusted:
    """Give the way whose halves agree most, if that is more than by the first; all trust where halves share nothing."""
    task = trial.task
    hierarchy = next(iter(ways.values())).hierarchy_
    others = np.setdiff1d(np.arange(task.X.shape[0]), task.labelled)
    halves = _halves(task, hierarchy)
    if halves is None:
        # Measured with few labels, unlabelled documents never cost much; here they are all there is.
        return Trusted(list(ways)[-1], f"{said}, and halves of them share no category")
    asked = np.sort(np.random.default_rng(0).permutation(others)[:ASKED_FOR_AGREEMENT])
    found = {
        way: agreement(*(_answered(model, task, np.sort(np.append(half, others)), asked) for half in halves))
        for way, model in track(ways.items(), "ways to learn", len(ways))
    }
    first, best = next(iter(ways)), max(reversed(found), key=lambda way: found[way])
    said = f"{said}; halves of the labels agree: {figures_of(found)}"
    # Less than by chance is no agreement, of which there could be more.
    return Trusted(best if found[best] >= max(0.0, found[first]) + MORE_AGREEMENT else first, said)


def _halves(task: Task, hierarchy: Hierarchy) -> tuple[Rows, Rows] | None:
    """Divide the labelled documents; none where no category is in both halves."""
    if task.labelled.size < 2:
        return None
    first, second = (
        task.labelled[half] for half in stratified_k_fold(csr_array(task.own[task.labelled]), 2, hierarchy=hierarchy)[0]
    )
    shared = np.intersect1d(task.own[first].indices, task.own[second].indices)
    return (first, second) if shared.size else None


def _answered(classifier: Any, task: Task, seen: Rows, asked: Rows) -> csr_array:
    """Learn from some documents, and give the best category of others with all above it, a row each."""
    model = classifier.unfitted_copy()
    hierarchy = model.hierarchy_
    if not learns(model, task, seen):
        return csr_array((asked.size, len(hierarchy)))
    scores = (model.score_rows(task.X[asked[rows]]) for rows in model.batches(asked.size))
    best = [best_end(model.as_own(some), model.ends_) for some in scores]
    return csr_array(hierarchy.ancestors[np.concatenate([np.empty(0, np.int32), *best])]).astype(np.float64)


def likeness(answers: csr_array, others: csr_array) -> Floats:
    """Give the hF of each row of label sets beside another, 0 where both are empty.

    >>> likeness(csr_array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]), csr_array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]))
    array([1. , 0.5])
    """
    return Counts(*(np.asarray(each.sum(axis=1)) for each in (answers.multiply(others), answers, others))).f()


def agreement(answers: csr_array, others: csr_array) -> float:
    """Give the mean likeness, of all that is left above what unrelated documents have: 1 for the same, 0 for chance.

    >>> answers = csr_array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> agreement(answers, answers), agreement(answers, csr_array([[1.0, 0.0]] * 4))
    (1.0, 0.0)
    """
    if not answers.shape[0]:
        return 0.0
    # The mean over all pairs of documents, by the shares that label sets of every size have of every node.
    by_chance = sum(
        float(Counts(mean @ other, np.asarray(size), np.asarray(another)).f())
        for size, mean in _means_by_size(answers).items()
        for another, other in _means_by_size(others).items()
    )
    return 0.0 if by_chance >= 1 else (float(likeness(answers, others).mean()) - by_chance) / (1 - by_chance)


def _means_by_size(answers: csr_array) -> dict[float, Floats]:
    """Give for every size of a label set how often it has each node, of all documents."""
    sizes = np.asarray(answers.sum(axis=1))
    return {
        float(size): np.asarray((diags_array((sizes == size).astype(np.float64)) @ answers).sum(axis=0))
        / answers.shape[0]
        for size in np.unique(sizes)
    }
