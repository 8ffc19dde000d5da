"""The decisions by name."""

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import msgspec

from classmark.checks import split_settings
from classmark.decision.auto import Auto
from classmark.decision.back_off import BackOff
from classmark.decision.base import Decision
from classmark.decision.best_path import BestPath
from classmark.decision.dscut import DSCut, TunedDSCut
from classmark.decision.expected_hf import ExpectedHF
from classmark.decision.pcut import PCut
from classmark.decision.rcut import RCut
from classmark.decision.scut import SCut
from classmark.decision.thresholds import Threshold, TunedThreshold
from classmark.errors import InputError
from classmark.parameters import Parameter, parameters

DECISIONS: dict[str, type[Decision]] = {
    "auto": Auto,
    "threshold": Threshold,
    "tuned": TunedThreshold,
    "scut": SCut,
    "rcut": RCut,
    "pcut": PCut,
    "dscut": DSCut,
    "tuned-dscut": TunedDSCut,
    "best-path": BestPath,
    "expected-hf": ExpectedHF,
    "back-off": BackOff,
}

ALIASES: dict[str, str] = {
    "average-confidence": "threshold,consistency=average",
}
"""Decisions with a name of their own that are others with certain settings."""


def parse_decision(text: str) -> Decision:
    """Read a decision as the command line writes it: a name, then settings as `key=value` after commas.

    >>> parse_decision("threshold,value=0.2,consistency=filter")
    Threshold(value=0.2, consistency='filter', otherwise=None)
    """
    name, *settings = text.split(",")
    if name in ALIASES:
        return parse_decision(",".join([ALIASES[name], *settings]))
    return make_decision(name, split_settings(settings, f"decision {text!r}"))


def make_decision(name: str, settings: dict[str, Any]) -> Decision:
    """Build a decision from its name and settings, as values or as strings, a list as `1/0.6/0.4`."""
    if name not in DECISIONS:
        raise InputError(f"decision {name!r} does not exist; choose one of {', '.join([*DECISIONS, *ALIASES])}")
    kind = DECISIONS[name]
    known = parameters(kind)
    if unknown := set(settings) - set(known):
        listed = ", ".join(sorted(set(known) - set(kind.learned))) or "none"
        raise InputError(f"decision {name!r} has no setting {sorted(unknown)[0]!r}; its settings: {listed}")
    try:
        return msgspec.convert(_with_lists(settings, known), kind, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"decision {name!r}: {_in_words(str(error), settings)}") from None


def _with_lists(settings: dict[str, Any], known: Mapping[str, Parameter]) -> dict[str, Any]:
    """Give settings with those as lists that are lists, and were written as text."""
    lists = {name for name, one in known.items() if isinstance(one.default, tuple)}
    written = [name for name in settings if name in lists and isinstance(settings[name], str)]
    return settings | {name: settings[name].split("/") for name in written}


def _in_words(message: str, settings: dict[str, Any]) -> str:
    """Say what msgspec has against a setting as people would: "Expected `float`, got `str` - at `$.value`"."""
    found = re.search(r"Expected `(\w+).*`\$\.(\w+)", message)
    if found is None:
        return message
    kinds = {"float": "a number", "int": "a whole number", "bool": "true or false", "array": "numbers as 1/0.6/0.4"}
    return f"{found[2]}={settings[found[2]]} is not allowed; give {kinds.get(found[1], found[1])}"


def format_decision(decision: Decision) -> str:
    """Write a decision as `parse_decision` reads it, without what it learned beyond a threshold.

    >>> format_decision(Threshold(0.5))
    'threshold,value=0.5,consistency=close'
    """
    described = describe(decision)
    written = [described["name"]]
    for name, value in described["settings"].items():
        if name not in decision.learned and value is not None:
            written.append(f"{name}={'/'.join(map(str, value)) if isinstance(value, tuple) else value}")
    return ",".join(written)


def describe(decision: Decision) -> dict[str, Any]:
    """Give a decision as plain data: its name and settings, as `make_decision` takes them.

    >>> describe(Threshold(0.5))
    {'name': 'threshold', 'settings': {'value': 0.5, 'consistency': 'close', 'otherwise': None}}
    """
    for name, kind in DECISIONS.items():
        if kind is type(decision):
            return {"name": name, "settings": asdict(decision)}
    raise InputError(f"the decision {decision!r} has no name; only {', '.join(DECISIONS)} can be written")
