"""A report to look at: what it says (`contents`), as data, and the one page that shows it."""

from classmark.report.contents import (
    Change,
    Curve,
    Destination,
    Doubt,
    Fact,
    Node,
    Pair,
    Piece,
    Report,
    Series,
    WrongDocument,
)

__all__ = [
    "Change",
    "Curve",
    "Destination",
    "Doubt",
    "Fact",
    "Node",
    "Pair",
    "Piece",
    "Report",
    "Series",
    "WrongDocument",
]
