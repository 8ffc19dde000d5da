import pytest

from classmark.store import NewDocument, Store, Verdict


def judged(store: Store, kind: str, who: str = "ben", order: str = "random", labels: list[str] | None = None) -> str:
    (found,) = store.claim("birds", who, order=order)
    store.record("birds", found.name, Verdict(kind=kind, who=who, labels=labels))
    return found.name


def test_outcomes_are_those_of_one_order_the_latest_first(birds: Store) -> None:
    judged(birds, "accept")
    judged(birds, "correct", labels=["gull"])
    judged(birds, "reject", order="doubt")
    judged(birds, "skip")
    assert birds.queue.outcomes("birds", "random", 10) == ["correct", "accept"]
    assert birds.queue.outcomes("birds", "random", 1) == ["correct"]
    birds.undo("birds", "ben")  # the skip
    birds.undo("birds", "ben")
    assert birds.queue.outcomes("birds", "doubt", 10) == []
    with pytest.raises(ValueError, match="order='age'"):
        birds.queue.outcomes("birds", "age", 1)


def test_every_document_says_its_state_and_its_labels(birds: Store) -> None:
    birds.add(
        "birds",
        [NewDocument(name="e", text="no model yet", given=["gull"]), NewDocument(name="f", text="x")],
        who="ann",
    )
    judged(birds, "reject", order="doubt")
    assert sorted(birds.queue.said("birds")) == [
        ("rejected", ["owl"]),
        *([("waiting", [])]),
        ("waiting", ["gull"]),
        *([("waiting", ["owl"])] * 3),
    ]
    assert birds.queue.said("nothing") == []


def test_what_others_have_before_them_is_not_free(birds: Store, clock) -> None:
    (held,) = birds.claim("birds", "ben")

    def free(who: str, limit: int) -> list[str]:
        numbers = list(birds.queue.free_signatures("birds", who, limit=limit))
        found = birds.queue.numbered("birds", numbers)
        return [found[number].name for number in numbers]

    assert free("eve", 10) == ["c", "a", "d"]
    assert free("ben", 2) == [held.name, "c"]
    clock.goes_on(601)
    assert held.name in free("eve", 10)


def test_waiting_documents_are_compared_some_at_a_time(birds: Store) -> None:
    first = birds.queue.waiting_after("birds", 0, limit=3)
    rest = birds.queue.waiting_after("birds", first[-1].id, limit=3)
    assert [one.name for one in [*first, *rest]] == ["a", "b", "c", "d"]
    judged(birds, "accept", order="doubt")  # b
    found = {one.id: (number / 10, {"project": "other", "labels": ["gull"]}) for number, one in enumerate(first, 1)}
    assert birds.queue.compare("birds", found) == 2
    assert birds.document("birds", "b").disagreement is None
    third = birds.document("birds", "c")
    assert (third.disagreement, third.revision) == (0.3, 0)
    assert third.said == {"labels": ["owl"], "other": {"project": "other", "labels": ["gull"]}}
    assert [one.name for one in birds.claim("birds", "eve", order="disagreement")] == ["c"]


def test_documents_are_found_and_forgotten_by_their_names(birds: Store, tmp_path) -> None:
    assert set(birds.queue.named("birds", ["a", "c", "?"])) == {"a", "c"}
    name = judged(birds, "accept", order="doubt")
    assert sorted(birds.queue.forget("birds", [name, "a", "?"], judged=False)) == ["a"]
    assert birds.queue.forget("birds", [name], judged=True) == [name]
    assert birds.queue.forget("birds", [], judged=True) == []
    assert [one.name for one in birds.documents("birds")] == ["c", "d"]
    assert birds.counts("birds")["people"] == {}
