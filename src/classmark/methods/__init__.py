"""The methods: names for classifiers with defaults and a way to treat text.

`table` has them all, `method` says what an entry is, and `composed` what entries over other learners are.
"""

from classmark.methods.composed import OverMethods, Searching
from classmark.methods.method import Learner, Method, text_settings
from classmark.methods.table import METHODS, find_class, find_method, saved_name

__all__ = [
    "METHODS",
    "Learner",
    "Method",
    "OverMethods",
    "Searching",
    "find_class",
    "find_method",
    "saved_name",
    "text_settings",
]
