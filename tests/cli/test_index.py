"""`classmark index`: documents in, out and found, and one line for what goes wrong."""

import json
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


def test_a_packed_index_is_a_model_that_reads_and_scores_as_the_index_does(run, refused, animals, inside):
    run("index", "create", "birds", "--set", "stemmer=none", "--k1", "2", "--idf", "robertson")
    assert "no document has a label" in refused("index", "pack", "birds", "-o", "birds.classmark")
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
    assert "there is no such file; check the path of the hierarchy" in refused(
        "index", "pack", "birds", "-o", "birds.classmark", "--hierarchy", "nowhere.tsv"
    )


def test_adding_makes_an_index_and_replaces_by_id(run, animals):
    assert run("index", "add", "birds", animals, "--json").json["documents"] == 15
    again = run("index", "add", "birds", animals, "--split", "test", "--json").json
    assert (again["added"], again["documents"]) == (6, 15)
    found = run("index", "search", "birds", animals, "-k", 1).answers
    # Nearest to a document is the document itself, but for those that others contain.
    assert sum(one["neighbours"][0]["id"] == one["id"] for one in found if one["neighbours"]) >= 13


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
    assert "index format 2, this version of classmark reads 1" in refused("index", "info", "birds")


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
