"""What the settings of generative classifiers may be, as a table; checked at the top of `fit`."""

from typing import Any

import numpy as np

from classmark.checks import Allowed, is_number, is_whole


def _weights(value: Any) -> bool:
    return value is None or (
        not isinstance(value, str) and all(is_number(one) and one >= 0 for one in value) and sum(value) > 0
    )


ALLOWED: Allowed = {
    "smoothing": (lambda value: is_number(value) and value > 0, "a number above 0"),
    "prior": (lambda value: isinstance(value, bool | np.bool_), "True or False"),
    "vocabulary": (lambda value: value in ("labelled", "all"), "labelled or all"),
    "scaling": (lambda value: value in (None, "log-idf"), "log-idf or None"),
    "length": (lambda value: is_number(value) and value > 0, "a number above 0"),
    "growth_min_df": (lambda value: is_whole(value) and value >= 1, "a whole number from 1"),
    "unlabelled_weight": (lambda value: is_number(value) and value >= 0, "a number from 0"),
    "tolerance": (lambda value: is_number(value) and value >= 0, "a number from 0"),
    "max_iter": (lambda value: is_whole(value) and value >= 1, "a whole number from 1"),
    "growth": (lambda value: is_whole(value) and value >= 0, "a whole number from 0"),
    "shrinkage": (lambda value: is_number(value) and 0 <= value < 1, "a number from 0, below 1"),
    "level_weights": (_weights, "one number from 0 a level, not all 0"),
    "n_components": (lambda value: is_whole(value) and value >= 1, "a whole number from 1"),
}
