"""Settings held against a table of what they may be, the same way for all estimators."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

Allowed: TypeAlias = Mapping[str, tuple[Callable[[Any], bool], str]]
"""The name of a setting → whether a value may be, and in words what may be."""


def is_number(value: Any) -> bool:
    """Say whether a value is a finite number; truth values are none.

    >>> is_number(0.5), is_number(True), is_number(float("nan"))
    (True, False, False)
    """
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(np.isfinite(value))


def is_whole(value: Any) -> bool:
    """Say whether a value is a whole number by its type; truth values are none.

    >>> is_whole(2), is_whole(2.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_settings(estimator: Any, allowed: Allowed) -> None:
    """Refuse a setting of an estimator that may not be, in words; settings that the table does not have pass.

    >>> from classmark import FlatNB
    >>> check_settings(FlatNB(smoothing=0), {"smoothing": (lambda value: value > 0, "a number above 0")})
    Traceback (most recent call last):
    ValueError: smoothing is 0; give a number above 0
    """
    for name in estimator.get_params(deep=False):
        if name in allowed and not allowed[name][0](getattr(estimator, name)):
            raise ValueError(f"{name} is {getattr(estimator, name)!r}; give {allowed[name][1]}")
