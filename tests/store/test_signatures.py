import pytest
from sqlalchemy import event

from classmark.store import NewDocument, Store
from classmark.store.signatures import MOST_TERMS, signature_of, terms_of


def test_signature_of_long_texts_shares_the_terms_that_they_share() -> None:
    words = [f"word{number}" for number in range(5000)]
    hashes, counts = terms_of(signature_of(" ".join(words)))
    assert hashes.size == counts.size == MOST_TERMS
    assert (hashes[1:] > hashes[:-1]).all()
    other, _ = terms_of(signature_of(" ".join(reversed([*words[:-100], "more"]))))
    assert len(set(hashes.tolist()) & set(other.tolist())) > MOST_TERMS * 0.9


def test_signature_ignores_case_and_order_and_splits_text_without_spaces() -> None:
    assert signature_of("Owls HOOT, hoot") == signature_of("hoot owls hoot")
    assert signature_of("") == b""
    hashes, counts = terms_of(signature_of("\u6c34" * 300))
    assert (hashes.size, counts.tolist()) == (1, [255])


def test_signatures_follow_the_text(birds: Store) -> None:
    def saved(who: str = "eve") -> dict[str, bytes]:
        names = {one.id: one.name for one in birds.documents("birds")}
        return {names[number]: made for number, made in birds.queue.free_signatures("birds", who, limit=9).items()}

    assert saved() == {name: signature_of(f"text of {name}") for name in "bcad"}
    birds.add("birds", [NewDocument(name="a", text="another text")], who="ann")
    birds.learn("birds", [("b", "a third text", ["owl"])], who="ann")
    assert saved() == {"a": signature_of("another text")} | {name: signature_of(f"text of {name}") for name in "cd"}
    birds.undo("birds", "ann", "b")
    assert saved("ann")["b"] == signature_of("text of b")


def test_free_signatures_reads_no_text(birds: Store) -> None:
    statements: list[str] = []
    event.listen(birds._database.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    expected = birds.queue.free_signatures("birds", "eve", limit=3)
    assert len(expected) == 3
    assert not any("document.text" in statement for statement in statements)


@pytest.mark.parametrize("limit", [-1, 2.5])
def test_free_signatures_limit_that_is_no_count_is_rejected(birds: Store, limit: float) -> None:
    with pytest.raises(ValueError, match="limit"):
        birds.queue.free_signatures("birds", "eve", limit=limit)  # type: ignore[arg-type]
