"""`classmark index`: documents in, out and found, and one line for what goes wrong."""

import json
import re
import signal

import pytest

from classmark import TextClassifier


def test_add_delete_search_and_compact(run, animals, inside):
    made = run("index", "create", "birds", "--set", "stemmer=none", "--scoring", "overlap", "--json").json
    assert (made["documents"], made["scoring"]) == (0, "overlap")
    added = run("index", "add", "birds", animals, "--split", "train", "--json").json
    assert (added["added"], added["documents"], added["segments"]) == (9, 9, 1)
    found = run("index", "search", "birds", "-", "-k", 2, stdin=b"hoots at night\n").answers
    assert [one["id"] for one in found[0]["neighbours"]] == ["train1", "train2"]
    assert found[0]["neighbours"][0]["labels"] == ["owl"]
    (inside / "ids.txt").write_text("train1\ntrain9\n")
    assert run("index", "delete", "birds", "ids.txt", "--json").json["documents"] == 7
    found = run("index", "search", "birds", "-", "-k", 1, stdin=b'{"text": "hoots at night"}\n').answers
    assert found[0]["neighbours"][0]["id"] == "train2"
    assert run("index", "delete", "birds", "-", "--json", stdin=b"train2\n").json["deleted"] == 3
    compact = run("index", "compact", "birds", "--json").json
    assert (compact["documents"], compact["deleted"], compact["segments"]) == (6, 0, 1)
    assert run("index", "info", "birds", "--check").out.startswith("documents  6\n")


def test_a_packed_index_is_a_model_that_reads_and_scores_as_the_index_does(start, run, refused, animals, inside):
    run("index", "create", "birds", "--set", "stemmer=none", "--k1", "2", "--idf", "robertson")
    assert re.search(r"no document.*label", refused("index", "pack", "birds", "-o", "birds.classmark"))
    run("index", "add", "birds", animals, "--split", "train")
    (inside / "ids.txt").write_text("train9\n")
    run("index", "delete", "birds", "ids.txt")
    packed = run("index", "pack", "birds", "-o", "birds.classmark", "--json").json
    assert (packed["method"], packed["documents"]) == ("knn-bm25", 8)
    described = run("info", "birds.classmark", "--json").json
    assert described["text"]["stemmer"] is None
    assert (described["settings"]["bm25_k1"], described["settings"]["idf"]) == (2, "robertson")
    model = TextClassifier.load(inside / "birds.classmark")
    near = model.classifier_.neighbours(model.transform(["hoots at night"]))
    found = run("index", "search", "birds", "-", "-k", 3, stdin=b"hoots at night\n").answers[0]["neighbours"]
    assert near.scores[0, : len(found)].tolist() == pytest.approx([one["score"] for one in found])
    told, _ = start("explain", "birds.classmark", "hoots at night").communicate()
    assert b" by document train1 (owl), similarity " in told
    assert "there is no such file; check the path of the hierarchy" in refused(
        "index", "pack", "birds", "-o", "birds.classmark", "--hierarchy", "nowhere.tsv"
    )


def test_adding_makes_an_index_and_replaces_by_id(run, animals):
    assert run("index", "add", "birds", animals, "--json").json["documents"] == 15
    again = run("index", "add", "birds", animals, "--split", "test", "--json").json
    assert (again["added"], again["replaced"], again["documents"]) == (0, 6, 15)
    found = run("index", "search", "birds", animals, "-k", 1).answers
    # Nearest to a document is the document itself, but for those that others contain.
    assert sum(one["neighbours"][0]["id"] == one["id"] for one in found if one["neighbours"]) >= 13


def test_ids_that_nobody_gave_do_not_collide(start, run, inside):
    """The second file used to replace the first, with the words "added 2"."""
    for number in (1, 2):
        (inside / f"{number}.csv").write_text(f"text,label\nowls hoot {number},owl\ngulls cry {number},gull\n")
        out, err = start("index", "add", "birds", f"{number}.csv").communicate()
        assert err == b""
    assert out.decode().splitlines()[:4] == ["added      2", "replaced   0", "numbered   #3 to #4", "documents  4"]
    (inside / "three.jsonl").write_text('{"id": "#1", "text": "an owl"}\n{"id": "own", "text": "a gull"}\n')
    third = run("index", "add", "birds", "three.jsonl", "--json").json
    assert (third["added"], third["replaced"], third["documents"]) == (1, 1, 5)
    assert "numbered" not in third
    found = run("index", "search", "birds", "-", stdin=b"owls\n").answers[0]["neighbours"]
    assert [one["id"] for one in found] == ["#1", "#3"]
    # No more than there are, in one line, however many are asked for.
    out, err = start("index", "search", "birds", "-", "-k", "2147483648").communicate(b"owls\n")
    assert (json.loads(out)["neighbours"], out.count(b"\n"), err) == (found, 1, b"")


