"""All of a store in one SQLite file, whatever database it is in, and back."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, Table, func, insert, select

from classmark.errors import InputError
from classmark.persistence import replacing
from classmark.store.database import ONLY_ITS_OWNER, Database, check_database
from classmark.store.schema import document, open_tables, project, verdict

TABLES = (project, document, verdict)
"""What is copied, in an order in which every row finds what it speaks of."""
ROWS_AT_A_TIME = 1000


def backup(database: Database, path: Path) -> int:
    """Write a copy as it is now, whole or not at all; give the number of documents."""
    with replacing(path) as temporary:
        temporary.chmod(ONLY_ITS_OWNER)
        copy = Database(temporary, create=True)
        try:
            open_tables(copy, create=True)
            with database.snapshot() as source:
                documents = copy.write(_copy_from, source)
        finally:
            copy.close()
    return documents


def restore(path: Path, database: Database) -> int:
    """Take up a copy in a store that has nothing; the copy itself stays as it is."""
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such backup; check the path")
    with TemporaryDirectory() as folder:
        copy = Database(shutil.copy(path, Path(folder) / "backup.sqlite"), create=False)
        try:
            check_database(copy)
            open_tables(copy, create=False)
            with copy.snapshot() as source:
                return database.write(_fill, source, database.place)
        finally:
            copy.close()


def _fill(target: Connection, source: Connection, place: str) -> int:
    """Copy everything into tables that are empty, and let the database count on from there."""
    if target.execute(select(project.c.name).limit(1)).first() is not None:
        raise InputError(f"{place}: has documents, or had some; restore into a new store")
    documents = _copy_from(target, source)
    if target.dialect.name == "postgresql":
        for table in (document, verdict):
            _count_on(target, table)
    return documents


def _copy_from(target: Connection, source: Connection) -> int:
    for table in TABLES:
        asked = select(table).order_by(*table.primary_key).execution_options(yield_per=ROWS_AT_A_TIME)
        for some in source.execute(asked).mappings().partitions():
            target.execute(insert(table), [dict(row) for row in some])
    return target.execute(select(func.count()).select_from(document)).scalar_one()


def _count_on(target: Connection, table: Table) -> None:
    """Let a server give numbers that are larger than all that were copied; a SQLite file does so by itself."""
    largest = target.execute(select(func.max(table.c.id))).scalar_one()
    if largest is not None:
        sequence = func.pg_get_serial_sequence(table.name, "id")
        target.execute(select(func.setval(sequence, largest)))
