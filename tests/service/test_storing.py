import json
from pathlib import Path

import pytest

from classmark.data import CorpusOptions, read_corpus
from classmark.index import LiveIndex
from classmark.service import storing
from classmark.service.batching.folders import Batches, folder_beside
from classmark.service.training import train
from classmark.store import NewDocument, Store, Verdict
from tests.service.animals import LABELS, TEXTS, TREE, write_dataset


@pytest.fixture
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def animals(inside):
    return write_dataset(inside / "animals")


def documents(**asked):
    with Store.open("s.sqlite", create=False) as store:
        return store.documents("birds", **asked)


def test_documents_come_with_their_labels_and_may_come_again(animals):
    first = storing.add_to_store("s.sqlite", animals, "birds", who="ann")
    assert (first.documents, first.new, first.numbered, first.version) == (10, 10, None, None)
    again = storing.add_to_store("s.sqlite", animals, "birds", splits=["test"])
    assert (again.documents, again.new) == (5, 0)
    found = documents()[0]
    assert (found.name, found.text, found.given) == ("train0", TEXTS[0], LABELS[0])
    assert (found.said, found.origin, found.by) == (None, "import", "ann")


def test_documents_without_ids_are_numbered(inside):
    (inside / "a.csv").write_text("text\nhoots\ncries\n")
    assert storing.add_to_store("s.sqlite", "a.csv", "birds").numbered == "#1 to #2"
    assert storing.add_to_store("s.sqlite", "a.csv", "birds").numbered == "#3 to #4"


def test_a_model_says_what_it_thinks_of_documents_and_of_their_labels(animals, inside):
    train(animals, "m.classmark")
    wrong = [{"id": "right", "text": TEXTS[0], "labels": ["owl"]}, {"id": "wrong", "text": TEXTS[0], "labels": ["oak"]}]
    (inside / "n.jsonl").write_text("".join(json.dumps(one) + "\n" for one in [*wrong, {"id": "none", "text": "?"}]))
    added = storing.add_to_store("s.sqlite", "n.jsonl", "birds", model="m.classmark")
    right, other, nothing = documents()
    assert right.said["labels"] == ["owl"]
    assert len(right.said["chances"]) == 1
    assert right.doubt == other.doubt < nothing.doubt
    assert right.suspicion < other.suspicion
    assert nothing.suspicion is None
    assert right.version == added.version
    assert [one.name for one in documents(order="suspicion")] == ["wrong", "right", "none"]


def test_labels_that_the_model_does_not_know(animals, inside):
    train(animals, "m.classmark")
    (inside / "n.csv").write_text('id,text,labels\n1,hoots,"owl,emu"\n')
    with pytest.raises(ValueError, match="document '1': the label 'emu' is not in the hierarchy"):
        storing.add_to_store("s.sqlite", "n.csv", "birds", model="m.classmark")
    assert not Path("s.sqlite").exists()
    drop = CorpusOptions(on_unknown="drop")
    (inside / "n.csv").write_text('id,text,labels\n1,hoots,"owl,emu"\n2,runs,emu\n')
    with pytest.warns(UserWarning, match=r"dropped 2 label.*'emu'; 1 document\(s\) have no other label"):
        storing.add_to_store("s.sqlite", "n.csv", "birds", model="m.classmark", options=drop)
    assert [one.given for one in documents()] == [["owl"], None]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"id": "1", "text": "a"}\n{"id": "1", "text": "b"}\n', "document '1' is there twice"),
        ('{"id": "1", "text": "a"}\n{"id": "2", "text": "a\\u0000"}\n', r"document '2'.*character U\+0000"),
        ('{"id": "1", "features": {"a": 1}}\n', "document '1' has features, and a store holds texts"),
    ],
)
def test_what_is_wrong_is_found_before_anything_is_written(inside, content, told):
    (inside / "n.jsonl").write_text(content)
    with pytest.raises(ValueError, match=told):
        storing.add_to_store("s.sqlite", "n.jsonl", "birds")
    assert not Path("s.sqlite").exists()


