"""The methods and their settings, as they are declared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from classmark.registry import METHODS, Method, find_method


@dataclass(frozen=True, kw_only=True)
class SettingInfo:
    """A setting of a method."""

    name: str
    """What it is called."""
    default: Any
    """What it is where nothing is said."""
    allowed: str
    """What it may be, in words."""
    description: str
    """What it is for."""


@dataclass(frozen=True, kw_only=True)
class MethodInfo:
    """A method."""

    name: str
    """What it is called."""
    summary: str
    """What it is, in a sentence."""
    settings: Sequence[SettingInfo] = ()
    """Its settings, those of the text last; none where they were not asked for."""


def methods(name: str | None = None, *, settings: bool = True) -> list[MethodInfo]:
    """List the methods, or one of them, with their settings, for which their classes are imported."""
    listed = METHODS.values() if name is None else [find_method(name)]
    return [
        MethodInfo(name=method.name, summary=method.summary, settings=described(method) if settings else ())
        for method in listed
    ]


def described(method: Method) -> list[SettingInfo]:
    """Return the settings of a method, those of the text last."""
    return [
        SettingInfo(
            name=one.name,
            default=one.text_default(),
            allowed=one.text_description(),
            description=one.description,
        )
        for one in (method.declared() | method.declared_of_text()).values()
    ]
