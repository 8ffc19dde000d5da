"""The mixtures that EM has learned one after the other, and how far it is with the one at hand, in a checkpoint."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.arrays import Floats
from classmark.checkpoints import Checkpoint
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
