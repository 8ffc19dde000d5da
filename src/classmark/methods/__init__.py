"""The methods: names for classifiers with settings and a way to treat text.

`table` has them all, `settings` how they are declared, and a file a family the declarations.
"""

from classmark.methods.settings import LearnerSettings, Method, allowed, changed, check_limits
from classmark.methods.table import METHODS, find_method

__all__ = [
    "METHODS",
    "LearnerSettings",
    "Method",
    "allowed",
    "changed",
    "check_limits",
    "find_method",
]
