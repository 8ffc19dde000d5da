from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event

from classmark.store import Missing, NewDocument, Store, StoreUnavailable, Verdict

SECRET = "Zaunkönig-4711"


def with_secrets(store):
    """Fill a store with a text, labels and what was said that nobody may find again, among many others."""
    others = [NewDocument(name=f"other {number}", text="a harmless text " * 20) for number in range(50)]
    store.add("birds", others, who="ben")
    said = {"labels": [f"{SECRET}-said"]}
    store.add("birds", [NewDocument(name="1", text=f"hoots {SECRET} " * 500, said=said, doubt=0.5)], who="ann")
    store.claim("birds", "eve")
    store.record("birds", "1", Verdict(kind="correct", labels=[f"{SECRET}-label"], who="eve"))
    store.learn("birds", [("1", f"another text of {SECRET}", ["owl"])], who="eve")
    store.undo("birds", "eve")


def found_in(folder: Path) -> list[str]:
    return [file.name for file in folder.rglob("*") if file.is_file() and SECRET.encode() in file.read_bytes()]


def test_by_name(birds):
    birds.record("birds", "a", Verdict(kind="accept", who="ben"))
    assert birds.forget(project="birds", name="a") == [("birds", "a")]
    with pytest.raises(Missing):
        birds.document("birds", "a")
    assert birds.counts("birds")["people"] == {}
    assert birds.forget(project="birds", name="a") == []


def test_by_who_brought_them_in_one_project_or_all(birds):
    birds.add("fish", [NewDocument(name="a", text=""), NewDocument(name="b", text="")], who="ann")
    birds.add("fish", [NewDocument(name="c", text="")], who="ben")
    assert birds.brought(who="ann", name="a") == [("birds", "a"), ("fish", "a")]
    assert birds.forget(who="ann", name="a") == [("birds", "a"), ("fish", "a")]
    assert birds.forget(project="fish", who="ann") == [("fish", "b")]
    assert [name for _, name in birds.forget(who="ann")] == ["b", "c", "d"]
    assert birds.projects() == ["fish"]


def test_everything_at_once_is_refused(birds):
    with pytest.raises(ValueError, match="neither a name nor a person is given"):
        birds.forget(project="birds")
    with pytest.raises(ValueError, match=r"neither.*person"):
        birds.brought()
    assert birds.counts("birds")["documents"] == 4


def test_no_file_of_sqlite_has_it_any_more(tmp_path):
    with Store.open(tmp_path / "s.sqlite") as store:
        with_secrets(store)
        assert found_in(tmp_path)
        store.forget(name="1")
        assert found_in(tmp_path) == []
        assert store.counts("birds")["documents"] == 50
    assert found_in(tmp_path) == []


def test_no_table_of_postgresql_has_it_any_more(postgres, postgres_address):
    with Store.open(postgres_address) as store:
        with_secrets(store)
        with postgres.connect() as connection:
            connection.execute("CHECKPOINT")
        # A long text is compressed, so that the labels are what is found.
        assert found_in(postgres.folder / "data" / "base")
        store.forget(name="1")
        with postgres.connect() as connection:
            connection.execute("CHECKPOINT")
        assert found_in(postgres.folder / "data" / "base") == []


def test_traces_that_a_reader_keeps_are_spoken_of(tmp_path, monkeypatch):
    monkeypatch.setattr("classmark.store.forgetting.PATIENCE", 0.1)
    with Store.open(tmp_path / "s.sqlite") as store:
        with_secrets(store)
        pages = store.labelled("birds")
        with store._database.snapshot() as reading:
            reading.exec_driver_sql("SELECT count(*) FROM document").scalar_one()
            with pytest.raises(StoreUnavailable, match=r"traces .*forget them again"):
                store.forget(name="1")
        assert list(pages) == []
        assert found_in(tmp_path)
        assert store.forget(name="1") == []
        assert found_in(tmp_path) == []


@contextmanager
def statements(store: Store) -> Iterator[Counter[str]]:
    """Count the statements that a store sends to its database."""
    counted: Counter[str] = Counter()

    def count(connection, cursor, statement, *_):
        counted[statement] += 1

    event.listen(store._database.engine, "before_cursor_execute", count)
    yield counted
    event.remove(store._database.engine, "before_cursor_execute", count)


def test_forget_copy_that_sqlite_left_in_free_space_is_removed(tmp_path):
    """SQLite leaves a copy of a row in about one of 1,000 rebuilt pages; here it is put there by hand."""
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        with_secrets(store)
    content = path.read_bytes()
    size = int.from_bytes(content[16:18], "big")
    trace = f"hoots {SECRET} ".encode()
    number = next(
        number
        for number in range(1, len(content) // size)
        if content[number * size] == 13 and not any(content[number * size + 1000 : number * size + 1000 + len(trace)])
    )
    with path.open("r+b") as file:
        file.seek(number * size + 1000)
        file.write(trace)
    with Store.open(path) as store, statements(store) as counted:
        store.forget(name="1")
        assert found_in(tmp_path) == []
        assert counted["VACUUM"] == 1
        assert store.counts("birds")["documents"] == 50
        store.forget(name="other 1")
        assert counted["VACUUM"] == 1


def test_forget_several_cleans_the_files_once(birds):
    with statements(birds) as counted:
        for name in "abc":
            birds.forget(project="birds", name=name, clean=False)
        cleaning = [one for one in counted if "VACUUM" in one or "checkpoint" in one]
        assert cleaning == []
        birds.clean()
        cleaned = {one: times for one, times in counted.items() if "VACUUM" in one or "checkpoint" in one}
        assert cleaned in (
            {"VACUUM FULL verdict": 1, "VACUUM FULL document": 1},
            {"PRAGMA wal_checkpoint(TRUNCATE)": 1},
        )
        birds.clean()
        assert cleaned.items() <= counted.items()


def test_forget_while_others_write_does_not_block_them(tmp_path, monkeypatch):
    """A reader keeps the log in use: the deletion waits, and verdicts are recorded meanwhile."""
    monkeypatch.setattr("classmark.store.forgetting.PATIENCE", 1.0)
    with Store.open(tmp_path / "s.sqlite") as store:
        with_secrets(store)
        with store._database.snapshot() as reading:
            reading.exec_driver_sql("SELECT count(*) FROM document").scalar_one()
            store.forget(name="1", clean=False)
            recorded = 0
            with ThreadPoolExecutor(1) as pool:
                cleaning = pool.submit(store.clean)
                while not cleaning.done():
                    store.record("birds", f"other {recorded % 50}", Verdict(kind="skip", who="eve"))
                    recorded += 1
            with pytest.raises(StoreUnavailable, match="traces"):
                cleaning.result()
        assert recorded > 1
        store.clean()
        assert found_in(tmp_path) == []


def test_forget_nothing_rewrites_the_file_since_an_earlier_call_may_have_failed(tmp_path):
    with Store.open(tmp_path / "s.sqlite") as store, statements(store) as counted:
        with_secrets(store)
        assert store.forget(name="missing") == []
        assert counted["VACUUM"] == 1
        assert store.forget(name="missing", clean=False) == []
        store.clean()
        assert counted["VACUUM"] == 1
