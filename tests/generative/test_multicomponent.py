"""Several components per category: what they find, by what seed, and chances that sum to one."""

import numpy as np
import pytest

from classmark import EMMC, NBMC
from tests.generative.problems import TREE, four_leaves


def test_several_components_find_what_one_cannot():
    """A category of two topics, whose mean is that of the other category."""
    random = np.random.default_rng(0)
    rates = np.array([[2.0, 0.05, 0.05, 2.0], [0.05, 2.0, 2.0, 0.05], [1, 1, 1, 1]])
    topics = random.integers(0, 2, 300) + random.integers(0, 2, 300)
    X = random.poisson(rates[topics]).astype(float)
    y = np.where(topics == 2, "even", "split")
    one, two = (NBMC(n_components=count).fit(X, y) for count in (1, 2))
    assert (two.predict(X) == y).mean() > (one.predict(X) == y).mean() + 0.1
    assert two.log_terms_.shape == (4, 4)
    assert (np.diff(two.objective_) >= -1e-9).all()


def test_the_seed_divides():
    X, y = four_leaves()
    one, two, other = (NBMC(n_components=2, random_state=seed).fit(X, y) for seed in (0, 0, 1))
    assert one.log_terms_.tobytes() == two.log_terms_.tobytes() != other.log_terms_.tobytes()


def test_chances_of_any_tree_sum_to_one():
    X, y = four_leaves()
    model = EMMC(hierarchy=TREE, n_components=3).fit(X, np.where(np.arange(80) < 40, y, None))
    assert np.exp(model.log_prior_).sum() == pytest.approx(1)
    assert np.exp(model.log_terms_).sum(axis=0) == pytest.approx(1)
