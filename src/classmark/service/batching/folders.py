"""Batches: a folder each, with what somebody brought and the answers to it, which outlives the server.

A file comes into a hidden folder and is looked at there; what can be read gets its name and is kept. `todo` lies in the
folders of those that are to be worked off, and whoever locks it does so: a process that dies lets go of it.
"""

import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import IO, Any, BinaryIO

from classmark.errors import InputError
from classmark.persistence import flush_to_disk, lock
from classmark.service.batching.answers import AnswerFile
from classmark.service.batching.uploads import Upload, check_column, kind_of, look_at
from classmark.store import Missing, StoreUnavailable
from classmark.wording import visible

UPLOAD, ANSWERS, TODO = "upload", "answers.sqlite", "todo"
IDENTITY = re.compile("[0-9a-f]{16}")
LONGEST_NAME, LONGEST_SUFFIX = 150, 20
A_MINUTE = 60
STATES = ("uploaded", "running", "done", "stopped")
"""A column is to be chosen; rows are being answered; all are; something went wrong, and it can be tried again."""


def folder_beside(store: str) -> Path:
    """Give the folder of batches that belongs to a store: beside its file, or else in the working folder.

    >>> folder_beside("sqlite:///corrections.sqlite").name, folder_beside("postgresql://db/corrections").name
    ('corrections.sqlite.batches', 'classmark.batches')
    """
    path = store.removeprefix("sqlite:///")
    return Path("classmark.batches" if "://" in path else f"{path}.batches")


