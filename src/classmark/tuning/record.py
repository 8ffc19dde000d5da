"""Every trial in a file, a line each, so that a search that was interrupted goes on where it was."""

from pathlib import Path
from typing import Any

import msgspec

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
            self._read(self.path, fingerprint)
        else:
            self.path.write_bytes(msgspec.json.encode(fingerprint) + b"\n")

    def find(self, settings: dict[str, Any], documents: int) -> Trial | None:
        """Give the trial of these settings, if there was one."""
        return self._by_key.get(Trial(settings, documents, 0.0, 0.0).key)

    def add(self, trial: Trial) -> None:
        """Keep a trial."""
        self._keep(trial)
        if self.path is not None:
            with self.path.open("ab") as file:
                file.write(msgspec.json.encode(trial) + b"\n")

    def _keep(self, trial: Trial) -> None:
        self.trials.append(trial)
        self._by_key[trial.key] = trial

    def _read(self, path: Path, fingerprint: dict[str, Any]) -> None:
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        first, *lines = whole.splitlines() or [b""]
        try:
            found = msgspec.json.decode(first)
            trials = [msgspec.json.decode(line, type=Trial) for line in lines]
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise ValueError(f"{path}: not a record of trials ({error}); choose another name, or delete it") from None
        _check_fingerprint(path, found, fingerprint)
        if len(whole) < len(content):
            path.write_bytes(whole)
        for trial in trials:
            self._keep(trial)


def _check_fingerprint(path: Path, found: Any, fingerprint: dict[str, Any]) -> None:
    """Refuse the trials of another problem, naming what is other."""
    if found != fingerprint:
        known = isinstance(found, dict)
        other = [name for name, value in fingerprint.items() if not known or found.get(name) != value]
        raise ValueError(f"{path}: the trials are of another search ({', '.join(other)}); choose another name")
