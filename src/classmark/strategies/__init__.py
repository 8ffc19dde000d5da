"""Strategies: a hierarchical classifier out of any learner.

A strategy takes the learner as an argument and imports none of ours. `flat` learns each category alone;
`consistent` learns all nodes together from labels closed upward; `topdown` learns to tell the children of each node
apart; `self_training` lets unlabelled documents teach any classifier that gives probabilities; `majority` learns
nothing but frequencies and is the baseline that must be beaten. `one_vs_rest`, `spread`, `learners` and `self_taught`
hold what they share.
"""

from classmark.strategies.consistent import ConsistentClassifier
from classmark.strategies.flat import FlatClassifier
from classmark.strategies.linear_svm import LinearSVMClassifier
from classmark.strategies.majority import MajorityClassifier
from classmark.strategies.self_training import SelfTrainingClassifier
from classmark.strategies.topdown.classifier import TopDownClassifier

__all__ = [
    "ConsistentClassifier",
    "FlatClassifier",
    "LinearSVMClassifier",
    "MajorityClassifier",
    "SelfTrainingClassifier",
    "TopDownClassifier",
]
