"""The tables, as the last step of `migrations` leaves them.

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
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
)

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
    Column("id", Number, primary_key=True),
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
    # What similarities are computed from; None in a store of an earlier version, until it is needed.
    Column("signature", LargeBinary),
)

verdict = Table(
    "verdict",
    metadata,
    Column("id", Number, primary_key=True),
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
)
