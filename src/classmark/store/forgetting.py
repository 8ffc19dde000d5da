"""Documents out of the store, and out of the files that it is made of."""

from sqlalchemy import ColumnElement, Connection, delete, select

from classmark.errors import InputError
from classmark.store.database import Database
from classmark.store.errors import StoreUnavailable
from classmark.store.schema import document, verdict

CLEANED = ("VACUUM FULL verdict", "VACUUM FULL document")


def brought(
    connection: Connection, project: str | None, name: str | None, who: str | None, *, held: bool = False
) -> list[tuple[str, str]]:
    """Give project and name of documents; `held`, nobody else changes them before this transaction ends."""
    asked = select(document.c.project, document.c.name).where(*_which(project, name, who)).order_by(document.c.id)
    rows = connection.execute(asked.with_for_update() if held else asked)
    return [(row[0], row[1]) for row in rows]


def forget(connection: Connection, project: str | None, name: str | None, who: str | None) -> list[tuple[str, str]]:
    """Delete documents with all that was said of them, and give project and name of each."""
    which = _which(project, name, who)
    gone = brought(connection, project, name, who, held=True)
    connection.execute(delete(verdict).where(verdict.c.document.in_(select(document.c.id).where(*which))))
    connection.execute(delete(document).where(*which))
    return gone


def _which(project: str | None, name: str | None, who: str | None) -> list[ColumnElement[bool]]:
    if name is None and who is None:
        raise InputError("neither a name nor a person is given; say whose documents, or which one, to forget")
    asked = {"project": project, "name": name, "by": who}
    return [document.c[column] == value for column, value in asked.items() if value is not None]


def clean(database: Database) -> None:
    """Let the files have nothing of what was deleted: neither the tables' own nor, with SQLite, the log beside."""
    (_clean_file if database.is_file else _clean_server)(database)


def _clean_file(database: Database) -> None:
    try:
        with database.outside() as connection:
            connection.exec_driver_sql("VACUUM")
            busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
    except StoreUnavailable as error:
        raise StoreUnavailable(
            f"{error}; the documents are deleted, but their traces remain: forget them again"
        ) from None
    if busy:
        told = f"{database.place}: somebody reads the store, so that traces of the deleted documents remain"
        raise StoreUnavailable(f"{told} in its log; forget them again")


def _clean_server(database: Database) -> None:
    """Write the tables anew; what the server's own log and its backups hold is for whoever runs it."""
    with database.outside() as connection:
        for statement in CLEANED:
            connection.exec_driver_sql(statement)
