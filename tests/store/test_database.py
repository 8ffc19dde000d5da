import os
import sqlite3
import stat

import pytest

from classmark.store import NewDocument, Store, StoreUnavailable


def test_a_path_and_an_address_of_the_same_file(tmp_path):
    with Store.open(tmp_path / "s.sqlite") as store:
        store.add("birds", [NewDocument(name="1", text="hoots")], who="ann")
        assert store.place == str(tmp_path / "s.sqlite")
    with Store.open(f"sqlite:///{tmp_path}/s.sqlite", create=False) as store:
        assert store.projects() == ["birds"]


def test_only_its_owner_reads_the_file_and_what_lies_beside(tmp_path):
    with Store.open(tmp_path / "s.sqlite") as store:
        store.add("birds", [NewDocument(name="1", text="hoots")], who="ann")
        files = sorted(tmp_path.iterdir())
        assert [file.name for file in files] == ["s.sqlite", "s.sqlite-shm", "s.sqlite-wal"]
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_what_makes_a_commit_last(tmp_path):
    with Store.open(tmp_path / "s.sqlite") as store, store._database.outside() as connection:
        found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in ("journal_mode", "synchronous")]
        assert found == ["wal", 2]
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one() == 10_000


def test_what_makes_a_commit_last_on_a_server(postgres_address):
    with Store.open(postgres_address) as store, store._database.outside() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar_one() == "on"


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (
            "mysql://eve:secret@host/db",
            "mysql://…: not the address of a store; give a path, sqlite:///PATH or postgres",
        ),
        ("postgresql://eve:secret@host:port/db", "postgresql://…: not the address"),
        ("sqlite://", "a store in memory would be lost"),
        ("sqlite:///:memory:", "a store in memory would be lost"),
        ("", "a store in memory would be lost"),
    ],
)
def test_addresses_that_are_none(address, told):
    with pytest.raises(ValueError, match=told) as error:
        Store.open(address)
    assert "secret" not in str(error.value)


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such store"):
        Store.open(tmp_path / "s.sqlite", create=False)
    with pytest.raises(FileNotFoundError, match="no such folder"):
        Store.open(tmp_path / "nowhere" / "s.sqlite")
    with pytest.raises(IsADirectoryError, match="a folder"):
        Store.open(tmp_path)
    (tmp_path / "a.csv").write_text("text,labels\nhoots,owl\n")
    with pytest.raises(ValueError, match="not a SQLite file, or a damaged one"):
        Store.open(tmp_path / "a.csv")
    sqlite3.connect(tmp_path / "other").execute("CREATE TABLE x (y)").connection.close()
    with pytest.raises(ValueError, match="something else"):
        Store.open(tmp_path / "other")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.csv", "other"]


def test_an_empty_file_becomes_a_store(tmp_path):
    (tmp_path / "s.sqlite").touch()
    with Store.open(tmp_path / "s.sqlite") as store:
        assert store.projects() == []


def test_a_database_that_cannot_hold_every_text(postgres):
    with pytest.raises(ValueError, match="the database is in LATIN1; create one in UTF8"):
        Store.open(postgres.address(postgres.create("LATIN1")))


def test_a_damaged_file_is_found_when_it_is_opened(tmp_path):
    with Store.open(tmp_path / "s.sqlite") as store:
        store.add("birds", [NewDocument(name=str(number), text="x" * 900) for number in range(200)], who="ann")
    with (tmp_path / "s.sqlite").open("r+b") as file:
        file.seek(8 * 4096)
        file.write(os.urandom(20 * 4096))
    with pytest.raises(StoreUnavailable, match=r"the file is damaged; restore a backup \(classmark store restore\)"):
        Store.open(tmp_path / "s.sqlite")
