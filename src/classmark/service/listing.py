"""The methods and their settings, by their declarations alone: nothing that learns is imported to print a table."""

from typing import Any

import msgspec

from classmark.methods import METHODS, find_method


def methods(name: str | None = None) -> list[dict[str, Any]]:
    """List the methods, or one of them, with their settings."""
    return [
        {
            "name": method.name,
            "summary": method.summary,
            "settings": _settings(method.learner) + _settings(method.text),
        }
        for method in (METHODS.values() if name is None else [find_method(name)])
    ]


def _settings(settings: msgspec.Struct) -> list[dict[str, Any]]:
    declared = msgspec.json.schema(type(settings))["$defs"][type(settings).__name__]["properties"]
    return [
        {
            "name": name,
            "default": getattr(settings, name),
            "description": declared[name].get("description", ""),
        }
        for name in settings.__struct_fields__
    ]
