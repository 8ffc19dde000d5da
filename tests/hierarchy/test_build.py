"""Every way to build a hierarchy, by hand, and everything that is refused."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from classmark import Hierarchy
from classmark.hierarchy.build import is_missing

# A DAG: owl stands below bird and below night.
EDGES = [(None, "animal"), (None, "night"), ("animal", "bird"), ("bird", "owl"), ("night", "owl"), ("bird", "gull")]
PARENTS = {"animal": None, "night": None, "bird": "animal", "owl": ["bird", "night"], "gull": ["bird"]}
NESTED = {"animal": {"bird": {"owl": {}, "gull": None}}, "night": ["owl"]}
NAMES = ("animal", "night", "bird", "owl", "gull")


@pytest.mark.parametrize(
    "build",
    [
        lambda: Hierarchy.from_edges(EDGES),
        lambda: Hierarchy.from_edges(("ROOT" if parent is None else parent, child) for parent, child in EDGES),
        lambda: Hierarchy.from_edges(reversed(EDGES)),
        lambda: Hierarchy.from_parents(PARENTS),
        lambda: Hierarchy.from_nested(NESTED),
        lambda: Hierarchy.from_networkx(nx.DiGraph([edge for edge in EDGES if edge[0]])),
        lambda: Hierarchy.from_networkx(nx.DiGraph([(parent or "ROOT", child) for parent, child in EDGES])),
    ],
    ids=["edges", "ROOT", "any order", "parents", "nested", "networkx", "networkx with ROOT"],
)
def test_every_way_builds_the_same(build):
    hierarchy = build()
    assert hierarchy == Hierarchy.from_edges(EDGES)
    assert set(hierarchy.edges()) == set(EDGES)
    assert set(hierarchy.names) == set(NAMES)


def test_the_same_tree_in_every_form(tmp_path):
    file = tmp_path / "hierarchy.tsv"
    file.write_text("ROOT\ta\na\ta/x\na\ta/y\nROOT\tb\n", encoding="utf-8")
    expected = Hierarchy.from_tsv(file)
    assert expected.names == ("a", "b", "a/x", "a/y")
    assert Hierarchy.from_paths(["a/x", "a/y", "b"]) == expected
    assert Hierarchy.from_paths(["b", "a/y", "a", "a/x"]) == expected
    assert Hierarchy.from_edges([(None, "b"), ("a", "a/y"), ("a", "a/x"), (None, "a")]) == expected
    assert Hierarchy.from_parents({"a/y": "a", "a/x": "a", "b": None}) == expected
    assert Hierarchy.from_nested({"a": ["a/x", "a/y"], "b": None}) == expected


def test_nodes_stand_level_by_level_in_order_of_appearance():
    assert Hierarchy.from_edges(EDGES).names == NAMES
    deep = Hierarchy.from_edges([("x", "z"), ("b", "x"), (None, "b"), (None, "a"), ("a", "y")])
    assert deep.names == ("b", "a", "x", "y", "z")
    # z is a child of the top too, but its level is that of its longest path.
    assert Hierarchy.from_edges([(None, "z"), (None, "a"), ("a", "y"), ("y", "z")]).names == ("a", "y", "z")


def test_the_constructor_takes_numbered_edges():
    hierarchy = Hierarchy(["x", "a", "y"], [1, 1], [0, 2])
    assert hierarchy.names == ("a", "x", "y")
    assert hierarchy == Hierarchy.from_nested({"a": ["x", "y"]})
    assert Hierarchy(["only"], [], []).names == ("only",)


def test_flat():
    hierarchy = Hierarchy.flat(["ham", "spam"])
    assert hierarchy.names == ("ham", "spam")
    assert (hierarchy.depth, hierarchy.parents.nnz) == (1, 0)


def test_parents_may_be_none_one_or_several():
    assert Hierarchy.from_parents({"a": None, "b": []}) == Hierarchy.flat(["a", "b"])
    assert Hierarchy.from_parents({"a": None, "b": "ROOT", "c": {"a", "b"}}).paths("c") == [("a", "c"), ("b", "c")]
    # A tuple is one name, as in paths, and not two parents.
    assert Hierarchy.from_parents({("a", "x"): ("a",)}).names == (("a",), ("a", "x"))


def test_the_same_short_name_under_two_parents_by_paths():
    joined = Hierarchy.from_paths(["cars/parts", "bikes/parts"])
    assert joined.names == ("cars", "bikes", "cars/parts", "bikes/parts")
    split = Hierarchy.from_paths([["cars", "parts"], ["bikes", "parts"]])
    assert split.names == (("cars",), ("bikes",), ("cars", "parts"), ("bikes", "parts"))
    assert joined.is_tree
    assert split.is_tree
    assert Hierarchy.from_paths(["a.b", "a.c"], separator=".").names == ("a", "a.b", "a.c")


def test_paths_from_arrays_and_frames_pass_over_missing_ends():
    expected = (("a",), ("b",), ("a", "x"))
    table = [["a", "x"], ["b", ""]]
    assert Hierarchy.from_paths(np.array(table)).names == expected
    assert Hierarchy.from_paths(np.array([["a", "x"], ["b", None]], dtype=object)).names == expected
    assert Hierarchy.from_paths(pd.DataFrame(table).replace("", pd.NA).to_numpy()).names == expected
    numbers = Hierarchy.from_paths(np.array([[1.0, 2.0], [3.0, np.nan]]))
    assert numbers.names == ((1.0,), (3.0,), (1.0, 2.0))
    assert [type(part) for part in numbers.names[2]] == [float, float]


@pytest.mark.parametrize("value", [None, "", float("nan"), np.nan, np.float32("nan"), pd.NA, pd.NaT])
def test_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", ["a", " ", 0, 0.0, False, (), ("a",), np.str_("x")])
def test_not_missing(value):
    assert not is_missing(value)


def test_names_keep_their_type():
    hierarchy = Hierarchy.from_edges([(None, 1), (1, "1"), (1, 2.5), ("1", ("a", 3))])
    assert hierarchy.names == (1, "1", 2.5, ("a", 3))
    assert [type(name) for name in hierarchy.names] == [int, str, float, tuple]
    assert (hierarchy.position(1), hierarchy.position("1")) == (0, 1)


def test_a_cycle_is_named():
    with pytest.raises(ValueError, match="cycle: 'b' → 'c' → 'd' → 'b'"):
        Hierarchy.from_edges([(None, "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("d", "e")])
    with pytest.raises(ValueError, match=r"1 → 2 → 1|2 → 1 → 2"):
        Hierarchy.from_edges([(1, 2), (2, 1)])


def test_the_cycle_named_is_one():
    """From every node of a cycle with appendages, the names walked are edges of the hierarchy."""
    edges = [("b", "c"), ("c", "a"), ("a", "b"), (None, "z"), ("z", "a"), ("c", "tail"), ("tail", "end")]
    with pytest.raises(ValueError, match="cycle") as caught:
        Hierarchy.from_edges(edges)
    walked = str(caught.value).split(": ")[1].split(";")[0].replace("'", "").split(" → ")
    assert walked[0] == walked[-1]
    assert len(walked) == 3 + 1
    assert set(pairwise(walked)) < set(edges)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Hierarchy.from_edges([(None, "a"), ("a", "a")]), r"'a'.*own parent"),
        (lambda: Hierarchy.from_edges([]), "hierarchy is empty"),
        (lambda: Hierarchy.from_paths([]), "hierarchy is empty"),
        (lambda: Hierarchy.from_parents({}), "hierarchy is empty"),
        (lambda: Hierarchy.from_nested({}), "hierarchy is empty"),
        (lambda: Hierarchy.from_networkx(nx.DiGraph()), "hierarchy is empty"),
        (lambda: Hierarchy([], [], []), "hierarchy is empty"),
        (lambda: Hierarchy.from_edges([("a", "ROOT")]), r"'ROOT'.*name.*root"),
        (lambda: Hierarchy.flat(["ROOT"]), r"'ROOT'.*name.*root"),
        (lambda: Hierarchy.from_edges([("a", "")]), "from 'a' to '' has an empty name"),
        (lambda: Hierarchy.from_edges([("", "a")]), r"from '' to 'a'.*empty name"),
        (lambda: Hierarchy.from_edges([("a", None)]), r"from 'a' to None.*empty name"),
        (lambda: Hierarchy.from_edges([("a", float("nan"))]), r"from 'a' to nan.*empty name"),
        (lambda: Hierarchy.from_edges([("a", ["b"])]), r"the category \['b'\] is not a name"),
        (lambda: Hierarchy.from_nested({"a": ["b", {"c": None}]}), r"the category {'c': None} is not a name"),
        (lambda: Hierarchy.from_nested({"a": "bc"}), "below 'a' stands the string 'bc'"),
        (lambda: Hierarchy.from_paths([["a", "", "c"]]), r"\['a', '', 'c'\] has a gap"),
        (lambda: Hierarchy.from_paths([[None, "a"]]), r"\[None, 'a'\] has a gap"),
        (lambda: Hierarchy.from_paths(["a//c"]), r"'a//c'.*empty part"),
        (lambda: Hierarchy.from_paths(["/a"]), r"'/a'.*empty part"),
        (lambda: Hierarchy.from_paths([""]), r"''.*empty part"),
        (lambda: Hierarchy.from_networkx(nx.Graph([("a", "b")])), "the graph is undirected"),
        (lambda: Hierarchy(["a", "a"], [], []), "two categories have the same name"),
    ],
)
def test_refusals_name_the_offender(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(None, "a"), ("a", "b"), ("a", "b")], r"dropped 1 duplicate edge\(s\), the first from 'a' to 'b'"),
        ([(None, "a"), ("ROOT", "a"), ("ROOT", "a")], r"dropped 2 duplicate edge\(s.*'ROOT' to 'a'"),
        ([(None, 0), (0, 1), (0, 1)], r"the first from 0 to 1"),
    ],
)
def test_duplicate_edges_are_dropped_with_a_warning(edges, message):
    with pytest.warns(UserWarning, match=message):
        hierarchy = Hierarchy.from_edges(edges)
    assert hierarchy == Hierarchy.from_edges(dict.fromkeys(edges[:2]) if edges[1][0] != "ROOT" else edges[:1])
    assert hierarchy.parents.nnz == len(hierarchy) - 1


def test_deep_chains():
    levels = 5000
    chain = Hierarchy.from_edges((None if i == 0 else i - 1, i) for i in range(levels))
    assert chain.names == tuple(range(levels))
    assert chain.depth == levels
    assert chain.paths(levels - 1) == [tuple(range(levels))]
    assert str(chain).count("\n") == levels - 1
    nested = None
    for name in reversed(range(levels)):
        nested = {name: nested}
    assert Hierarchy.from_nested(nested) == chain


def test_a_long_cycle_is_found():
    with pytest.raises(ValueError, match=r"0 → 1 → 2 .*→ 1999 → 0"):
        Hierarchy.from_edges([(i, (i + 1) % 2000) for i in range(2000)])
