"""How the two heads learn from vectors that stay as they are, by numpy alone.

The vector x of a text, of length 1, is *turned* first: h = x A / |x A|, with a square matrix A that starts as the
identity. It brings together what the categories hold together, and is learned from all documents, so that it helps a
category of one. On h stand the heads that `heads` has the formulas of. With t the own labels of a document in equal
parts, y its closed labels and ω its weight, its loss is that of the network that learns its encoder too,

    ω · ( − Σ_c t_c log softmax(own)_c + w · Σ_n [ log(1 + exp(closed_n)) − y_n closed_n ] ),

the first sum 0 for a document that belongs nowhere. Adam goes down its gradient, some documents at a time.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import expit

from classmark.neural.heads import Floats, Heads, unit
from classmark.neural.rates import FIRST_SCALE, part_of_rate
from classmark.progress import track

FIRST_LENGTH, FIRST_BIAS = 10.0, -8.0
"""The length of a node's vector in the head *closed*, and its bias, at the start: few texts are that like a name."""
RATES = {"turn": 2.0, "own": 1.0, "own_bias": 0.5, "log_scale": 0.5, "closed": 100.0, "closed_bias": 5.0}
"""How fast each part learns beside the others."""
VECTORS = ("turn", "own", "closed")
"""The parts whose numbers are the smaller the more coordinates there are."""
BATCH = 512
"""How many documents make a step."""
LEAST_STEPS = 300
"""So many steps there are at least: few documents are seen more often."""
LOGITS_AT_A_TIME = 1 << 25
"""How many logits of each head are held at a time: 128 MiB."""
FADING, SQUARES_FADING, TINY = 0.9, 0.999, 1e-8
"""Adam's β₁, β₂ and ε."""


class Labelled(NamedTuple):
    """Documents to learn from."""

    vectors: Floats
    """A row each, of length 1 or 0."""
    own: csr_array
    """Their own labels in equal parts, a column for each category that may be one."""
    closed: csr_array
    """Their closed labels, a column for each node."""
    weight: Floats
    """How much each counts."""

    def take(self, rows: npt.NDArray[np.intp]) -> "Labelled":
        """Give some of them."""
        return Labelled(self.vectors[rows], self.own[rows], self.closed[rows], self.weight[rows])


@dataclass
class Parts:
    """What is learned, or a gradient of it."""

    turn: npt.NDArray[Any]
    own: npt.NDArray[Any]
    own_bias: npt.NDArray[Any]
    log_scale: npt.NDArray[Any]
    closed: npt.NDArray[Any]
    closed_bias: npt.NDArray[Any]

    @classmethod
    def start(cls, own: Floats, closed: Floats) -> "Parts":
        """Begin with vectors of length 1 for the categories that may be own labels, and for the nodes."""
        return cls(
            turn=np.eye(own.shape[1], dtype=np.float32),
            own=own.copy(),
            own_bias=np.zeros(len(own), dtype=np.float32),
            log_scale=np.full(1, math.log(FIRST_SCALE), dtype=np.float32),
            closed=np.float32(FIRST_LENGTH) * closed,
            closed_bias=np.full(len(closed), FIRST_BIAS, dtype=np.float32),
        )

    def heads(self) -> Heads:
        """Give the heads."""
        return Heads(unit(self.own), self.own_bias, float(np.exp(self.log_scale[0])), self.closed, self.closed_bias)

    def items(self) -> list[tuple[str, npt.NDArray[Any]]]:
        """Give the arrays by name."""
        return [(one.name, getattr(self, one.name)) for one in fields(self)]

    def add(self, others: "Parts") -> None:
        """Add others to these."""
        for name, array in self.items():
            array += getattr(others, name)


class Adam:
    """Goes down a gradient by steps of about one size."""

    def __init__(self, parts: Parts, learning_rate: float) -> None:
        self.parts, self.learning_rate, self.steps = parts, learning_rate, 0
        self.means = {name: np.zeros_like(array) for name, array in parts.items()}
        self.squares = {name: np.zeros_like(array) for name, array in parts.items()}

    def step(self, gradient: Parts, part_of_rate: float) -> None:
        """Take a step, at a part of the highest rate."""
        self.steps += 1
        bias, square_bias = 1 - FADING**self.steps, 1 - SQUARES_FADING**self.steps
        for name, slope in gradient.items():
            mean, square = self.means[name], self.squares[name]
            mean += (1 - FADING) * (slope - mean)
            np.square(slope, out=slope)
            square += (1 - SQUARES_FADING) * (slope - square)
            size = np.sqrt(square / square_bias) + TINY
            array = getattr(self.parts, name)
            usual = math.sqrt(array.shape[1]) if name in VECTORS else 1.0
            learning_rate = RATES[name] * self.learning_rate / usual * part_of_rate / bias
            array -= learning_rate * (mean / size)


