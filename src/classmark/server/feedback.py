"""Corrections, kept before anything else: the store has them first, and a live index learns them from there.

Should the server die between the two, the store knows which documents the index does not have, and they are added when
it starts again. An index replaces a document of the same name, so nothing counts twice.
"""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from classmark.errors import InputError
from classmark.server.logging import LOG
from classmark.server.projects import Project, Projects
from classmark.service.answering import in_batches
from classmark.service.storing import IN_AN_INDEX
from classmark.store import (
    Lesson,
    RecordedVerdict,
    Store,
    StoredDocument,
    StoreReplaced,
    StoreUnavailable,
    Verdict,
)
from classmark.store.documents import LABELLED
from classmark.wording import in_a_line

DOCUMENTS_AT_A_TIME = 1000


def is_there(store: str) -> bool:
    """Say whether a store is there already, without making one."""
    path = store.removeprefix("sqlite:///")
    return "://" in path or Path(path).exists()


class Feedback:
    """The store of a server, opened when it is first needed, and the projects that learn from it."""

    def __init__(self, url: str, projects: Projects) -> None:
        self._url = url
        self._projects = projects
        self._store: Store | None = None
        self._replaced: str | None = None
        self._lock = threading.Lock()
        self._logged: dict[str, str] = {}
        self.behind = False
        """Whether a live index may lack what the store has."""

    @property
    def store(self) -> Store:
        """The store; created if it is missing, unless it was deleted while the server had it open."""
        if self._replaced is not None:
            raise StoreReplaced(self._replaced)
        with self._lock:
            if self._store is None:
                try:
                    self._store = Store.open(self._url)
                except InputError as error:
                    # The client's request is valid.
                    raise StoreUnavailable(str(error)) from None
            return self._store

    def look(self) -> None:
        """Reopen the store if its file was replaced, and bring live indexes up to date; one caller at a time."""
        if self._replaced is None and self._store is not None:
            try:
                self._store.check_file()
            except StoreReplaced as error:
                self._replaced = str(error)
                LOG.error("%s", error)
        if self._replaced is not None:
            self._reopen()
        elif self.behind or any(project.replaced for project in self._projects):
            self.catch_up()

    def _reopen(self) -> None:
        """Save what the replaced file had, and open the file that is there now; raise if that is no valid store."""
        if self._store is not None:
            saved = self._store.rescue()
            if saved is not None:
                LOG.error("%s: the deleted store was saved as %s", self._store.place, saved)
            self._store.close()
            self._store = None
        try:
            store = Store.open(self._url, create=False)
        except FileNotFoundError as error:
            self._replaced = f"{error}; it was deleted while the server ran: put it back, or restart for an empty store"
            self._log_once("store", self._replaced)
            return
        except (ValueError, OSError) as error:
            self._replaced = f"{error}; the store was replaced by this while the server ran"
            self._log_once("store", self._replaced)
            return
        self._store, self._replaced = store, None
        self._logged.pop("store", None)
        LOG.warning("%s: the store that is there now was opened", store.place)
        self.catch_up()

    def _log_once(self, name: str, problem: str) -> None:
        """Log a problem unless it is the same as the last one."""
        if self._logged.get(name) != problem:
            LOG.warning("%s", problem)
        self._logged[name] = problem

    def learn(self, project: Project, lessons: Sequence[Lesson], who: str, key: str | None) -> list[StoredDocument]:
        """Keep documents with their labels; where the project is a live index they count when this returns."""
        kept = self.store.learn(project.name, lessons, who=who, key=key)
        self.index(project)
        return kept

    def judge(self, project: Project, name: str, verdict: Verdict) -> RecordedVerdict:
        """Keep a verdict; where the project is a live index it counts when this returns."""
        naming = project.responder.naming
        kept = self.store.record(project.name, name, verdict, is_category=lambda label: naming.find(label) is not None)
        self.index(project)
        return kept

    def undo(self, project: Project, who: str, name: str | None, key: str | None) -> RecordedVerdict:
        """Take a verdict back."""
        kept = self.store.undo(project.name, who, name, key)
        self.index(project)
        return kept

    def forget(self, project: Project, name: str | None, person: str | None) -> int:
        """Delete documents in a live index and then in the store; the caller cleans the store's files afterwards."""
        if not project.live:
            return len(self.store.forget(project=project.name, name=name, who=person, clean=False))
        with project.learning():
            gone = self.store.brought(project=project.name, name=name, who=person)
            project.unlearn([IN_AN_INDEX + one for _, one in gone])
            project.compact()
            return len(self.store.forget(project=project.name, name=name, who=person, clean=False))

    def index(self, project: Project, *, whole: bool = False) -> None:
        """Add to a live index what has changed in the store since; with `whole`, whatever the index lacks.

        If the index cannot be written now, that is logged and done later: the store has the documents, and the client
        must not send them again.
        """
        if not project.live:
            return
        try:
            with project.learning():
                # It may be replaced once more meanwhile.
                n_replaced = project.n_replaced
                if whole:
                    self._put_lacking(project, everything=project.replaced)
                while waiting := self.store.not_indexed(project.name):
                    self._put(project, waiting)
                    self.store.mark_indexed(project.name, {one.name: one.revision for one in waiting})
                if whole:
                    project.n_caught_up = n_replaced
        except (OSError, ValueError) as error:
            self.behind = True
            self._log_once(project.name, f"{project.name}: the index lacks corrections: {in_a_line(str(error))}")
        else:
            self._logged.pop(project.name, None)

    def _put_lacking(self, project: Project, *, everything: bool) -> None:
        """Add the labeled documents that the index lacks or has with other labels, and delete those of no document.

        With `everything`, add all labeled documents: an index that was replaced may also have other texts.
        """
        indexed = project.labels()
        unlabeled = {name for name in indexed if name.startswith(IN_AN_INDEX)}

        def lacking() -> Iterator[StoredDocument]:
            for document in self.store.labelled(project.name):
                name = IN_AN_INDEX + document.name
                unlabeled.discard(name)
                if everything or indexed.get(name) != document.labels:
                    yield document

        for batch in in_batches(lacking(), DOCUMENTS_AT_A_TIME):
            self._put(project, batch)
        if everything and unlabeled:
            project.unlearn(sorted(unlabeled))

    def _put(self, project: Project, documents: Sequence[StoredDocument]) -> None:
        """Add the documents whose labels hold, and take the others out."""
        holding = [one for one in documents if one.state in LABELLED and one.labels]
        others = [IN_AN_INDEX + one.name for one in documents if one not in holding]
        if holding:
            names, texts = [IN_AN_INDEX + one.name for one in holding], [one.text for one in holding]
            project.learn(names, texts, [one.labels or [] for one in holding])
        if others:
            project.unlearn(others)

    def catch_up(self) -> None:
        """Add to live indexes what they lack of the store, if there is one; log what fails."""
        self.behind = False
        if not is_there(self._url):
            for project in self._projects:
                project.n_caught_up = project.n_replaced
            return
        for project in self._projects:
            self.index(project, whole=True)

    def check(self) -> None:
        """Raise if the store cannot be read, or the folder of a live index is missing or not up to date."""
        if self._replaced is not None or self._store is not None or is_there(self._url):
            self.store.projects()
        for project in self._projects:
            if project.live and (project.problem is not None or project.replaced):
                problem = project.problem or "the folder was replaced, and corrections are being added to it"
                raise StoreUnavailable(f"{project.name}: the live index cannot be used as it is: {problem}")

    def close(self) -> None:
        """Let go of the store."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None


def said_of(said: Any) -> dict[str, Any]:
    """Give what a model said of a text as the store keeps it."""
    return {"labels": list(said.labels), "chances": list(said.chances)}
