from pathlib import Path

import pytest

from classmark import TextClassifier
from classmark.data import Corpus, CorpusOptions
from classmark.service.corpora import read
from classmark.service.feedback import with_feedback
from classmark.service.recipes import Recipe
from classmark.service.training import train
from classmark.store import Store
from tests.service.animals import LABELS, TEXTS, TREE, write_dataset


@pytest.fixture
def animals(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_dataset(tmp_path / "animals")


def learn(*lessons, project="birds"):
    with Store.open("s.sqlite") as store:
        store.learn(project, lessons, who="ann")


def joined(animals, options=None, split="train"):
    whole = read(animals, stored=True)
    return with_feedback(whole.part([split], "train"), whole, "s.sqlite", options or CorpusOptions())


def rows(corpus):
    return list(zip(corpus.ids, corpus.documents, corpus.labels, strict=True))


OLD = list(zip([f"train{number}" for number in range(5)], TEXTS, LABELS, strict=True))


def test_new_documents_come_after_the_old_ones(animals):
    learn(("new", "a white gull", ["gull"]))
    corpus, used = joined(animals)
    assert rows(corpus) == [*OLD, ("new", "a white gull", ["gull"])]
    assert (used.documents, used.replaced, str(used)) == (1, 0, "1 documents, 0 of them instead of old labels")
    assert corpus.splits == ["train"] * 6


def test_one_with_the_same_id_takes_the_place_of_the_old_one(animals):
    learn(("train1", "cries over the lake", ["owl"]))
    corpus, used = joined(animals)
    assert rows(corpus) == [OLD[0], ("train1", "cries over the lake", ["owl"]), *OLD[2:]]
    assert (used.documents, used.replaced) == (1, 1)


def read_table(content, name="table.csv"):
    Path(name).write_text(content)
    whole = read(name, stored=True)
    return with_feedback(whole.part(None, "train"), whole, "s.sqlite", CorpusOptions())


def test_with_feedback_table_without_ids_is_not_matched_by_row_number(animals):
    learn(("1", "a lark", ["owl"]), ("lark", "cries", ["owl"]))
    corpus, used = read_table("text,labels\nhoots,owl\ncries,gull\n")
    assert rows(corpus) == [("1", "hoots", ["owl"]), ("2", "cries", ["owl"]), ("feedback:1", "a lark", ["owl"])]
    assert (used.documents, used.replaced) == (2, 1)


def test_with_feedback_table_with_some_ids_is_matched_by_those(animals):
    learn(("1", "a lark", ["owl"]), ("b", "sings", ["gull"]))
    corpus, used = read_table(
        '{"text": "hoots", "labels": ["owl"]}\n{"id": "b", "text": "cries", "labels": ["gull"]}\n', "some.jsonl"
    )
    assert rows(corpus) == [("1", "hoots", ["owl"]), ("b", "sings", ["gull"]), ("feedback:1", "a lark", ["owl"])]
    assert used.replaced == 1


@pytest.mark.filterwarnings("error")
def test_with_feedback_row_number_in_another_split_is_not_reported(animals):
    learn(("2", "a lark", ["owl"]))
    corpus, _ = read_table("text,labels,split\nhoots,owl,train\ncries,gull,test\n")
    assert list(corpus.documents) == ["hoots", "a lark"]


@pytest.mark.filterwarnings("ignore:1 documents of the feedback are in other splits")
def test_one_with_the_very_text_gives_its_labels(animals):
    learn((None, TEXTS[1], []))
    corpus, used = joined(animals)
    assert rows(corpus) == [OLD[0], ("train1", TEXTS[1], []), *OLD[2:]]
    assert used.replaced == 1


def test_of_two_with_the_same_text_the_later_holds(animals):
    learn((None, "a lark", ["owl"]), (None, "a lark", ["gull"]))
    corpus, used = joined(animals)
    assert rows(corpus) == [*OLD, ("#2", "a lark", ["gull"])]
    assert used.documents == 2


def test_documents_that_somebody_tests_on_are_spoken_of(animals):
    learn(("test3", "another text", ["oak"]), (None, "new", ["oak"]))
    with pytest.warns(UserWarning, match="1 documents of the feedback are in other splits of .*too good"):
        joined(animals)


def test_a_part_of_them_is_taken_as_of_others(animals):
    """Those that stay in their file, and are divided to hold some out."""
    learn(("train1", "x", ["owl"]), ("new", "y", ["gull"]))
    corpus, _ = joined(animals)
    taken = corpus.take([0, 1, 5])
    assert list(taken.documents) == [TEXTS[0], "x", "y"]
    assert list(taken.documents) == [TEXTS[0], "x", "y"]


def test_documents_in_memory_join_as_well(animals):
    learn(("1", "x", ["owl"]), ("new", "y", ["gull"]))
    corpus = Corpus(["0", "1"], ["a", "b"], [["owl"], None], [None, None], TREE, "two")
    found, _ = with_feedback(corpus, corpus, "s.sqlite#birds", CorpusOptions())
    assert (found.documents, found.labels) == (["a", "x", "y"], [["owl"], ["owl"], ["gull"]])


def test_a_label_that_the_hierarchy_does_not_have(animals):
    learn(("n", "x", ["owl", "gul"]))
    told = r"s\.sqlite: document 'n': the label 'gul' is not in .*\(did you mean 'gull'\?\)"
    with pytest.raises(ValueError, match=told):
        joined(animals)
    with pytest.warns(UserWarning, match="dropped 1 label"):
        corpus, _ = joined(animals, CorpusOptions(on_unknown="drop"))
    assert corpus.labels[-1] == ["owl"]


def test_with_feedback_verdict_that_loses_its_last_label_is_unlabeled(animals):
    learn(("n", "x", ["gul"]), ("train1", "runs", ["emu"]), ("nowhere", "y", []))
    with pytest.warns(UserWarning, match=r"dropped 2 label.*; 2 document\(s\) have no other label"):
        corpus, _ = joined(animals, CorpusOptions(on_unknown="drop"))
    labels = dict(zip(corpus.ids, corpus.labels, strict=True))
    assert (labels["n"], labels["train1"], labels["nowhere"]) == (None, None, [])


def test_a_model_learns_what_people_said(animals):
    """Four documents say that hooting is what gulls do, against one that said owls."""
    learn(("train0", TEXTS[0], ["gull"]), *((None, f"hoots {number}", ["gull"]) for number in range(4)))
    with pytest.warns(UserWarning, match="in other splits"):
        trained = train(animals, "m.classmark", feedback="s.sqlite")
    assert (trained.documents, trained.feedback.documents, trained.feedback.replaced) == (9, 5, 1)
    assert "gull" in TextClassifier.load("m.classmark").predict(["hoots"])[0]
    train(animals, "old.classmark")
    assert "owl" in TextClassifier.load("old.classmark").predict(["hoots"])[0]


@pytest.mark.filterwarnings("ignore:left out 1 of 3")
def test_documents_without_any_label_of_their_own(animals, tmp_path):
    (tmp_path / "open.csv").write_text("id,text\na,hoots at night\nb,cries over the sea\nc,hoots\n")
    learn(("a", "hoots at night", ["owl"]), ("b", "cries over the sea", ["gull"]))
    trained = train("open.csv", "m.classmark", Recipe("nb"), feedback="s.sqlite")
    assert (trained.documents, trained.labelled, trained.categories) == (3, 2, 2)


def test_refused(animals, tmp_path):
    with pytest.raises(FileNotFoundError, match="no such store"):
        train(animals, "m.classmark", feedback="nowhere.sqlite")
    learn(("1", "x", ["owl"]))
    learn(("1", "x", ["owl"]), project="fish")
    with pytest.raises(ValueError, match="has several projects; name one of birds, fish"):
        train(animals, "m.classmark", feedback="s.sqlite")
    assert train(animals, "m.classmark", feedback="s.sqlite#fish").feedback.documents == 1
    with pytest.raises(ValueError, match="then replaced"):
        train(animals, "s.sqlite", feedback="sqlite:///s.sqlite#fish")
    with pytest.raises(ValueError, match="feedback is labels, and this learns without any"):
        train(animals, "m.classmark", Recipe("pcem-plus", encoder="terms"), feedback="s.sqlite#fish")
    (tmp_path / "f.svm").write_text("1 1:1\n2 2:1\n")
    with pytest.raises(ValueError, match="documents are features, and those of a store are texts"):
        train("f.svm", "m.classmark", feedback="s.sqlite#fish")
