"""The decisions by name."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from classmark.decision.auto import Auto
from classmark.decision.base import Decision
from classmark.decision.best_path import BackOff, BestPath, ExpectedHF
from classmark.decision.dscut import DSCut, RCut, TunedDSCut
from classmark.decision.thresholds import PCut, SCut, Threshold, TunedThreshold
from classmark.errors import InputError
from classmark.parameters import parameters, parse_choice, read_settings
from classmark.wording import unknown_name

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


SETTINGS = {
    name: {key: one for key, one in parameters(cls).items() if key not in cls.learned}
    for name, cls in DECISIONS.items()
}
"""Parameters that users set, by decision."""


def parse_decision(text: str) -> Decision:
    """Parse a decision as the command line writes it: a name, then settings as `key=value` after commas.

    >>> parse_decision("threshold,value=0.2,consistency=filter")
    Threshold(value=0.2, consistency='filter', otherwise=None)
    """
    name, *settings = text.split(",")
    if name in ALIASES:
        return parse_decision(",".join([ALIASES[name], *settings]))
    if name not in DECISIONS:
        raise unknown_name("decision", name, [*DECISIONS, *ALIASES])
    name, values = parse_choice(text, "decision", SETTINGS)
    return DECISIONS[name](**values)


def make_decision(name: str, settings: Mapping[str, Any]) -> Decision:
    """Build a decision from its name and the values of its settings, as `describe` returns them."""
    if name not in DECISIONS:
        raise unknown_name("decision", name, DECISIONS)
    return DECISIONS[name](**read_settings(parameters(DECISIONS[name]), settings, f"decision {name!r}"))


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
