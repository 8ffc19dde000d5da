"""Strategies: a hierarchical classifier out of any learner.

A strategy takes the learner as an argument and imports none of ours. `flat` learns each category alone;
`consistent` learns all nodes together from labels closed upward; `topdown` learns to tell the children of each node
apart; `majority` learns nothing but frequencies and is the baseline that must be beaten. `one_vs_rest`, `spread` and
`learners` hold what they share.
"""

from classmark.strategies.consistent import ConsistentClassifier
from classmark.strategies.flat import FlatClassifier
from classmark.strategies.majority import MajorityClassifier
from classmark.strategies.topdown import TopDownClassifier

__all__ = ["ConsistentClassifier", "FlatClassifier", "MajorityClassifier", "TopDownClassifier"]
