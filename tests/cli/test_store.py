"""`classmark store`: documents in, labels out, copies, and one line for what goes wrong."""

import re

import pytest

from classmark.store import Store, Verdict


@pytest.fixture
def store(run, animals, model):
    """A store with the test documents, of which two are judged."""
    run("store", "add", "s.sqlite", animals, "--project", "animals", "--model", model, "--split", "test")
    with Store.open("s.sqlite") as opened:
        opened.record("animals", "test1", Verdict(kind="accept", who="ann"))
        opened.record("animals", "test6", Verdict(kind="correct", labels=["cod"], who="ben"))
    return "s.sqlite"


def test_add_and_info(run, animals):
    added = run("store", "add", "s.sqlite", animals, "--project", "animals", "--who", "ann", "--json").json
    assert added == {"store": "s.sqlite", "project": "animals", "documents": 15, "new": 15}
    info = run("store", "info", "s.sqlite", "--json").json
    assert info["projects"]["animals"]["waiting"] == 15


def test_info_in_words(run, store):
    assert run("store", "info", store).out.splitlines() == [
        "s.sqlite",
        "project  documents  waiting  reviewed  human  rejected",
        "animals          6        4         1      1         0",
        "animals: ann accept 1",
        "animals: ben correct 1",
    ]


def test_what_people_said_is_learned_from(run, store, animals):
    told = run("train", animals, "-o", "m.classmark", "--feedback", f"{store}#animals")
    assert "feedback    2 documents, 0 of them instead of old labels\n" in told.out
    assert re.search(r"2.*in other splits.*animals", told.err)
    run("train", animals, "-o", "m.classmark", "--feedback", store, "--estimate")


def test_export_backup_and_restore(run, store, inside):
    told = run("store", "export", store, "-o", "out", "--hierarchy", "animals/hierarchy.tsv", "--json").json
    assert told == {"written": "out", "project": "animals", "documents": 2}
    assert run("info", "out", "--json").json["documents"] == 2
    assert run("store", "backup", store, "copy").out == "written    copy\ndocuments  6\n"
    assert run("store", "restore", "copy", "t.sqlite", "--json").json == {"written": "t.sqlite", "documents": 6}
    assert run("store", "info", "t.sqlite").out == run("store", "info", store).out.replace("s.sqlite", "t.sqlite")


def test_forget(run, store):
    assert run("store", "forget", store, "--name", "test1").out == "documents  1\nnames      animals: test1\n"
    assert run("store", "forget", store, "--name", "test1").out == "documents  0\nnames      none\n"
    assert run("store", "forget", store, "--who", "import", "--project", "animals", "--json").json["documents"] == 5


def test_without_a_command_it_says_what_there_is(run):
    assert "restore" in run("store").out


def test_refused(refused, store, inside, animals):
    assert refused("store", "info", "nowhere") == "classmark: nowhere: there is no such store; check the path\n"
    assert "not a SQLite" in refused("store", "info", f"{animals}/docs.jsonl")
    assert re.search(r"neither.*person", refused("store", "forget", store))
    assert "has documents" in refused("store", "restore", store, store)
    assert "has no project 'fish'; name one of animals" in refused(
        "store", "export", store, "-o", "x", "--project", "fish"
    )
    assert "not the address" in refused("store", "info", "mysql://ann:secret@host/db")
    assert "no index" in refused("store", "forget", store, "--name", "test1", "--index", animals)
    assert "has no project 'x'" in refused("train", animals, "-o", "m", "--feedback", f"{store}#x")
