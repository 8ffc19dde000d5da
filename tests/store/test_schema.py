import re

import pytest
from sqlalchemy import text

from classmark.store import NewDocument, Store
from classmark.store.schema import VERSION
from tests.store.processes import run_all


def test_open_store_of_another_version_is_rejected_in_one_line(address):
    with Store.open(address) as store:
        store._database.write(lambda connection: connection.execute(text("UPDATE schema_version SET version = 7")))
    told = f"a store of version 7, and this classmark reads version {VERSION}"
    with pytest.raises(ValueError, match=re.escape(told)) as error:
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
            assert connection.execute(text("SELECT version FROM schema_version")).all() == [(VERSION,)]