def test_the_embedded_corpus(inside):
    assert storing.add_to_store("s.sqlite", "docstrings", "docs", splits=["test"]).documents > 100


def test_labels_come_out_as_a_dataset_folder(animals):
    storing.add_to_store("s.sqlite", animals, "birds")
    with Store.open("s.sqlite") as store:
        store.record("birds", "train0", Verdict(kind="accept", who="ann"))
    done = storing.export_store("s.sqlite", "out", hierarchy="animals/hierarchy.tsv")
    assert (done.documents, done.project) == (1, "birds")
    corpus = read_corpus("out")
    assert (corpus.ids, corpus.labels, corpus.hierarchy) == (["train0"], [["owl"]], TREE)
    with pytest.raises(FileNotFoundError, match="no such hierarchy"):
        storing.export_store("s.sqlite", "again", hierarchy="nowhere.tsv")


def test_the_project_of_several_must_be_named(inside):
    with Store.open("s.sqlite") as store:
        with pytest.raises(ValueError, match="has no documents"):
            storing.chosen_project(store, None)
        for project in ("birds", "fish"):
            store.add(project, [NewDocument(name="1", text="")], who="ann")
        assert storing.chosen_project(store, "fish") == "fish"
        with pytest.raises(ValueError, match=r"s\.sqlite: has several projects; name one of birds, fish"):
            storing.chosen_project(store, None)
        with pytest.raises(ValueError, match="has no project 'oaks'; name one of birds, fish"):
            storing.chosen_project(store, "oaks")


def test_there_and_back(animals):
    storing.add_to_store("s.sqlite", animals, "birds")
    assert storing.backup_store("s.sqlite", "copy").documents == 10
    assert storing.restore_store("copy", "t.sqlite").documents == 10
    assert storing.store_info("t.sqlite").projects == storing.store_info("s.sqlite").projects


def test_forgetting_in_a_live_index_too(inside):
    secret = "zaunkoenig"
    with Store.open("s.sqlite") as store:
        store.learn("birds", [("1", f"sings {secret}", ["wren"]), ("2", "hoots", ["owl"])], who="ann")
        store.learn("birds", [("3", "cries", ["gull"])], who="ben")
    index = LiveIndex.create("index")
    index.add(["review:1", "review:2", "review:3", "1"], [f"sings {secret}", "hoots", "cries", f"other {secret}"])
    gone = storing.forget_in_store("s.sqlite", name="1", index="index")
    assert (gone.documents, gone.names, gone.in_index) == (1, ["birds: 1"], 2)
    assert LiveIndex.open("index").ids == ["review:2", "review:3"]
    assert not [path for path in inside.rglob("*") if path.is_file() and secret[:8].encode() in path.read_bytes()]
    gone = storing.forget_in_store("s.sqlite", who="ann", index="index")
    assert (gone.names, LiveIndex.open("index").ids) == (["birds: 2"], ["review:3"])
    assert storing.forget_in_store("s.sqlite", who="nobody") == storing.Forgotten(documents=0, names=[])


def test_forgetting_a_person_with_the_batches_that_they_brought(inside):
    with Store.open("s.sqlite") as store:
        store.learn("birds", [("1", "sings", ["wren"])], who="ann")
    batches = Batches(folder_beside("s.sqlite"))
    for project, who in (("birds", "ann"), ("fish", "ann"), ("birds", "ben")):
        with batches.incoming("x.csv") as file:
            file.write(b"text\nsings\n")
            batches.keep(file, "x.csv", project, who)
    assert storing.forget_in_store("s.sqlite", who="ann", project="birds").batches == 1
    assert storing.forget_in_store("s.sqlite", who="ann").batches == 1
    assert [known["who"] for _, known in batches.of()] == ["ben"]
    assert storing.forget_in_store("s.sqlite", who="ben", batches="elsewhere").batches is None
