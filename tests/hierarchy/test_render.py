"""The tree as a person reads it, character by character."""

import pytest
from hypothesis import given

from classmark import Hierarchy
from tests.generators import hierarchies


def test_a_tree():
    tree = Hierarchy.from_nested({"animal": {"bird": ["owl", "gull"], "fish": None}, "plant": {"oak": None}})
    assert str(tree) == (
        "animal\n"
        "├── bird\n"
        "│   ├── owl\n"
        "│   └── gull\n"
        "└── fish\n"
        "plant\n"
        "└── oak"
    )  # fmt: skip


def test_a_dag_draws_children_once_and_marks_the_second_time():
    dag = Hierarchy.from_nested({"a": {"x": ["u", "v"]}, "b": {"x": None, "u": None}})
    assert str(dag) == (
        "a\n"
        "└── x\n"
        "    ├── u\n"
        "    └── v\n"
        "b\n"
        "├── x ↑\n"
        "└── u"
    )  # fmt: skip


def test_path_names_are_drawn_by_their_last_part():
    assert str(Hierarchy.from_paths([["cars", "parts"], ["bikes", "parts"]])) == (
        "cars\n"
        "└── parts\n"
        "bikes\n"
        "└── parts"
    )  # fmt: skip
    assert str(Hierarchy.from_edges([(None, 1), (1, 2)])) == "1\n└── 2"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (1, "a\n… 3 more of 4 categories"),
        (3, "a\n├── x\n├── y\n… 1 more of 4 categories"),
        (4, "a\n├── x\n├── y\n└── z"),
        (9, "a\n├── x\n├── y\n└── z"),
    ],
)
def test_a_long_tree_is_cut(lines, expected):
    assert Hierarchy.from_nested({"a": ["x", "y", "z"]}).draw(max_nodes=lines) == expected


@given(hierarchies())
def test_every_edge_is_a_line(hierarchy):
    """A node is drawn with its subtree once, and once more below each other parent that is drawn."""
    lines = str(hierarchy).split("\n")
    drawn = [line.split("── ")[-1] for line in lines]
    assert len(lines) == len(hierarchy.edges())
    for name in hierarchy:
        times = max(1, hierarchy.parent_positions(hierarchy.position(name)).size)
        assert drawn.count(name) + drawn.count(f"{name} ↑") == times
