"""The answers to the rows of a batch, in a SQLite file of their own beside what was brought.

What is answered is written piece by piece, each whole or not at all, so that whoever is killed goes on where the last
piece ended; and whoever deletes the folder has deleted everything.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from classmark.service.batching.uploads import Row

SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE row (
    number INTEGER PRIMARY KEY, line INTEGER NOT NULL, doubt REAL, labels TEXT, own TEXT, version TEXT, problem TEXT,
    text TEXT NOT NULL
);
CREATE INDEX row_by_doubt ON row (doubt DESC, number);
CREATE INDEX row_with_problem ON row (number) WHERE problem IS NOT NULL;
CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, documents INTEGER NOT NULL);
CREATE TABLE place (
    category INTEGER NOT NULL, doubt REAL NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (category, doubt DESC, number)
) WITHOUT ROWID;
"""
ORDERS = {
    "doubt": "{0}.doubt DESC, {0}.number",
    "file": "{0}.number",
    # Knuth's multiplicative hash: the same at any time, and nothing to do with how the rows are ordered.
    "random": "{0}.number * 2654435761 % 4294967296",
}
"""In which order rows are shown."""
PATIENCE = 10.0
SHOWN = 600
"""So many characters of a text are shown in a list."""
ROWS_AT_A_TIME = 500
COLUMNS = "row.number, line, labels, own, row.doubt, version, problem"


class Own(NamedTuple):
    """One of the most specific categories of a text."""

    name: str
    label: str
    path: list[str]
    chance: float | None


class RowAnswer(NamedTuple):
    """What the model says of a row."""

    labels: list[str]
    own: list[Own]
    doubt: float | None
    version: str | None = None


class ShownRow(NamedTuple):
    """A row and its answer, which is None where the row cannot be read."""

    number: int
    line: int
    answer: RowAnswer | None
    problem: str | None
    text: str = ""


class AnswerFile:
    """The answers of a batch, and the facts about it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self, **facts: Any) -> None:
        """Make the file, with some facts."""
        with sqlite3.connect(self.path) as connection:
            connection.executescript(SCHEMA)
        connection.close()
        self.note(**facts)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Give a connection to a file that is there, in a transaction."""
        try:
            connection = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=rw", uri=True, timeout=PATIENCE)
            try:
                with connection:
                    yield connection
            finally:
                connection.close()
        except sqlite3.IntegrityError:
            raise
        except sqlite3.DatabaseError as error:
            raise OSError(f"{self.path}: {error}") from None

    def note(self, **facts: Any) -> None:
        """Keep facts, in place of those of the same names."""
        rows = [(name, json.dumps(value)) for name, value in facts.items()]
        with self._connected() as connection:
            connection.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", rows)

    def facts(self) -> dict[str, Any]:
        """Give what is known of the batch."""
        with self._connected() as connection:
            return {name: json.loads(value) for name, value in connection.execute("SELECT name, value FROM fact")}

    @property
    def done(self) -> int:
        """How many rows are answered: the first so many."""
        with self._connected() as connection:
            return int(connection.execute("SELECT coalesce(max(number), 0) FROM row").fetchone()[0])

    def add(self, rows: Sequence[Row], answers: Sequence[RowAnswer | None]) -> None:
        """Keep the answers to the next rows, all or none."""
        pairs = list(zip(rows, answers, strict=True))
        with self._connected() as connection:
            connection.executemany(
                "INSERT INTO row (number, line, doubt, labels, own, version, problem, text)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [_values(row, answer) for row, answer in pairs],
            )
            answered = [(row, answer) for row, answer in pairs if answer is not None]
            _count(connection, [answer for _, answer in answered])
            connection.executemany(
                "INSERT INTO place SELECT id, ?, ? FROM category WHERE name = ?",
                [(answer.doubt or 0.0, row.number, name) for row, answer in answered for name in answer.labels],
            )

    def documents(self) -> dict[str, int]:
        """Give how many rows each category has got."""
        with self._connected() as connection:
            return dict(connection.execute("SELECT name, documents FROM category"))

    @property
    def problems(self) -> int:
        """How many rows could not be read."""
        with self._connected() as connection:
            return int(connection.execute("SELECT count(*) FROM row WHERE problem IS NOT NULL").fetchone()[0])

    def rows(
        self,
        *,
        category: str | None = None,
        problems: bool = False,
        order: str = "doubt",
        offset: int = 0,
        limit: int = 50,
    ) -> list[ShownRow]:
        """Give some rows: of a branch, or those with problems; the most doubtful first, or as they came."""
        where = "problem IS NOT NULL" if problems else "TRUE"
        source, of, values = "row", "row", list[str]()
        if category is not None:
            source, of, values = "place JOIN row USING (number)", "place", [category]
            where += " AND place.category = (SELECT id FROM category WHERE name = ?)"
        by = ORDERS[order].format(of)
        asked = f"SELECT {COLUMNS}, substr(text, 1, {SHOWN}) FROM {source} WHERE {where} ORDER BY {by} LIMIT ? OFFSET ?"
        with self._connected() as connection:
            return [_shown(one) for one in connection.execute(asked, (*values, limit, offset))]

    def texts(self, numbers: Sequence[int]) -> dict[int, str]:
        """Give the whole texts of some rows."""
        with self._connected() as connection:
            asked = "SELECT text FROM row WHERE number = ?"
            return {number: connection.execute(asked, (number,)).fetchone()[0] for number in numbers}

    def in_file_order(self) -> Iterator[list[ShownRow]]:
        """Give all rows that are answered, without their texts, some at a time."""
        last = 0
        asked = f"SELECT {COLUMNS}, '' FROM row WHERE number > ? ORDER BY number LIMIT {ROWS_AT_A_TIME}"
        while True:
            with self._connected() as connection:
                some = [_shown(one) for one in connection.execute(asked, (last,))]
            if not some:
                return
            yield some
            last = some[-1].number


def _values(row: Row, answer: RowAnswer | None) -> tuple[Any, ...]:
    if answer is None:
        return row.number, row.line, None, None, None, None, row.problem or "has no answer", row.text
    labels, own = json.dumps(answer.labels), json.dumps(answer.own)
    return row.number, row.line, answer.doubt, labels, own, answer.version, None, row.text


def _count(connection: sqlite3.Connection, answers: Sequence[RowAnswer]) -> None:
    """Count on how many rows each category has."""
    found: dict[str, int] = {}
    for answer in answers:
        for name in answer.labels:
            found[name] = found.get(name, 0) + 1
    connection.executemany(
        "INSERT INTO category (name, documents) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET documents = documents + excluded.documents",
        list(found.items()),
    )


def _shown(row: Sequence[Any]) -> ShownRow:
    number, line, labels, own, doubt, version, problem, text = row
    if labels is None:
        return ShownRow(number, line, None, problem, text)
    answer = RowAnswer(json.loads(labels), [Own(*one) for one in json.loads(own)], doubt, version)
    return ShownRow(number, line, answer, None, text)


def merged(rows: Sequence[ShownRow], people: Mapping[int, tuple[str, RowAnswer | None]]) -> list[tuple[ShownRow, str]]:
    """Put what people said in the place of what the model said, and say of each row whose word it is."""
    found = []
    for row in rows:
        by, answer = people.get(row.number, ("" if row.answer is None else "model", row.answer))
        found.append((row._replace(answer=answer), by))
    return found
