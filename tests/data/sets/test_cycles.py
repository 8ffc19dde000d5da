import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from classmark.data.sets.lshtc import acyclic

NODES = st.sampled_from("abcdefg")
EDGES = st.lists(st.tuples(NODES, NODES), max_size=25)


@given(EDGES)
def test_what_is_kept_has_no_cycle_and_what_is_left_out_would_close_one(edges):
    kept, closing = acyclic(edges)
    graph = nx.DiGraph(kept)
    assert nx.is_directed_acyclic_graph(graph)
    for parent, child in closing:
        assert parent == child or nx.has_path(graph, child, parent)


@given(EDGES)
def test_every_edge_is_in_one_of_the_two_once_and_in_order(edges):
    kept, closing = acyclic(edges)
    distinct = list(dict.fromkeys(edges))
    assert sorted([*kept, *closing]) == sorted(distinct)
    assert kept == [edge for edge in distinct if edge in set(kept)]


def test_a_graph_without_cycles_stays():
    edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    assert acyclic(edges) == (edges, [])


def test_a_node_below_itself():
    assert acyclic([("a", "a"), ("a", "b")]) == ([("a", "b")], [("a", "a")])


def test_the_cut_is_where_the_walk_from_the_top_comes_back():
    # top → b → a → b: the cycle is entered at b, so the edge back to b goes, although a → b comes first.
    assert acyclic([("a", "b"), ("b", "a"), ("top", "b")]) == ([("b", "a"), ("top", "b")], [("a", "b")])


def test_a_way_longer_than_python_s_stack():
    chain = [(str(i), str(i + 1)) for i in range(50_000)]
    assert acyclic([*chain, ("50000", "1")]) == (chain, [("50000", "1")])
