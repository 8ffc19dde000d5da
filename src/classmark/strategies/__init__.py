"""Strategies: a hierarchical classifier out of any learner.

A strategy takes the learner as an argument and imports none of ours. `flat` learns each category alone; `majority`
learns nothing but frequencies and is the baseline that must be beaten. `spread` holds what they share.
"""

from classmark.strategies.flat import FlatClassifier
from classmark.strategies.majority import MajorityClassifier

__all__ = ["FlatClassifier", "MajorityClassifier"]
