from pathlib import Path

import pytest

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
    with pytest.raises(ValueError, match="neither a name nor a person is given"):
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
    monkeypatch.setattr("classmark.store.database.PRAGMAS", ("PRAGMA busy_timeout = 100", "PRAGMA secure_delete = ON"))
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
