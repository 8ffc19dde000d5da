"""The tables, their creation and their migration.

- *project*: a name, and the last number that a document without a name got there.
- *document*: its text, what it came with, what holds of it now, and who has it before them.
- *verdict*: what people said, one row each, never changed but to mark it as undone.

Labels, and whatever is of no interest to the database, are JSON in a column of text.
"""

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    inspect,
    text,
)

from classmark.errors import InputError
from classmark.store.database import Database

Migrations = tuple[tuple[str, ...], ...]
MIGRATIONS: Migrations = ()
"""Statements that change the tables of version 1 to version 2, and so on; each version in one transaction.

A change of the tables below needs its statements here. Those that a version of classmark was released with stay as
they are.
"""
LOCK = 0x636C6173736D61
"""Advisory lock of processes that create the tables of a PostgreSQL database; the number means nothing."""

metadata = MetaData()
Number = BigInteger().with_variant(Integer, "sqlite")
"""A number of the database's own: SQLite counts up those of this type alone."""


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite keeps none of its zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give what is kept."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the time back with its zone."""
        return None if value is None else (value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC))


class Plain(TypeDecorator[Any]):
    """Lists, dicts, strings and numbers as JSON; None is no value at all."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Give what is kept; characters as they are, so that what is deleted can be searched for."""
        return None if value is None else json.dumps(value, ensure_ascii=False, allow_nan=False)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Give the value back."""
        return None if value is None else json.loads(value)


project = Table(
    "project",
    metadata,
    Column("name", Text, primary_key=True),
    Column("numbered", BigInteger, nullable=False),
)

document = Table(
    "document",
    metadata,
    Column("id", Number, Identity(), primary_key=True),
    Column("project", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("given", Plain),
    Column("said", Plain),
    Column("version", Text),
    Column("doubt", Double),
    Column("disagreement", Double),
    Column("suspicion", Double),
    Column("draw", Double, nullable=False),
    Column("state", Text, nullable=False),
    Column("labels", Plain),
    Column("revision", BigInteger, nullable=False),
    Column("indexed", BigInteger, nullable=False),
    Column("skips", BigInteger, nullable=False),
    Column("added", Moment, nullable=False),
    Column("by", Text, nullable=False),
    Column("claimed_by", Text),
    Column("claimed_until", Moment),
    Column("claimed_order", Text),
    # What similarities are computed from.
    Column("signature", LargeBinary, nullable=False),
    UniqueConstraint("project", "name"),
    sqlite_autoincrement=True,
)

verdict = Table(
    "verdict",
    metadata,
    Column("id", Number, Identity(), primary_key=True),
    Column("project", Text, nullable=False),
    Column("document", Number, ForeignKey("document.id", ondelete="CASCADE"), nullable=False),
    Column("key", Text, nullable=False),
    # A lesson of several documents is several verdicts of one key.
    Column("part", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("labels", Plain),
    Column("who", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("said", Plain),
    Column("version", Text),
    Column("claimed_order", Text),
    Column("state", Text, nullable=False),
    Column("revision", BigInteger, nullable=False),
    # What an undo gives back: state and labels, and the text where the verdict has changed it.
    Column("before", Plain),
    Column("undone", Boolean, nullable=False),
    UniqueConstraint("project", "key", "part"),
    sqlite_autoincrement=True,
)

for measure in ("doubt", "disagreement", "suspicion"):
    column, others = document.c[measure], (document.c.project, document.c.state, document.c.skips)
    # In SQLite, which has no NULLS LAST in an index, they are last anyway.
    for dialect, falling in (("sqlite", column.desc()), ("postgresql", column.desc().nulls_last())):
        Index(f"document_by_{measure}", *others, falling, document.c.id).ddl_if(dialect=dialect)
Index("document_by_draw", document.c.project, document.c.state, document.c.skips, document.c.draw, document.c.id)
Index("document_claimed", document.c.project, document.c.claimed_by)
behind = document.c.revision > document.c.indexed
Index("document_not_indexed", document.c.project, document.c.id, postgresql_where=behind, sqlite_where=behind)
Index("verdict_of_document", verdict.c.document, verdict.c.id)
Index("verdict_of_person", verdict.c.project, verdict.c.who, verdict.c.id)


def version_of(connection: Connection, place: str) -> int | None:
    """Return the version of a store, or None in an empty database; raise InputError for a file of something else."""
    tables = inspect(connection).get_table_names()
    if "schema_version" in tables:
        return int(connection.execute(text("SELECT version FROM schema_version")).scalar_one())
    if connection.dialect.name == "sqlite" and tables:
        raise InputError(f"{place}: a SQLite file of something else; give another path")
    return None


def open_tables(database: Database, *, create: bool, migrations: Migrations = MIGRATIONS) -> None:
    """Create the tables in an empty database, or migrate those of an older version.

    Raise InputError if there are none and `create` is false, or if they are of a newer version.
    """
    version, latest = database.read(version_of, database.place), 1 + len(migrations)
    if version is None and not create:
        raise InputError(f"{database.place}: holds no store; check the address, or let one be made")
    while version is None or version < latest:
        version = database.write(_advance, migrations, database.place)
    if version > latest:
        raise InputError(
            f"{database.place}: a store of version {version}, and this classmark knows {latest};"
            " install a newer classmark"
        )


def _advance(connection: Connection, migrations: Migrations, place: str) -> int:
    """Create the tables or run the next migration, unless another process has done so; return the version."""
    if connection.dialect.name == "postgresql":  # a transaction that writes SQLite has locked the file
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    version = version_of(connection, place)
    if version is None:
        metadata.create_all(connection, checkfirst=False)
        connection.execute(text("CREATE TABLE schema_version (version BIGINT NOT NULL)"))
        version = 1 + len(MIGRATIONS)
        connection.execute(text("INSERT INTO schema_version (version) VALUES (:version)"), {"version": version})
    elif version <= len(migrations):
        for statement in migrations[version - 1]:
            connection.execute(text(statement))
        version += 1
        connection.execute(text("UPDATE schema_version SET version = :version"), {"version": version})
    return version
