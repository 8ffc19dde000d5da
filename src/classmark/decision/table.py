"""The decisions by name."""

from dataclasses import asdict, fields
from typing import Any

import msgspec

from classmark.decision.base import Decision
from classmark.decision.best_path import BestPath
from classmark.decision.thresholds import Threshold, TunedThreshold

DECISIONS: dict[str, type[Decision]] = {
    "threshold": Threshold,
    "tuned": TunedThreshold,
    "best-path": BestPath,
}


def parse_decision(text: str) -> Decision:
    """Read a decision as the command line writes it: a name, then settings as `key=value` after commas.

    >>> parse_decision("threshold,value=0.2,consistency=filter")
    Threshold(value=0.2, consistency='filter')
    """
    name, *settings = text.split(",")
    return make_decision(name, dict(setting.partition("=")[::2] for setting in settings))


def make_decision(name: str, settings: dict[str, Any]) -> Decision:
    """Build a decision from its name and settings, the settings as strings or values."""
    if name not in DECISIONS:
        raise ValueError(f"decision {name!r} does not exist; choose one of {', '.join(DECISIONS)}")
    allowed = {field.name for field in fields(DECISIONS[name])}
    if unknown := set(settings) - allowed:
        listed = ", ".join(sorted(allowed)) or "none"
        raise ValueError(f"decision {name!r} has no setting {sorted(unknown)[0]!r}; its settings: {listed}")
    try:
        return msgspec.convert(settings, DECISIONS[name], strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(f"decision {name!r}: {error}") from None


def format_decision(decision: Decision) -> str:
    """Write a decision as `parse_decision` reads it.

    >>> format_decision(Threshold(0.5))
    'threshold,value=0.5,consistency=close'
    """
    described = describe(decision)
    return ",".join([described["name"], *(f"{name}={value}" for name, value in described["settings"].items())])


def describe(decision: Decision) -> dict[str, Any]:
    """Give a decision as plain data: its name and settings, as `make_decision` takes them.

    >>> describe(Threshold(0.5))
    {'name': 'threshold', 'settings': {'value': 0.5, 'consistency': 'close'}}
    """
    name = next(name for name, kind in DECISIONS.items() if kind is type(decision))
    return {"name": name, "settings": asdict(decision)}
