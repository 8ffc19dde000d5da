"""What fails, with real databases: a message of one line without texts and passwords, and the next call answered."""

import resource
import sqlite3

import pytest

from classmark.store import NewDocument, Store, StoreUnavailable, Verdict
from classmark.store.errors import IN_POSTGRESQL, IN_SQLITE
from tests.store.processes import context, run_all

SECRET = "a text that stays out of messages"


def new(name, text=SECRET):
    return NewDocument(name=name, text=text, given=["owl"])


def check_message(error):
    told = str(error)
    assert "\n" not in told
    assert SECRET not in told
    assert "INSERT" not in told
    return told


def write_beyond(address, limit, answer):
    """Write until the file may not grow, as on a disk that is full, then where it may again."""
    store = Store.open(address)
    store.add("birds", [new("1")], who="ann")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        store.add("birds", [new("2", SECRET * 20_000)], who="ann")
        told = "nothing"
    except StoreUnavailable as error:
        told = check_message(error)
    read = store.document("birds", "1").text
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    store.add("birds", [new("3")], who="ann")
    answer.put((told, read, [one.name for one in store.documents("birds")]))
    store.close()


def test_a_disk_that_is_full(tmp_path):
    answer = context.Queue()
    run_all(write_beyond, [(str(tmp_path / "s"), 600_000, answer)])
    told, read, names = answer.get(timeout=60)
    assert told in {f"{tmp_path / 's'}: {IN_SQLITE[code]}" for code in ("SQLITE_FULL", "SQLITE_IOERR")}
    assert (read, names) == (SECRET, ["1", "3"])


def test_a_file_that_is_damaged_while_it_is_in_use(tmp_path):
    with Store.open(tmp_path / "s") as store:
        store.add("birds", [new(str(number), SECRET * 30) for number in range(200)], who="ann")
        with store._database.outside() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        store.close()
        size = (tmp_path / "s").stat().st_size
        with (tmp_path / "s").open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * (size - 4096))
        for asked in (
            lambda: store.document("birds", "1"),
            lambda: store.record("birds", "1", Verdict(kind="accept", who="b")),
        ):
            with pytest.raises(StoreUnavailable, match="restore a backup") as error:
                asked()
            check_message(error.value)


def test_somebody_who_writes_for_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr("classmark.store.database.PRAGMAS", ("PRAGMA busy_timeout = 50",))
    with Store.open(tmp_path / "s") as store:
        store.add("birds", [new("1")], who="ann")
        other = sqlite3.connect(tmp_path / "s", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="somebody else has been writing for too long; try again"):
            store.add("birds", [new("2")], who="ann")
        assert store.document("birds", "1").text == SECRET
        other.execute("ROLLBACK")
        other.close()
        store.add("birds", [new("2")], who="ann")


def test_a_server_that_is_not_there(tmp_path):
    pytest.importorskip("psycopg")
    with pytest.raises(StoreUnavailable, match="the server cannot be reached") as error:
        Store.open(f"postgresql://eve:hunter2@/db?host={tmp_path}&password=hunter3")
    assert "hunter" not in check_message(error.value)


def test_a_database_that_is_not_there(postgres):
    with pytest.raises(StoreUnavailable, match="/nowhere: ") as error:
        Store.open(postgres.address("nowhere"))
    check_message(error.value)


def test_connections_that_are_lost_are_made_again(postgres, postgres_address):
    with Store.open(postgres_address) as store:
        store.add("birds", [new("1")], who="ann")
        name = postgres_address.split("///")[1].split("?")[0]
        with postgres.connect() as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        assert store.document("birds", "1").text == SECRET


def test_a_connection_that_is_lost_inside_a_transaction(postgres_address):
    with Store.open(postgres_address) as store:
        store.add("birds", [new("1")], who="ann")

        def lost(connection):
            connection.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")

        with pytest.raises(StoreUnavailable) as error:
            store._database.write(lost)
        assert any(words in check_message(error.value) for words in (IN_POSTGRESQL["57"], "cannot be reached"))
        assert store.document("birds", "1").text == SECRET


def test_a_user_who_may_not_write(postgres, postgres_address):
    Store.open(postgres_address).close()
    name = postgres_address.split("///")[1].split("?")[0]
    with postgres.connect(name) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT USAGE ON SCHEMA public TO reader")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    with Store.open(postgres_address.replace("user=postgres", "user=reader")) as store:
        assert store.projects() == []
        with pytest.raises(StoreUnavailable, match="the user may not do this; grant the rights") as error:
            store.add("birds", [new("1")], who="ann")
        check_message(error.value)
    with postgres.connect(name) as connection:
        connection.execute("DROP OWNED BY reader")
        connection.execute("DROP ROLE reader")
