import re

import pytest
from sqlalchemy import inspect, text

from classmark.store import NewDocument, Store
from classmark.store.database import Database
from classmark.store.migrations import STEPS, migrate, version_of
from classmark.store.schema import metadata
from tests.store.processes import run_all

NEXT = (
    *STEPS,
    ("CREATE TABLE batch (id {number}, name TEXT NOT NULL)", "ALTER TABLE document ADD COLUMN batch BIGINT"),
)


@pytest.fixture
def database(address):
    found = Database(address, create=True)
    yield found
    found.close()


def test_the_steps_lead_to_the_tables_of_the_schema(database):
    """Who changes `schema` must append a step, and the other way round."""
    migrate(database, create=True)
    there = inspect(database.engine)
    assert set(there.get_table_names()) == {*metadata.tables, "schema_version"}
    for table in metadata.tables.values():
        found = {column["name"]: column["nullable"] for column in there.get_columns(table.name)}
        keys = {column.name for column in table.primary_key}
        expected = {column.name: bool(column.nullable) for column in table.columns}
        assert {name: null for name, null in found.items() if name not in keys} == {
            name: null for name, null in expected.items() if name not in keys
        }
        assert set(found) == set(expected)


def test_a_store_of_an_older_version_keeps_what_it_has(address):
    with Store.open(address) as store:
        store.add("birds", [NewDocument(name="1", text="hoots")], who="ann")
        migrate(store._database, create=False, steps=NEXT)
        assert store._database.read(version_of, "here") == len(NEXT)
        assert store.document("birds", "1").text == "hoots"


def test_a_step_that_fails_leaves_nothing(database):
    migrate(database, create=True)
    broken = (*STEPS, ("CREATE TABLE batch (id {number})", "CREATE TABLE nonsense nonsense"))
    with pytest.raises(OSError, match="failed with"):
        migrate(database, create=False, steps=broken)
    assert database.read(version_of, "here") == len(STEPS)
    assert not inspect(database.engine).has_table("batch")
    migrate(database, create=False, steps=NEXT)


def test_a_store_of_a_newer_version_is_refused_in_a_line(address):
    with Store.open(address) as store:
        migrate(store._database, create=False, steps=NEXT)
    told = (
        f"a store of version {len(NEXT)}, and this version of classmark knows {len(STEPS)}; install a newer classmark"
    )
    with pytest.raises(ValueError, match=re.escape(told)) as error:
        Store.open(address)
    assert "\n" not in str(error.value)


def test_an_empty_database_is_no_store_unless_one_is_asked_for(postgres_address):
    with pytest.raises(ValueError, match="holds no store"):
        Store.open(postgres_address, create=False)


def open_and_add(address, number):
    with Store.open(address) as store:
        store.add("birds", [NewDocument(name=str(number), text="")], who="ann")


def test_several_processes_may_begin_at_once(address):
    run_all(open_and_add, [(address, number) for number in range(4)])
    with Store.open(address) as store:
        assert store.counts("birds")["documents"] == 4
        with store._database.snapshot() as connection:
            assert connection.execute(text("SELECT version FROM schema_version")).all() == [(len(STEPS),)]
