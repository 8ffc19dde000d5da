"""Training a project's model again, from what it was trained on and people's corrections, beside what is served.

All that is known of it lies in the folder `MODEL.retraining` beside the model, so that every worker, and a server that
is started again, says the same: `job.json` what was begun, by whom and from which version; what `keeping` writes; the
`candidate` itself. Whoever trains, or takes the candidate up, holds the lock in the folder. Nothing takes the place of
the model before somebody says so.
"""

import contextlib
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from classmark.errors import InputError
from classmark.persistence import lock, read_header
from classmark.server import keeping
from classmark.server.keeping import ENDED, LOG, RESULT, STOP
from classmark.server.problems import Problem
from classmark.server.projects import Project
from classmark.server.settings import ServerSettings
from classmark.service.retraining import STEPS
from classmark.service.storing import LONGEST_VERSION
from classmark.wording import in_a_line

JOB, CANDIDATE, LOCK = "job.json", "candidate.classmark", "lock"
LONGEST_LOG = 20_000
TRIES, SECONDS_BETWEEN_TRIES = 5, 0.02
NOT_TOLD = (
    "the server does not know what the model was trained on; start it with --train-from DATA, and the options of "
    "`classmark train` that say how to read it"
)
LIVE = "a live index learns every correction at once; there is nothing to train"
UNKNOWN = ("step", "started", "ended", "who", "corrections", "before", "version", "figures", "documents", "against")
"""What is None where nothing was trained."""
UNDER_WAY = "it is being trained already; wait until that ends, or stop it"
FAILURES = {
    "gone": "the server ended meanwhile; begin again",
    "stopped": "somebody has stopped it",
}


class Retrainings:
    """The training of all projects of a server."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._keepers: list[subprocess.Popen[bytes]] = []
        for name, given in settings.train_from.items():
            words_of(given, f"--train-from of {name}")

    def state(self, project: Project) -> dict[str, Any]:
        """Say how far it is, by what lies in the folder."""
        folder = folder_of(project)
        job = _read(folder / JOB)
        found = {"possible": self._hindrance(project) is None, "told": self._hindrance(project), "state": "none"}
        found |= dict.fromkeys(UNKNOWN)
        if job is None:
            return found
        found |= {name: job.get(name) for name in ("started", "who", "before")}
        if _is_held(folder):
            return found | {"state": "running", "step": _step(folder), "told": None}
        ended = _read(folder / ENDED) or {"how": "gone"}
        found |= {"ended": ended.get("ended"), "state": job.get("state") or "failed"}
        if job.get("state") == "dismissed":
            return found
        if ended["how"] != "done":
            return found | {"told": FAILURES.get(ended["how"]) or _why(folder)}
        result = _result(folder)
        if job.get("state") == "taken-up":
            return found | result | {"version": job.get("version")}
        return found | result | {"state": "ready"}

    def _hindrance(self, project: Project) -> str | None:
        if project.live:
            return LIVE
        return None if project.name in self._settings.train_from else NOT_TOLD

    def start(self, project: Project, who: str) -> None:
        """Begin to train, in a process of its own."""
        told = self._hindrance(project)
        if told is not None:
            raise Problem(409, told)
        folder = folder_of(project)
        with _held(folder) as descriptor:
            for name in (ENDED, STOP, RESULT, LOG, CANDIDATE):
                (folder / name).unlink(missing_ok=True)
            started = datetime.now(UTC).isoformat(timespec="seconds")
            _write(folder / JOB, {"started": started, "who": who, "before": project.served.version})
            # As a file, so that it starts at once: nothing of the server is imported.
            keeper = [sys.executable, keeping.__file__, str(folder)]
            command = [*keeper, *self._command(project, folder)]
            self.sweep()
            process = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[descriptor], start_new_session=True)
            self._keepers.append(process)

    def _command(self, project: Project, folder: Path) -> list[str]:
        data, *options = words_of(self._settings.train_from[project.name], "--train-from")
        return [
            *(sys.executable, "-m", "classmark", "retrain", str(project.path), data, *options),
            *("--feedback", f"{self._settings.store}#{project.name}"),
            *("--output", str(folder / CANDIDATE), "--json"),
        ]

    def stop(self, project: Project) -> None:
        """Stop training; or let go of a candidate that nobody wants."""
        folder = folder_of(project)
        job = _read(folder / JOB)
        if job is None:
            raise Problem(409, "nothing is being trained")
        if _is_held(folder):
            (folder / STOP).touch()
            return
        with _held(folder):
            (folder / CANDIDATE).unlink(missing_ok=True)
            _write(folder / JOB, {**job, "state": "dismissed"})

    def take_up(self, project: Project) -> None:
        """Put the candidate in the place of the model, which is kept as the version before."""
        folder = folder_of(project)
        if not folder.is_dir():
            raise Problem(409, "there is no candidate; train again first")
        with _held(folder):
            job = _read(folder / JOB)
            candidate = folder / CANDIDATE
            ended = _read(folder / ENDED)
            if job is None or job.get("state") or not ended or ended["how"] != "done" or not candidate.is_file():
                raise Problem(409, "there is no candidate; train again first")
            if job["before"] != project.served.version:
                told = f"the model has changed since: version {project.served.version} is served now; train again"
                raise Problem(409, told)
            version = read_header(candidate).checksum[:LONGEST_VERSION]
            candidate.replace(project.path)
            _write(folder / JOB, {**job, "state": "taken-up", "version": version})
        project.look()

    def close(self) -> None:
        """Let what is being trained end: it sees that nobody is there any more."""
        for keeper in self._keepers:
            if keeper.stdin is not None:
                keeper.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                keeper.wait(5)

    def sweep(self) -> None:
        """Forget processes that have ended."""
        self._keepers = [keeper for keeper in self._keepers if keeper.poll() is None]


def folder_of(project: Project) -> Path:
    """Give where what is known of a project's training lies."""
    return project.path.with_name(f"{project.path.name}.retraining")


