"""The methods and their settings, as they are declared."""

from collections.abc import Iterable
from typing import Any

from classmark.methods import METHODS, Method, find_method
from classmark.parameters import Parameter, parameters
from classmark.text import TextSettings


def methods(name: str | None = None, *, settings: bool = True) -> list[dict[str, Any]]:
    """List the methods, or one of them, with their settings; nothing that learns is imported to list them without."""
    listed = METHODS.values() if name is None else [find_method(name)]
    return [
        {"name": method.name, "summary": method.summary, **({"settings": _settings(method)} if settings else {})}
        for method in listed
    ]


def _settings(method: Method) -> list[dict[str, Any]]:
    of_text = (one._replace(default=getattr(method.text, one.name)) for one in parameters(TextSettings).values())
    return _described(method.declared().values()) + _described(of_text)


def _described(declared: Iterable[Parameter]) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "default": one.plain(), "allowed": one.written(), "description": one.sentence}
        for one in declared
    ]
