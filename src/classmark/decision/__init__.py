"""From scores to label sets.

A decision takes scores of shape `(n_documents, n_nodes)`, the hierarchy, and the `ends`, the nodes that some training
document had as its own label. It answers with consistent label sets, ancestors included, and never knows which scorer
it serves. Decisions are frozen dataclasses; the `fit` of a `LearnedDecision` gives a new one that has learned from
held-out scores. `table` names them for the command line.
"""

from classmark.decision.auto import Auto, Choice, choose
from classmark.decision.base import Decision, LearnedDecision
from classmark.decision.best_path import BackOff, BestPath, ExpectedHF, best_end
from classmark.decision.consistency import (
    CONSISTENCY,
    average_confidence,
    close_upward,
    filter_topdown,
    most_likely,
    product_of_chances,
)
from classmark.decision.dscut import DSCut, RCut, TunedDSCut
from classmark.decision.sure import sure_labels
from classmark.decision.table import DECISIONS, describe, format_decision, make_decision, parse_decision
from classmark.decision.thresholds import PCut, SCut, Threshold, TunedThreshold, f1_threshold

__all__ = [
    "CONSISTENCY",
    "DECISIONS",
    "Auto",
    "BackOff",
    "BestPath",
    "Choice",
    "DSCut",
    "Decision",
    "ExpectedHF",
    "LearnedDecision",
    "PCut",
    "RCut",
    "SCut",
    "Threshold",
    "TunedDSCut",
    "TunedThreshold",
    "average_confidence",
    "best_end",
    "choose",
    "close_upward",
    "describe",
    "f1_threshold",
    "filter_topdown",
    "format_decision",
    "make_decision",
    "most_likely",
    "parse_decision",
    "product_of_chances",
    "sure_labels",
]