def learn_heads(
    documents: Labelled, parts: Parts, *, closed_weight: float, epochs: int, learning_rate: float, seed: int
) -> None:
    """Learn the parts from documents; the same seed gives the same ones."""
    random = np.random.default_rng(seed)
    of_epoch = math.ceil(len(documents.vectors) / BATCH)
    steps = max(epochs * of_epoch, LEAST_STEPS)
    adam = Adam(parts, learning_rate)
    batches = _batches(len(documents.vectors), steps, random)
    for step, rows in enumerate(track(batches, "batches of documents", steps)):
        gradient = gradient_of(parts, documents.take(rows), closed_weight)
        adam.step(gradient, part_of_rate(step, steps))


def gradient_of(parts: Parts, documents: Labelled, closed_weight: float) -> Parts:
    """Give the gradient of the mean loss, some documents at a time where there are many categories."""
    size = max(1, LOGITS_AT_A_TIME // max(len(parts.own), len(parts.closed)))
    n_documents = len(documents.vectors)
    pieces = (np.arange(start, min(start + size, n_documents)) for start in range(0, n_documents, size))
    total: Parts | None = None
    for rows in pieces:
        some = documents.take(rows)
        found = _gradient(parts, some._replace(weight=some.weight / np.float32(n_documents)), closed_weight)
        if total is None:
            total = found
        else:
            total.add(found)
    assert total is not None
    return total


def _gradient(parts: Parts, documents: Labelled, closed_weight: float) -> Parts:
    turned = documents.vectors @ parts.turn
    lengths = _lengths(turned)
    h = turned / lengths
    own_lengths = _lengths(parts.own)
    v = parts.own / own_lengths
    scale = np.exp(parts.log_scale[0])

    cosines = h @ v.T
    error = _own_error(scale * cosines + parts.own_bias, documents.own, documents.weight)
    log_scale = np.array([scale * np.vdot(error, cosines)], dtype=h.dtype)
    del cosines
    to_v, to_h = scale * (error.T @ h), scale * (error @ v)
    own_bias = error.sum(axis=0)

    error = _closed_error(h @ parts.closed.T + parts.closed_bias, documents.closed, closed_weight * documents.weight)
    to_h += error @ parts.closed
    return Parts(
        turn=documents.vectors.T @ (_across(to_h, h) / lengths),
        own=_across(to_v, v) / own_lengths,
        own_bias=own_bias,
        log_scale=log_scale,
        closed=error.T @ h,
        closed_bias=error.sum(axis=0),
    )


def _own_error(logits: npt.NDArray[Any], own: csr_array, weight: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give ω (softmax − t), in the place of the logits; 0 for documents that belong nowhere."""
    labels = np.diff(own.indptr)
    logits -= logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    logits *= (weight * (labels > 0) / logits.sum(axis=1))[:, None]
    rows = np.repeat(np.arange(len(labels)), labels)
    logits[rows, own.indices] -= weight[rows] * own.data
    return logits


def _closed_error(logits: npt.NDArray[Any], closed: csr_array, weight: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give ω (sigmoid − y), in the place of the logits."""
    expit(logits, out=logits)
    rows = np.repeat(np.arange(len(logits)), np.diff(closed.indptr))
    logits[rows, closed.indices] -= 1
    logits *= weight[:, None]
    return logits


def _across(slopes: npt.NDArray[Any], directions: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Take away what points along the directions: the length of what is brought to length 1 does not count."""
    return np.asarray(slopes - (slopes * directions).sum(axis=1, keepdims=True) * directions)


def _lengths(vectors: npt.NDArray[Any]) -> npt.NDArray[Any]:
    found = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(found > 0, found, 1)


def _batches(n_documents: int, steps: int, random: np.random.Generator) -> Iterator[npt.NDArray[np.intp]]:
    """Yield the rows of so many batches, every document once before any comes again."""
    while True:
        order = random.permutation(n_documents)
        for start in range(0, n_documents, BATCH):
            if not steps:
                return
            yield order[start : start + BATCH]
            steps -= 1