def words_of(given: str, option: str) -> list[str]:
    """Take data and the options after it apart, as a shell does; a path that is there is itself.

    >>> words_of("tickets.csv --text-column body", "--train-from")
    ['tickets.csv', '--text-column', 'body']
    """
    if Path(given).exists():
        return [given]
    try:
        words = shlex.split(given)
    except ValueError as error:
        raise InputError(f"{option}: {given!r} cannot be taken apart ({error}); quote as in a shell") from None
    if not words or words[0].startswith("-"):
        raise InputError(f"{option}: {given!r} begins with no data; give a file, a folder or the name of a dataset")
    return words


def _result(folder: Path) -> dict[str, Any]:
    """Give what training has printed, and which version the candidate is, where it is still there."""
    result = _read(folder / RESULT) or {}
    version = None
    with contextlib.suppress(ValueError, OSError):
        version = read_header(folder / CANDIDATE).checksum[:LONGEST_VERSION]
    names = {"figures": "figures", "documents": "held_out", "corrections": "corrections", "against": "against"}
    return {name: result.get(called) for name, called in names.items()} | {"version": version}


def _step(folder: Path) -> str:
    said = [line.removeprefix("step ") for line in _log(folder) if line.startswith("step ")]
    return next((step for step in reversed(said) if step in STEPS), STEPS[0])


def _why(folder: Path) -> str:
    """Give the last line that training has said."""
    lines = [line for line in _log(folder) if line.strip() and not line.startswith("step ")]
    return in_a_line(lines[-1]) if lines else "it ended without a word; see the server's log"


def _log(folder: Path) -> list[str]:
    try:
        return (folder / LOG).read_bytes()[-LONGEST_LOG:].decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def _read(path: Path) -> dict[str, Any] | None:
    """Read a file of the folder; none where there is none, or not a whole one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, ValueError):
        return None


def _write(path: Path, content: dict[str, Any]) -> None:
    temporary = path.with_name(f".{path.name}")
    temporary.write_bytes(msgspec.json.encode(content))
    temporary.replace(path)


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[int]:
    """Hold the lock of a folder; a process that inherits it goes on holding it."""
    folder.mkdir(exist_ok=True)
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        for left in reversed(range(TRIES)):
            if lock(descriptor):
                break
            # Another request may be reading the state, which is short.
            if not left:
                raise Problem(409, UNDER_WAY)
            time.sleep(SECONDS_BETWEEN_TRIES)
        yield descriptor
    finally:
        os.close(descriptor)


def _is_held(folder: Path) -> bool:
    """Say whether somebody holds the lock, without keeping others from saying so."""
    with (folder / LOCK).open("ab") as file:
        return not lock(file, shared=True)
