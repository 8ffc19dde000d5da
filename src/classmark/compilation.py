"""`kernel`: how every numba kernel of classmark is compiled.

A kernel works on arrays alone, lets go of the interpreter's lock, so that plain threads run it side by side, and is
compiled when first called. The machine code is kept beside the source, or in the user's cache folder; where neither
can be written it is compiled anew in every process.
"""

from collections.abc import Callable
from typing import Any, TypeVar, overload

from numba import njit

F = TypeVar("F", bound=Callable[..., object])
FAST = {"reassoc", "contract"}


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(*, reassociate: bool) -> Callable[[F], F]: ...
def kernel(function: F | None = None, *, reassociate: bool = False) -> F | Callable[[F], F]:
    """Compile a function of arrays and numbers.

    Parameters
    ----------
    reassociate : bool
        Let sums be taken in another order, several terms at a time. Only for figures whose last digits decide nothing.

    Examples
    --------
    >>> import numpy as np
    >>> @kernel
    ... def total(values):
    ...     result = 0.0
    ...     for value in values:
    ...         result += value
    ...     return result
    >>> total(np.array([1.0, 2.5]))
    3.5
    """

    def compiled(function: F) -> F:
        options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": FAST if reassociate else False}
        try:
            return njit(cache=True, **options)(function)  # type: ignore[no-any-return]
        except RuntimeError:  # no folder for the cache can be written
            return njit(**options)(function)  # type: ignore[no-any-return]

    return compiled if function is None else compiled(function)
