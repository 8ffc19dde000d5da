import pytest

from classmark.store import Conflict, Lesson, NewDocument, Verdict


def new(name, text="hoots", **more):
    return NewDocument(name=name, text=text, **more)


def names(documents):
    return [one.name for one in documents]


def test_a_document_comes_back_as_it_was_given(store, clock):
    said = {"labels": ["owl", "bird"], "chances": {"owl": 0.75}}
    (stored,) = store.add(
        "birds",
        [new("ü/1", "Überall\n\t„Eulen“ 🦉", given=["gull"], said=said, version="v1", doubt=0.25, suspicion=0.5)],
        who="ann",
    )
    assert stored == store.document("birds", "ü/1")
    assert (stored.text, stored.given, stored.said) == ("Überall\n\t„Eulen“ 🦉", ["gull"], said)
    assert (stored.version, stored.doubt, stored.disagreement, stored.suspicion) == ("v1", 0.25, None, 0.5)
    assert (stored.state, stored.labels, stored.revision, stored.origin) == ("waiting", None, 0, "review")
    assert (stored.added, stored.by, stored.project) == (clock.now, "ann", "birds")
    assert 0 <= stored.draw < 1


def test_documents_are_given_in_their_order(store):
    store.add("birds", [new("b")], who="ann")
    assert names(store.add("birds", [new("c"), new("b"), new("a")], who="ann")) == ["c", "b", "a"]


def test_no_documents_are_no_change(store):
    assert store.add("birds", [], who="ann") == []
    assert store.projects() == []


def test_documents_without_a_name_get_numbers_that_were_never_given(store):
    assert names(store.add("birds", [new(None), new("x"), new(None)], who="ann")) == ["#1", "x", "#2"]
    store.forget(name="#2")
    assert names(store.add("birds", [new(None)], who="ann")) == ["#3"]
    assert names(store.add("fish", [new(None)], who="ann")) == ["#1"]


def test_a_number_that_somebody_wrote_is_not_given_again(store):
    assert names(store.add("birds", [new("#7"), new(None)], who="ann")) == ["#7", "#8"]
    store.add("birds", [new("#20")], who="ann")
    store.forget(name="#20")
    assert names(store.add("birds", [new(None)], who="ann")) == ["#21"]


def test_the_same_name_is_replaced_until_somebody_has_judged_it(store):
    store.add("birds", [new("1", "hoots", doubt=0.5)], who="ann")
    (second,) = store.add("birds", [new("1", "cries", doubt=0.25)], who="ben")
    assert (second.text, second.doubt, second.by, second.revision) == ("cries", 0.25, "ann", 1)
    store.record("birds", "1", Verdict(kind="skip", who="eve"))
    assert store.add("birds", [new("1", "swims")], who="ben")[0].text == "swims"
    store.record("birds", "1", Verdict(kind="correct", labels=["cod"], who="eve"))
    (left,) = store.add("birds", [new("1", "flies")], who="ben")
    assert (left.text, left.labels) == ("swims", ["cod"])


def test_who_judges_a_text_that_was_replaced_meanwhile_is_told(store):
    store.add("birds", [new("1", "hoots")], who="ann")
    store.add("birds", [new("1", "cries")], who="ann")
    with pytest.raises(Conflict, match="document '1' has changed"):
        store.record("birds", "1", Verdict(kind="correct", labels=["owl"], who="eve", revision=0))


def test_the_same_document_again_is_no_change(store):
    store.add("birds", [new("1", said={"labels": ["owl"]}, given=["owl"])], who="ann")
    (again,) = store.add("birds", [new("1", said={"labels": ["owl"]}, given=["owl"])], who="ann")
    assert again.revision == 0


def test_all_or_none(store):
    with pytest.raises(ValueError, match="U\\+0000"):
        store.add("birds", [new("1"), new("2", "ho\0ts")], who="ann")
    assert store.projects() == []


def test_what_is_learned_is_labelled_at_once(store):
    learned = store.learn("birds", [(None, "hoots", ["owl"]), Lesson("2", "cries", [])], who="ann")
    assert [(one.name, one.text, one.labels, one.state) for one in learned] == [
        ("#1", "hoots", ["owl"], "human"),
        ("2", "cries", [], "human"),
    ]
    assert [one.revision for one in learned] == [1, 1]
    (verdict,) = store.history("birds", "#1")
    assert (verdict.kind, verdict.labels, verdict.who, verdict.revision) == ("learn", ["owl"], "ann", 1)
    assert [one.labels for one in store.labelled("birds")] == [["owl"], []]


def test_learning_a_key_again_changes_nothing(store):
    lessons = [(None, "hoots", ["owl"]), (None, "cries", ["gull"])]
    first = store.learn("birds", lessons, who="ann", key="k")
    assert store.learn("birds", lessons, who="ann", key="k") == first
    assert store.counts("birds")["documents"] == 2
    for other in (lessons[:1], [(None, "hoots", ["emu"]), lessons[1]]):
        with pytest.raises(ValueError, match="the key 'k' was used for something else"):
            store.learn("birds", other, who="ann", key="k")


def test_learning_a_name_that_is_there_replaces_text_and_labels_and_undo_gives_them_back(store):
    store.add("birds", [new("1", "hoots", said={"labels": ["gull"]})], who="ann")
    store.claim("birds", "eve")
    (learned,) = store.learn("birds", [("1", "hoots at night", ["owl"])], who="ben")
    assert (learned.text, learned.labels, learned.claimed_by, learned.by) == ("hoots at night", ["owl"], None, "ann")
    store.undo("birds", "ben")
    back = store.document("birds", "1")
    assert (back.text, back.labels, back.state, back.revision) == ("hoots", None, "waiting", 2)


def test_many_at_once(store):
    many = [new(str(number), f"text {number}") for number in range(1200)]
    assert len(store.add("birds", many, who="ann")) == 1200
    assert len({one.id for one in store.add("birds", many, who="ann")}) == 1200
