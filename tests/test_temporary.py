"""Temporary files: held while they are written, removed when their writer is dead, and nobody else's touched."""

import os
import subprocess
import sys
from pathlib import Path

from classmark import persistence
from classmark.persistence import ENDING, remove_left_behind, save, temporary_beside

HELD = """
import sys, time
from pathlib import Path
from classmark.persistence import replacing
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    print(temporary, flush=True)
    time.sleep(60)
"""


def test_what_a_killed_process_left_goes_with_the_next_write(tmp_path):
    model, other = tmp_path / "model.classmark", tmp_path / "other.classmark"
    processes = [subprocess.Popen([sys.executable, "-c", HELD, str(other)], stdout=subprocess.PIPE) for _ in range(2)]
    dead, living = (Path(process.stdout.readline().decode().strip()) for process in processes)
    try:
        processes[0].kill()
        processes[0].communicate()
        mine = [tmp_path / name for name in (".other.12345678.tmp", "x.classmark.tmp", ".tmpAbCdEf")]
        for path in mine:
            path.touch()
        assert dead.exists()
        save(model, {})
        # What is being written stays, and so does what may be anybody's.
        assert sorted(tmp_path.iterdir()) == sorted([model, living, *mine])
    finally:
        processes[1].kill()
        processes[1].communicate()
    save(other, {})
    assert sorted(tmp_path.iterdir()) == sorted([model, other, *mine])


def test_a_file_that_was_taken_for_one_left_behind_is_made_again(tmp_path, monkeypatch):
    """Between making a file and locking it another process may find it free, and remove it."""
    removed, lock = [], persistence.lock

    def removed_first(file, *, wait=False):
        if not removed:
            removed.extend(tmp_path.iterdir())
            remove_left_behind(tmp_path)
        return lock(file, wait=wait)

    monkeypatch.setattr(persistence, "lock", removed_first)
    with temporary_beside(tmp_path / "file") as path:
        assert list(tmp_path.iterdir()) == [path] != removed
    assert list(tmp_path.iterdir()) == []


def test_where_there_are_no_locks_nothing_is_removed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    (tmp_path / f".x.12345678{ENDING}").touch()
    with temporary_beside(tmp_path / "file") as path:
        assert path.exists()
    assert [one.name for one in tmp_path.iterdir()] == [f".x.12345678{ENDING}"]


def test_what_is_no_file_is_left_alone(tmp_path):
    (tmp_path / f".folder.12345678{ENDING}").mkdir()
    (tmp_path / "precious").touch()
    (tmp_path / f".link.12345678{ENDING}").symlink_to(tmp_path / "precious")
    os.mkfifo(tmp_path / f".pipe.12345678{ENDING}")
    (tmp_path / f".other{ENDING}").touch()
    remove_left_behind(tmp_path)
    assert len(list(tmp_path.iterdir())) == 5
