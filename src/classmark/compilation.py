"""`kernel`: how every numba kernel of classmark is compiled.

A kernel works on arrays alone, lets go of the interpreter's lock, so that plain threads run it side by side, and is
compiled when first called. The machine code is kept beside the source, or in the user's cache folder; where neither
can be written it is compiled anew in every process. Whoever hears the notices of `progress` is told before it takes
that time.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, overload

from numba import njit
from numba.core import event

from classmark.progress import notice

F = TypeVar("F", bound=Callable[..., object])
FAST = {"reassoc", "contract"}
ONCE = "compiling for this machine, once; the next run finds it done"
ANEW = "compiling, as in every run: no folder can be written to keep it in; set NUMBA_CACHE_DIR to one that can"

_notices: dict[object, str] = {}


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(*, reassociate: bool = False, inline: bool = False) -> Callable[[F], F]: ...
def kernel(function: F | None = None, *, reassociate: bool = False, inline: bool = False) -> F | Callable[[F], F]:
    """Compile a function of arrays and numbers.

    Parameters
    ----------
    reassociate : bool
        Let sums be taken in another order, several terms at a time. Only for figures whose last digits decide nothing.
    inline : bool
        Make the function part of the kernels that call it before they are compiled. That spares compiling it, and all
        that it calls, once more: for what calls other kernels and is called in one place.

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
        if inline:
            options["inline"] = "always"
        _notices[function] = ONCE
        try:
            return _forgiving(njit(cache=True, **options)(function))  # type: ignore[no-any-return]
        except RuntimeError:  # no folder for the cache can be written
            _notices[function] = ANEW
            return njit(**options)(function)  # type: ignore[no-any-return]

    return compiled if function is None else compiled(function)


def _forgiving(compiled: F) -> F:
    """Recompile a kernel whose cache refers to types of a module that has moved, or of another version of numba.

    The cache stays next to the source when a newer version is installed, and numba reads it before it compares
    versions.
    """
    file: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    for name, nothing in (("_load_index", dict), ("load", type(None))):
        if load := getattr(file, name, None):
            setattr(file, name, partial(_load_or, load, nothing))
    return compiled


def _load_or(load: Callable[..., Any], nothing: Callable[[], Any], *arguments: Any) -> Any:
    try:
        return load(*arguments)
    except (AttributeError, ImportError):
        return nothing()


class _Compilations(event.Listener):
    """Hears of everything that numba compiles, after it was not found in the cache."""

    def on_start(self, event: Any) -> None:
        """Say so, if it is a kernel; numba compiles functions of its own within."""
        line = _notices.get(event.data["dispatcher"].py_func)
        if line is not None:
            notice(line)

    def on_end(self, event: Any) -> None:
        """Say nothing."""


event.register("numba:compile", _Compilations())  # type: ignore[no-untyped-call]
