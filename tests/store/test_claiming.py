import pytest

from classmark.store import NewDocument, Verdict


def names(documents):
    return [one.name for one in documents]


def test_the_most_doubtful_first_and_unknown_ones_last(birds):
    assert names(birds.claim("birds", "ann", count=10)) == ["b", "c", "a", "d"]


@pytest.mark.parametrize(("order", "first"), [("doubt", "x"), ("disagreement", "y"), ("suspicion", "z")])
def test_orders(store, order, first):
    measures = {"x": (3, 1, 1), "y": (2, 3, 2), "z": (1, 2, 3)}
    store.add(
        "birds",
        [
            NewDocument(name=name, text="", doubt=doubt, disagreement=disagreement, suspicion=suspicion)
            for name, (doubt, disagreement, suspicion) in measures.items()
        ],
        who="ann",
    )
    found = names(store.claim("birds", "ann", order=order, count=3))
    assert found == sorted(measures, key=lambda name: -getattr(store.document("birds", name), order))
    assert found[0] == first


def test_claim_by_suspicion_shows_no_unlabeled_document(store):
    documents = [NewDocument(name="plain", text="", doubt=1.0), NewDocument(name="given", text="", suspicion=0.1)]
    store.add("birds", documents, who="ann")
    assert names(store.claim("birds", "ann", order="doubt", count=1)) == ["plain"]
    # Neither the claimed one, nor a free one, nor after all others were skipped.
    assert names(store.claim("birds", "ann", order="suspicion", count=5)) == ["given"]
    store.release("birds", "ann")
    assert names(store.claim("birds", "ben", order="suspicion", count=5)) == ["given"]
    store.record("birds", "given", Verdict(kind="skip", who="ben", revision=0))
    assert names(store.claim("birds", "ben", order="suspicion", count=5)) == ["given"]


def test_at_random_is_the_same_at_any_time(birds):
    by_draw = sorted("abcd", key=lambda name: birds.document("birds", name).draw)
    assert names(birds.claim("birds", "ann", order="random", count=4)) == by_draw
    birds.release("birds", "ann")
    assert names(birds.claim("birds", "ben", order="random", count=4)) == by_draw


def test_two_people_get_different_documents(birds):
    assert names(birds.claim("birds", "ann", count=2)) == ["b", "c"]
    assert names(birds.claim("birds", "ben", count=3)) == ["a", "d"]
    assert birds.claim("birds", "eve") == []


def test_what_one_has_claimed_comes_again_first(birds):
    birds.claim("birds", "ann", order="random", count=1)
    (mine,) = birds.claim("birds", "ann", order="doubt", count=1)
    assert names(birds.claim("birds", "ann", order="doubt", count=4))[0] == mine.name
    assert len(birds.claim("birds", "ann", count=4)) == 4


def test_a_claim_ends_with_its_lease_and_is_renewed_by_asking_again(birds, clock):
    assert names(birds.claim("birds", "ann", lease_seconds=60)) == ["b"]
    clock.goes_on(59)
    assert names(birds.claim("birds", "ann", lease_seconds=60)) == ["b"]
    clock.goes_on(59)
    assert names(birds.claim("birds", "ben")) == ["c"]
    clock.goes_on(1)
    assert names(birds.claim("birds", "eve")) == ["b"]
    assert names(birds.claim("birds", "ann")) == ["a"]


def test_what_is_given_back_is_free(birds):
    birds.claim("birds", "ann", count=2)
    assert birds.release("birds", "ann") == 2
    assert birds.release("birds", "ann") == 0
    assert names(birds.claim("birds", "ben", count=2)) == ["b", "c"]


def test_a_document_that_is_judged_is_not_claimed_again(birds):
    birds.claim("birds", "ann")
    birds.record("birds", "b", Verdict(kind="accept", who="ann"))
    assert names(birds.claim("birds", "ann")) == ["c"]
    assert birds.document("birds", "b").claimed_by is None


def test_what_one_skips_comes_to_others_last_and_to_oneself_when_all_others_are_through(birds):
    birds.claim("birds", "ann")
    birds.record("birds", "b", Verdict(kind="skip", who="ann"))
    assert names(birds.claim("birds", "ben", count=4)) == ["c", "a", "d", "b"]
    # Not through yet: somebody has them before them.
    assert birds.claim("birds", "ann") == []
    for name in "cad":
        birds.record("birds", name, Verdict(kind="accept", who="ben"))
    birds.release("birds", "ben")
    assert names(birds.claim("birds", "ann")) == ["b"]


def test_of_what_one_has_skipped_the_least_often_skipped_comes_first(birds):
    order = []
    for _ in range(9):
        (next_one,) = birds.claim("birds", "ann")
        order.append(next_one.name)
        birds.record("birds", next_one.name, Verdict(kind="skip", who="ann"))
    assert "".join(order) == "bcadbcadb"


def test_projects_do_not_mix(birds):
    assert birds.claim("fish", "ann") == []


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"order": "mood"}, "order='mood'.*doubt, disagreement, suspicion or random"),
        ({"count": 0}, r"count=0.*integer >= 1"),
        ({"lease_seconds": -1}, "lease_seconds=-1.*> 0"),
        ({"lease_seconds": float("nan")}, "lease_seconds=nan"),
    ],
)
def test_refused(birds, asked, told):
    with pytest.raises(ValueError, match=told):
        birds.claim("birds", "ann", **asked)


def test_the_next_document_is_found_by_an_index(tmp_path):
    """Not by sorting all that wait: with a million documents that would take seconds, while others wait."""
    import sqlite3

    from classmark.store import Store
    from classmark.store.claiming import ORDERS

    Store.open(tmp_path / "s").close()
    connection = sqlite3.connect(tmp_path / "s")
    for order in ORDERS:
        by = "draw" if order == "random" else f"{order} DESC NULLS LAST"
        asked = f"SELECT id FROM document WHERE project='a' AND state='waiting' AND skips=0 ORDER BY {by}, id LIMIT 1"
        plan = " ".join(str(row) for row in connection.execute(f"EXPLAIN QUERY PLAN {asked}"))
        assert f"document_by_{'draw' if order == 'random' else order}" in plan
        assert "TEMP B-TREE" not in plan
    connection.close()
