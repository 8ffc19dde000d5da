"""How long a trial will take: by the size of the problem, and by how long others took on this machine just now."""

from statistics import median

from classmark.auto.candidates import Candidate
from classmark.auto.judging import sensible_decisions
from classmark.auto.workshop import Rows, Workshop

SECONDS_A_DOCUMENT = 2.5e-3
"""What putting candidates together costs for each document, about: trees are learned several times."""
OVERHEAD = 0.3
"""What any trial takes."""
COMPARABLE = 0.5
"""Where the size of a problem says less than so many seconds, how long it took says nothing of other methods."""
MOST_WAITED = 2.0
"""A trial that waits longer than it works says little of the next one."""
SECONDS_A_DECISION = 0.2e-6
"""What judging a decision costs for each score, about."""
TOGETHER = "together"


class Pace:
    """Estimates the seconds of trials, better with each."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        self._taken: dict[str, float] = {}
        """By method, how many times as long the last trial took as the size of the problem said."""
        self._others: dict[str, float] = {}
        """The same of trials that say something of other methods."""
        self._waited = 1.0
        """How many times as long the last trial took as the processor did: others may use the machine too."""

    def took(self, candidate: Candidate, rows: Rows, seconds: float, of_processor: float) -> None:
        """Take note of how long learning took."""
        expected = self.workshop.seconds_to_learn(candidate, rows)
        self._note(candidate.method, expected, seconds)
        if expected >= COMPARABLE:
            self._others[candidate.method] = self._taken[candidate.method]
        if of_processor >= COMPARABLE:
            self._waited = min(MOST_WAITED, max(1.0, seconds / of_processor))

    def took_together(self, seconds: float) -> None:
        """Take note of how long putting candidates together took."""
        self._note(TOGETHER, self._together(), seconds)

    def _note(self, method: str, expected: float, seconds: float) -> None:
        self._taken[method] = max(0.0, seconds - OVERHEAD) / max(1e-3, expected)

    def factor(self, method: str) -> float:
        """Give how many times as long a method takes as the size of the problem says: the last time, or others'."""
        if method in self._taken:
            return self._taken[method]
        return max(1.0, median(self._others.values())) if self._others else self._waited

    def of_trial(self, candidate: Candidate, rows: Rows) -> float:
        """Estimate the seconds of learning all folds of a candidate, and of judging it."""
        learning = self.workshop.seconds_to_learn(candidate, rows) * self.factor(candidate.method)
        return OVERHEAD + learning + self.of_judging(rows)

    def of_judging(self, rows: Rows) -> float:
        """Estimate the seconds of trying decisions."""
        scores = self.workshop.scores_of(rows)
        tried = len(sensible_decisions(self.workshop.labels, self.workshop.one_label, scores))
        return SECONDS_A_DECISION * scores * tried

    def of_fit(self, candidate: Candidate) -> float:
        """Estimate the seconds of learning from all documents, once."""
        rows = self.workshop.rows()
        whole = self.workshop.seconds_to_learn(candidate, rows) / self.workshop.n_fits(rows)
        return OVERHEAD + whole * self.factor(candidate.method) + self.workshop.read(candidate).seconds

    def of_together(self) -> float:
        """Estimate the seconds of putting candidates together and judging it."""
        return OVERHEAD + self._together() * self._taken.get(TOGETHER, 1.0)

    def _together(self) -> float:
        rows = self.workshop.rows()
        return SECONDS_A_DOCUMENT * self.workshop.held_out_size(rows) + 2 * self.of_judging(rows)
