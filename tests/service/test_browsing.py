"""Going through categories and searching them, beside an obvious twin that looks at every one."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.service import browsing
from classmark.service.browsing import Taxonomy
from classmark.service.naming import Naming, name_of

TITLES = {"a": "Grain", "b": "Grain, wheat", "c": "Durum wheat", "d": "wheaten BREAD", "e": "Oats", "f": "grain"}
EDGES = [(None, "a"), ("a", "b"), ("b", "c"), (None, "d"), ("a", "e"), ("d", "e"), (None, "f")]


def taxonomy(
    hierarchy: Hierarchy, titles: dict[Any, str] | None = None, descriptions: dict[Any, str] | None = None
) -> Taxonomy:
    model: Any = SimpleNamespace(hierarchy_=hierarchy, titles=titles, uris=None, notations=None)
    return Taxonomy(hierarchy, Naming(model), descriptions)


@pytest.fixture
def goods() -> Taxonomy:
    return taxonomy(Hierarchy.from_edges(EDGES), TITLES, {"e": "feed of horses"})


def names(found: browsing.Branches) -> list[str]:
    return [one.name for one in found.categories]


def test_children_come_in_the_order_of_their_labels_a_page_at_a_time(goods: Taxonomy) -> None:
    assert names(goods.children()) == ["a", "f", "d"]
    assert names(goods.children("a")) == ["b", "e"]
    page = goods.children(offset=1, limit=1)
    assert (page.total, page.offset, names(page)) == (3, 1, ["f"])


def test_the_page_is_found_that_a_child_stands_on(goods: Taxonomy) -> None:
    page = goods.children(limit=2, around="d")
    assert (page.offset, names(page)) == (2, ["d"])
    assert names(goods.children("a", limit=1, around="e")) == ["e"]
    with pytest.raises(ValueError, match="'c' is not directly below a; ask for its parent"):
        goods.children("a", around="c")


def test_a_branch_says_where_it_is_and_what_is_below_it(goods: Taxonomy) -> None:
    (durum,) = goods.search("durum").categories
    assert (durum.path, durum.children, durum.below) == (["Grain", "Grain, wheat"], 0, 0)
    assert [(one.name, one.children, one.below) for one in goods.children().categories] == [
        ("a", 2, 3), ("f", 0, 0), ("d", 1, 1),
    ]  # fmt: skip


def test_the_label_that_was_typed_comes_first_then_beginnings_then_words(goods: Taxonomy) -> None:
    assert names(goods.search("GRAIN")) == ["a", "f", "b"]
    assert names(goods.search("wheat")) == ["d", "c", "b"]
    assert names(goods.search("wheat grain")) == ["b"]
    assert names(goods.search("  ")) == []


def test_names_and_descriptions_are_searched_too(goods: Taxonomy) -> None:
    assert names(goods.search("horses feed")) == ["e"]
    assert names(goods.search("c")) == ["c"]
    assert names(goods.search("no such thing")) == []


def test_a_label_that_is_what_was_typed_is_found_among_any_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsing, "LOOKED_AT", 3)
    tree = taxonomy(Hierarchy.flat([*(f"xa{number}" for number in range(50)), "a", "ab"]))
    found = tree.search("a")
    assert (names(found)[:2], found.total) == (["a", "ab"], 3)


def slow_search(tree: Taxonomy, words: str) -> list[str]:
    """Look at every category, and sort by the rule as it is written down."""
    wanted = " ".join(words.casefold().split())
    ranked = []
    for node, called in enumerate(tree.naming.called):
        name = name_of(tree.hierarchy.names[node])
        label = " ".join(called.label.casefold().split())
        line = f"{label} {' '.join(name.casefold().split())}"
        if not all(word in line for word in wanted.split()):
            continue
        if label == wanted:
            kind = 0
        elif label.startswith(wanted):
            kind = 1
        elif f" {wanted}" in label:
            kind = 2
        else:
            kind = 3 if all(word in label for word in wanted.split()) else 4
        ranked.append((kind, len(label), label, node, name))
    return [one[-1] for one in sorted(ranked)] if wanted else []


WORD = st.text("abß İ", min_size=1, max_size=6)


@given(st.dictionaries(st.text("abc", min_size=1, max_size=4), WORD, min_size=1, max_size=12), WORD)
def test_a_search_finds_what_looking_at_every_category_finds(titles: dict[str, str], words: str) -> None:
    tree = taxonomy(Hierarchy.flat(titles), titles)
    assert names(tree.search(words, limit=100)) == slow_search(tree, words)


@given(st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=8, unique=True))
def test_pages_together_are_the_whole(labels: list[str]) -> None:
    tree = taxonomy(Hierarchy.flat(labels))
    pages = [name for offset in range(len(labels)) for name in names(tree.children(offset=offset, limit=1))]
    assert pages == names(tree.children()) == sorted(labels)
