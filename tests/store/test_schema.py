import pytest
from sqlalchemy import inspect, text

from classmark.store import NewDocument, Store
from classmark.store.schema import MIGRATIONS, open_tables, version_of
from tests.store.processes import run_all

NEXT = (
    *MIGRATIONS,
    ("CREATE TABLE batch (id BIGINT, name TEXT NOT NULL)", "ALTER TABLE document ADD COLUMN batch BIGINT"),
)


def test_open_tables_of_an_older_version_migrates_and_keeps_documents(address):
    with Store.open(address) as store:
        store.add("birds", [NewDocument(name="1", text="hoots")], who="ann")
        open_tables(store._database, create=False, migrations=NEXT)
        assert store._database.read(version_of, "here") == 1 + len(NEXT)
        assert inspect(store._database.engine).has_table("batch")
        assert store.document("birds", "1").text == "hoots"


def test_open_tables_with_a_failing_migration_changes_nothing(address):
    broken = (*MIGRATIONS, ("CREATE TABLE batch (id BIGINT)", "CREATE TABLE nonsense nonsense"))
    with Store.open(address) as store:
        with pytest.raises(OSError, match="failed with"):
            open_tables(store._database, create=False, migrations=broken)
        assert store._database.read(version_of, "here") == 1 + len(MIGRATIONS)
        assert not inspect(store._database.engine).has_table("batch")
        open_tables(store._database, create=False, migrations=NEXT)


def test_open_store_of_a_newer_version_is_rejected_in_one_line(address):
    with Store.open(address) as store:
        open_tables(store._database, create=False, migrations=NEXT)
    with pytest.raises(ValueError, match=f"version {1 + len(NEXT)}, .* knows {1 + len(MIGRATIONS)};") as error:
        Store.open(address)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("asked", "index"),
    [
        (
            "WHERE project = 'a' AND state = 'waiting' AND skips = 0 ORDER BY doubt DESC {nulls}, id",
            "document_by_doubt",
        ),
        ("WHERE project = 'a' AND revision > indexed ORDER BY id", "document_not_indexed"),
    ],
)
def test_queries_of_the_queue_use_their_index(address, asked, index):
    with Store.open(address) as store, store._database.snapshot() as connection:
        sqlite = connection.dialect.name == "sqlite"
        if not sqlite:
            connection.execute(text("SET LOCAL enable_seqscan = off"))
        plan = "EXPLAIN QUERY PLAN" if sqlite else "EXPLAIN"
        rows = connection.execute(text(f"{plan} SELECT id FROM document {asked.format(nulls='NULLS LAST')} LIMIT 5"))
        assert index in " ".join(str(row) for row in rows)


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
            assert connection.execute(text("SELECT version FROM schema_version")).all() == [(1 + len(MIGRATIONS),)]
