import pytest

from classmark.data import read_corpus
from classmark.hierarchy import Hierarchy
from classmark.store import Missing, Verdict


@pytest.fixture
def judged(birds):
    birds.record("birds", "a", Verdict(kind="accept", who="ann"))
    birds.record("birds", "b", Verdict(kind="correct", labels=[], who="ann"))
    birds.record("birds", "c", Verdict(kind="reject", who="ann"))
    return birds


def test_a_folder_that_everything_reads(judged, tmp_path):
    tree = Hierarchy.from_edges([("bird", "owl"), ("bird", "gull")])
    assert judged.export(tmp_path / "folder", "birds", tree) == 2
    corpus = read_corpus(tmp_path / "folder")
    assert (corpus.ids, list(corpus.documents)) == (["a", "b"], ["text of a", "text of b"])
    assert (corpus.labels, corpus.hierarchy) == ([["owl"], []], tree)


def test_without_a_hierarchy(judged, tmp_path):
    judged.export(tmp_path / "folder", "birds")
    assert [file.name for file in (tmp_path / "folder").iterdir()] == ["docs.jsonl"]


def test_a_label_that_the_hierarchy_does_not_have(judged, tmp_path):
    with pytest.raises(ValueError, match=r"the label 'owl' of document 'a'.*not in.*hierarchy"):
        judged.export(tmp_path / "folder", "birds", Hierarchy.flat(["gull"]))
    assert not (tmp_path / "folder").exists()


def test_nothing_to_export(birds, tmp_path):
    with pytest.raises(ValueError, match="no document of 'birds' has labels by a person yet"):
        birds.export(tmp_path / "folder", "birds")
    with pytest.raises(Missing, match="there is no project 'fish'; there are birds"):
        birds.export(tmp_path / "folder", "fish")


def test_what_is_there_is_not_replaced(judged, tmp_path):
    judged.export(tmp_path / "folder", "birds")
    with pytest.raises(FileExistsError, match="already there"):
        judged.export(tmp_path / "folder", "birds")
