"""From scores to label sets.

A decision takes scores of shape `(n_documents, n_nodes)`, the hierarchy, and the `ends`, the nodes that some training
document had as its own label. It answers with consistent label sets, ancestors included, and never knows which scorer
it serves. Decisions are frozen dataclasses: `fit` gives a new one that has learned from training scores. `table` names
them for the command line.
"""

from classmark.decision.base import Decision
from classmark.decision.best_path import BestPath, best_end
from classmark.decision.consistency import CONSISTENCY, close_upward, filter_topdown
from classmark.decision.table import DECISIONS, describe, format_decision, make_decision, parse_decision
from classmark.decision.thresholds import Threshold, TunedThreshold, f1_threshold

__all__ = [
    "CONSISTENCY",
    "DECISIONS",
    "BestPath",
    "Decision",
    "Threshold",
    "TunedThreshold",
    "best_end",
    "close_upward",
    "describe",
    "f1_threshold",
    "filter_topdown",
    "format_decision",
    "make_decision",
    "parse_decision",
]
