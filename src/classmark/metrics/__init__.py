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
every document belongs, is not a node and is never counted. `summary` puts the figures that people ask for
into one plain dict.
"""

from classmark.metrics.flat import Counts, FlatScores, flat_scores, hamming_loss, subset_accuracy
from classmark.metrics.hierarchical import HierarchicalScores, consistency_rate, hf_score, hierarchical_scores
from classmark.metrics.summary import summarise

__all__ = [
    "Counts",
    "FlatScores",
    "HierarchicalScores",
    "consistency_rate",
    "flat_scores",
    "hamming_loss",
    "hf_score",
    "hierarchical_scores",
    "subset_accuracy",
    "summarise",
]
