import subprocess
import sys

import pytest

from classmark.store import NewDocument, Store, StoreReplaced


def add(store: Store, name: str) -> None:
    store.add("birds", [NewDocument(name=name, text=f"text of {name}")], who="ann")


def names(path: object) -> list[str]:
    with Store.open(str(path), create=False) as store:
        return [one.name for one in store.documents("birds")]


def test_write_to_deleted_file_raises_and_rescue_copies_it(tmp_path):
    with Store.open(tmp_path / "s.sqlite") as store:
        add(store, "a")
        (tmp_path / "s.sqlite").unlink()
        with pytest.raises(StoreReplaced, match="deleted"):
            add(store, "b")
        with pytest.raises(StoreReplaced, match="deleted"):
            store.projects()
        copy = store.rescue()
        assert copy is not None
        assert store.rescue() == copy
    assert [file.name for file in tmp_path.iterdir()] == [copy.name]
    assert names(copy) == ["a"]


def test_write_to_moved_file_raises_and_rescue_completes_it(tmp_path):
    with Store.open(tmp_path / "other.sqlite") as other:
        add(other, "c")
    with Store.open(tmp_path / "s.sqlite") as store:
        add(store, "a")
        (tmp_path / "s.sqlite").rename(tmp_path / "aside.sqlite")
        (tmp_path / "other.sqlite").rename(tmp_path / "s.sqlite")
        with pytest.raises(StoreReplaced, match="replaced"):
            add(store, "b")
        assert store.rescue() is None
    assert names(tmp_path / "aside.sqlite") == ["a"]
    assert names(tmp_path / "s.sqlite") == ["c"]


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_write_without_log_raises_and_rescue_saves_the_log(tmp_path, suffix):
    with Store.open(tmp_path / "s.sqlite") as store:
        add(store, "a")
        (tmp_path / f"s.sqlite{suffix}").unlink()
        with pytest.raises(StoreReplaced, match=suffix):
            add(store, "b")
        assert store.rescue() is None
    assert names(tmp_path / "s.sqlite") == ["a"]


def test_closing_a_store_keeps_the_locks_of_another_on_the_same_file(tmp_path):
    """A process that opens and closes the store must not take the log away from one that has it open."""
    with Store.open(tmp_path / "s.sqlite") as store:
        add(store, "a")
        Store.open(tmp_path / "s.sqlite").close()
        program = "import sys; from classmark.store import Store; Store.open(sys.argv[1]).close()"
        subprocess.run([sys.executable, "-c", program, str(tmp_path / "s.sqlite")], check=True)
        add(store, "b")
    assert names(tmp_path / "s.sqlite") == ["a", "b"]
