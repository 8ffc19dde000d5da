"""Every measure that takes label sets refuses what are none, and never gives a number for nothing."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

from classmark import Hierarchy, metrics

TREE = Hierarchy.from_paths(["a/x", "a/y"])
TRUE = csr_array(np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0]], dtype=bool))
SCORES = np.array([[0.9, 0.7, 0.2], [0.8, 0.1, 0.6], [0.7, 0.3, 0.3]])

OF_TWO = {
    "flat_scores": metrics.flat_scores,
    "hamming_loss": metrics.hamming_loss,
    "subset_accuracy": metrics.subset_accuracy,
    "cosine_accuracy": metrics.cosine_accuracy,
    "Counts.per_node": metrics.Counts.per_node,
    "Counts.per_document": metrics.Counts.per_document,
    "micro_sign_test": lambda true, predicted: metrics.micro_sign_test(true, predicted, TRUE),
    "macro_sign_test": lambda true, predicted: metrics.macro_sign_test(true, TRUE, predicted),
    "macro_t_test": lambda true, predicted: metrics.macro_t_test(true, predicted, predicted),
    "paired_bootstrap": lambda true, predicted: metrics.paired_bootstrap(
        true, predicted, predicted, "macro_f1", n_resamples=2
    ),
    "paired_bootstrap hf": lambda true, predicted: metrics.paired_bootstrap(
        true, predicted, predicted, "hf", hierarchy=TREE, n_resamples=2
    ),
    "hierarchical_scores": lambda true, predicted: metrics.hierarchical_scores(true, predicted, TREE),
    "hf_score": lambda true, predicted: metrics.hf_score(true, predicted, TREE),
    "lca_scores": lambda true, predicted: metrics.lca_scores(true, predicted, TREE),
    "tree_distance_error": lambda true, predicted: metrics.tree_distance_error(true, predicted, TREE),
    "summarise": lambda true, predicted: metrics.summarise(true, predicted, [1, 2, 0], TREE),
    "further_figures": lambda true, predicted: metrics.further_figures(true, predicted, SCORES, TREE),
}
OF_SCORES = {
    "precision_at_k": lambda true, scores: metrics.precision_at_k(true, scores, 1),
    "recall_at_k": lambda true, scores: metrics.recall_at_k(true, scores, 1),
    "ndcg_at_k": lambda true, scores: metrics.ndcg_at_k(true, scores, 1),
    "brier_score": metrics.brier_score,
    "log_loss": metrics.log_loss,
    "expected_calibration_error": metrics.expected_calibration_error,
}
every_measure = pytest.mark.parametrize("measure", OF_TWO.values(), ids=OF_TWO)
every_score = pytest.mark.parametrize("measure", OF_SCORES.values(), ids=OF_SCORES)
others = pytest.mark.parametrize("value", [0.7, 2.0, -1.0, np.nan])


def changed(value: float) -> csr_array:
    return csr_array(np.array([[1, value, 0], [1, 0, 1], [1, 0, 0]]))


@every_measure
@others
def test_scores_are_no_label_sets(measure, value):
    for true, predicted in ((TRUE, changed(value)), (changed(value), TRUE)):
        with pytest.raises(ValueError, match="values other than 0 and 1"):
            measure(true, predicted)


@every_score
@others
def test_scores_are_no_true_labels(measure, value):
    with pytest.raises(ValueError, match=r"true.*values other than 0 and 1; give label sets"):
        measure(changed(value), SCORES)


@every_measure
@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float64])
def test_zeros_and_ones_of_any_type_are_label_sets(measure, dtype):
    assert repr(measure(TRUE.astype(dtype), TRUE.astype(dtype))) == repr(measure(TRUE, TRUE))


def test_a_label_that_stands_twice_is_one():
    twice = coo_array((np.ones(2), ([0, 0], [1, 1])), shape=(1, 2))
    assert metrics.hamming_loss(csr_array([[False, True]]), twice) == 0
    stored = csr_array((np.array([0.0, 1.0]), ([0, 0], [0, 1])), shape=(1, 2))
    assert metrics.flat_scores(stored, stored).support.tolist() == [0, 1]


@pytest.mark.parametrize("name", list(OF_TWO)[:6])
def test_no_columns(name):
    nothing = csr_array((3, 0), dtype=bool)
    with pytest.raises(ValueError, match="no node to evaluate: true has no columns; give one for each node"):
        OF_TWO[name](nothing, nothing)


@every_score
def test_no_columns_of_scores(measure):
    with pytest.raises(ValueError, match=r"no node.*true has no columns"):
        measure(csr_array((3, 0), dtype=bool), np.empty((3, 0)))


@pytest.mark.parametrize("test", [metrics.micro_sign_test, metrics.macro_sign_test, metrics.macro_t_test])
def test_no_columns_to_test(test):
    nothing = csr_array((3, 0), dtype=bool)
    with pytest.raises(ValueError, match="no node"):
        test(nothing, nothing, nothing)
    with pytest.raises(ValueError, match="no node"):
        metrics.paired_bootstrap(nothing, nothing, nothing, "micro_f1")


@pytest.mark.parametrize("value", ["x", None, np.nan, [], object(), 2])
def test_a_value_of_nothing_that_is_no_number(value):
    for measure in (metrics.flat_scores, metrics.cosine_accuracy):
        with pytest.raises(ValueError, match=r"zero_division=.*>= 0 and <= 1"):
            measure(TRUE, TRUE, zero_division=value)
    with pytest.raises(ValueError, match=r"zero_division=.*>= 0 and <= 1"):
        metrics.hierarchical_scores(TRUE, TRUE, TREE, zero_division=value)
