import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra serve is not installed")

from classmark.service.batching.folders import Batch, Batches
from classmark.store import Missing, StoreUnavailable

CLAIM = """
import sys
from pathlib import Path
from classmark.service.batching.folders import Batch
held = Batch(Path(sys.argv[1])).claim()
print("taken" if held else "not taken", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def batches(tmp_path: Path) -> Batches:
    return Batches(tmp_path / "store.batches")


def kept(batches: Batches, content: bytes = b"text,n\nan owl,1\n", name: str = "x.csv") -> Batch:
    file = batches.incoming(name)
    try:
        file.write(content)
        return batches.keep(file, name, "birds", "Ada")
    finally:
        batches.end_incoming(file)


def test_what_is_kept_is_found_again(batches: Batches) -> None:
    batch = kept(batches)
    assert [one.id for one in batches] == [batch.id]
    known = batches.find("birds", batch.id).facts()
    assert (known["state"], known["rows"], known["done"], known["text_column"]) == ("uploaded", 1, 0, "text")
    assert batch.upload().path.read_bytes() == b"text,n\nan owl,1\n"
    assert batch.path.stat().st_mode & 0o077 == 0
    for project, identity in (("fish", batch.id), ("birds", "0" * 16), ("birds", "../" + batch.id), ("birds", "")):
        with pytest.raises(Missing):
            batches.find(project, identity)


def test_what_cannot_be_read_is_not_kept(batches: Batches) -> None:
    with pytest.raises(ValueError, match=r"x\.csv:2: 1 cell"):
        kept(batches, b"text,n\nan owl\n")
    with pytest.raises(ValueError, match=r"x\.doc: neither"):
        batches.incoming("x.doc")
    assert list(batches) == []
    assert list(batches.folder.iterdir()) == []


def test_one_works_at_a_time_and_whoever_dies_lets_go(batches: Batches) -> None:
    batch = kept(batches)
    assert batch.claim() is None  # nothing is to be done yet
    batch.start("text")
    assert [one.id for one in batches.waiting()] == [batch.id]
    command = [sys.executable, "-c", CLAIM, str(batch.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "taken\n"
        assert batch.claim() is None
        other.kill()
    held = batch.claim()
    assert held is not None
    assert Batch(batch.path).claim() is None
    batch.end("done")
    held.close()
    assert batches.waiting() == []
    assert batch.claim() is None


def test_another_column_is_too_late_once_rows_are_answered(batches: Batches) -> None:
    batch = kept(batches)
    with pytest.raises(ValueError, match=r"no column 'texts' \(did you mean 'text'"):
        batch.start("texts")
    batch.start("n")
    batch.start("text")
    assert batch.facts()["text_column"] == "text"
    batch.answers.add([next(iter(_rows(batch)))], [None])
    batch.end("stopped", "the disk is full")
    with pytest.raises(ValueError, match="answered by the column 'text' already"):
        batch.start("n")
    batch.start("text")
    assert (batch.facts()["state"], batch.facts()["problem"]) == ("running", None)


def _rows(batch: Batch):
    from classmark.service.batching import read_upload

    return read_upload(batch.upload(), "text", 100)


def test_what_is_left_behind_is_cleaned_and_what_comes_is_not(batches: Batches) -> None:
    coming = batches.incoming("x.csv")
    left = batches.incoming("y.csv")
    left.close()  # as a process that was killed
    batches.clean()
    assert [path / "upload" for path in batches.folder.iterdir()] == [Path(coming.name)]
    batches.end_incoming(coming)
    assert list(batches.folder.iterdir()) == []


def test_what_is_deleted_or_damaged_is_said_in_words(batches: Batches) -> None:
    batch, damaged = kept(batches), kept(batches)
    damaged.answers.path.write_bytes(b"nothing of the sort")
    with pytest.raises(StoreUnavailable, match="cannot be read or written"):
        damaged.facts()
    assert [found.id for found, _ in batches.of("birds")] == [batch.id]
    batches.delete(batch)
    assert not batch.path.exists()
    with pytest.raises(Missing, match="may have been deleted"):
        batch.facts()
