"""What the settings of generative classifiers may be, as a table; checked at the top of `fit`."""

from collections.abc import Callable
from typing import Any

import numpy as np


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(np.isfinite(value))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _weights(value: Any) -> bool:
    return value is None or (
        not isinstance(value, str) and all(_is_number(one) and one >= 0 for one in value) and sum(value) > 0
    )


ALLOWED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "smoothing": (lambda value: _is_number(value) and value > 0, "a number above 0"),
    "prior": (lambda value: isinstance(value, bool | np.bool_), "True or False"),
    "vocabulary": (lambda value: value in ("labelled", "all"), "labelled or all"),
    "scaling": (lambda value: value in (None, "log-idf"), "log-idf or None"),
    "length": (lambda value: _is_number(value) and value > 0, "a number above 0"),
    "growth_min_df": (lambda value: _is_whole(value) and value >= 1, "a whole number from 1"),
    "unlabelled_weight": (lambda value: _is_number(value) and value >= 0, "a number from 0"),
    "tolerance": (lambda value: _is_number(value) and value >= 0, "a number from 0"),
    "max_iter": (lambda value: _is_whole(value) and value >= 1, "a whole number from 1"),
    "growth": (lambda value: _is_whole(value) and value >= 0, "a whole number from 0"),
    "shrinkage": (lambda value: _is_number(value) and 0 <= value < 1, "a number from 0, below 1"),
    "level_weights": (_weights, "one number from 0 a level, not all 0"),
    "n_components": (lambda value: _is_whole(value) and value >= 1, "a whole number from 1"),
}


def check_settings(estimator: Any) -> None:
    """Refuse a setting that may not be, in words.

    >>> from classmark.generative import FlatNB
    >>> check_settings(FlatNB(smoothing=0))
    Traceback (most recent call last):
    ValueError: smoothing is 0; give a number above 0
    """
    for name in estimator.get_params(deep=False):
        if name in ALLOWED and not ALLOWED[name][0](getattr(estimator, name)):
            raise ValueError(f"{name} is {getattr(estimator, name)!r}; give {ALLOWED[name][1]}")
