"""Hierarchical measures beside those of hiclass, which knows single paths in trees."""

import numpy as np
from hiclass import metrics as peer
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.metrics import hierarchical_scores

PARTS = ("a", "b", "c")
path = st.lists(st.sampled_from(PARTS), min_size=3, max_size=3)


def whole(paths):
    """Name each level by the whole path, as hiclass needs where a name stands under two parents."""
    return np.array([["/".join(one[: depth + 1]) for depth in range(3)] for one in paths])


@given(st.lists(st.tuples(path, path), min_size=1, max_size=8))
def test_micro_and_instance_averages_are_those_of_hiclass(pairs):
    true, predicted = (whole(paths) for paths in zip(*pairs, strict=True))
    tree = Hierarchy.from_paths([*true[:, -1], *predicted[:, -1]])
    for average, theirs in (("micro", "micro"), ("instance", "macro")):
        ours = hierarchical_scores(list(true[:, -1]), list(predicted[:, -1]), tree, average=average)
        np.testing.assert_allclose(ours.hp, peer.precision(true, predicted, average=theirs))
        np.testing.assert_allclose(ours.hr, peer.recall(true, predicted, average=theirs))
        if average == "micro":
            np.testing.assert_allclose(ours.hf, peer.f1(true, predicted, average="micro", zero_division=0))
