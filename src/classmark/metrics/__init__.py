"""How good label sets are, given the true ones.

Everything starts from two boolean indicators, documents × nodes: what is true and what was predicted.
`Counts` counts the labels they share and the labels each has, per node, per document, or all in one. Every
precision, recall and F here is a ratio of these three counts, and an average is the mean of the ratios over
the groups:

- *micro*: all labels of all documents are one group, so a frequent category weighs more;
- *macro*: each node is a group, and the mean goes over **all** nodes asked for, present in the data or not,
  so every category weighs the same (`macro_f1_present` is the mean over the nodes with a true document);
- *instance*: each document is a group.

A ratio 0/0 is the argument `zero_division`, 0 unless said otherwise: precision where nothing is predicted,
recall where nothing is true, F where both hold. No documents at all is an error and never a number.

`flat` takes the indicators as they are; `hierarchical` first adds all ancestors to both. The root, to which
every document belongs, is not a node and is never counted. `summarise` puts the figures that people ask for
into one plain dict.

Further measures ask for more than the two sets. `distance` counts the edges between true and predicted labels,
and `lca_scores` the nodes up to where they meet; there, and only there, the root is a node like any other.
`ranking` evaluates the order of scores, `first_figures` the best of them, and `calibration` probabilities.
`further_figures` puts these into one plain dict too. `coverage_curve` leaves out the answers that are least sure.
`error_kinds` says how each answer lies to the truth. `significance` compares two classifiers on the same
documents.

`table` names all measures, a line each; they take their label sets from an `evaluation`.
"""

from classmark.metrics.calibration import Calibration, brier_score, expected_calibration_error, log_loss
from classmark.metrics.distance import LcaScores, lca_scores, tree_distance, tree_distance_error
from classmark.metrics.evaluation import ERROR_KINDS, Coverage, CoveragePoint, coverage_curve, error_kinds
from classmark.metrics.flat import Counts, FlatScores, flat_scores, hamming_loss, subset_accuracy
from classmark.metrics.hierarchical import HierarchicalScores, consistency_rate, hf_score, hierarchical_scores
from classmark.metrics.ranking import cosine_accuracy, ndcg_at_k, precision_at_k, recall_at_k
from classmark.metrics.significance import (
    BootstrapTest,
    SignTest,
    TTest,
    for_many_tests,
    macro_sign_test,
    macro_t_test,
    micro_sign_test,
    paired_bootstrap,
    paired_t_test,
    sign_tests,
)
from classmark.metrics.table import further_figures, summarise

__all__ = [
    "ERROR_KINDS",
    "BootstrapTest",
    "Calibration",
    "Counts",
    "Coverage",
    "CoveragePoint",
    "FlatScores",
    "HierarchicalScores",
    "LcaScores",
    "SignTest",
    "TTest",
    "brier_score",
    "consistency_rate",
    "cosine_accuracy",
    "coverage_curve",
    "error_kinds",
    "expected_calibration_error",
    "flat_scores",
    "for_many_tests",
    "further_figures",
    "hamming_loss",
    "hf_score",
    "hierarchical_scores",
    "lca_scores",
    "log_loss",
    "macro_sign_test",
    "macro_t_test",
    "micro_sign_test",
    "ndcg_at_k",
    "paired_bootstrap",
    "paired_t_test",
    "precision_at_k",
    "recall_at_k",
    "sign_tests",
    "subset_accuracy",
    "summarise",
    "tree_distance",
    "tree_distance_error",
]
