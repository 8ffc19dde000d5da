"""The generator: Zipfian terms, power-law categories, a deep tree, the same for the same seed."""

import numpy as np
import pytest

from benchmarks.synthetic_lshtc import BLOCK, make_lshtc, make_lshtc_hierarchy, make_lshtc_matrix

SMALL = {"n_terms": 2000, "n_categories": 300}


def test_the_same_seed_gives_the_same_and_a_prefix_of_more():
    one, again = (make_lshtc_matrix(100, **SMALL, seed=3) for _ in range(2))
    more = make_lshtc_matrix(BLOCK + 5, **SMALL, seed=3)
    other = make_lshtc_matrix(100, **SMALL, seed=4)
    test = make_lshtc_matrix(100, **SMALL, seed=3, stream=1)
    assert (one.counts != again.counts).nnz == (one.counts != more.counts[:100]).nnz == 0
    assert np.array_equal(one.categories, more.categories[:100])
    assert (one.counts != other.counts).nnz > 1000
    assert (one.counts != test.counts).nnz > 1000
    assert more.counts.shape == (BLOCK + 5, 2000)


def test_terms_and_categories_follow_the_power_law():
    made = make_lshtc_matrix(BLOCK, n_terms=5000, n_categories=1000)
    chances = np.arange(1, 5001) ** -1.07
    chances /= chances.sum()
    shares = np.asarray(made.counts.sum(axis=0)) / made.counts.sum()
    # A seventh of the terms comes from the categories' own few, which are drawn by the same chances: noise on top.
    assert shares[0] == pytest.approx(chances[0], rel=0.2)
    assert shares[:50].sum() == pytest.approx(chances[:50].sum(), rel=0.1)
    sizes = np.bincount(made.categories, minlength=1000) / BLOCK
    expected = np.arange(1, 1001) ** -1.07
    assert sizes[:3] == pytest.approx(expected[:3] / expected.sum(), rel=0.1)


def test_documents_of_a_category_share_terms():
    made = make_lshtc_matrix(3000, n_terms=50_000, n_categories=20)
    present = (made.counts > 0).astype(np.float64)[:, 200:]
    common = (present @ present.T).toarray()
    same = made.categories[:, None] == made.categories[None, :]
    np.fill_diagonal(same, val=False)
    other = made.categories[:, None] != made.categories[None, :]
    assert common[same].mean() > 1.5 * common[other].mean()


@pytest.mark.parametrize(("n_categories", "levels"), [(1, 1), (7, 3), (5000, 10)])
def test_the_tree_has_its_leaves_on_the_last_level(n_categories, levels):
    hierarchy, leaves = make_lshtc_hierarchy(n_categories, levels)
    assert len(set(leaves.tolist())) == n_categories
    depths = np.diff(hierarchy.ancestors.indptr)
    assert (depths[leaves] == levels).all()
    assert depths.max() == levels


@pytest.mark.parametrize(
    "call",
    [
        lambda: next(make_lshtc(0)),
        lambda: next(make_lshtc(1, n_terms=0)),
        lambda: next(make_lshtc(1, terms_a_document=0)),
        lambda: make_lshtc_hierarchy(5, levels=0),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    with pytest.raises(ValueError, match=r"give (a )?number"):
        call()
