"""Learning from a label for each depth, as weak labels have them: every model against its definition."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from classmark import EMMC, NBMC, FlatNB, Hierarchy, PathEM, PathNB, TopDownEM, TopDownNB, WinDrivenEM, WinDrivenNB
from classmark.weak import labels_of_similarities
from tests.generators import hierarchies
from tests.oracles import generative as oracle

# a, b, c on the first level, then x and y below a, and z below b; c is a leaf above the last depth.
TREE = Hierarchy.from_paths(["a/x", "a/y", "b/z", "c"])
A, B, C, X_, Y, Z = range(6)


@dataclass(frozen=True)
class Levels:
    tree: Hierarchy
    X: np.ndarray
    labels: np.ndarray

    def ends(self, labels):
        """The nodes of some labels that have no other one below them."""
        seen = {int(node) for node in np.ravel(labels) if node >= 0}
        above = {name for node in seen for name in self.tree.path(self.tree.names[node])[:-1]}
        return sorted(node for node in seen if self.tree.names[node] not in above)

    def estimate(self, scores, rows=None):
        """Logarithms of the chances of components and of their terms."""
        rows = range(len(self.X)) if rows is None else rows
        everything = [True] * self.X.shape[1]
        prior, theta = oracle.estimate([self.X[i] for i in rows] or [[0.0] * len(everything)], scores, everything, 1.0)
        return np.log(prior), np.log(theta).T


@st.composite
def levels(draw: st.DrawFn) -> Levels:
    """Draw documents with a candidate of every depth, or none; one at least has all."""
    tree = draw(hierarchies(8, tree=True))
    documents, terms = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    columns = []
    for depth in range(1, tree.depth + 1):
        here = [i for i in range(len(tree)) if tree.levels[i] == depth or (i in tree.leaves and tree.levels[i] < depth)]
        first = draw(st.sampled_from(here))
        columns.append([first, *(draw(st.sampled_from([-1, *here])) for _ in range(documents - 1))])
    X = draw(arrays(np.int64, (documents, terms), elements=st.integers(0, 4)))
    return Levels(tree, X.astype(float), np.array(columns).T)


def fitted(kind, problem):
    return kind(hierarchy=problem.tree, vocabulary="all").fit_levels(problem.X, problem.labels)


@settings(max_examples=60)
@given(levels())
def test_paths_by_equation_2(problem):
    ends = problem.ends(problem.labels)
    scores = [oracle.level_path_scores(problem.tree, ends, row.tolist()) for row in problem.labels]
    prior, terms = problem.estimate(scores)
    model = fitted(PathNB, problem)
    assert model.ends_.tolist() == ends
    assert model.log_prior_ == pytest.approx(prior)
    assert model.log_terms_ == pytest.approx(terms)


@settings(max_examples=60)
@given(levels())
def test_a_flat_model_has_the_last_label_and_a_chain_those_of_all_depths(problem):
    last = [[label for label in row if label >= 0][-1:] for row in problem.labels.tolist()]
    told = [i for i, own in enumerate(last) if own]
    ends = problem.ends(np.array([last[i][0] for i in told]))
    scores = [oracle.flat_scores(problem.tree, ends, last[i]) for i in told]
    prior, terms = problem.estimate(scores, told)
    flat, chained = fitted(FlatNB, problem), fitted(NBMC, problem)
    assert flat.ends_.tolist() == chained.ends_.tolist() == ends
    assert flat.log_prior_ == pytest.approx(prior)
    assert flat.log_terms_ == pytest.approx(terms)
    assert chained.log_terms_ == pytest.approx(terms)
    depth = max(problem.tree.levels[end] for end in ends)
    paths = [oracle.padded_path(problem.tree, end)[:depth] for end in ends]
    expected = [oracle.chance_of_path(path, paths, problem.labels.tolist(), 1.0) for path in paths]
    assert np.exp(chained.log_prior_) == pytest.approx(expected)


@settings(max_examples=60)
@given(levels())
def test_a_level_has_the_label_of_its_depth(problem):
    ends = problem.ends(problem.labels)
    model = fitted(WinDrivenNB, problem)
    start = 0
    for k in range(max(problem.tree.levels[end] for end in ends)):
        nodes = sorted({oracle.padded_path(problem.tree, end)[k] for end in ends})
        prior, terms = problem.estimate([[float(label == node) for node in nodes] for label in problem.labels[:, k]])
        there = slice(start, start + len(nodes))
        assert model.log_prior_[there] == pytest.approx(prior)
        assert model.log_terms_[:, there] == pytest.approx(terms)
        start += len(nodes)
    assert model.log_prior_.size == start


@settings(max_examples=60)
@given(levels())
def test_a_parent_has_the_documents_with_it_and_a_child_in_their_depths(problem):
    tree = problem.tree
    own = [[n if n >= 0 and tree.levels[n] == k + 1 else -1 for k, n in enumerate(row)] for row in problem.labels]
    ends = problem.ends(np.array(own))
    reached = {node for end in ends for node in oracle.padded_path(tree, end)}
    model = fitted(TopDownNB, problem)
    start = 0
    for parent in [None, *sorted(reached - set(ends))]:
        below = [
            node
            for node in sorted(reached)
            if tree.parent_positions(node).tolist() == ([] if parent is None else [parent])
        ]
        k = 0 if parent is None else int(tree.levels[parent])
        rows = [i for i, row in enumerate(own) if row[k] in below and (parent is None or row[k - 1] == parent)]
        scores = [[float(own[i][k] == node) for node in below] for i in rows]
        prior, terms = problem.estimate(scores or [[0.0] * len(below)], rows)
        there = slice(start, start + len(below))
        assert model.log_prior_[there] == pytest.approx(prior)
        assert model.log_terms_[:, there] == pytest.approx(terms)
        start += len(below)
    assert model.log_prior_.size == start


@pytest.mark.filterwarnings("ignore:.* have no weakly labelled document")
class TestByHand:
    def test_a_document_nearest_to_a_shallow_leaf_has_its_path(self):
        # Nearest to c, which has no child; of the nodes below it z is the most similar.
        similarities = [[0.1, 0.0, 0.8, 0.0, 0.0, 0.3], [0.6, 0.0, 0.0, 0.2, 0.1, 0.0], [0.0, 0.5, 0.0, 0.0, 0.0, 0.4]]
        found = labels_of_similarities(similarities, TREE, kind="levels", share=1.0)
        assert found.levels.tolist() == [[C, C], [A, X_], [B, Z]]
        assert found.node_weights.toarray()[0].tolist() == [0, 0, 1, 0, 0, 0]
        X = np.eye(3)
        for kind in (FlatNB, NBMC, TopDownNB, WinDrivenNB, PathNB):
            assert kind(hierarchy=TREE).fit_levels(X, found.levels).predict(X) == [["c"], ["a/x"], ["b/z"]]
        soft = PathNB(hierarchy=TREE).fit_soft(X, found.node_weights)
        assert soft.log_prior_ == pytest.approx(PathNB(hierarchy=TREE).fit_levels(X, found.levels).log_prior_)

    def test_a_leaf_that_wins_in_one_of_two_depths_counts_once(self):
        # a is nearer than c in the first depth, c nearer than all others in the second.
        similarities = [[0.5, 0.0, 0.4, 0.2, 0.0, 0.0], [0.5, 0.0, 0.0, 0.6, 0.0, 0.0]]
        found = labels_of_similarities(similarities, TREE, kind="levels", share=1.0)
        assert found.levels.tolist() == [[A, C], [A, X_]]
        assert found.node_weights.toarray().tolist() == [[1, 0, 0.5, 0, 0, 0], [1, 0, 0, 1, 0, 0]]
        # One count for c's path by its dummy; three for x's, one of them by a of the first document. Laplace's 1 each.
        for model in (
            PathNB(hierarchy=TREE).fit_levels(np.eye(2), found.levels),
            PathNB(hierarchy=TREE).fit_soft(np.eye(2), found.node_weights),
        ):
            assert model.ends_.tolist() == [C, X_]
            assert np.exp(model.log_prior_) == pytest.approx([2 / 6, 4 / 6])

    @pytest.mark.parametrize("kind", [PathEM, EMMC, TopDownEM, WinDrivenEM])
    def test_documents_without_a_label_are_learned_from(self, kind):
        X = [[3, 0, 0, 0], [0, 3, 0, 0], [4, 0, 4, 0], [0, 4, 0, 4]]
        labels = [[A, X_], [C, C], [-1, -1], [-1, -1]]
        model = kind(hierarchy=TREE, vocabulary="all").fit_levels(X, labels)
        assert model.predict([[0, 0, 2, 0], [0, 0, 0, 2]]) == [["a/x"], ["c"]]

    @pytest.mark.parametrize("kind", [FlatNB, PathNB, TopDownNB, WinDrivenNB, NBMC])
    def test_weights_are_copies(self, kind):
        X, labels = np.array([[2.0, 1.0], [0.0, 3.0], [1.0, 0.0]]), np.array([[A, X_], [B, Z], [A, Z]])
        weighted = kind(hierarchy=TREE).fit_levels(X, labels, sample_weight=[2, 1, 0])
        copied = kind(hierarchy=TREE).fit_levels(X[[0, 0, 1]], labels[[0, 0, 1]])
        assert weighted.node_scores(X) == pytest.approx(copied.node_scores(X))


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([[A]], r"levels has shape \(1, 1\) and type int64; give whole numbers for 1 documents × 2 depths"),
        ([[0.0, 1.0]], "type float64; give whole numbers"),
        ([[A, 9]], "positions outside -1 to 5"),
        ([[X_, X_]], "levels puts 'a/x' into depth 1; give a node of that depth, or a leaf above it"),
        ([[A, A]], "levels puts 'a' into depth 2"),
        ([[-1, -1]], r"no document.*labelled"),
    ],
)
def test_bad_levels(labels, words):
    with pytest.raises(ValueError, match=words):
        PathNB(hierarchy=TREE).fit_levels([[1.0]], labels)
