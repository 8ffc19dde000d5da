"""When held-out documents say that boosting has gone on long enough."""

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting.hypothesis import Rounds
from classmark.persistence import State


class Judge:
    """Says when held-out documents are served no better: by micro-averaged F1 at the threshold 0."""

    def __init__(self, X: csr_array, labels: csr_array, patience: int) -> None:
        self.X = X
        self.positive = labels.toarray() != 0
        self.patience = patience
        self.margins = np.zeros(self.positive.shape)
        self.best_f1 = -1.0
        self.best_round = self.rounds = 0

    def start(self, margins: Floats, rounds: int) -> None:
        """Go on from the scores of earlier rounds, which are the best so far."""
        self.margins = margins
        self._judge(rounds)

    def stops(self, rounds: Rounds) -> bool:
        """Take up the last round; say whether the last `patience` rounds have brought nothing."""
        self.margins += next(rounds.margins(self.X, start=len(rounds) - 1))
        self._judge(len(rounds))
        return self.rounds - self.best_round >= self.patience

    def to_state(self) -> State:
        """Give what the next judgement depends on."""
        return {"margins": self.margins, "f1": self.best_f1, "best": self.best_round, "rounds": self.rounds}

    def take_up(self, state: State) -> None:
        """Go on from what `to_state` gave."""
        self.margins = np.array(state["margins"])
        self.best_f1, self.best_round, self.rounds = float(state["f1"]), int(state["best"]), int(state["rounds"])

    def _judge(self, rounds: int) -> None:
        self.rounds = rounds
        answers = self.margins > 0
        hits = np.sum(answers & self.positive)
        f1 = 2 * hits / max(np.sum(answers) + np.sum(self.positive), 1)
        if f1 > self.best_f1:
            self.best_f1, self.best_round = float(f1), self.rounds
