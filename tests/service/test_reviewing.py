from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy, TextClassifier
from classmark.service.browsing import Taxonomy
from classmark.service.naming import Naming
from classmark.service.reviewing import accepted_share, closed, count_branches, disagreement, is_enough
from tests.service.animals import TREE

ANIMALS = Taxonomy(TREE, Naming(TextClassifier("nb", hierarchy=TREE).fit(["hoots", "swims"], ["owl", "fish"])))
names = st.sets(st.sampled_from(list(TREE)), max_size=4)


def test_the_interval_is_wilsons() -> None:
    # By hand, for 8 of 10: p = 0.8, z² = 3.8415; middle (0.8 + 0.19207) / 1.38415, reach 0.22692 / 1.38415 · 1.0…
    found = accepted_share(8, 10)
    assert (round(found.low, 4), round(found.high, 4)) == (0.4902, 0.9433)
    assert found.share == 0.8


@given(st.integers(1, 500).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_interval_holds_the_share_and_turns_with_it(sample: tuple[int, int]) -> None:
    accepted, of = sample
    found, turned = accepted_share(accepted, of), accepted_share(of - accepted, of)
    assert 0 <= found.low <= found.share <= found.high <= 1
    assert abs(found.low - (1 - turned.high)) < 1e-9
    assert accepted_share(10 * accepted, 10 * of).half < found.half


def test_more_changes_little_when_the_interval_is_close_or_nothing_new_comes() -> None:
    assert is_enough(accepted_share(29, 29), ["accept"] * 29) is None
    assert is_enough(accepted_share(50, 51), ["accept"] * 50) == "in-a-row"
    assert is_enough(accepted_share(50, 51), [*["accept"] * 49, "reject"]) is None
    assert is_enough(accepted_share(600, 1200), ["correct"] * 50) == "close"


@given(names, names)
def test_disagreement_is_a_distance(first: set[str], second: set[str]) -> None:
    found = disagreement(ANIMALS, first, second)
    assert 0 <= found <= 1
    assert found == disagreement(ANIMALS, second, first)
    assert (found == 0) == (closed(ANIMALS, first) == closed(ANIMALS, second))


def test_nearer_categories_disagree_less() -> None:
    assert disagreement(ANIMALS, ["owl"], ["gull"]) == 0.5  # animal and bird of four
    assert disagreement(ANIMALS, ["owl"], ["fish"]) == 0.75
    assert disagreement(ANIMALS, ["owl"], ["oak"]) == 1
    assert disagreement(ANIMALS, ["owl"], []) == 1
    assert disagreement(ANIMALS, ["unknown"], []) == 0


def test_documents_are_counted_by_branch() -> None:
    said = [
        ("waiting", ["owl"]),
        ("human", ["gull"]),
        ("waiting", ["owl", "oak"]),
        ("rejected", []),
        ("waiting", ["?"]),
    ]
    found = count_branches(ANIMALS, said)
    assert [(one.name, one.states) for one in found] == [
        ("animal", {"waiting": 2, "human": 1}),
        (None, {"rejected": 1, "waiting": 1}),
        ("plant", {"waiting": 1}),
    ]


def test_a_category_with_two_parents_counts_in_both_branches() -> None:
    tree = Hierarchy.from_edges([("bird", "owl"), ("night", "owl")])
    model = TextClassifier("nb", hierarchy=tree).fit(["hoots", "dark"], ["owl", "night"])
    found = count_branches(Taxonomy(tree, Naming(model)), [("waiting", ["owl"])])
    assert {one.name for one in found} == {"bird", "night"}
