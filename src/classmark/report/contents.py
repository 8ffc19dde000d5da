"""What a report says, as plain data: the page only shows it.

Nodes are numbers, their places in `Report.nodes`. What is None or empty was not asked for, or cannot be had of this
model or these documents, and has no place on the page.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from classmark.explain.piece import Piece as Piece
from classmark.inspection import Finding


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Something known, in words."""

    name: str
    """What it is about."""
    value: str
    """What it is."""


@dataclass(frozen=True, kw_only=True)
class Node:
    """A category: its place, its documents, and how good the answers are there."""

    name: str
    """Its name."""
    title: str | None = None
    """What people call it, where that is something else."""
    parents: Sequence[int] = ()
    """The nodes above it, the first of which it is drawn below; a top has none."""
    training: int | None = None
    """How many documents to learn from belong to it or to a node below it."""
    documents: int | None = None
    """How many of the documents evaluated do; where nothing is evaluated, how many documents there are."""
    predicted: int | None = None
    """How many documents were put there."""
    precision: float | None = None
    """The part of the documents put there that belong there; None where none was."""
    recall: float | None = None
    """The part of its documents that were put there; None where it has none."""
    f1: float | None = None
    """The harmonic mean of both; None where it has no documents, true or predicted."""
    other_f1: float | None = None
    """The same of the second model."""
    words: Sequence[str] = ()
    """The words that speak loudest for it, or that its documents have more often than others."""


@dataclass(frozen=True, kw_only=True)
class Destination:
    """A kind of place that documents went to instead of where they belong."""

    kind: str
    """What it is to the right one: `sibling`, `parent`, `below`, `same top`, `elsewhere` or `nowhere`."""
    labels: int
    """How many labels went there."""
    words: str
    """What that means, in a sentence."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two nodes of which one was often answered instead of the other."""

    true: int
    """The one that was right."""
    answered: int | None
    """The one that was answered; None where nothing was."""
    documents: int
    """How often."""
    kind: str
    """The kind of destination."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """A line of a figure."""

    name: str
    """What it shows."""
    x: Sequence[float]
    """Where its points are, from left to right."""
    y: Sequence[float]
    """How high they are."""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A figure of one or more lines."""

    name: str
    """A short name without blanks: `precision-recall`, `calibration`, `coverage`, `learning`."""
    title: str
    """What it is called."""
    says: str
    """What is to be seen in it, in a sentence or two, with its figures."""
    x_axis: str
    """What is to the right."""
    y_axis: str
    """What is up."""
    series: Sequence[Series]
    """The lines."""
    diagonal: bool = False
    """Whether the line from corner to corner is drawn, on which a perfect model would be."""
    log_x: bool = False
    """Whether each step to the right is a doubling."""


@dataclass(frozen=True, kw_only=True)
class WrongDocument:
    """A document with a wrong answer."""

    id: str
    """Its name."""
    true: Sequence[int]
    """Its own labels."""
    answered: Sequence[int]
    """Those of the answer."""
    other: Sequence[int] | None = None
    """Those of the second model's answer."""
    sure: float | None = None
    """How probable the answer was to the model."""
    pieces: Sequence[Piece]
    """Its text, or the part of it that says most; positive shares speak for the answer, negative for the truth."""
    cut: bool = False
    """Whether some of the text was left out."""
    terms: Sequence[tuple[str, float]] = ()
    """The strongest terms, also those that cannot be found in the text."""
    why: str = ""
    """What the shares are, in words: for this and against that."""


@dataclass(frozen=True, kw_only=True)
class Doubt:
    """A document whose label the model doubts."""

    id: str
    """Its name."""
    split: str | None
    """The split it is in."""
    labels: Sequence[int]
    """What it is labelled with."""
    rather: Sequence[int]
    """What the model would say."""
    chance: float
    """How probable the label is, by a model that has not seen the document."""
    text: str
    """The beginning of its text."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a second model makes better or worse: a figure of both."""

    name: str
    """What is measured."""
    first: float
    """The first model's."""
    second: float
    """The second model's."""
    chance: float | None = None
    """How probable so large a difference is by chance alone."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything that a page shows."""

    title: str
    """What the report is about."""
    summary: Sequence[str]
    """What a reader should take home, in sentences, the most important first."""
    facts: Sequence[Fact]
    """The documents, the model and the versions, each in words."""
    figures: Sequence[Fact] = ()
    """The main measures: name and number, four to six of them."""
    nodes: Sequence[Node]
    """The categories, a node after its parents."""
    left_out: int = 0
    """How many categories are not among them, so that the page stays small: those with the fewest documents."""
    destinations: Sequence[Destination] = ()
    """Where documents went instead, along the hierarchy."""
    pairs: Sequence[Pair] = ()
    """The most frequent mistakes."""
    curves: Sequence[Curve] = ()
    """The figures to be drawn."""
    errors: Sequence[WrongDocument] = ()
    """Examples of errors."""
    n_errors: int = 0
    """How many documents have a wrong or a missing label; of two models, those answered otherwise, one wrongly."""
    findings: Sequence[Finding] = ()
    """What is wrong with the documents, or odd about them."""
    doubts: Sequence[Doubt] = ()
    """The documents whose label the model doubts most."""
    doubts_by: str = ""
    """Which model doubts, and how it was learned, in a sentence."""
    alike: Sequence[tuple[int, int, float]] = ()
    """Categories with nearly the same words: two nodes and how alike they are, from 0 to 1."""
    empty: Sequence[int] = ()
    """Categories without a document to learn from."""
    names: Sequence[str] = ()
    """What the two models are called, where two are compared."""
    changes: Sequence[Change] = ()
    """The figures of both models."""
