"""Documents deleted from the store, and from the files that it is made of."""

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, select

from classmark.errors import InputError
from classmark.store.database import Database
from classmark.store.errors import StoreUnavailable
from classmark.store.free_space import has_traces
from classmark.store.schema import document, verdict

REWRITES = ("VACUUM FULL verdict", "VACUUM FULL document")
PATIENCE = 10.0
"""Number of seconds for which readers of the log are waited for."""
MOST_CHARACTERS = 1 << 20
"""If more characters were deleted, the file is rewritten without a search for traces."""
NAMES_IN_A_QUERY = 500


def brought(
    connection: Connection, project: str | None, name: str | None, who: str | None, *, held: bool = False
) -> list[tuple[str, str]]:
    """Return project and name of documents; `held` locks them until the transaction ends."""
    asked = select(document.c.project, document.c.name).where(*_which(project, name, who)).order_by(document.c.id)
    rows = connection.execute(asked.with_for_update() if held else asked)
    return [(row[0], row[1]) for row in rows]


def forget(
    connection: Connection, project: str | None, name: str | None, who: str | None
) -> tuple[list[tuple[str, str]], list[str]]:
    """Delete documents with their verdicts; return project and name of each, and the strings that must be gone."""
    which = _which(project, name, who)
    gone = brought(connection, project, name, who, held=True)
    numbers = list(connection.execute(select(document.c.id).where(*which)).scalars())
    return gone, delete_documents(connection, numbers)


def delete_documents(connection: Connection, numbers: Sequence[int]) -> list[str]:
    """Delete documents by the store's numbers, with their verdicts; return the strings that must be gone."""
    deleted: list[str] = []
    for start in range(0, len(numbers), NAMES_IN_A_QUERY):
        some = numbers[start : start + NAMES_IN_A_QUERY]
        if connection.dialect.name == "sqlite":
            deleted += _strings(connection, some)
        connection.execute(delete(verdict).where(verdict.c.document.in_(some)))
        connection.execute(delete(document).where(document.c.id.in_(some)))
    return deleted


def _strings(connection: Connection, numbers: Sequence[int]) -> Iterator[str]:
    """Yield what identifies the rows of documents and of their verdicts."""
    for row in connection.execute(select(document.c.name, document.c.text).where(document.c.id.in_(numbers))):
        yield from row
    of_verdicts = select(verdict.c.key, verdict.c.before).where(verdict.c.document.in_(numbers))
    for key, before in connection.execute(of_verdicts):
        yield key
        if "text" in (before or {}):
            yield before["text"]


def _which(project: str | None, name: str | None, who: str | None) -> list[ColumnElement[bool]]:
    if name is None and who is None:
        raise InputError("neither a name nor a person is given; say whose documents, or which one, to forget")
    asked: dict[str, Any] = {"project": project, "name": name, "by": who}
    return [document.c[column] == value for column, value in asked.items() if value is not None]


class Cleaner:
    """Removal of deleted content from the files of a database, once for all deletions that wait for it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._running = threading.Lock()
        self._lock = threading.Lock()
        self._deleted: list[str] | None = []
        self._is_pending = False

    def add(self, deleted: Iterable[str], *, is_known: bool = True) -> None:
        """Add strings that were deleted; if not `is_known`, others may have been, and the file is rewritten."""
        with self._lock:
            self._is_pending = True
            if not is_known or self._deleted is None:
                self._deleted = None
                return
            self._deleted += deleted
            if sum(map(len, self._deleted)) > MOST_CHARACTERS:
                self._deleted = None

    def clean(self) -> None:
        """Return when the files have nothing of what was deleted before this call.

        Calls that wait for another one share the next removal. One that fails is repeated by the next call.
        """
        with self._running:
            with self._lock:
                deleted, is_pending = self._deleted, self._is_pending
                self._deleted, self._is_pending = [], False
            if not is_pending:
                return
            try:
                (_clean_file if self._database.is_file else _clean_server)(self._database, deleted)
            except BaseException:
                self.add(deleted or [], is_known=deleted is not None)
                raise


def _clean_file(database: Database, deleted: Sequence[str] | None) -> None:
    """Empty the log, and rewrite the file if its free space has traces, which is rare."""
    assert database.file is not None
    try:
        with database.outside() as connection:
            _empty_log(database, connection)
            if deleted is None or has_traces(database.file.read, deleted):
                connection.exec_driver_sql("VACUUM")
                _empty_log(database, connection)
    except StoreUnavailable as error:
        told = f"{error}; the documents are deleted, but their traces remain: forget them again"
        raise type(error)(told) from None


def _empty_log(database: Database, connection: Connection) -> None:
    """Write the log into the file and truncate it, in short attempts between which others can write."""
    end = time.monotonic() + PATIENCE
    (patience,) = connection.exec_driver_sql("PRAGMA busy_timeout").one()
    connection.exec_driver_sql("PRAGMA busy_timeout = 50")
    try:
        while connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]:
            if time.monotonic() > end:
                raise StoreUnavailable(f"{database.place}: a reader keeps the log in use")
            time.sleep(0.02)
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {patience}")


def _clean_server(database: Database, deleted: Sequence[str] | None) -> None:
    """Rewrite the tables: a plain VACUUM leaves the text in their files."""
    with database.outside() as connection:
        for statement in REWRITES:
            connection.exec_driver_sql(statement)
