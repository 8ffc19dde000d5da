"""Labels as weights of ends: nothing of a document is lost on the way down."""

import numpy as np
import pytest
from hypothesis import given

from classmark import Hierarchy
from classmark.generative.ends import below, chains, deepest, end_weights, label_weights, with_unseen_leaves
from classmark.labels import encode
from tests.generative.problems import problems

TREE = Hierarchy.from_paths(["a/b", "a/c", "d"])


@given(problems(unlabelled=False))
def test_a_document_counts_once(problem):
    own = problem.tree.own(problem.tree.close(encode(problem.labels, problem.tree).indicator))
    weights = label_weights(own)
    ends = deepest(weights, problem.tree)
    labelled = np.diff(own.indptr) > 0
    assert weights.sum(axis=1) == pytest.approx(labelled.astype(float))
    assert end_weights(weights, ends, problem.tree).sum(axis=1) == pytest.approx(labelled.astype(float))
    assert ends.tolist() == problem.ends


@given(problems(unlabelled=False))
def test_no_end_is_below_another_and_every_leaf_is_reached(problem):
    own = problem.tree.own(problem.tree.close(encode(problem.labels, problem.tree).indicator))
    ends = with_unseen_leaves(deepest(own, problem.tree), problem.tree)
    assert below(ends, problem.tree)[ends].sum() == ends.size
    reached = problem.tree.ancestors[problem.tree.leaves].toarray()[:, ends].any(axis=1)
    assert reached.all()


def test_chains_repeat_their_last_node():
    ends = np.array([TREE.position("d"), TREE.position("a/c")], dtype=np.int32)
    names = [[TREE.names[node] for node in chain] for chain in chains(ends, TREE)]
    assert names == [["d", "d"], ["a", "a/c"]]
