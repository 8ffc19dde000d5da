"""Using a model: documents in, answers out."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, BinaryIO, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.base import SCORES_IN_A_BATCH
from classmark.data import CorpusOptions
from classmark.data.formats.jsonl import read_object
from classmark.data.formats.records import BYTE_ORDER_MARK, lines_of
from classmark.data.reading import iter_stream
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.corpora import read_for
from classmark.text.vectoriser import Document

T = TypeVar("T")

DOCUMENTS_IN_A_BATCH = 1000
INPUT = "standard input"
NUMBERS: dict[str, Callable[..., npt.NDArray[np.float64]]] = {
    "scores": lambda batch, documents, nodes: batch.scores(documents, nodes),
    "probabilities": lambda batch, documents, nodes: batch.chances(documents, nodes),
}
"""What can be given of a category beside its name."""


def predict(
    model: TextClassifier,
    documents: Iterable[tuple[str, Document]],
    *,
    leaves: bool = False,
    scores: bool = False,
    top: int | None = None,
    probabilities: bool = False,
) -> Iterator[dict[str, Any]]:
    """Classify documents, given with their ids, one dict a document.

    Parameters
    ----------
    leaves : bool
        Give the most specific labels alone instead of all of them, ancestors included.
    scores : bool
        Give the scores of the labels too, or of the `top` best categories.
    top : int, optional
        Give the so many best categories, whatever the decision says, best first.
    probabilities : bool
        Give the probabilities of the same labels too; the model must have some, its own or by calibration.
    """
    if probabilities and not hasattr(model, "predict_proba"):
        raise ValueError("the model has no probabilities; train it with --calibration platt, isotonic or softmax")
    names = model.hierarchy_.names
    wanted = [name for name, asked in (("scores", scores), ("probabilities", probabilities)) if asked]
    size = min(DOCUMENTS_IN_A_BATCH, max(1, SCORES_IN_A_BATCH // (top or 1)))
    for batch in in_batches(documents, size):
        ids, texts = zip(*batch, strict=True)
        found = _found(model, model.transform(texts), leaves, top, wanted)
        for name, (nodes, values) in zip(ids, found, strict=True):
            answer: dict[str, Any] = {"id": name, "labels": [names[node] for node in nodes]}
            for key, numbers in values.items():
                answer[key] = {str(names[node]): float(one) for node, one in zip(nodes, numbers, strict=True)}
            yield answer


def _found(
    model: TextClassifier, X: csr_array, leaves: bool, top: int | None, wanted: list[str]
) -> Iterator[tuple[npt.NDArray[Any], dict[str, npt.NDArray[np.float64]]]]:
    """Give each document's categories, and the numbers wanted of them, each document scored once."""
    classifier = model.classifier_
    if top is None and not wanted:
        # A method may decide without scoring every node.
        starts, nodes = _categories(model, classifier.predict_indicator(X), leaves)
        yield from ((nodes[start:stop], {}) for start, stop in pairwise(starts))
        return
    for batch in classifier.answers(X):
        if top is None:
            starts, nodes = _categories(model, batch.labels(), leaves)
        else:
            ranked = batch.top(top)
            starts, nodes = np.arange(len(batch) + 1) * ranked.shape[1], ranked.ravel()
        documents = np.repeat(np.arange(len(batch)), np.diff(starts))
        values = {name: NUMBERS[name](batch, documents, nodes) for name in wanted}
        for start, stop in pairwise(starts):
            yield nodes[start:stop], {name: numbers[start:stop] for name, numbers in values.items()}


def _categories(model: TextClassifier, labels: csr_array, leaves: bool) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Give where the categories of each document start, and all of them."""
    labels = model.hierarchy_.own(labels) if leaves else labels
    return labels.indptr, labels.indices


def in_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Give some items at a time, no more of them read than are given.

    >>> list(in_batches("abc", 2))
    [['a', 'b'], ['c']]
    """
    pending = iter(items)
    while batch := list(islice(pending, size)):
        yield batch


def documents_for(
    model: TextClassifier, data: str, options: CorpusOptions, splits: Sequence[str] | None
) -> Iterator[tuple[str, Document]]:
    """Give the documents to classify with their ids; `-` reads standard input."""
    if data == "-":
        if splits is not None:
            raise ValueError(f"{INPUT}: is read as it comes, whatever the splits; leave them out, or give a file")
        yield from read_input(options)
        return
    corpus = read_for(model, data, options, splits, stored=True)
    yield from track(zip(corpus.ids, corpus.documents, strict=True), "documents", len(corpus))


def read_input(options: CorpusOptions) -> Iterator[tuple[str, Document]]:
    """Read documents from standard input, with their ids: of the kind given, or else JSON or plain lines."""
    if options.kind is None:
        return read_lines(lines_of(standard_input(), INPUT, options), options)
    records = iter_stream(standard_input(), INPUT, options.kind, options=options)
    return ((str(record.id), record.document) for record in records)


def standard_input() -> BinaryIO:
    """Give the bytes of standard input, which a process may have been started without (`<&-`)."""
    if sys.stdin is None:
        raise ValueError(f"{INPUT} is closed; give a file, or send documents to it")
    return sys.stdin.buffer


def read_text() -> str:
    """Read one text from standard input."""
    try:
        return standard_input().read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{INPUT}: not UTF-8; convert it first") from None


def read_lines(lines: Iterable[bytes], options: CorpusOptions) -> Iterator[tuple[str, Document]]:
    """Read a document a line: a JSON object as in a dataset folder, or else plain text."""
    for number, line in enumerate(lines, 1):
        line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if not line.strip():
            continue
        if line.lstrip().startswith(b"{"):
            record = read_object(line, number, INPUT, options)
            yield record.id or str(number), record.document
        else:
            try:
                yield str(number), line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise ValueError(f"{INPUT}:{number}: not UTF-8; convert it first") from None
