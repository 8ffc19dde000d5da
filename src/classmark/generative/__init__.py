"""Generative models: naive Bayes and EM, flat, by levels and by paths, for few labels or none.

`counts` goes through documents, `em` learns a mixture, `ends` and `odds` know what labels and scores of
nodes are, `base` and `semi` make classifiers of it, and every model has a file of its own.
"""

from classmark.generative.flat import FlatEM, FlatNB
from classmark.generative.multicomponent import EMMC, NBMC
from classmark.generative.path import PathEM, PathNB
from classmark.generative.topdown import TopDownEM, TopDownNB
from classmark.generative.windriven import WinDrivenEM, WinDrivenNB

__all__ = [
    "EMMC",
    "NBMC",
    "FlatEM",
    "FlatNB",
    "PathEM",
    "PathNB",
    "TopDownEM",
    "TopDownNB",
    "WinDrivenEM",
    "WinDrivenNB",
]
