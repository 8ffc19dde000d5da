"""What functions of the service give: frozen dataclasses, and one way from them to JSON."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import singledispatch
from types import MappingProxyType
from typing import Any

INLINE: Mapping[str, bool] = MappingProxyType({"inline": True})
"""The metadata of a field whose entries stand among the fields themselves."""


@dataclass(frozen=True, kw_only=True)
class SavedModel:
    """A model file that was made."""

    model: str
    """The file."""
    method: str
    """The name of the method."""
    documents: int
    """How many documents the model has learned from."""


@singledispatch
def plain(value: Any) -> Any:
    """Give a result as JSON has it: dicts, lists, texts and numbers.

    A field that has its default is left out: there is nothing to say about it. Classes that are written otherwise
    register a function of their own.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Bird:
    ...     name: str
    ...     eggs: tuple[str, ...] = ()
    >>> plain([Bird(name="owl"), Bird(name="gull", eggs=("spotted",))])
    [{'name': 'owl'}, {'name': 'gull', 'eggs': ['spotted']}]
    """
    if not is_dataclass(value):
        return value
    written: dict[str, Any] = {}
    for one in fields(value):
        given = getattr(value, one.name)
        if one.default is MISSING or given != one.default:
            written |= _entries(one, given)
    return written


def _entries(one: Field[Any], given: Any) -> dict[str, Any]:
    """Give what stands in JSON for a field."""
    return plain(given) if "inline" in one.metadata else {one.name: plain(given)}


@plain.register
def _(value: Mapping) -> dict[str, Any]:  # type: ignore[type-arg]
    return {str(key): plain(inner) for key, inner in value.items()}


@plain.register(list)
@plain.register(tuple)
def _(value: Any) -> list[Any]:
    return [plain(inner) for inner in value]
