"""Trials: each estimated before it begins, made where there is time, and kept.

`Pace` estimates the seconds of a trial from the input size and from the trials before it on this machine.
"""

import time
from collections.abc import Sequence
from statistics import median
from typing import TypeAlias

import numpy as np

from classmark.auto.candidates import Candidate, together
from classmark.auto.record import Record, Trial
from classmark.auto.settings import Clock, duration
from classmark.auto.workshop import WHOLES, Made, Rows, Verdict, Workshop, sensible_decisions
from classmark.errors import InputError
from classmark.progress import notice, tell

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


GAIN = 0.001
"""What is better by less is not worth a change, nor several methods in place of one."""
HOPELESS = 0.3
"""So far below the best, a method is not tried on more documents, nor is it a part."""
MOST_PARTS = 5

Done: TypeAlias = tuple[Trial, Made]


class Trials:
    """The trials of a search, those on all documents with what was said of documents held out.

    Parameters
    ----------
    workshop : Workshop
        Where candidates are tried.
    record : Record
        Where trials are kept; what is in there is not tried again.
    clock : Clock
        How much time there is, the final learning included.
    decision : str, optional
        The decision to judge by; by default the best one.
    """

    def __init__(self, workshop: Workshop, record: Record, clock: Clock, decision: str | None = None) -> None:
        self.workshop, self.record, self.clock, self.decision = workshop, record, clock, decision
        self.pace = Pace(workshop)
        self.done: list[tuple[Trial, Verdict]] = []
        """The trials on all documents, and their answers."""
        self.made: dict[str, Done] = {}
        """The best of these by each method, with all that was said: scores are large, and nobody asks for others'."""

    @property
    def everything(self) -> int:
        """How many labelled documents there are."""
        return int(self.workshop.labelled.sum())

    def attempt(self, candidate: Candidate, size: int) -> Trial | None:
        """Try a candidate on so many labelled documents, unless that is known or there is no time for it."""
        rows, whole = self.workshop.rows(size), size >= self.everything
        known = self.record.find(candidate.method, candidate.settings, size)
        if known is not None and (known.score is None or not whole or self._is_done(known)):
            return known
        found = None if known is None else self.record.scores(known)
        if known is not None and found is not None:
            self._keep(known, self.workshop.judged(found, rows, [known.decision or "best-path"]))
            return known
        try:
            return self._tried(candidate, rows, size) if self._has_time(candidate, rows) else None
        except InputError as error:
            refused = Trial(candidate.method, candidate.settings, size, None, why=str(error))
            self.record.add(refused)
            return refused

    def _has_time(self, candidate: Candidate, rows: Rows) -> bool:
        """Say whether a candidate can be tried, and the best one learned after that."""
        if self.clock.budget is None:
            return True
        if not self.clock.allows(self.workshop.seconds_to_read(candidate)):
            return False
        after = max(self._seconds_to_finish(), self.pace.of_fit(candidate))
        return self.clock.allows(self.pace.of_trial(candidate, rows) + after)

    def _tried(self, candidate: Candidate, rows: Rows, size: int) -> Trial:
        """Try a candidate.

        Raises
        ------
        InputError
            If the method cannot be fitted on these documents.
        """
        start, processor = time.perf_counter(), time.process_time()
        self._tell(candidate, size)
        whole = size >= self.everything
        self.workshop.check_memory(candidate, rows)
        found = self.workshop.try_alone(candidate, rows)
        self.pace.took(candidate, rows, time.perf_counter() - start, time.process_time() - processor)
        made = self.workshop.judged(found, rows, self._decisions(found.rows.size))
        trial = _trial(candidate, size, made, time.perf_counter() - start)
        self.record.add(trial, found if whole else None)
        if whole:
            self._keep(trial, made)
        return trial

    def attempt_together(self, method: str, parts: Sequence[Done]) -> None:
        """Put trials on all documents together, unless there is no time for that."""
        start, size = time.perf_counter(), self.everything
        candidates = [Candidate(trial.method, trial.settings) for trial, _ in parts]
        candidate = together(method, candidates)
        if not self.clock.allows(self.pace.of_together() + sum(map(self.pace.of_fit, candidates))):
            return
        self._tell(candidate, size)
        decision = parts[0][0].decision or "best-path"
        founds = [made.found for _, made in parts]
        made = self.workshop.put_together(method, candidates, founds, decision, self._decisions(founds[0].rows.size))
        trial = _trial(candidate, size, made, time.perf_counter() - start)
        self.pace.took_together(trial.seconds)
        if self.record.find(trial.method, trial.settings, size) is None:
            self.record.add(trial)
        self._keep(trial, made)

    def parts(self) -> list[Done]:
        """Give the best trial of each method that can be a part, the best first."""
        alone = [pair for pair in self.made.values() if pair[1].whole is None and "teacher" not in pair[0].settings]
        ordered = sorted(alone, key=lambda pair: -score_of(pair[0]))
        return [pair for pair in ordered if score_of(pair[0]) >= score_of(ordered[0][0]) - HOPELESS][:MOST_PARTS]

    def best(self) -> int:
        """Give the place of the best trial on all documents; several methods must be worth it."""
        scores = [score_of(trial) - (GAIN if trial.method in WHOLES else 0.0) for trial, _ in self.done]
        return int(np.argmax(scores))

    def _seconds_to_finish(self) -> float:
        """Estimate how long it takes to learn the best so far from all documents."""
        if not self.done:
            return 0.0
        best, _ = self.done[self.best()]
        if best.method not in WHOLES:
            return self.pace.of_fit(Candidate(best.method, best.settings))
        parts = [Candidate(trial.method, trial.settings) for trial, _ in self.parts()]
        return sum(map(self.pace.of_fit, parts))

    def _is_done(self, trial: Trial) -> bool:
        return any(trial.key == other.key for other, _ in self.done)

    def _keep(self, trial: Trial, made: Made) -> None:
        if self._is_done(trial):
            return
        self.done.append((trial, made.verdict))
        if trial.method not in self.made or score_of(trial) > score_of(self.made[trial.method][0]):
            self.made[trial.method] = trial, made

    def _decisions(self, held_out: int) -> list[str]:
        if self.decision is not None:
            return [self.decision]
        return sensible_decisions(
            self.workshop.labels, self.workshop.one_label, held_out * len(self.workshop.problem.hierarchy)
        )

    def _tell(self, candidate: Candidate, size: int) -> None:
        tell("trials", len(self.record.trials), None)
        notice(f"auto: {duration(self.clock.elapsed)}: {candidate.in_words()}, {size:,} documents")


def _trial(candidate: Candidate, size: int, made: Made, seconds: float) -> Trial:
    verdict = made.verdict
    return Trial(candidate.method, candidate.settings, size, verdict.score, verdict.decision, seconds)


def score_of(trial: Trial) -> float:
    """Give the score of a trial, below any other where it could not be tried."""
    return -1.0 if trial.score is None else trial.score
