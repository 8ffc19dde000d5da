import sqlite3
import stat

import pytest

from classmark.store import NewDocument, Store, Verdict


@pytest.fixture
def used(birds):
    """A store in which all sorts of things have happened."""
    birds.claim("birds", "ann", order="random")
    birds.record("birds", "a", Verdict(kind="skip", who="ben"))
    birds.record("birds", "c", Verdict(kind="correct", labels=["gull", "Möwe"], who="ben", key="k"))
    birds.learn("fish", [(None, "swims 🐟", ["cod"]), ("b", "x", [])], who="eve")
    birds.undo("fish", "eve", "b")
    birds.mark_indexed("fish", ["#1"])
    return birds


def everything(store):
    return {
        project: [(one, store.history(project, one.name)) for one in store.documents(project)]
        for project in store.projects()
    }


@pytest.fixture
def another(address, tmp_path, request):
    """The address of a second store in the same database system."""
    if not address.startswith("postgresql"):
        return str(tmp_path / "second.sqlite")
    server = request.getfixturevalue("postgres")
    return server.address(server.create())


def test_everything_comes_back(used, another, tmp_path):
    assert used.backup(tmp_path / "copy") == 6
    with Store.restore(tmp_path / "copy", another) as restored:
        assert everything(restored) == everything(used)
        for project in used.projects():
            # Its clock goes on, so that no claim is left.
            assert restored.counts(project) == used.counts(project) | {"claimed": 0}
        # It goes on as the first would have: with new numbers, and what was said under a key.
        assert [one.name for one in restored.learn("fish", [(None, "y", [])], who="eve")] == ["#2"]
        restored.record("birds", "c", Verdict(kind="correct", labels=["gull", "Möwe"], who="ben", key="k"))
        before = max(one.id for _, history in everything(used)["birds"] for one in history)
        assert restored.record("birds", "d", Verdict(kind="accept", who="eve")).id > before


def test_from_one_database_system_to_the_other(used, address, tmp_path, request):
    used.backup(tmp_path / "copy")
    other = str(tmp_path / "x") if address.startswith("postgresql") else request.getfixturevalue("postgres_address")
    with Store.restore(tmp_path / "copy", other) as restored:
        assert everything(restored) == everything(used)


def test_a_backup_is_one_file_for_its_owner_alone_and_a_store_itself(used, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    used.backup(folder / "copy")
    assert [file.name for file in folder.iterdir()] == ["copy"]
    assert stat.S_IMODE((folder / "copy").stat().st_mode) == 0o600
    used.backup(folder / "copy")
    with Store.open(folder / "copy", create=False) as opened:
        assert everything(opened) == everything(used)


def test_what_cannot_be_written_leaves_what_was_there(used, tmp_path, monkeypatch):
    used.backup(tmp_path / "copy")
    before = (tmp_path / "copy").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("classmark.store.copies.TABLES", (None,))
        with pytest.raises(AttributeError):
            used.backup(tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == before
    assert not list(tmp_path.glob(".*"))
    with pytest.raises(FileNotFoundError, match="no such folder"):
        used.backup(tmp_path / "nowhere" / "copy")


def test_only_an_empty_store_is_restored_into(used, address, tmp_path):
    used.backup(tmp_path / "copy")
    before = everything(used)
    with pytest.raises(ValueError, match="has documents"):
        Store.restore(tmp_path / "copy", address)
    assert everything(used) == before


def test_restoring_leaves_the_backup_as_it_is(used, another, tmp_path):
    used.backup(tmp_path / "copy")
    before = (tmp_path / "copy").read_bytes()
    Store.restore(tmp_path / "copy", another).close()
    assert (tmp_path / "copy").read_bytes() == before


def test_a_damaged_backup_is_refused_and_nothing_of_it_taken(birds, tmp_path):
    birds.add("birds", [NewDocument(name=str(number), text="x" * 5000) for number in range(20)], who="ann")
    birds.backup(tmp_path / "copy")
    content = bytearray((tmp_path / "copy").read_bytes())
    content[4096:] = content[4096:][: len(content) // 3]
    (tmp_path / "copy").write_bytes(content)
    with pytest.raises(OSError, match="restore a backup"):
        Store.restore(tmp_path / "copy", tmp_path / "new.sqlite")
    with Store.open(tmp_path / "new.sqlite") as new:
        assert new.projects() == []


def test_what_is_no_backup(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such backup"):
        Store.restore(tmp_path / "copy", tmp_path / "new.sqlite")
    (tmp_path / "copy").write_text("hoots")
    with pytest.raises(ValueError, match="not a SQLite"):
        Store.restore(tmp_path / "copy", tmp_path / "new.sqlite")
    sqlite3.connect(tmp_path / "other").execute("CREATE TABLE x (y)").connection.close()
    with pytest.raises(ValueError, match="a SQLite file of something else"):
        Store.restore(tmp_path / "other", tmp_path / "new.sqlite")
