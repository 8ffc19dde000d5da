"""The estimated memory of a fit is within a factor of two of the peak, on problems of different shape."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark import Hierarchy
from classmark.registry import find_method
from tests.memory import peak_of

NOISE = 2**20
"""Bytes that any fit takes."""
METHODS = [
    ("adaboost-mh", {"n_estimators": 20}),
    ("mp-boost", {"n_estimators": 5}),
    ("treeboost-mh", {"n_estimators": 20}),
    ("global-adaboost", {"n_estimators": 20}),
    ("local-adaboost", {"n_estimators": 20}),
    ("linear-svm", {}),
    ("global-svm", {}),
    ("topdown-svm", {}),
    ("hiercost", {}),
    ("nb", {}),
    ("tdnb", {}),
    ("wdnb", {}),
    ("pcem-plus", {}),
    ("embedding-em", {}),
    ("knn-bm25", {}),
]


def long_documents():
    """200 documents of 150 terms, 4 categories, several labels."""
    return problem(200, terms=8000, length=150, tree=Hierarchy.from_paths(["a/x", "a/y", "b/x", "b/y"]), several=True)


def short_documents():
    """1,500 documents of 6 terms, 40 categories."""
    paths = [f"{group}/{leaf}" for group in range(5) for leaf in range(8)]
    return problem(1500, terms=1500, length=6, tree=Hierarchy.from_paths(paths))


def many_categories():
    """600 documents of 8 terms, 200 categories in three levels."""
    paths = [f"{top}/{middle}/{leaf}" for top in range(4) for middle in range(5) for leaf in range(10)]
    return problem(600, terms=3000, length=8, tree=Hierarchy.from_paths(paths))


def problem(documents, *, terms, length, tree, several=False):
    random = np.random.default_rng(0)
    leaves = np.flatnonzero(np.diff(tree.children.indptr) == 0)
    own = [
        random.choice(leaves, size=1 + int(several and random.random() < 0.5), replace=False) for _ in range(documents)
    ]
    # A third of the terms are of the category, the others frequent and rare as in texts.
    rows = np.repeat(np.arange(documents), length)
    columns = np.minimum(random.zipf(1.3, rows.size), terms) - 1
    topical = random.random(rows.size) < 1 / 3
    first = np.array([labels[0] for labels in own])[rows]
    columns[topical] = (first[topical] * 37 + random.integers(0, 20, int(topical.sum()))) % terms
    X = csr_array((np.ones(rows.size), (rows, columns)), shape=(documents, terms))
    X.sum_duplicates()
    return X, [[tree.names[leaf] for leaf in labels] for labels in own], tree


CASES = [(*method, shape) for method in METHODS for shape in (long_documents, short_documents, many_categories)]
# These two take ten seconds on the other shapes.
CASES += [("frozen-encoder", {}, many_categories), ("self-training", {}, long_documents)]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "settings", "shape"), CASES)
def test_estimate_memory_is_within_a_factor_of_two(method, settings, shape):
    X, labels, tree = shape()
    if method in ("embedding-em", "frozen-encoder"):
        X = csr_array(X[:, :64].toarray() + 1.0)
    classifier = find_method(method).configure(settings)[0].build(0, 1).set_params(hierarchy=tree)
    estimated = classifier.estimate(X, labels).bytes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier.fit(X[:40], labels[:40])  # imports and kernels belong to no fit
        peak = peak_of(lambda: classifier.fit(X, labels))
    assert 0.5 <= (estimated + NOISE) / (peak + NOISE) <= 2, f"{estimated:,} estimated, {peak:,} at the peak"
