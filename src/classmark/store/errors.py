"""What may go wrong with a store, each in one line: no statement, no text of a document and no password in it."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from classmark.errors import InputError
from classmark.store.documents import RecordedVerdict, StoredDocument


class Missing(InputError):  # noqa: N818 - what is missing is named, as in KeyError's place
    """There is no such project, document or verdict."""


class StoreUnavailable(OSError):  # noqa: N818
    """The store cannot be read or written: a full disk, a damaged file, a connection that is lost."""


class StoreReplaced(StoreUnavailable):
    """The file of the store was deleted or replaced while it was open."""


class Conflict(InputError):  # noqa: N818
    """Somebody else was first.

    Attributes
    ----------
    current : StoredDocument
        The document as it is now.
    last : RecordedVerdict or None
        What was said of it last, an undo too, where anything was but to skip it.
    """

    def __init__(self, current: StoredDocument, last: RecordedVerdict | None, words: str) -> None:
        super().__init__(words)
        self.current = current
        self.last = last


IN_SQLITE = {
    "SQLITE_FULL": "the disk is full; make room, then try again",
    "SQLITE_CORRUPT": "the file is damaged; restore a backup (classmark store restore)",
    "SQLITE_NOTADB": "the file is damaged, or not a store; restore a backup (classmark store restore)",
    "SQLITE_BUSY": "somebody else has been writing for too long; try again",
    "SQLITE_LOCKED": "somebody else has been writing for too long; try again",
    "SQLITE_READONLY": "may not be written; check who owns the file and its folder",
    "SQLITE_PERM": "may not be read; check who owns the file",
    "SQLITE_CANTOPEN": "cannot be opened; check the path, and who owns the file and its folder",
    "SQLITE_IOERR": "cannot be read or written; the disk may be full or failing",
    "SQLITE_TOOBIG": "a text is too long; cut it",
}
"""What the codes of SQLite mean; longer ones, such as SQLITE_IOERR_WRITE, begin with one of these."""
IN_POSTGRESQL = {
    "08": "the connection was lost; try again",
    "22": "it cannot hold a value that was given",
    "28": "the server does not accept the user or the password",
    "3D000": "there is no such database; create it first",
    "40": "too many write the same documents at once; try again",
    "42501": "the user may not do this; grant the rights to create tables and to write",
    "42P07": "has tables that are called as ours and are not; give the store a database of its own",
    "53100": "the disk of the server is full; make room, then try again",
    "53200": "the server has no memory left; try again later",
    "53300": "the server has too many connections; close some, or allow more",
    "57": "the server has stopped, or cancels what it was asked; try again",
    "58": "the server cannot read or write its files; look at its log",
    "XX": "the server finds its files damaged; restore a backup",
}
"""What the codes of PostgreSQL mean, by how they begin."""
UNREACHABLE = "the server cannot be reached, or the connection was lost; see that it runs, and check the address"


@contextmanager
def in_words(place: str) -> Iterator[None]:
    """Say of what fails inside what is wrong with the store at a place."""
    try:
        yield
    except PoolTimeout:
        raise StoreUnavailable(f"{place}: too many wait for the store at once; try again") from None
    except DBAPIError as error:
        raise StoreUnavailable(f"{place}: {_reason(error.orig)}") from None
    except SQLAlchemyError as error:
        raise StoreUnavailable(f"{place}: the store cannot be used ({type(error).__name__})") from None


def is_race(error: DBAPIError) -> bool:
    """Say whether another transaction got in the way, so that trying again may help: a key taken, a deadlock."""
    code = getattr(error.orig, "sqlstate", None) or ""
    return code.startswith(("23505", "40")) or _sqlite_code(error.orig).startswith("SQLITE_CONSTRAINT_UNIQUE")


def _reason(error: BaseException | None) -> str:
    code = _sqlite_code(error)
    if code:
        return next((words for known, words in IN_SQLITE.items() if code.startswith(known)), f"failed with {code}")
    state = getattr(error, "sqlstate", None)
    if state is None:
        return UNREACHABLE
    return next((words for known, words in IN_POSTGRESQL.items() if state.startswith(known)), f"failed with {state}")


def _sqlite_code(error: BaseException | None) -> str:
    return getattr(error, "sqlite_errorname", None) or ""
