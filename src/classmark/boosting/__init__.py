"""Boosting: AdaBoost.MH with its three predictions, committees (KR), MP-Boost and TreeBoost.MH.

`problem` makes plain arrays of the documents and of the state beside them. `merits`, `weights`,
`searching` and `rounds` are the compiled loops of `engine`, the rounds of boosting with pivots shared by all
categories, and `mp_engine` runs rounds with separate pivots for each category. `hypothesis` merges
the rounds, and `booster` is the classifier around it all. `spread` runs the same rounds in parts, on the workers of a
cluster. A file each: `adaboost_mh`, `adaboost_mh_kr` with its `committee`, `mp_boost`, `treeboost_mh`.
"""

from classmark.boosting.adaboost_mh import AdaBoostMH
from classmark.boosting.adaboost_mh_kr import AdaBoostMHKR
from classmark.boosting.booster import Round
from classmark.boosting.mp_boost import MPBoost
from classmark.boosting.treeboost_mh import TreeBoostMH

__all__ = ["AdaBoostMH", "AdaBoostMHKR", "MPBoost", "Round", "TreeBoostMH"]
