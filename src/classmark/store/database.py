"""A database by its address: connections that are set up alike, and transactions that are tried again."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from classmark.errors import InputError
from classmark.lazy import needing
from classmark.persistence import check_writable, flush_to_disk
from classmark.store.errors import StoreUnavailable
from classmark.store.failures import in_words, is_race

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


class Database:
    """A SQLite file or a PostgreSQL database."""

    def __init__(self, address: str | Path, *, create: bool) -> None:
        url = _url(str(address))
        self.engine, self.place = OPENING[url.get_backend_name()](url, create)

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    @property
    def is_file(self) -> bool:
        """Whether it is a SQLite file."""
        return self.engine.dialect.name == "sqlite"

    def read(self, function: Callable[Concatenate[Connection, P], T], /, *arguments: P.args, **named: P.kwargs) -> T:
        """Give what a function reads in one transaction."""
        with self.snapshot() as connection:
            return function(connection, *arguments, **named)

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Give a connection that sees the store as it is now, whatever is written meanwhile."""
        options: dict[str, Any] = {} if self.is_file else {"isolation_level": "REPEATABLE READ"}
        with in_words(self.place), self.engine.connect().execution_options(**options) as connection, connection.begin():
            yield connection

    def write(self, function: Callable[Concatenate[Connection, P], T], /, *arguments: P.args, **named: P.kwargs) -> T:
        """Give what a function gives in one transaction that lasts; where another got in its way, it is tried again."""
        with in_words(self.place):
            for attempt in range(RETRIES):
                try:
                    with self._writing() as connection, connection.begin():
                        return function(connection, *arguments, **named)
                except DBAPIError as error:
                    if attempt + 1 == RETRIES or not is_race(error):
                        raise
        raise AssertionError("unreachable")

    def _writing(self) -> Connection:
        """Give a connection whose transactions wait for each other from their beginning, where others cannot."""
        return self.engine.connect().execution_options(**{BEGIN: "BEGIN IMMEDIATE"})

    @contextmanager
    def outside(self) -> Iterator[Connection]:
        """Give a connection without a transaction, for what runs in none."""
        options = {BEGIN: ""} if self.is_file else {"isolation_level": "AUTOCOMMIT"}
        with in_words(self.place), self.engine.connect() as connection:
            yield connection.execution_options(**options)


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


def _open_file(url: URL, create: bool) -> tuple[Engine, str]:
    """Open a SQLite file, which only its owner may read where it is made here."""
    path = Path(url.database or "")
    if url.database in (None, "", ":memory:"):
        raise InputError("a store in memory would be lost; give the path of a file")
    if path.is_dir():
        raise IsADirectoryError(f"{path}: a folder; give the name of a file")
    if not path.exists():
        if not create:
            raise FileNotFoundError(f"{path}: there is no such store; check the path")
        _make_file(path)
    _check_header(path)
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"timeout": PATIENCE / 1000})
    event.listen(engine, "connect", _set_up_file)
    event.listen(engine, "begin", _begin)
    return engine, str(path)


def _make_file(path: Path) -> None:
    check_writable(path)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    flush_to_disk(path.parent)


def _check_header(path: Path) -> None:
    with path.open("rb") as file:
        start = file.read(len(HEADER))
    if start and start != HEADER:
        raise InputError(f"{path}: not a SQLite file, or a damaged one; give another path, or restore a backup")


def _set_up_file(connection: Any, record: Any) -> None:
    """Leave transactions to us, and make every commit last."""
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    statement = connection.get_execution_options().get(BEGIN, "BEGIN")
    if statement:
        connection.exec_driver_sql(statement)


def _open_server(url: URL, create: bool) -> tuple[Engine, str]:
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
    return engine, place


def _set_up_server(connection: Any, record: Any) -> None:
    """Make every commit last, whatever the server's own setting is."""
    with connection.cursor() as cursor:
        for setting in SETTINGS:
            cursor.execute(setting)
    connection.commit()


OPENING: dict[str, Callable[[URL, bool], tuple[Engine, str]]] = {"sqlite": _open_file, "postgresql": _open_server}
"""What opens a database, by the first word of its address."""


def check_database(database: Database) -> None:
    """Refuse a file that is damaged, and a server that cannot hold every text; let a file be written beside reading."""
    (_check_file if database.is_file else _check_server)(database)


def _check_file(database: Database) -> None:
    with database.outside() as connection:
        _write_ahead(connection)
        found = connection.exec_driver_sql("PRAGMA quick_check").scalar_one()
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


def _check_server(database: Database) -> None:
    with database.outside() as connection:
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise InputError(f"{database.place}: the database is in {encoding}; create one in UTF8")
