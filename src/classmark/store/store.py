"""`Store`: documents, what the model said of them, and what people say."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.store import adding, claiming, copies, exporting, forgetting, judging, looking
from classmark.store.database import Database, check_database
from classmark.store.documents import Lesson, NewDocument, RecordedVerdict, StoredDocument, Verdict
from classmark.store.queue import Queue
from classmark.store.rows import find_document
from classmark.store.schema import open_tables
from classmark.store.signatures import signature_of
from classmark.store.values import check_documents, check_lessons, check_name

LEASE = 600.0
"""For so many seconds a document is kept for whoever has claimed it, where nothing else is said."""
LONGEST_LEASE = 86_400 * 30


def utc_now() -> datetime:
    """Give the time by the clock of this machine."""
    return datetime.now(UTC)


class Store:
    """A database of documents and verdicts, in a SQLite file or on a PostgreSQL server.

    Every method is one transaction, which lasts when the method returns, and may be called by several threads and
    processes at a time. `StoreUnavailable` is raised where the database fails.

    Parameters
    ----------
    database : Database
        Where the tables are; `Store.open` makes it of an address.
    clock : function
        Gives the time.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> store = Store.open(f"{folder.name}/birds.sqlite")
    >>> said = {"labels": ["gull"], "chances": {"gull": 0.6}}
    >>> _ = store.add("birds", [NewDocument(name="1", text="hoots at night", said=said, doubt=0.4)], who="ann")
    >>> [found.name for found in store.claim("birds", "ben")]
    ['1']
    >>> store.record("birds", "1", Verdict(kind="correct", labels=["owl"], who="ben", revision=0)).state
    'human'
    >>> [(one.text, one.labels) for one in store.labelled("birds")]
    [('hoots at night', ['owl'])]
    >>> store.close()
    >>> folder.cleanup()
    """

    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock
        self._cleaner = forgetting.Cleaner(database)

    @property
    def place(self) -> str:
        """Where the store is, as messages name it: without a password."""
        return self._database.place

    @property
    def queue(self) -> Queue:
        """What waits for people's word, looked at as a whole."""
        return Queue(self._database, self._clock, self._cleaner)

    @classmethod
    def open(cls, url: str | Path, *, create: bool = True, clock: Callable[[], datetime] = utc_now) -> Self:
        """Open a store: the path of a SQLite file, `sqlite:///PATH` or `postgresql://…`.

        A file is checked. With `create`, a missing store is created.
        """
        database = Database(url, create=create)
        try:
            check_database(database)
            open_tables(database, create=create)
        except BaseException:
            database.close()
            raise
        return cls(database, clock)

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def check_file(self) -> None:
        """Raise StoreReplaced if the SQLite file was deleted or replaced since the store was opened."""
        self._database.check_file()

    def rescue(self) -> Path | None:
        """Save what only this store's open connections still have of a file that was deleted or replaced.

        Afterwards every call raises StoreReplaced. The content of a deleted file is copied to a new one next to it,
        whose path is returned.
        """
        return self._database.rescue()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(self, project: str, documents: Sequence[NewDocument], *, who: str) -> list[StoredDocument]:
        """Add documents, all or none, and give them as they are stored, in their order.

        One whose name is there is replaced as long as nobody has said anything of it (but to skip it), and otherwise
        left as it is.
        """
        check_name("project", project)
        check_name("who", who)
        check_documents(documents)
        # Before the transaction, which others wait for.
        signatures = [signature_of(one.text) for one in documents]
        return self._database.write(adding.add, project, documents, signatures, who, self._clock())

    def learn(
        self,
        project: str,
        documents: Sequence[Lesson | tuple[str | None, str, Sequence[str]]],
        *,
        who: str,
        key: str | None = None,
    ) -> list[StoredDocument]:
        """Add documents with labels by a person, all or none; one whose name is there gets this text and these labels.

        The same key again changes nothing, and gives the same documents, as they are now.
        """
        lessons = [Lesson(*one) for one in documents]
        check_name("project", project)
        check_name("who", who)
        check_lessons(lessons)
        signatures = [signature_of(one.text) for one in lessons]
        return self._database.write(adding.learn, project, lessons, signatures, who, key, self._clock())

    def claim(
        self, project: str, who: str, *, order: str = "doubt", count: int = 1, lease_seconds: float = 600
    ) -> list[StoredDocument]:
        """Give waiting documents to a person, and to nobody else for as long as the lease.

        Those that the person has claimed and not judged come first, again; then, by `order` (`doubt`, `disagreement`,
        `suspicion`: the largest first; `random`: the same at any time), those that nobody has claimed. Documents
        without a known doubt or disagreement come last; those without labels of their own are not in the order
        `suspicion`. What somebody has skipped comes after what nobody has, and what the person has skipped only when
        nothing else is waiting.
        """
        if not math.isfinite(lease_seconds) or not 0 < lease_seconds <= LONGEST_LEASE:
            raise InputError(f"lease_seconds={lease_seconds!r}: must be a number > 0 and <= {LONGEST_LEASE:,}")
        now = self._clock()
        until = now + timedelta(seconds=lease_seconds)
        return self._database.write(claiming.claim, project, who, order, count, now, until)

    def release(self, project: str, who: str) -> int:
        """Give back what a person has claimed and not judged, and say how many documents that is."""
        return self._database.write(claiming.release, project, who, self._clock())

    def record(
        self, project: str, name: str, verdict: Verdict, *, is_category: Callable[[str], bool] | None = None
    ) -> RecordedVerdict:
        """Save the verdict of a person; the same key again changes nothing and returns the same answer.

        Parameters
        ----------
        project, name : str
            The document.
        verdict : Verdict
            The verdict.
        is_category : callable, optional
            Function that returns whether a label is a category; an accepted label must be one. By default any label is.

        Raises
        ------
        Missing
            If there is no such document.
        Conflict
            If the document has changed since the revision that the person saw, is claimed by somebody else, or has a
            label to accept that is no category.
        """
        return self._database.write(judging.record, project, name, verdict, self._clock(), is_category)

    def undo(self, project: str, who: str, name: str | None = None, key: str | None = None) -> RecordedVerdict:
        """Take back a person's last verdict, or the last on one document: state and labels are as before it.

        Raises
        ------
        Missing
            If there is nothing to take back.
        Conflict
            If somebody has given a verdict on the document since.
        """
        now = self._clock()
        return self._database.write(judging.undo, project, who, name, key, now, now + timedelta(seconds=LEASE))

    def document(self, project: str, name: str) -> StoredDocument:
        """Give a document as it is now; `Missing` where there is none."""
        return self._database.read(find_document, project, name)

    def documents(
        self, project: str, *, state: str | None = None, order: str = "added", offset: int = 0, limit: int = 100
    ) -> list[StoredDocument]:
        """Give some documents: of a state, by `added`, `name`, `doubt`, `disagreement`, `suspicion` or `random`."""
        return self._database.read(looking.documents, project, state, order, offset, limit)

    def history(self, project: str, name: str) -> list[RecordedVerdict]:
        """Give all verdicts on a document, the earliest first."""
        return self._database.read(looking.history, project, name)

    def counts(self, project: str) -> dict[str, Any]:
        """Count the documents of a project and the verdicts that hold.

        Returns
        -------
        dict
            `documents`, `waiting`, `reviewed`, `human`, `rejected`, `claimed` (of those waiting): numbers of documents.
            `random`: how many of the documents claimed at random were `accepted`, `corrected` and `rejected`.
            `people`: for each person, how often which kind of verdict, those taken back left out.
        """
        return self._database.read(looking.counts, project, self._clock())

    def projects(self) -> list[str]:
        """Give the names of all projects that have documents."""
        return self._database.read(looking.projects)

    def labelled(self, project: str) -> Iterator[StoredDocument]:
        """Give the documents whose labels hold (`reviewed` and `human`), one after the other, as they came."""
        last = 0
        # Each time anew, so that nobody who stops halfway keeps a connection.
        while some := self._database.read(looking.labelled_after, project, last):
            yield from some
            last = some[-1].id

    def labelled_as(self, project: str, label: str, *, offset: int = 0, limit: int = 20) -> list[StoredDocument]:
        """Give documents that have a label, or would have it by what the model says; those judged last come first."""
        return self._database.read(looking.labelled_as, project, label, offset, limit)

    def not_indexed(self, project: str, *, limit: int = 1000) -> list[StoredDocument]:
        """Give documents whose last change the live index does not have; those without labels must leave it."""
        return self._database.read(looking.not_indexed, project, limit)

    def mark_indexed(self, project: str, names: Iterable[str] | Mapping[str, int]) -> None:
        """Say that the live index has documents as they are now, or, given with revisions, as they were then."""
        self._database.write(looking.mark_indexed, project, names)

    def brought(
        self, *, project: str | None = None, name: str | None = None, who: str | None = None
    ) -> list[tuple[str, str]]:
        """Give project and name of the documents that `forget` would delete."""
        return self._database.read(forgetting.brought, project, name, who)

    def forget(
        self, *, project: str | None = None, name: str | None = None, who: str | None = None, clean: bool = True
    ) -> list[tuple[str, str]]:
        """Delete documents with their verdicts, by name or by who brought them; return project and name of each.

        Afterwards the database's files do not have them either; without `clean`, only after a call of `clean`.
        """
        gone, deleted = self._database.write(forgetting.forget, project, name, who)
        # If nothing is there to delete, an earlier call may have failed to clean.
        self._cleaner.add(deleted, is_known=bool(gone) or not clean)
        if clean:
            self._cleaner.clean()
        return gone

    def clean(self) -> None:
        """Remove deleted documents from the database's files, once for all deletions that wait for it."""
        self._cleaner.clean()

    def backup(self, path: str | Path) -> int:
        """Write everything to one SQLite file, whole or not at all, and say how many documents it has."""
        return copies.backup(self._database, Path(path))

    @classmethod
    def restore(cls, path: str | Path, url: str | Path) -> Self:
        """Open a store that is new or empty, with everything that a backup has."""
        store = cls.open(url)
        try:
            copies.restore(Path(path), store._database)
        except BaseException:
            store.close()
            raise
        return store

    def export(self, folder: str | Path, project: str, hierarchy: Hierarchy | None = None) -> int:
        """Write the documents whose labels hold as a dataset folder, and say how many they are."""
        with self._database.snapshot() as connection:
            return exporting.export(connection, self.place, Path(folder), project, hierarchy)
