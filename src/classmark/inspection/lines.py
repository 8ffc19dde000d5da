"""Faults of single lines, as readers tell them, put together by what to do about them."""

import re
from collections.abc import Iterator

from classmark.errors import InputError
from classmark.inspection.findings import Finding, Tally

PLACE = re.compile(r"(?P<where>.+?(?::\d+)?): (?P<what>.*)", re.DOTALL)
VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\d+")
"""What differs between messages that say to do the same."""


class LineFaults:
    """Takes up what readers refuse.

    Examples
    --------
    >>> faults = LineFaults("line", limit=5)
    >>> faults.take(InputError("birds.jsonl:3: the id is a list; write a string or an integer"))
    >>> faults.take(InputError("birds.jsonl:7: the id is null; write a string or an integer"))
    >>> found, = faults.findings()
    >>> found.count, found.remedy, found.examples[0].where
    (2, 'write a string or an integer', 'birds.jsonl:3')
    """

    def __init__(self, kind: str, limit: int) -> None:
        self.kind = kind
        self.first = ""
        self._limit = limit
        self._tallies: dict[str, tuple[str, Tally]] = {}

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(tally.count for _, tally in self._tallies.values())

    def take(self, error: InputError) -> None:
        """Take up a fault."""
        message = str(error)
        self.first = self.first or message
        where, what, remedy = taken_apart(message)
        key = VARYING.sub("", remedy)
        _, tally = self._tallies.setdefault(key, (remedy, Tally(self.kind, self._limit)))
        tally.add(where, what)

    def findings(self) -> Iterator[Finding]:
        """Give the faults, a finding for each thing to do."""
        for remedy, tally in self._tallies.values():
            yield from tally.findings(**({"remedy": remedy} if remedy else {}))


def taken_apart(message: str) -> tuple[str, str, str]:
    """Take a message apart: where, what, and what to do.

    >>> taken_apart("birds.csv:3: a label is empty; give it a name or take it out")
    ('birds.csv:3', 'a label is empty', 'give it a name or take it out')
    """
    found = PLACE.fullmatch(message)
    where, rest = found.group("where", "what") if found else ("", message)
    what, _, remedy = rest.rpartition("; ")
    return (where, what, remedy) if what else (where, remedy, "")
