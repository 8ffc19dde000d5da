"""Corrections, kept before anything else: the store has them first, and a live index learns them from there.

Should the server die between the two, the store knows which documents the index does not have, and they are added when
it starts again. An index replaces a document of the same name, so nothing counts twice.
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from classmark.errors import InputError
from classmark.server.logging import LOG
from classmark.server.projects import Project, Projects
from classmark.service.answering import in_batches
from classmark.service.storing import IN_AN_INDEX
from classmark.store import Lesson, NewDocument, RecordedVerdict, Store, StoredDocument, StoreUnavailable, Verdict
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
        self._lock = threading.Lock()
        self.behind = False
        """Whether a live index may lack what the store has."""

    @property
    def store(self) -> Store:
        """The store; made where there is none."""
        with self._lock:
            if self._store is None:
                try:
                    self._store = Store.open(self._url)
                except InputError as error:
                    # Whoever asks has done nothing wrong.
                    raise StoreUnavailable(str(error)) from None
            return self._store

    def learn(self, project: Project, lessons: Sequence[Lesson], who: str, key: str | None) -> list[StoredDocument]:
        """Keep documents with their labels; where the project is a live index they count when this returns."""
        kept = self.store.learn(project.name, lessons, who=who, key=key)
        self.index(project)
        return kept

    def add(self, project: Project, documents: Sequence[NewDocument], who: str) -> list[StoredDocument]:
        """Keep documents that are to be reviewed."""
        return self.store.add(project.name, documents, who=who)

    def judge(self, project: Project, name: str, verdict: Verdict) -> RecordedVerdict:
        """Keep a verdict; where the project is a live index it counts when this returns."""
        kept = self.store.record(project.name, name, verdict)
        self.index(project)
        return kept

    def undo(self, project: Project, who: str, name: str | None, key: str | None) -> RecordedVerdict:
        """Take a verdict back."""
        kept = self.store.undo(project.name, who, name, key)
        self.index(project)
        return kept

    def forget(self, project: Project, name: str | None, person: str | None) -> int:
        """Delete documents everywhere: in a live index, and then in the store, which knows them until then."""
        if not project.live:
            return len(self.store.forget(project=project.name, name=name, who=person))
        with project.learning():
            gone = self.store.brought(project=project.name, name=name, who=person)
            project.unlearn([IN_AN_INDEX + one for _, one in gone])
            project.compact()
            return len(self.store.forget(project=project.name, name=name, who=person))

    def index(self, project: Project, *, whole: bool = False) -> None:
        """Let a live index have what has changed in the store since; as a `whole`, what it lacks, being a new one.

        Where it cannot be written now, that is logged and done later: what was sent is kept, and whoever sent it must
        not be asked to send it again.
        """
        if not project.live:
            return
        try:
            with project.learning():
                if whole:
                    self._put_missing(project)
                while waiting := self.store.not_indexed(project.name):
                    self._put(project, waiting)
                    self.store.mark_indexed(project.name, {one.name: one.revision for one in waiting})
        except (OSError, ValueError) as error:
            self.behind = True
            LOG.warning("%s: the index lacks corrections: %s", project.name, in_a_line(str(error)))

    def _put_missing(self, project: Project) -> None:
        """Add the documents whose labels hold and that the index has not, whatever the store believes."""
        there = set(project.ids())
        missing = (one for one in self.store.labelled(project.name) if IN_AN_INDEX + one.name not in there)
        for some in in_batches(missing, DOCUMENTS_AT_A_TIME):
            self._put(project, some)

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
        """Open a store that is there, and let live indexes learn what they have missed; trouble is logged."""
        if not is_there(self._url):
            return
        self.behind = False
        for project in self._projects:
            self.index(project, whole=True)

    def ready(self) -> None:
        """Raise where the store that is there cannot be read."""
        if is_there(self._url):
            self.store.projects()

    def close(self) -> None:
        """Let go of the store."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None


def said_of(said: Any) -> dict[str, Any]:
    """Give what a model said of a text as the store keeps it."""
    return {"labels": list(said.labels), "chances": list(said.chances)}