class Batch:
    """What somebody brought, and what is known of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.answers = AnswerFile(path / ANSWERS)

    @property
    def id(self) -> str:
        """What it is called in addresses."""
        return self.path.name

    @contextmanager
    def in_words(self) -> Iterator[None]:
        """Say of what fails inside whether the batch is gone, or cannot be read."""
        try:
            yield
        except OSError as error:
            raise self.failure(error) from None

    def failure(self, error: OSError) -> Exception:
        """Give what is wrong in words."""
        if not self.path.is_dir():
            return Missing("there is no such batch; it may have been deleted")
        told = error.strerror or str(error)
        return StoreUnavailable(f"the batch cannot be read or written ({told}); the disk may be full")

    def facts(self) -> dict[str, Any]:
        """Give what is known of it."""
        with self.in_words():
            return {**self.answers.facts(), "done": self.answers.done, "problems": self.answers.problems}

    def upload(self) -> Upload:
        """Give the file that was brought."""
        known = self.facts()
        same = {name: known[name] for name in ("name", "kind", "delimiter", "header_line")}
        return Upload(path=self.path / UPLOAD, **same)

    def start(self, text_column: str) -> None:
        """Let it be worked off, or go on where it stopped."""
        known = self.facts()
        if known["state"] == "done" or (known["state"] == "running" and known["text_column"] == text_column):
            return
        check_column(known["columns"], text_column)
        if known["done"] and known["text_column"] != text_column:
            raise InputError(f"rows are answered by the column {known['text_column']!r} already; bring the file again")
        with self.in_words():
            self.answers.note(state="running", text_column=text_column, problem=None)
            (self.path / TODO).touch()
            flush_to_disk(self.path)

    def claim(self) -> IO[bytes] | None:
        """Take it to be worked off, unless somebody else does; closing what is given lets go."""
        try:
            file = (self.path / TODO).open("rb")
        except OSError:
            return None
        if lock(file) and (self.path / TODO).exists():
            return file
        file.close()
        return None

    def end(self, state: str, problem: str | None = None) -> None:
        """Say how it came out."""
        self.answers.note(state=state, problem=problem)
        (self.path / TODO).unlink(missing_ok=True)


class Batches:
    """All batches in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __iter__(self) -> Iterator[Batch]:
        """Give all batches, the latest first."""
        with self._listed() as found:
            named = [path for path in found if IDENTITY.fullmatch(path.name)]
        yield from (Batch(path) for path in sorted(named, key=_brought, reverse=True))

    @contextmanager
    def _listed(self) -> Iterator[list[Path]]:
        try:
            yield list(self.folder.iterdir())
        except FileNotFoundError:
            yield []

    def of(self, project: str | None = None) -> list[tuple[Batch, dict[str, Any]]]:
        """Give the batches, of a project or all, with what is known of them; damaged ones are left out."""
        found = []
        for batch in self:
            try:
                known = batch.facts()
            except (Missing, StoreUnavailable):
                continue
            if project in (None, known["project"]):
                found.append((batch, known))
        return found

    def waiting(self) -> list[Batch]:
        """Give the batches that are to be worked off, the earliest first."""
        return sorted((one for one in self if (one.path / TODO).exists()), key=lambda one: _brought(one.path))

    def find(self, project: str, identity: str) -> Batch:
        """Give a batch of a project; `Missing` where there is none."""
        batch = Batch(self.folder / identity)
        if not IDENTITY.fullmatch(identity) or not batch.path.is_dir() or batch.facts()["project"] != project:
            raise Missing("there is no such batch; it may have been deleted")
        return batch

    def incoming(self, name: str) -> BinaryIO:
        """Open a file that begins to come, in a hidden folder; one of a kind that is not read is refused."""
        kind_of(name)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.folder / f".{secrets.token_hex(8)}"
        path.mkdir(mode=0o700)
        file = (path / UPLOAD).open("xb")
        lock(file)
        return file

    def end_incoming(self, file: BinaryIO) -> None:
        """Let go of a file that has come, and remove it where it was not kept."""
        file.close()
        shutil.rmtree(Path(file.name).parent, ignore_errors=True)

    def keep(self, file: BinaryIO, name: str, project: str, who: str) -> Batch:
        """Look at a file that has come, and keep it; what cannot be read is refused."""
        file.flush()
        os.fsync(file.fileno())
        incoming = Path(file.name).parent
        found = look_at(incoming / UPLOAD, name)
        batch = Batch(incoming)
        batch.answers.create(
            name=name,
            kind=kind_of(name),
            project=project,
            who=who,
            added=datetime.now(UTC).isoformat(timespec="seconds"),
            bytes=(incoming / UPLOAD).stat().st_size,
            state="uploaded",
            problem=None,
            sent=[],
            **{field: getattr(found, field) for field in found.__dataclass_fields__},
        )
        flush_to_disk(incoming)
        kept = incoming.with_name(incoming.name.removeprefix("."))
        incoming.rename(kept)
        flush_to_disk(self.folder)
        return Batch(kept)

    def delete(self, batch: Batch) -> None:
        """Delete a batch for good."""
        gone = batch.path.with_name(f".{batch.id}")
        with batch.in_words():
            batch.path.rename(gone)
            shutil.rmtree(gone)

    def clean(self) -> None:
        """Remove what was left behind by uploads and deletions that ended halfway."""
        with self._listed() as found:
            for path in found:
                if path.name.startswith(".") and IDENTITY.fullmatch(path.name[1:]) and _is_left(path):
                    shutil.rmtree(path, ignore_errors=True)


def _brought(path: Path) -> float:
    try:
        return (path / UPLOAD).stat().st_mtime
    except OSError:
        return 0.0


def _is_left(path: Path) -> bool:
    """Say whether nobody writes the file of a folder any more."""
    try:
        with (path / UPLOAD).open("rb") as file:
            return bool(lock(file))
    except OSError:
        return time.time() - path.stat().st_mtime > A_MINUTE


def named_file(name: str) -> str:
    r"""Give the name of a file as it is shown and given back: without folders, and without what cannot be seen.

    >>> named_file("C:\\tickets\\may.csv"), named_file("../may.csv")
    ('may.csv', 'may.csv')
    """
    bare = visible(PurePath(name.replace("\\", "/")).name)
    return f"{PurePath(bare).stem[:LONGEST_NAME]}{PurePath(bare).suffix[:LONGEST_SUFFIX]}"


def document_name(batch: str, name: str, line: int) -> str:
    """Give what a row of a batch is called in the store.

    >>> document_name("3fa2c4d5e6f70819", "may.csv", 17)
    'may.csv:17#3fa2c4d5'
    """
    return f"{name}:{line}#{batch[:8]}"
