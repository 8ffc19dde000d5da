"""Path scores by hand, and what they make of labels of all kinds."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark import FlatEM, FlatNB, Hierarchy, PathEM, PathNB

# Figure 1 of the paper: three classes on the first level, two, two and two below; the first has three.
FIGURE = Hierarchy.from_nested({"1": ["11", "12", "13"], "2": ["21", "22"], "3": ["31"]})
# b is a leaf above the last level.
UNEVEN = Hierarchy.from_nested({"a": {"x": ["u", "v"], "y": None}, "b": None})


def scores(model, labels, tree):
    """S_ij of documents with these labels, by the names of the ends."""
    everything = [[tree.names[leaf]] for leaf in tree.leaves] + labels
    X = np.ones((len(everything), 1))
    model.set_params(hierarchy=tree).fit(X, everything)
    own = np.zeros((len(labels), len(tree)))
    for row, names in enumerate(labels):
        own[row, [tree.position(name) for name in names]] = 1 / len(names)
    found = model._scores_of_labels(csr_array(own)).toarray()
    ends = [tree.names[end] for end in model.ends_]
    return [{end: value for end, value in zip(ends, row, strict=True) if value} for row in found.tolist()]


def test_the_example_of_figure_1():
    assert scores(PathNB(), [["12"]], FIGURE) == [{"12": 2, "11": 1, "13": 1}]


def test_dummy_nodes_count_like_their_leaf():
    # b is expanded to depth 3: it is its own child and grandchild.
    assert scores(PathNB(), [["b"], ["y"], ["u"]], UNEVEN) == [
        {"b": 3},
        {"y": 3, "u": 1, "v": 1},
        {"u": 3, "v": 2, "y": 1},
    ]


def test_an_inner_label_counts_for_all_paths_through_it():
    assert scores(PathNB(), [["x"], ["a"]], UNEVEN) == [{"u": 2, "v": 2, "y": 1}, {"u": 1, "v": 1, "y": 1}]


def test_several_labels_share_a_document():
    assert scores(PathNB(), [["u", "b"]], UNEVEN) == [{"u": 1.5, "v": 1, "y": 0.5, "b": 1.5}]


def test_weights_of_levels():
    assert scores(PathNB(level_weight=[0, 1, 5]), [["u"], ["b"]], UNEVEN) == [{"u": 6, "v": 1}, {"b": 6}]


def test_in_a_graph_a_path_is_all_ancestors():
    dag = Hierarchy.from_parents({"a": None, "b": None, "x": ["a", "b"], "y": "a", "z": "b"})
    assert scores(PathNB(), [["x"], ["y"]], dag) == [{"x": 3, "y": 1, "z": 1}, {"y": 2, "x": 1}]


def test_equations_3_and_4_by_hand():
    tree = Hierarchy.from_nested({"a": ["x", "y"], "b": ["z"]})
    model = PathNB(hierarchy=tree).fit([[3, 0, 1], [0, 2, 0], [0, 0, 4]], ["x", "y", "z"])
    # Scores x: 2, 1, 0; y: 1, 2, 0; z: 0, 0, 2, which sum to 3, 3 and 2.
    assert np.exp(model.log_prior_) == pytest.approx([4 / 11, 4 / 11, 3 / 11])
    x, y, z = np.exp(model.log_terms_.T)
    # For x the counts are 2·(3, 0, 1) + 1·(0, 2, 0).
    assert x == pytest.approx([7 / 13, 3 / 13, 3 / 13])
    assert y == pytest.approx([4 / 11, 5 / 11, 2 / 11])
    assert z == pytest.approx([1 / 11, 1 / 11, 9 / 11])
    # A document (1, 0, 0): the joint chances of Equation 5.
    joint = np.array([4 / 11 * 7 / 13, 4 / 11 * 4 / 11, 3 / 11 * 1 / 11])
    chances = 1 / (1 + np.exp(-model.node_scores([[1, 0, 0]])[0]))
    expected = joint / joint.sum()
    named = dict(zip(tree.names, chances, strict=True))
    assert [named[name] for name in "xyz"] == pytest.approx(expected)
    assert named["a"] == pytest.approx(expected[:2].sum())


def test_on_one_level_it_is_flat():
    random = np.random.default_rng(0)
    X, y = random.poisson(1, (40, 6)), np.array(["a", "b", "c", None] * 10, dtype=object)
    for path, flat in ((PathEM, FlatEM), (PathNB, FlatNB)):
        rows = y != None if path is PathNB else slice(None)  # noqa: E711
        one, two = path().fit(X[rows], y[rows]), flat().fit(X[rows], y[rows])
        assert one.log_terms_.tobytes() == two.log_terms_.tobytes()
        assert one.log_prior_.tobytes() == two.log_prior_.tobytes()


def test_soft_labels_of_ones_are_labels():
    random = np.random.default_rng(1)
    X, y = random.poisson(1, (20, 5)), ["u", "v", "y", "b"] * 5
    weights = UNEVEN.ancestors[[UNEVEN.position(name) for name in y]].toarray()
    hard, soft = (PathNB(hierarchy=UNEVEN) for _ in range(2))
    hard.fit(X, y)
    soft.fit_soft(X, weights)
    assert soft.log_terms_.tobytes() == hard.log_terms_.tobytes()
    assert soft.predict(X) == [[name] for name in hard.predict(X).tolist()]
    again = PathNB().from_state(soft.to_state())
    assert again.predict(X) == soft.predict(X)


def test_soft_labels_and_none():
    X = np.eye(4)[[0, 1, 2, 3, 0, 1]] * 3
    weights = np.zeros((6, len(UNEVEN)))
    weights[0, [UNEVEN.position(name) for name in "axu"]] = [1.0, 0.8, 0.6]
    weights[1, [UNEVEN.position(name) for name in "axv"]] = 0.5
    weights[2, UNEVEN.position("b")] = 0.2
    model = PathEM(hierarchy=UNEVEN, vocabulary="all").fit_soft(X, weights)
    assert [UNEVEN.names[end] for end in model.ends_] == ["b", "u", "v"]
    assert model.predict(X[4:]) == [["u"], ["v"]]
    assert len(model.objective_) > 1


@pytest.mark.parametrize(
    ("settings", "weights", "message"),
    [
        ({}, np.ones((2, 6)), "give the hierarchy that has them"),
        ({"hierarchy": UNEVEN}, np.ones((2, 5)), r"node_weights has shape \(2, 5\); give 2 documents × 6 nodes"),
        ({"hierarchy": UNEVEN}, -np.ones((2, 6)), "node_weights must be finite and not negative"),
        ({"hierarchy": UNEVEN}, np.zeros((2, 6)), "no document is labelled; give some node a weight"),
        ({"hierarchy": UNEVEN, "decision": "scut"}, np.ones((2, 6)), "learns from labels, which soft ones are not"),
        ({"hierarchy": UNEVEN, "calibration": "platt"}, np.ones((2, 6)), "calibration=platt learns from labels"),
        (
            {"hierarchy": UNEVEN, "level_weight": [1]},
            np.ones((2, 6)),
            "1 numbers for paths of 3 levels; give one a level",
        ),
    ],
)
def test_soft_labels_that_cannot_be(settings, weights, message):
    with pytest.raises(ValueError, match=message):
        PathNB(**settings).fit_soft(np.ones((2, 3)), weights)


def test_shrinkage_by_hand():
    tree = Hierarchy.from_nested({"a": ["x", "y", "z"], "b": ["w"], "c": None})
    X = np.diag([8, 4, 2, 6, 3])
    model = PathNB(hierarchy=tree, shrinkage=0.5, level_weight=[0, 1]).fit(X, ["x", "y", "z", "w", "c"])
    ends = [tree.names[end] for end in model.ends_]
    table = dict(zip(ends, np.exp(model.log_terms_.T), strict=True))
    # Half of its own 8, and half of the mean of its siblings' 4 and 2; the sum is 4 + 1 + 0.5.
    assert table["x"] == pytest.approx(np.array([5, 2, 1.5, 1, 1]) / 10.5)
    # An only child and a top-level leaf have no siblings to learn from.
    assert table["w"] == pytest.approx(np.array([1, 1, 1, 7, 1]) / 11)
    assert table["c"] == pytest.approx(np.array([1, 1, 1, 1, 4]) / 8)
