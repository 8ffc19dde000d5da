import pytest

from classmark.store import Missing, NewDocument, Verdict
from classmark.store import looking as looking_module


def names(documents):
    return [one.name for one in documents]


def test_documents_in_pages(birds):
    assert names(birds.documents("birds")) == ["a", "b", "c", "d"]
    assert names(birds.documents("birds", order="doubt", offset=1, limit=2)) == ["c", "a"]
    assert birds.documents("birds", offset=4) == []
    birds.add("birds", [NewDocument(name="B", text="")], who="ann")
    assert names(birds.documents("birds", order="name"))[0] == "B"


def test_documents_of_a_state(birds):
    birds.record("birds", "c", Verdict(kind="accept", who="ann"))
    assert names(birds.documents("birds", state="reviewed")) == ["c"]
    assert names(birds.documents("birds", state="waiting")) == ["a", "b", "d"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"state": "done"}, "state='done'.*waiting, reviewed, human or rejected"),
        ({"order": "size"}, "order='size'.*added, name, doubt"),
        ({"offset": -1}, r"offset=-1.*integer >= 0"),
        ({"limit": 10**12}, "limit=1000000000000.*<= 2,147,483,647"),
    ],
)
def test_refused(birds, asked, told):
    with pytest.raises(ValueError, match=told):
        birds.documents("birds", **asked)


def test_what_is_not_there(birds):
    with pytest.raises(Missing, match=r"birds:.*no document 'z'"):
        birds.document("birds", "z")
    with pytest.raises(Missing, match="no document"):
        birds.history("birds", "z")


def test_projects(birds):
    birds.add("fish", [NewDocument(name="a", text="")], who="ann")
    assert birds.projects() == ["birds", "fish"]
    birds.forget(project="fish", who="ann")
    assert birds.projects() == ["birds"]


def test_counts(birds):
    birds.claim("birds", "ann", order="random", count=2)
    first, second = birds.claim("birds", "ann", count=2)
    birds.claim("birds", "ben", order="doubt")
    birds.record("birds", first.name, Verdict(kind="accept", who="ann"))
    birds.record("birds", second.name, Verdict(kind="correct", labels=["emu"], who="ann"))
    (third,) = birds.claim("birds", "ben")
    birds.record("birds", third.name, Verdict(kind="accept", who="ben"))
    birds.record("birds", third.name, Verdict(kind="reject", who="ben"))
    birds.undo("birds", "ben")
    birds.claim("birds", "eve")
    assert birds.counts("birds") == {
        **{"documents": 4, "waiting": 1, "reviewed": 2, "human": 1, "rejected": 0, "claimed": 1},
        "random": {"accepted": 1, "corrected": 1, "rejected": 0},
        "people": {"ann": {"accept": 1, "correct": 1}, "ben": {"accept": 1}},
    }
    assert birds.counts("fish")["documents"] == 0


def test_labelled_documents_come_one_after_the_other(birds, monkeypatch):
    monkeypatch.setattr(looking_module, "DOCUMENTS_AT_A_TIME", 2)
    for name, kind in zip("abcd", ("accept", "reject", "accept", "accept"), strict=True):
        birds.record("birds", name, Verdict(kind=kind, who="ann"))
    assert names(birds.labelled("birds")) == ["a", "c", "d"]


def test_what_the_live_index_does_not_have(birds):
    assert birds.not_indexed("birds") == []
    birds.record("birds", "a", Verdict(kind="accept", who="ann"))
    birds.record("birds", "b", Verdict(kind="accept", who="ann"))
    assert names(birds.not_indexed("birds")) == ["a", "b"]
    assert names(birds.not_indexed("birds", limit=1)) == ["a"]
    birds.mark_indexed("birds", ["a", "b", "never there"])
    assert birds.not_indexed("birds") == []
    # What lost its labels must leave the index.
    birds.undo("birds", "ann")
    assert [(one.name, one.labels) for one in birds.not_indexed("birds")] == [("b", None)]


def test_a_change_between_reading_and_marking_is_not_lost(birds):
    birds.record("birds", "a", Verdict(kind="accept", who="ann"))
    (read,) = birds.not_indexed("birds")
    birds.record("birds", "a", Verdict(kind="correct", labels=["emu"], who="ann"))
    birds.mark_indexed("birds", {read.name: read.revision})
    assert names(birds.not_indexed("birds")) == ["a"]
    birds.mark_indexed("birds", {"a": 2})
    # A slower one that marks what was before does not turn it back.
    birds.mark_indexed("birds", {"a": 1})
    assert birds.not_indexed("birds") == []


def test_documents_of_a_label(birds):
    assert names(birds.labelled_as("birds", "owl")) == ["d", "c", "b", "a"]
    birds.record("birds", "b", Verdict(kind="accept", who="ann"))
    birds.record("birds", "c", Verdict(kind="correct", labels=["Owl", "em\u00fc", 'a "gull"'], who="ann"))
    birds.record("birds", "d", Verdict(kind="reject", who="ann"))
    assert names(birds.labelled_as("birds", "owl")) == ["b", "a"]
    assert names(birds.labelled_as("birds", "owl", offset=1, limit=1)) == ["a"]
    for label in ("Owl", "em\u00fc", 'a "gull"'):
        assert names(birds.labelled_as("birds", label)) == ["c"]
    assert names(birds.labelled_as("birds", "ow")) == []
    assert names(birds.labelled_as("fish", "owl")) == []


def test_labelled_as_category_called_like_a_field_matches_labels_only(birds):
    said = {"labels": ["gull"], "chances": {"auk": 0.5}, "other": {"project": "birds", "labels": ["tern"]}}
    birds.add("birds", [NewDocument(name="e", text="e", said=said)], who="ann")
    birds.add("birds", [NewDocument(name="f", text="f", said={"labels": ["labels", 'a "b\\']})], who="ann")
    birds.add("birds", [NewDocument(name="g", text="g", said={"labels": None})], who="ann")
    assert {label: names(birds.labelled_as("birds", label)) for label in ("labels", "gull", 'a "b\\')} == {
        "labels": ["f"],
        "gull": ["e"],
        'a "b\\': ["f"],
    }
    for label in ("other", "chances", "project", "birds", "tern", "auk"):
        assert names(birds.labelled_as("birds", label)) == [], label
    birds.record("birds", "e", Verdict(kind="correct", labels=["labels"], who="ann"))
    assert names(birds.labelled_as("birds", "labels")) == ["e", "f"]
    assert names(birds.labelled_as("birds", "gull")) == []
