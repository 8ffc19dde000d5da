"""The methods: names for classifiers with settings and a way to treat text.

`table` has them all, `settings` how they are declared, and a file a family the declarations: `flat`, `consistent`.
"""

from classmark.methods.settings import LearnerSettings, Method, allowed, changed
from classmark.methods.table import CLASSIFIERS, METHODS, classifier_class, find_method

__all__ = [
    "CLASSIFIERS",
    "METHODS",
    "LearnerSettings",
    "Method",
    "allowed",
    "changed",
    "classifier_class",
    "find_method",
]
