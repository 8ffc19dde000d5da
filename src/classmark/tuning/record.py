"""Every trial in a file, a line each, so that a search that was interrupted goes on where it was."""

from pathlib import Path
from typing import Any

from classmark.logs import add_to_log, begin_log, read_log
from classmark.tuning.problem import Trial


class Record:
    """The trials of one problem, in memory and, where a path is given, in a file of JSON lines.

    The first line says which problem it is; each further one is a trial, written when it is done. A last line that
    was cut off is passed over, and written again.

    Examples
    --------
    >>> record = Record(None, {"method": "knn-bm25"})
    >>> record.add(Trial({"k": 5}, 90, 0.5, 0.1))
    >>> record.find({"k": 5}, 90).score
    0.5
    """

    def __init__(self, path: str | Path | None, fingerprint: dict[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.trials: list[Trial] = []
        self._by_key: dict[str, Trial] = {}
        if self.path is None:
            return
        if self.path.is_file() and self.path.stat().st_size:
            for trial in read_log(self.path, fingerprint, Trial):
                self._keep(trial)
        else:
            begin_log(self.path, fingerprint)

    def find(self, settings: dict[str, Any], documents: int) -> Trial | None:
        """Give the trial of these settings, if there was one."""
        return self._by_key.get(Trial(settings, documents, 0.0, 0.0).key)

    def add(self, trial: Trial) -> None:
        """Keep a trial."""
        self._keep(trial)
        if self.path is not None:
            add_to_log(self.path, trial)

    def _keep(self, trial: Trial) -> None:
        self.trials.append(trial)
        self._by_key[trial.key] = trial
