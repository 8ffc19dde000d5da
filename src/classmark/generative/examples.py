"""Training data and rules of a mixture, and the checkpoint of the mixtures that EM has fitted; `em` has the terms."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.checkpoints import Checkpoint
from classmark.parallel import Range
from classmark.parted import PartedMatrix, added
from classmark.persistence import State


class Mixture(NamedTuple):
    """The parameters: log P(p_j), log P(w_t | p_j) with one row per known term, which terms are known, and log P(θ)."""

    log_prior: Floats
    log_terms: Floats
    known: npt.NDArray[np.bool_]
    density: float = 0.0


class Stage(NamedTuple):
    """A mixture, the objective of the iterations so far, Equation 8 before the last one, and whether EM has ended."""

    mixture: Mixture
    log: list[float]
    before: float
    ended: bool = False


class Stages:
    """The stages of one fit, of which most methods have one.

    Examples
    --------
    >>> known = np.ones(2, dtype=bool)
    >>> Stages().taken_up(known)
    """

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        self.checkpoint = checkpoint
        self.reached: list[State] = []
        self.begun = 0
        if checkpoint is not None and checkpoint.state is not None:
            self.reached = list(checkpoint.state["stages"])

    def taken_up(self, known: npt.NDArray[np.bool_]) -> Stage | None:
        """Begin the next stage; give how far it was, if it was begun before."""
        self.begun += 1
        if self.begun > len(self.reached):
            return None
        state = self.reached[self.begun - 1]
        density, before = state["numbers"].tolist()
        mixture = Mixture(np.array(state["log_prior"]), np.array(state["log_terms"]), known, density)
        return Stage(mixture, state["log"].tolist(), before, bool(state["ended"]))

    def keep(self, stage: Stage) -> None:
        """Note how far this stage is, and write all of them if it is time to."""
        if self.checkpoint is None:
            return
        mixture = stage.mixture
        self.reached[self.begun - 1 :] = [
            {
                "log_prior": mixture.log_prior,
                "log_terms": mixture.log_terms,
                "numbers": np.array([mixture.density, stage.before]),
                "log": np.array(stage.log),
                "ended": stage.ended,
            }
        ]
        self.checkpoint.keep(lambda: {"stages": self.reached})

    def keep_now(self) -> None:
        """Write what was reached, whether or not it is time to."""
        if self.checkpoint is not None and self.reached:
            self.checkpoint.keep(lambda: {"stages": self.reached}, now=True)


Truths = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Examples:
    """What is learned from.

    Attributes
    ----------
    X : csr_array or PartedMatrix, (n_documents, n_terms)
        Counts, here or in parts elsewhere.
    scores : csr_array, (n_documents, n_classes)
        S_ij; a row without an entry is a document that is not labelled.
    own : csr_array, (n_documents, n_classes)
        The weights of a labelled document's own labels, by class, for Equation 8.
    weight : array, (n_documents,)
        How often each document counts.
    """

    X: Any
    scores: csr_array
    own: csr_array
    weight: Floats

    @property
    def labelled(self) -> Truths:
        """Which documents are labelled."""
        return np.asarray(np.diff(self.scores.indptr) > 0)

    @property
    def unlabelled(self) -> Truths:
        """Which documents are not labelled, and count."""
        return np.asarray(~self.labelled & (self.weight > 0))

    def rows(self, span: Range) -> "Examples":
        """Give a range of the documents; without their rows, where these are in parts elsewhere."""
        some = slice(*span)
        scores, own = (csr_array(one[some]) for one in (self.scores, self.own))
        # Rows that are elsewhere are sent by themselves.
        parted = isinstance(self.X, PartedMatrix)
        X = csr_array((span[1] - span[0], self.X.shape[1])) if parted else csr_array(self.X[some])
        return Examples(X, scores, own, self.weight[some])

    def terms(self, rows: Truths) -> Truths:
        """Say which terms occur in some documents that count."""
        return np.asarray(added(self.X, terms_of, aligned=(rows & (self.weight > 0),)))


def terms_of(X: csr_array, rows: Truths) -> Truths:
    """Say which terms occur in some rows; of several matrices, the sum says it of all.

    >>> terms_of(csr_array([[1.0, 0.0], [0.0, 2.0]]), np.array([False, True]))
    array([False,  True])
    """
    entries = np.repeat(rows, np.diff(X.indptr)) & (X.data > 0)
    known = np.zeros(X.shape[1], dtype=bool)
    known[X.indices[entries]] = True
    return known


class Prior(NamedTuple):
    """Logarithms of the components' chances, and the logarithm of the density that smoothing gives them."""

    logs: Floats
    density: float


def smoothed_prior(totals: Floats, smoothing: float) -> Prior:
    """Give P(p_j) by Equations 3 and 6.

    >>> np.exp(smoothed_prior(np.array([2.0, 0.0]), 1.0).logs)
    array([0.75, 0.25])
    """
    logs = np.log(smoothing + totals) - np.log(smoothing * totals.size + totals.sum())
    return Prior(logs, float(smoothing * logs.sum()))


def uniform_prior(totals: Floats, smoothing: float) -> Prior:
    """Give every component the same chance, whatever was counted."""
    return Prior(np.full(totals.size, -np.log(totals.size)), 0.0)


@dataclass(frozen=True)
class Rules:
    """How a mixture is learned.

    Attributes
    ----------
    smoothing : float
        What is added to every count, 1 in the paper.
    prior : function of totals and smoothing
        How the chances of components come from their totals.
    respond : function, optional
        The E-step instead of Equation 5: turns joint logarithms of unlabelled documents into responsibilities, in their
        memory, and gives their evidence.
    blend : csr_array, (n_components, n_components), optional
        What the counts are multiplied by before they are smoothed.
    unlabeled_weight : float
        How much an unlabelled document counts (Nigam's λ).
    tol, max_iter : float, int
        EM ends when the relative gain of Equation 8 falls under `tol`, never if that is 0, or after
        `max_iter` iterations.
    per_class : int
        How many components a class has; the components of a class stand together.
    seed : int or None
        What the first division of a class among its components is drawn from.
    n_jobs : int, optional
        The number of threads.
    stages : Stages
        What was learned before EM was stopped, and where what is learned now is kept.
    """

    smoothing: float = 1.0
    prior: Callable[[Floats, float], Prior] = smoothed_prior
    respond: Callable[[Floats], Floats] | None = None
    blend: csr_array | None = None
    unlabeled_weight: float = 1.0
    tol: float = 1e-3
    max_iter: int = 50
    per_class: int = 1
    seed: int | None = 0
    n_jobs: int | None = None
    stages: Stages = field(default_factory=Stages)