@pytest.mark.parametrize("kind", ["segment", "json"])
def test_a_flipped_bit_is_taken_up_by_no_command(start, run, animals, inside, kind):
    """`search` used to answer differently, and after `compact` the check passed."""
    run("index", "add", "birds", animals)
    (inside / "ids.txt").write_text("train1\n")
    run("index", "delete", "birds", "ids.txt")
    (file,) = (inside / "birds").glob(f"*{kind}")
    content = bytearray(file.read_bytes())
    content[content.index(b'"deleted"') + 1 if kind == "json" else -1] ^= 1
    file.write_bytes(content)
    before = {path: path.read_bytes() for path in (inside / "birds").iterdir()}
    commands = [("search", animals), ("add", animals), ("compact",), ("pack", "-o", "m.classmark"), ("info",)]
    processes = [start("index", name, "birds", *arguments) for name, *arguments in commands]
    for process in processes:
        out, err = process.communicate()
        assert (process.returncode, out) == (2, b"")
        assert err.startswith(f"classmark: birds/{file.name}: the checksum does not fit, ".encode())
        assert err.count(b"\n") == 1
    assert {path: path.read_bytes() for path in (inside / "birds").iterdir()} == before
    assert not (inside / "m.classmark").exists()


def test_what_would_do_nothing_is_refused(start, run, animals, inside):
    """Each in a process of its own: it used to end with 0."""
    run("index", "create", "birds")
    cases = [
        (("add", "birds", animals, "--split", "typo"), "no document has the split 'typo'; there is 'test', 'train'"),
        (("add", "new", animals, "--split", "train,typo"), "no document has the split 'typo'"),
        (("create", "new", "--set", "encoder=static"), "an index has no setting 'encoder'; its settings: language, "),
    ]
    processes = [start("index", *arguments) for arguments, _ in cases]
    for process, (_, message) in zip(processes, cases, strict=True):
        _, err = process.communicate()
        assert process.returncode == 2
        assert message in err.decode()
        assert err.count(b"\n") == 1
    assert not (inside / "new").exists()
    assert run("index", "info", "birds", "--json").json["documents"] == 0


def test_one_line_for_what_goes_wrong(refused, run, animals, inside):
    run("index", "add", "birds", animals)
    (inside / "ids.txt").write_text("train1\nnobody\n")
    assert "has no document 'nobody' (1 of 2)" in refused("index", "delete", "birds", "ids.txt")
    assert "no such file" in refused("index", "delete", "birds", "none.txt")
    assert "no index (index.json is missing)" in refused("index", "compact", animals)
    assert "already there" in refused("index", "create", "birds")
    assert "no setting 'C'" in refused("index", "create", "new", "--set", "C=1")
    assert "scoring='cosine' is not known" in refused("index", "create", "new", "--scoring", "cosine")
    assert "idf='plain' is not known" in refused("index", "create", "new", "--idf", "plain")
    assert "added to itself" in refused("index", "add", animals, animals)
    manifest = inside / "birds" / "index.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "format": 2}))
    assert re.search(r"index format 2,.*classmark reads 1", refused("index", "info", "birds"))


def test_an_interruption_keeps_what_is_safe(run, start, folder, documents):
    """Ctrl-C while documents come in: those of the writes before are there."""
    many = [{**documents[0], "id": str(number)} for number in range(4000)]
    data = folder("many", many)
    small = "from classmark.service import indexing\nindexing.DOCUMENTS_IN_A_WRITE = 20"
    process = start("index", "add", "birds", data, before=small)
    # The first write is done when the manifest names a segment.
    while process.poll() is None and b".segment" not in _manifest():
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 1, err
    assert err.decode().count("\n") == 1
    assert b"documents or more were added before, and are safe" in err
    assert 0 < run("index", "info", "birds", "--check", "--json").json["documents"] < 4000


def _manifest() -> bytes:
    from pathlib import Path

    path = Path("birds/index.json")
    return path.read_bytes() if path.exists() else b""
