"""The features of pairs by hand, and against loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.ensembles.candidates import Candidates, best_of_parts
from classmark.ensembles.rerank import Part, directions, node_features, pair_features
from tests.ensembles.problems import scored
from tests.generators import indicators
from tests.oracles import pairs as oracle


def test_by_hand():
    tree = Hierarchy.from_nested({"bird": ["owl", "gull"], "fish": ["cod"]})  # bird, fish, owl, gull, cod
    one = np.array([[0.5, -1.0, 3.0, 1.0, -2.0]])
    other = np.array([[0.25, 2.0, 1.0, 1.0, -np.inf]])
    own = csr_array([[False, False, True, False, False]] * 3 + [[False, False, False, False, True]])
    found = pair_features(
        [Part(one, one + 1), Part(other, other)],
        Candidates(np.array([0, 3]), np.array([2, 3, 4], np.int32)),
        tree,
        node_features(tree, own),
    )
    log = np.log
    expected = [
        [3, 2, 0, 1.5, 1, 0, 0, 0.25, 2, 2, log(4), log(4), 2, 1, 3],
        [1, -2, log(2), 1.5, 1, 0, 0, 0.25, 1, 1, 0, 0, 2, 1, 3],
        [-2, -5, log(3), 0, np.nan, np.nan, np.nan, 2, -2, 0, log(2), log(2), 2, 0, 3],
    ]
    assert np.allclose(found, expected, equal_nan=True)
    assert len(directions(2)) == found.shape[1]


def test_no_pairs():
    tree = Hierarchy.flat("ab")
    about = node_features(tree, csr_array((1, 2), dtype=bool))
    part = Part(np.full((1, 2), -np.inf), np.full((1, 2), -np.inf))
    none = best_of_parts([part.own], np.array([0, 1], np.int32))
    assert pair_features([part], none, tree, about).shape == (0, len(directions(1)))


@given(st.data(), scored(), st.integers(1, 14))
def test_against_loops(data, problem, count):
    hierarchy, ends, parts = problem
    own = hierarchy.own(hierarchy.close(data.draw(indicators(hierarchy, 3))))
    labels = [set(row.indices.tolist()) for row in (own[[number]] for number in range(3))]
    about = [oracle.of_a_node(hierarchy, labels, node) for node in range(len(hierarchy))]
    assert np.allclose(node_features(hierarchy, own), about)
    candidates = best_of_parts([part.own for part in parts], ends, count)
    found = pair_features(parts, candidates, hierarchy, np.array(about))
    for document, (start, stop) in enumerate(zip(candidates.starts, candidates.starts[1:], strict=False)):
        said = [(part.own[document].tolist(), part.nodes[document].tolist()) for part in parts]
        rows = oracle.of_a_document(said, candidates.nodes[start:stop].tolist(), about, hierarchy)
        assert np.allclose(found[start:stop], np.array(rows).reshape(-1, found.shape[1]), equal_nan=True)
