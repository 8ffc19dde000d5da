"""A database by its address: connections that are set up alike, and transactions that are tried again."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import URL, Connection, Engine, PoolProxiedConnection, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from classmark.errors import InputError, needing
from classmark.persistence import check_writable, flush_to_disk, replacing
from classmark.store.errors import StoreUnavailable, in_words, is_race
from classmark.store.file import StoreFile, locked_folder

P = ParamSpec("P")
T = TypeVar("T")

HEADER = b"SQLite format 3\x00"
PATIENCE = 10_000
"""So many milliseconds a connection waits for another that writes."""
RETRIES = 10
PRAGMAS = (
    f"PRAGMA busy_timeout = {PATIENCE}",
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",
    "PRAGMA foreign_keys = ON",
)
SETTINGS = ("SET synchronous_commit TO on", "SET client_encoding TO 'UTF8'")
SCHEMES = {
    **dict.fromkeys(("sqlite", "sqlite+pysqlite"), "sqlite"),
    **dict.fromkeys(("postgresql", "postgres", "postgresql+psycopg"), "postgresql+psycopg"),
}
"""How addresses begin, and what SQLAlchemy calls it."""
SHOWN = 20
"""So many characters of the beginning of an unknown address are shown."""
BEGIN = "begin"
"""The execution option that says how a transaction of SQLite begins."""
ONLY_ITS_OWNER = 0o600


class Database:
    """A SQLite file or a PostgreSQL database."""

    def __init__(self, address: str | Path, *, create: bool) -> None:
        url = _url(str(address))
        self.engine, self.place, self.file = OPENING[url.get_backend_name()](url, create)
        self._anchor: PoolProxiedConnection | None = None
        self._active = 0
        self._lock = Lock()

    def close(self) -> None:
        """Close all connections."""
        if self._anchor is not None:
            self._anchor.close()
            self._anchor = None
        self.engine.dispose()
        if self.file is not None:
            self.file.close()

    @property
    def is_file(self) -> bool:
        """Whether it is a SQLite file."""
        return self.file is not None

    def anchor(self) -> None:
        """Keep one connection to a SQLite file open, so that its log stays the same file until `close`."""
        if self.file is not None and self._anchor is None:
            with in_words(self.place):
                self._anchor = self.engine.raw_connection()
                self._anchor.detach()
                self._anchor.cursor().execute("SELECT count(*) FROM sqlite_master").fetchall()
            self.file.record_log()

    def check_file(self) -> None:
        """Raise StoreReplaced if the open SQLite file is not the one at its path."""
        if self.file is not None:
            self.file.check()

    def rescue(self) -> Path | None:
        """Save what only open connections have of a SQLite file that was replaced or deleted.

        Afterwards every transaction raises StoreReplaced. The log is written into the file, wherever that was moved.
        If the file was deleted, its content is copied to a new file next to the path; return its path. Several
        processes that had the same file open write one copy.
        """
        if self.file is None or self._anchor is None:
            return None
        self.file.abandoned = True
        path = self.file.path
        end = time.monotonic() + PATIENCE / 1000
        while self._active:
            # Transactions that began before share the log, and end soon.
            if time.monotonic() > end:
                raise StoreUnavailable(f"{path}: the replaced file is still in use; its log could not be saved")
            time.sleep(0.01)
        with in_words(self.place), locked_folder(path.parent), self._sqlite_errors():
            cursor = self._anchor.cursor()
            (busy, *_) = cursor.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
            if busy:
                raise StoreUnavailable(f"{path}: the replaced file is still in use; its log could not be saved")
            copy = None
            if self.file.is_deleted:
                moment = datetime.fromtimestamp(self.file.changed)
                copy = path.with_name(f"{path.name}.rescued-{moment:%Y%m%d-%H%M%S-%f}")
                if not copy.exists():
                    with replacing(copy) as temporary:
                        temporary.chmod(ONLY_ITS_OWNER)
                        cursor.execute("VACUUM INTO ?", (str(temporary),))
            self.file.remove_log()
        return copy

    @contextmanager
    def _sqlite_errors(self) -> Iterator[None]:
        """Raise errors of a connection that SQLAlchemy does not watch as SQLAlchemy would."""
        try:
            yield
        except sqlite3.Error as error:
            raise DBAPIError(None, None, error) from None

    def read(self, function: Callable[Concatenate[Connection, P], T], /, *arguments: P.args, **named: P.kwargs) -> T:
        """Return the result of a function that reads in one transaction."""
        with self.snapshot() as connection:
            return function(connection, *arguments, **named)

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Yield a connection that sees the store as it is now, whatever is written meanwhile."""
        options: dict[str, Any] = {} if self.is_file else {"isolation_level": "REPEATABLE READ"}
        with in_words(self.place), self._connected(**options) as connection, connection.begin():
            yield connection

    def write(self, function: Callable[Concatenate[Connection, P], T], /, *arguments: P.args, **named: P.kwargs) -> T:
        """Return the result of a function after its transaction is durable; retry if another one interfered."""
        with in_words(self.place):
            for attempt in range(RETRIES):
                try:
                    # Transactions of SQLite wait for each other from their beginning: they cannot later.
                    with self._connected(**{BEGIN: "BEGIN IMMEDIATE"}) as connection, connection.begin():
                        # Again, now that SQLite has opened the log.
                        self.check_file()
                        result = function(connection, *arguments, **named)
                    self.check_file()
                    return result
                except DBAPIError as error:
                    if attempt + 1 == RETRIES or not is_race(error):
                        raise
        raise AssertionError("unreachable")

    @contextmanager
    def outside(self) -> Iterator[Connection]:
        """Yield a connection without a transaction, for statements that cannot run in one."""
        options = {BEGIN: ""} if self.is_file else {"isolation_level": "AUTOCOMMIT"}
        with in_words(self.place), self._connected(**options) as connection:
            yield connection
            self.check_file()

    @contextmanager
    def _connected(self, **options: Any) -> Iterator[Connection]:
        with self._lock:
            self._active += 1
        try:
            self.check_file()
            with self.engine.connect().execution_options(**options) as connection:
                yield connection
        finally:
            with self._lock:
                self._active -= 1


