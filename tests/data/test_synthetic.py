"""The synthetic data of the paper: its sizes, its frequencies, its seeds."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark.data import synthetic
from classmark.data.synthetic import make_synthetic


@pytest.mark.parametrize(
    ("levels", "out_degree", "categories"),
    # The paper's Table 1.
    [
        (2, 2, 6),
        (3, 2, 14),
        (4, 2, 30),
        (5, 2, 62),
        (2, 3, 12),
        (3, 3, 39),
        (4, 3, 120),
        (2, 4, 20),
        (3, 4, 84),
        (2, 5, 30),
    ],
)
def test_number_of_categories(levels, out_degree, categories):
    data = make_synthetic(levels, out_degree)
    assert len(data.hierarchy) == sum(out_degree**i for i in range(1, levels + 1)) == categories
    assert data.hierarchy.depth == levels
    assert data.hierarchy.is_tree
    assert set(np.diff(data.hierarchy.children.indptr).tolist()) == {0, out_degree}
    assert data.X_train.shape == (10 * categories, 3 * categories)
    assert data.X_test.shape == (5 * categories, 3 * categories)


def test_every_category_has_its_instances():
    data = make_synthetic(3, 2, n_train=4, n_test=2)
    for labels, times in ((data.y_train, 4), (data.y_test, 2)):
        assert labels.tolist() == [name for name in data.hierarchy.names for _ in range(times)]
    assert data.X_train.dtype == data.X_test.dtype == np.uint8
    assert set(data.X_train.data.tolist()) == {1}


def frequencies(data, expected):
    """The share of ones where an attribute is expected to be frequent, and where it is not."""
    dense = data.X_train.toarray()
    rows = [data.hierarchy.position(name) for name in data.y_train]
    frequent = np.repeat(expected[rows], 3, axis=1)
    return dense[frequent].mean(), dense[~frequent].mean()


def test_frequencies_with_inheritance():
    data = make_synthetic(3, 3, n_train=100, seed=7)
    high, low = frequencies(data, data.hierarchy.ancestors.toarray())
    assert (high, low) == pytest.approx((0.7, 0.2), abs=0.01)


def test_frequencies_without_inheritance():
    data = make_synthetic(3, 3, inherit=False, n_train=100, seed=7)
    high, low = frequencies(data, np.eye(len(data.hierarchy), dtype=bool))
    assert (high, low) == pytest.approx((0.7, 0.2), abs=0.01)
    # The ancestors' attributes alone are no more frequent than others.
    strict = data.hierarchy.ancestors.toarray() & ~np.eye(len(data.hierarchy), dtype=bool)
    assert frequencies(data, strict)[0] == pytest.approx(0.2, abs=0.01)


def test_other_probabilities():
    data = make_synthetic(2, 2, high=1.0, low=0.0)
    assert (
        np.repeat(data.hierarchy.ancestors.toarray(), 3, axis=1)[np.repeat(range(6), 10)] == data.X_train.toarray()
    ).all()


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_second_parents(share):
    tree, data = make_synthetic(3, 3, seed=5), make_synthetic(3, 3, second_parents=share, seed=5)
    dag = data.hierarchy
    assert not dag.is_tree
    assert dag.names == tree.hierarchy.names
    assert dag.levels.tolist() == tree.hierarchy.levels.tolist()
    n_parents = np.diff(dag.parents.indptr)
    below = dag.levels > 1
    assert (n_parents == 2).sum() == round(share * below.sum())
    assert n_parents.max() == 2
    for node in np.flatnonzero(below):
        assert {int(dag.levels[parent]) for parent in dag.parent_positions(node)} == {int(dag.levels[node]) - 1}


def test_a_dag_inherits_from_all_ancestors():
    data = make_synthetic(3, 3, second_parents=0.5, n_train=100, seed=7)
    assert frequencies(data, data.hierarchy.ancestors.toarray()) == pytest.approx((0.7, 0.2), abs=0.01)


def test_one_category_a_level_has_no_second_parent_to_give():
    assert make_synthetic(3, 1, second_parents=1.0).hierarchy.names == ("1", "1.1", "1.1.1")


def same(one, other):
    return (
        (one.X_train != other.X_train).nnz == 0
        and (one.X_test != other.X_test).nnz == 0
        and one.hierarchy == other.hierarchy
    )


def test_seeds():
    first = make_synthetic(3, 2, second_parents=0.5, seed=1)
    assert same(first, make_synthetic(3, 2, second_parents=0.5, seed=1))
    assert not same(first, make_synthetic(3, 2, second_parents=0.5, seed=2))


def test_training_instances_do_not_hang_on_the_test_instances():
    one, other = make_synthetic(seed=1), make_synthetic(n_test=50, seed=1)
    assert (one.X_train != other.X_train).nnz == 0
    assert isinstance(one.X_train, csr_array)


def test_blocks_do_not_matter(monkeypatch):
    whole = make_synthetic(3, 2, seed=1)
    monkeypatch.setattr(synthetic, "CELLS_IN_A_BLOCK", 1000)
    assert same(whole, make_synthetic(3, 2, seed=1))


@pytest.mark.parametrize("name", ["levels", "out_degree", "n_attributes", "n_train", "n_test"])
def test_refuses_counts_below_one(name):
    with pytest.raises(ValueError, match=f"{name}=0.*>= 1"):
        make_synthetic(**{name: 0})


@pytest.mark.parametrize("name", ["high", "low", "second_parents"])
def test_refuses_shares_that_are_none(name):
    with pytest.raises(ValueError, match=rf"{name}=1\.5.*>= 0 and <= 1"):
        make_synthetic(**{name: 1.5})
