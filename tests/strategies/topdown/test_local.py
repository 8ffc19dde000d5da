"""Local problems: Definitions 1 and 2, equal to sets of documents, and the corners of hierarchies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.strategies.topdown.local import POLICIES, local_problems
from tests.generators import hierarchies, indicators
from tests.oracles import topdown as oracle

# Node order: a, b, c, x, y, z.
TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": ["z"], "c": None})


def own_labels(hierarchy, *names):
    rows = [[name in given for name in hierarchy] for given in names]
    return hierarchy.own(csr_array(np.array(rows, dtype=bool)))


def as_sets(problem, nodes):
    """A problem as the oracle gives it."""
    slots = {}
    for number, slot in enumerate(problem.slots.tolist()):
        positive = problem.targets[:, [number]].nonzero()[0]
        name = ("reach", slot) if slot < nodes else ("stay", slot - nodes)
        slots[name] = set(problem.documents[positive].tolist())
    return problem.parent, slots, set(problem.documents.tolist())


@st.composite
def labelled(draw):
    hierarchy = draw(hierarchies(8))
    labels = draw(indicators(hierarchy, draw(st.integers(1, 6))))
    return hierarchy, hierarchy.own(hierarchy.close(labels))


@given(labelled(), st.sampled_from([name for name in POLICIES if name != "exclusive"]), st.booleans())
def test_equal_to_sets_of_documents(case, negatives, stay):
    hierarchy, own = case
    lists = [row.indices.tolist() for row in own]
    found = [as_sets(problem, len(hierarchy)) for problem in local_problems(own, hierarchy, negatives, stay)]
    assert found == oracle.problems(lists, hierarchy, negatives, stay)


def by_parent(own, negatives="siblings", stay=True, hierarchy=TREE):
    found = (as_sets(one, len(hierarchy)) for one in local_problems(own, hierarchy, negatives, stay))
    return {parent: (slots, documents) for parent, slots, documents in found}


def test_definitions_by_hand():
    own = own_labels(TREE, "x", "y", ["x", "z"], "c", [])
    found = by_parent(own)
    a, b, c, x, y, z = (("reach", node) for node in range(6))
    # Document 4 belongs nowhere: no child of the root has it as positive, so no one has it as negative.
    assert found[-1] == ({a: {0, 1, 2}, b: {2}, c: {3}}, {0, 1, 2, 3})
    assert found[0] == ({x: {0, 2}, y: {1}}, {0, 1, 2})
    assert found[1] == ({z: {2}}, {2})
    assert set(found) == {-1, 0, 1}


@pytest.mark.parametrize(
    ("negatives", "root", "below"),
    [
        ("siblings", {0, 1, 2, 3}, {0, 1}),
        ("subtree", {0, 1, 2, 3, 4}, {0, 1, 3}),
        ("level", {0, 1, 2, 3}, {0, 1, 2}),
        ("all", {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}),
    ],
)
def test_policies_by_hand(negatives, root, below):
    # Document 3 ends at the inner node a, document 4 nowhere.
    found = by_parent(own_labels(TREE, "x", "y", "z", "a", []), negatives, stay=False)
    assert found[-1][1] == root
    assert found[0][1] == below


def test_staying_is_one_more_sibling():
    slots, documents = by_parent(own_labels(TREE, "x", "a"))[0]
    assert slots == {("reach", 3): {0}, ("stay", 0): {1}}
    assert documents == {0, 1}
    # y has no document and no say; without a document of its own, nobody stays at b.
    assert by_parent(own_labels(TREE, "z"))[1][0] == {("reach", 5): {0}}


def test_where_there_is_nothing_to_tell_apart_documents_pass():
    def passes(*names, **settings):
        problems = local_problems(
            own_labels(TREE, *names), TREE, **({"negatives": "siblings", "stay": True} | settings)
        )
        return {problem.parent: problem.passes for problem in problems}

    assert passes("z", "c") == {-1: False, 1: True}
    assert passes("x", "x") == {-1: True, 0: True}
    assert passes("z", "b") == {-1: True, 1: False}
    # Who belongs to b itself is not z's sibling, but is in b's subtree.
    assert passes("z", "b", stay=False) == {-1: True, 1: True}
    assert passes("z", "b", stay=False, negatives="subtree") == {-1: True, 1: False}


def test_a_child_of_two_parents_is_in_both_problems():
    dag = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"], "y": "a", "z": "b"})
    found = by_parent(own_labels(dag, "x", "y", "z"), hierarchy=dag)
    x, y, z = (("reach", dag.position(name)) for name in "xyz")
    assert found[0] == ({x: {0}, y: {1}}, {0, 1})
    assert found[1] == ({x: {0}, z: {2}}, {0, 2})


def test_exclusive_positives_are_own_documents():
    found = by_parent(own_labels(TREE, "x", "a", "c"), "exclusive")
    assert found[-1] == ({("reach", 0): set(), ("reach", 2): {2}}, {0, 1, 2})
    assert found[0] == ({("reach", 3): {0}, ("stay", 0): {1}}, {0, 1, 2})