def _url(address: str) -> URL:
    """Read an address; one that is a path is that of a SQLite file."""
    scheme, separator, _ = address.partition("://")
    if not separator:
        return URL.create("sqlite", database=address)
    try:
        return make_url(address).set(drivername=SCHEMES[scheme])
    except (ArgumentError, KeyError, ValueError):
        # The address is not repeated: it may hold a password.
        told = f"{scheme[:SHOWN]}://…: not the address of a store"
        raise InputError(f"{told}; give a path, sqlite:///PATH or postgresql://USER@HOST/DATABASE") from None


def _open_file(url: URL, create: bool) -> tuple[Engine, str, StoreFile | None]:
    """Open a SQLite file, which only its owner may read where it is made here."""
    path = Path(url.database or "")
    if url.database in (None, "", ":memory:"):
        raise InputError("a store in memory would be lost; give the path of a file")
    if path.is_dir():
        raise IsADirectoryError(f"{path}: a folder; give the name of a file")
    if not path.exists():
        if not create:
            raise FileNotFoundError(f"{path}: there is no such store; check the path")
        check_writable(path)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, ONLY_ITS_OWNER))
        flush_to_disk(path.parent)
    file = StoreFile(path)
    start = file.read(0, len(HEADER))
    if start and start != HEADER:
        file.close()
        raise InputError(f"{path}: not a SQLite file, or a damaged one; give another path, or restore a backup")
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"timeout": PATIENCE / 1000})

    def set_up(connection: Any, record: Any) -> None:
        # Before the first statement opens the log, which may belong to another file by now.
        file.check()
        # Transactions are ours to begin.
        connection.isolation_level = None
        for pragma in PRAGMAS:
            connection.execute(pragma)

    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", _begin)
    return engine, str(path), file


def _begin(connection: Connection) -> None:
    statement = connection.get_execution_options().get(BEGIN, "BEGIN")
    if statement:
        connection.exec_driver_sql(statement)


def _open_server(url: URL, create: bool) -> tuple[Engine, str, StoreFile | None]:
    """Open a PostgreSQL database, which must be there, by psycopg."""
    with needing("PostgreSQL needs psycopg", "postgres"):
        import psycopg as psycopg
    host = url.host or url.query.get("host") or "local"
    place = f"postgresql://{host if isinstance(host, str) else host[0]}/{url.database or ''}"
    engine = create_engine(
        url,
        pool_pre_ping=True,
        isolation_level="READ COMMITTED",
        connect_args={"connect_timeout": 10, "application_name": "classmark"},
    )
    event.listen(engine, "connect", _set_up_server)
    return engine, place, None


def _set_up_server(connection: Any, record: Any) -> None:
    """Make every commit last, whatever the server's own setting is."""
    with connection.cursor() as cursor:
        for setting in SETTINGS:
            cursor.execute(setting)
    connection.commit()


OPENING: dict[str, Callable[[URL, bool], tuple[Engine, str, StoreFile | None]]] = {
    "sqlite": _open_file,
    "postgresql": _open_server,
}
"""What opens a database, by the first word of its address."""


def check_database(database: Database) -> None:
    """Raise if a file is damaged, or a server cannot hold every text; let a file be written while others read."""
    with database.outside() as connection:
        if not database.is_file:
            encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
            if encoding != "UTF8":
                raise InputError(f"{database.place}: the database is in {encoding}; create one in UTF8")
            return
        _write_ahead(connection)
        found = connection.exec_driver_sql("PRAGMA quick_check").scalar_one()
    database.anchor()
    if found != "ok":
        raise StoreUnavailable(f"{database.place}: the file is damaged; restore a backup (classmark store restore)")


def _write_ahead(connection: Connection) -> None:
    """Have changes written to a log beside the file, once for all who open it later.

    SQLite does not wait here for others who begin at the same time, so we do.
    """
    end = time.monotonic() + PATIENCE / 1000
    while connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() != "wal":
        try:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        except OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)
