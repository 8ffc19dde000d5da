import pytest

from classmark.store import Conflict, Missing, NewDocument, Verdict


def test_accepting_takes_what_the_model_said(birds, clock):
    verdict = birds.record("birds", "a", Verdict(kind="accept", who="ann", revision=0))
    assert (verdict.kind, verdict.labels, verdict.who, verdict.at) == ("accept", ["owl"], "ann", clock.now)
    assert (verdict.said, verdict.version, verdict.revision, verdict.undone) == ({"labels": ["owl"]}, "1", 1, False)
    found = birds.document("birds", "a")
    assert (found.state, found.labels, found.revision) == ("reviewed", ["owl"], 1)


def test_accepting_takes_the_given_labels_where_nothing_was_said(store):
    store.add("birds", [NewDocument(name="1", text="", given=["gull"])], who="ann")
    assert store.record("birds", "1", Verdict(kind="accept", who="ann", labels=["gull"])).labels == ["gull"]


def test_correcting_takes_the_labels_of_the_person(birds):
    assert birds.record("birds", "a", Verdict(kind="correct", labels=["gull", "gull"], who="ann")).labels == ["gull"]
    assert birds.document("birds", "a").state == "human"
    birds.record("birds", "a", Verdict(kind="correct", labels=[], who="ann"))
    assert birds.document("birds", "a").labels == []


def test_rejecting_leaves_no_labels(birds):
    birds.record("birds", "a", Verdict(kind="accept", who="ann"))
    birds.record("birds", "a", Verdict(kind="reject", who="ben"))
    found = birds.document("birds", "a")
    assert (found.state, found.labels, found.revision) == ("rejected", None, 2)


def test_skipping_changes_nothing_but_the_order(birds):
    verdict = birds.record("birds", "a", Verdict(kind="skip", who="ann", revision=0))
    assert (verdict.revision, verdict.state, verdict.labels) == (0, "waiting", None)
    assert birds.document("birds", "a").revision == 0


@pytest.mark.parametrize(
    ("verdict", "told"),
    [
        (Verdict(kind="like", who="ann"), "kind='like'.*accept, correct, reject or skip"),
        (Verdict(kind="accept", who=""), "who=''.*1 to 200 characters"),
        (Verdict(kind="correct", who="ann"), "the labels of document 'a' are None"),
        (Verdict(kind="correct", who="ann", labels="owl"), "the labels of document 'a' are 'owl'; give a list"),
        (Verdict(kind="correct", who="ann", labels=["o\0"]), "a label of document 'a'.*character U\\+0000"),
        (Verdict(kind="accept", who="ann", labels=["gull"]), "the labels are not those of document 'a'"),
        (Verdict(kind="reject", who="ann", labels=["gull"]), "labels are given with reject"),
        (Verdict(kind="accept", who="ann", revision=-1), "revision=-1"),
        (Verdict(kind="accept", who="ann", key="k" * 201), "key='kkk"),
    ],
)
def test_refused(birds, verdict, told):
    with pytest.raises(ValueError, match=told):
        birds.record("birds", "a", verdict)
    assert birds.history("birds", "a") == []


def test_nothing_to_accept(store):
    store.add("birds", [NewDocument(name="1", text="")], who="ann")
    with pytest.raises(ValueError, match=r"document '1' has no labels to accept; give it some \(correct\)"):
        store.record("birds", "1", Verdict(kind="accept", who="ann"))


def test_what_is_not_there(birds):
    with pytest.raises(Missing, match=r"birds:.*no document 'z'"):
        birds.record("birds", "z", Verdict(kind="accept", who="ann"))
    with pytest.raises(Missing, match=r"fish:.*no document 'a'"):
        birds.record("fish", "a", Verdict(kind="accept", who="ann"))


def test_the_second_of_two_is_told_who_was_first(birds):
    birds.record("birds", "a", Verdict(kind="correct", labels=["gull"], who="ann", revision=0))
    with pytest.raises(Conflict) as told:
        birds.record("birds", "a", Verdict(kind="correct", labels=["emu"], who="ben", revision=0))
    assert str(told.value) == "document 'a' was corrected by ann at 2026-03-01T12:00:00+00:00; look at it again"
    assert (told.value.current.labels, told.value.last.who) == (["gull"], "ann")
    assert birds.document("birds", "a").labels == ["gull"]
    birds.record("birds", "a", Verdict(kind="correct", labels=["emu"], who="ben", revision=1))
    assert birds.document("birds", "a").labels == ["emu"]


