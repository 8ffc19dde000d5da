"""classmark puts texts into a hierarchy of categories.

The public names are imported when first used, so that `import classmark` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classmark.hierarchy import Hierarchy as Hierarchy

__version__ = "0.1.0"

_HOMES = {
    "Hierarchy": "hierarchy",
}

__all__ = ["Hierarchy"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'classmark' has no attribute {name!r}")
    return getattr(import_module(f"classmark.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
