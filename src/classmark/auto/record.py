"""Every trial in a folder, so that a search that was killed goes on where it was.

`trials.jsonl` has a line for each trial, the first of which says which search it is; beside it are the scores of the
documents held out, for trials on all documents, which what comes later is put together from.
"""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from classmark.ensembles.out_of_fold import OutOfFold
from classmark.errors import InputError
from classmark.logs import add_to_log, begin_log, read_log
from classmark.persistence import load, save

LOG = "trials.jsonl"
FIRST_MODEL = "first.classmark"
"""A plain model, which is there before the first trial."""


class Trial(msgspec.Struct, frozen=True):
    """What a candidate was worth on documents held out."""

    method: str
    settings: dict[str, Any]
    documents: int
    """How many labelled documents it was learned from and judged on, in turn."""
    score: float | None
    """The measure; None where it could not be tried."""
    decision: str | None = None
    """The decision that makes the most of it."""
    seconds: float = 0.0
    """How long it took."""
    why: str | None = None
    """Why it could not be tried."""

    @property
    def key(self) -> str:
        """What two trials of the same thing have in common."""
        return trial_key(self.method, self.settings, self.documents)


def trial_key(method: str, settings: dict[str, Any], documents: int) -> str:
    """Name a trial, whatever the order of its settings."""
    return msgspec.json.encode([method, settings, documents], order="deterministic").decode()


class Record:
    """The trials of one search, in memory and, where a folder is given, on disk.

    Examples
    --------
    >>> record = Record(None, {"measure": "hf"}, resume=False)
    >>> record.add(Trial("nb", {}, 90, 0.5))
    >>> record.find("nb", {}, 90).score
    0.5
    """

    def __init__(self, folder: str | Path | None, fingerprint: dict[str, Any], *, resume: bool) -> None:
        self.folder = None if folder is None else Path(folder)
        self.trials: list[Trial] = []
        self._by_key: dict[str, Trial] = {}
        if self.folder is None:
            return
        log = self.folder / LOG
        if not resume and log.exists():
            raise InputError(f"{self.folder}: the trials of a search that was stopped; resume it, or delete the folder")
        if resume and not log.is_file():
            raise InputError(f"{self.folder}: there are no trials to go on from; leave --resume out")
        if resume:
            for trial in read_log(log, fingerprint, Trial):
                self._keep(trial)
        else:
            self.folder.mkdir(parents=True, exist_ok=True)
            begin_log(log, fingerprint)

    def find(self, method: str, settings: dict[str, Any], documents: int) -> Trial | None:
        """Give the trial of a candidate, if there was one."""
        return self._by_key.get(trial_key(method, settings, documents))

    def scores(self, trial: Trial) -> OutOfFold | None:
        """Give what was said of the documents held out, where it is on disk."""
        path = None if self.folder is None else self._path(trial)
        return _from_state(load(path)) if path is not None and path.is_file() else None

    def add(self, trial: Trial, found: OutOfFold | None = None) -> None:
        """Keep a trial, and on disk what was said of the documents held out."""
        self._keep(trial)
        if self.folder is None:
            return
        if found is not None:
            folds = [{"seen": seen, "places": places} for seen, places in found.folds]
            state = {"rows": found.rows, "folds": folds, "nodes": list(found.nodes), "own": list(found.own)}
            save(self._path(trial), state)
        add_to_log(self.folder / LOG, trial)

    def _keep(self, trial: Trial) -> None:
        self._by_key[trial.key] = trial
        self.trials.append(trial)

    def _path(self, trial: Trial) -> Path:
        assert self.folder is not None
        number = next(place for place, one in enumerate(self.trials) if one.key == trial.key)
        return self.folder / f"{number}.scores"


def delete_trials(folder: Path) -> None:
    """Delete what a search has kept, once its model is safe."""
    if (folder / LOG).is_file():
        for path in (*folder.glob("*.scores"), folder / FIRST_MODEL, folder / LOG):
            path.unlink(missing_ok=True)
        folder.rmdir()


def _from_state(state: dict[str, Any]) -> OutOfFold:
    folds = [(np.asarray(fold["seen"]), np.asarray(fold["places"])) for fold in state["folds"]]
    return OutOfFold(np.asarray(state["rows"]), folds, list(state["nodes"]), list(state["own"]))