def test_what_somebody_else_has_claimed_is_theirs_until_the_lease_ends(birds, clock):
    birds.claim("birds", "ann", lease_seconds=60)
    with pytest.raises(Conflict, match="document 'b' is before ann until 2026-03-01T12:01:00\\+00:00; take another"):
        birds.record("birds", "b", Verdict(kind="accept", who="ben"))
    clock.goes_on(60)
    birds.record("birds", "b", Verdict(kind="accept", who="ben"))
    with pytest.raises(Conflict, match="was accepted by ben"):
        birds.record("birds", "b", Verdict(kind="accept", who="ann", revision=0))


def test_the_same_key_again_gives_the_same_answer(birds, clock):
    verdict = Verdict(kind="correct", labels=["gull"], who="ann", key="k", revision=0)
    first = birds.record("birds", "a", verdict)
    clock.goes_on(5)
    assert birds.record("birds", "a", verdict) == first
    assert len(birds.history("birds", "a")) == 1
    for name, other in [
        ("b", verdict),
        ("a", Verdict(kind="correct", labels=["emu"], who="ann", key="k")),
        ("a", Verdict(kind="accept", who="ann", key="k")),
        ("a", Verdict(kind="correct", labels=["gull"], who="ben", key="k")),
    ]:
        with pytest.raises(ValueError, match="the key 'k' was used for another verdict"):
            birds.record("birds", name, other)


def test_a_key_is_one_of_its_project(birds):
    birds.add("fish", [NewDocument(name="a", text="", given=["cod"])], who="ann")
    birds.record("birds", "a", Verdict(kind="accept", who="ann", key="k"))
    assert birds.record("fish", "a", Verdict(kind="accept", who="ann", key="k")).labels == ["cod"]


def test_undo_gives_back_what_was(birds):
    birds.record("birds", "a", Verdict(kind="accept", who="ann"))
    birds.record("birds", "a", Verdict(kind="correct", labels=["gull"], who="ann"))
    undone = birds.undo("birds", "ann")
    assert (undone.kind, undone.labels, undone.state, undone.revision) == ("undo", ["owl"], "reviewed", 3)
    birds.undo("birds", "ann", "a")
    found = birds.document("birds", "a")
    assert (found.state, found.labels, found.revision) == ("waiting", None, 4)
    history = [(one.kind, one.undone) for one in birds.history("birds", "a")]
    assert history == [("accept", True), ("correct", True), ("undo", False), ("undo", False)]
    with pytest.raises(Missing, match="birds: ann has given no verdict that could be taken back"):
        birds.undo("birds", "ann")


def test_undo_takes_the_last_of_the_person_or_of_the_document(birds):
    birds.record("birds", "a", Verdict(kind="accept", who="ann"))
    birds.record("birds", "b", Verdict(kind="accept", who="ann"))
    birds.record("birds", "c", Verdict(kind="accept", who="ben"))
    assert birds.undo("birds", "ann", "a").name == "a"
    assert birds.undo("birds", "ann").name == "b"
    with pytest.raises(Missing, match="no verdict on document 'c' that could"):
        birds.undo("birds", "ann", "c")


def test_a_document_that_waits_again_is_before_who_took_it_back(birds):
    birds.claim("birds", "ann", order="random")
    (claimed,) = birds.claim("birds", "ann")
    birds.record("birds", claimed.name, Verdict(kind="accept", who="ann"))
    birds.undo("birds", "ann")
    assert [one.name for one in birds.claim("birds", "ann")] == [claimed.name]
    again = birds.record("birds", claimed.name, Verdict(kind="accept", who="ann"))
    assert again.order == "random"


def test_nobody_takes_back_what_another_has_built_on(birds):
    birds.record("birds", "a", Verdict(kind="accept", who="ann"))
    birds.record("birds", "a", Verdict(kind="correct", labels=["emu"], who="ben"))
    with pytest.raises(Conflict, match=r"was corrected by ben at .*; what came before cannot be taken back"):
        birds.undo("birds", "ann")
    assert birds.document("birds", "a").labels == ["emu"]
    birds.undo("birds", "ben")
    birds.undo("birds", "ann")
    assert birds.document("birds", "a").state == "waiting"


def test_undoing_a_skip(birds):
    birds.claim("birds", "ann")
    birds.record("birds", "b", Verdict(kind="skip", who="ann"))
    birds.undo("birds", "ann")
    assert [one.name for one in birds.claim("birds", "ann")] == ["b"]


def test_undoing_a_key_again_gives_the_same_answer(birds):
    birds.record("birds", "a", Verdict(kind="accept", who="ann"))
    birds.record("birds", "b", Verdict(kind="accept", who="ann", key="v"))
    first = birds.undo("birds", "ann", key="k")
    assert birds.undo("birds", "ann", key="k") == first
    assert birds.document("birds", "a").state == "reviewed"
    for who, key in (("ann", "v"), ("ben", "k")):
        with pytest.raises(ValueError, match="was used for a verdict"):
            birds.undo("birds", who, key=key)
