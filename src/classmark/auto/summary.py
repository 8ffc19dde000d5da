"""What a search has done, in words: of the plain data that a model file keeps."""

from collections.abc import Mapping, Sequence
from typing import Any

from classmark.auto.candidates import Candidate
from classmark.auto.expecting import Expected

SHOWN = 10
"""How many of the trials are shown."""


def rows_of_trials(trials: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Give the best trials as the cells of a table, those on more documents first.

    >>> rows_of_trials([{"method": "nb", "settings": {}, "documents": 90, "score": 0.5, "decision": "scut",
    ...                  "seconds": 0.1, "why": None}])
    [['.500', '90', '0.1', 'nb, scut']]
    """
    ordered = sorted(trials, key=lambda one: (-one["documents"], one["score"] is None, -(one["score"] or 0.0)))
    return [
        [
            "–" if one["score"] is None else f"{one['score']:.3f}".removeprefix("0"),
            f"{one['documents']:,}",
            f"{one['seconds']:.1f}",
            f"{in_words(one)}: {one['why']}" if one["why"] else in_words(one),
        ]
        for one in ordered[:SHOWN]
    ]


def in_words(chosen: Mapping[str, Any]) -> str:
    """Write a method, what is set of it, and its decision; parts by their own settings, in brackets."""
    settings, decision = chosen["settings"], chosen.get("decision")
    if "parts" in settings:
        written = f"{chosen['method']} of {_parts_in_words(settings)}"
    else:
        written = Candidate(chosen["method"], _worth_saying(settings)).in_words()
    return written if decision is None else f"{written}, {decision}"


def _parts_in_words(settings: Mapping[str, Any]) -> str:
    """Write parts, each with its own settings.

    >>> _parts_in_words({"parts": "nb+linear-svm", "linear-svm.C": 3.0})
    'nb + linear-svm (C=3.0)'
    """
    written = []
    for part in settings["parts"].split("+"):
        own = {name.removeprefix(f"{part}."): value for name, value in settings.items() if name.startswith(f"{part}.")}
        changes = Candidate("", _worth_saying(own)).in_words().strip()
        written.append(f"{part} ({changes})" if changes else part)
    return " + ".join(written)


def _worth_saying(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out that the language is found: it is in all of them."""
    return {name: value for name, value in settings.items() if (name, value) != ("language", "auto")}


def expected_in_words(expected: Mapping[str, Any]) -> str:
    """Say what to expect of new documents."""
    return Expected(**expected).in_words()
