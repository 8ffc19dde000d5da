"""The search: cheap trials first, dear ones for what is promising, the best put together, all within a budget."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from classmark.arrays import Floats
from classmark.auto.candidates import (
    LINEAR,
    Candidate,
    Look,
    changes_of,
    defaults_of,
    look_at,
    methods_for,
    settings_of,
    variants_of,
)
from classmark.auto.expecting import Expected, expect
from classmark.auto.record import Record, Trial
from classmark.auto.settings import AutoSettings, Clock
from classmark.auto.trials import GAIN, HOPELESS, Trials, score_of
from classmark.auto.workshop import WHOLES, Problem, Workshop
from classmark.data.stored import FeatureRows
from classmark.decision.auto import FEW_SCORES
from classmark.ensembles.blend import BlendClassifier
from classmark.ensembles.out_of_fold import OutOfFold
from classmark.errors import InputError
from classmark.held_out import FEWEST_DOCUMENTS
from classmark.persistence import bytes_of
from classmark.progress import notice

FACTOR = 3
"""By how much the number of documents grows from one rung to the next."""
SMALLEST = 800
"""With fewer labelled documents a trial says too little."""
FEWEST_A_CATEGORY = 2
"""How many documents for each category, in the mean, a trial has at least."""
FEWEST_TOGETHER = 2


FIRST = ("linear-svm", "topdown-svm", "knn-bm25-hier")
"""What a first model is made by: the best that is quick enough."""
SOON = 0.05
DAY = 86400.0


class Found(NamedTuple):
    """What a search has found."""

    look: Look
    candidate: Candidate
    decision: str | None
    trials: list[Trial]
    expected: Expected | None
    why: str
    known: OutOfFold | None = None
    learned: tuple[BlendClassifier, Floats] | None = None
    interrupted: bool = False


class Search:
    """Looks for the best model for a problem.

    Parameters
    ----------
    problem : Problem
        What is to be learned.
    settings : AutoSettings
        The budget, the measure, and which methods.
    fixed : mapping, optional
        Settings of text that every candidate has.
    decision : str, optional
        How scores become label sets, where that is not to be looked for.
    folder : str or Path, optional
        Where trials are kept.
    resume : bool
        Whether to go on from the trials that are there.
    clock : Clock, optional
        When the budget began; by default now.
    """

    def __init__(
        self,
        problem: Problem,
        settings: AutoSettings,
        *,
        fixed: Mapping[str, Any] | None = None,
        decision: str | None = None,
        folder: str | Path | None = None,
        resume: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self.problem, self.settings, self.fixed = problem, settings, dict(fixed or {})
        workshop = Workshop(problem, settings.measure)
        self.look = look_at(problem.documents, workshop.own, workshop.labelled, problem.hierarchy)
        check_comparable(self.look, workshop)
        self.methods = methods_for(self.look, settings.wanted, settings.unwanted)
        if not self.methods:
            raise InputError("no method is left to choose among; name others, or leave fewer out")
        self.record = Record(folder, self._fingerprint(workshop, decision), resume=resume)
        self.trials = Trials(workshop, self.record, clock or Clock(settings.budget), decision)

    def _fingerprint(self, workshop: Workshop, decision: str | None) -> dict[str, Any]:
        """Say what makes trials comparable; those of another search are not taken up."""
        labels = zlib.crc32(workshop.own.indices.tobytes(), zlib.crc32(workshop.own.indptr.tobytes()))
        documents, words = self.problem.documents, 0
        if isinstance(documents, FeatureRows):
            parts: Iterable[Any] = map(
                bytes_of, (documents.matrix.data, documents.matrix.indices, documents.matrix.indptr)
            )
        else:
            parts = (str(document).encode(errors="replace") for document in documents)
        for part in parts:
            words = zlib.crc32(part, words)
        return {
            "measure": self.settings.measure,
            "fixed": {name: str(value) for name, value in self.fixed.items()},
            "decision": decision,
            "seed": self.problem.seed,
            "documents": [self.look.documents, self.look.labelled, labels, words],
        }

    def run(self) -> Found:
        """Search until there is nothing more to try, or no time, or somebody interrupts."""
        notice(f"auto: {self.look.in_words()}")
        if self.look.labelled < FEWEST_DOCUMENTS:
            return self._found_little(f"{self.look.labelled} labelled documents are too few to compare methods on")
        interrupted = False
        try:
            for step in (self.try_methods, self.put_together, self.try_changes, self.put_together):
                step()
        except KeyboardInterrupt:
            interrupted = True
            notice("auto: interrupted; learning the best so far, once more to stop that too")
        trials = self.record.trials
        if trials and all(trial.why is not None for trial in trials):
            raise InputError(f"no method can learn from these documents: {trials[0].method}: {trials[0].why}")
        if not self.trials.done:
            return self._found_little("there was no time to compare methods on all documents", interrupted)
        return self._found(interrupted)

    def first(self) -> Candidate:
        """Give the best of the plain methods that is learned in a small part of the budget, to have something soon."""
        budget = self.trials.clock.budget or DAY
        known = [name for name in FIRST if name in self.methods] or self.methods[:1]
        candidates = [defaults_of(name, self.fixed) for name in known]
        seconds = self.trials.pace.of_fit
        return next((one for one in candidates if seconds(one) <= SOON * budget), candidates[-1])

    def rungs(self) -> list[int]:
        """Give the numbers of labelled documents to try on, from few to all; too few say nothing of many categories."""
        sizes = [self.look.labelled]
        while sizes[0] // FACTOR >= max(SMALLEST, FEWEST_A_CATEGORY * self.trials.workshop.ends.size):
            sizes.insert(0, sizes[0] // FACTOR)
        return sizes

    def try_methods(self) -> None:
        """Try every method as it is by default, on more and more documents; the best first, and no hopeless ones."""
        pool = [one for name in self.methods for one in variants_of(name, self.fixed, self.look)]
        for size in self.rungs():
            tried = [(one, self.trials.attempt(one, size)) for one in pool]
            scored = [(trial.score, one) for one, trial in tried if trial is not None and trial.score is not None]
            if not scored:
                return
            best = max(score for score, _ in scored)
            pool = [one for score, one in sorted(scored, key=lambda pair: -pair[0]) if score >= best - HOPELESS]

    def put_together(self) -> None:
        """Blend the best of each method, and look again at their best categories."""
        parts = self.trials.parts()
        if len(parts) < FEWEST_TOGETHER:
            return
        # Where scores are many, a blend alone would take as long as both: a reranker has it inside.
        many = parts[0][1].said.nodes.size > FEW_SCORES
        for method in ["rerank"] if many else WHOLES:
            if method not in self.settings.unwanted:
                self.trials.attempt_together(method, parts)

    def try_changes(self) -> None:
        """Change how the best linear method reads and learns, one thing at a time; keep what helps together."""
        linear = [trial for trial, _ in self.trials.done if trial.method in LINEAR]
        if not linear:
            return
        best = max(linear, key=score_of)
        start = Candidate(best.method, best.settings)
        size = self.rungs()[max(0, len(self.rungs()) - 2)]
        found = self.trials.attempt(start, size)
        if found is None or found.score is None:
            return
        changed = self._gathered(start, found.score, size)
        if changed is not start:
            for method in LINEAR:
                if method in self.methods:
                    self.trials.attempt(settings_of(changed, method, self.fixed), self.look.labelled)

    def _gathered(self, start: Candidate, reached: float, size: int) -> Candidate:
        """Try changes alone, then put those that help on top of each other, the best first, as long as that helps."""
        alone = [(self.trials.attempt(one, size), one) for one in changes_of(start, self.look, self.fixed)]
        gains = [(score_of(trial), one) for trial, one in alone if trial is not None]
        helping = sorted((pair for pair in gains if pair[0] > reached + GAIN), key=lambda pair: -pair[0])
        if not helping:
            return start
        reached, best = helping[0]
        for _, one in helping[1:]:
            both = best.changed(one.differing(start))
            trial = self.trials.attempt(both, size)
            if trial is not None and score_of(trial) > reached + GAIN:
                reached, best = score_of(trial), both
        return best

    def _found(self, interrupted: bool) -> Found:
        """Give the best trial, and what to expect of it."""
        done, chosen = self.trials.done, self.trials.best()
        trial, made = self.trials.made[done[chosen][0].method]
        seen, _ = made.found.folds[0]
        expected = expect(
            self.settings.measure,
            made.truth,
            [verdict for _, verdict in done],
            chosen,
            self.problem.seed,
            learned=seen.size / self.look.documents,
        )
        return Found(
            self.look,
            Candidate(trial.method, trial.settings),
            trial.decision,
            self.record.trials,
            expected,
            f"the best of {len(self.record.trials)} trials by {self.settings.measure} on documents held out",
            made.found,
            None if made.whole is None else (made.whole, np.hstack(made.said)),
            interrupted,
        )

    def _found_little(self, why: str, interrupted: bool = False) -> Found:
        """Give the best of what was tried on some documents, or the first method as it is."""
        scored: Sequence[Trial] = [trial for trial in self.record.trials if trial.score is not None]
        start = "linear-svm" if "linear-svm" in self.methods else self.methods[0]
        candidate = defaults_of(start, self.fixed)
        if scored:
            best = max(scored, key=lambda trial: (trial.documents, score_of(trial)))
            candidate = Candidate(best.method, best.settings)
        return Found(self.look, candidate, self.trials.decision, self.record.trials, None, why, interrupted=interrupted)


def check_comparable(look: Look, workshop: Workshop) -> None:
    """Refuse documents on which nothing can be compared."""
    if not look.labelled:
        raise InputError("no document is labelled; give labels to some, or say what categories are (--weak, --encoder)")
    if workshop.ends.size < 2:
        raise InputError("all documents have the same category; to choose among methods give documents of two at least")
    counts = np.bincount(workshop.own[np.flatnonzero(workshop.labelled)].indices)
    if counts.max() < 2:
        raise InputError(
            "every document has another label, and nothing can be compared; give some categories several documents, "
            "or name a method"
        )
