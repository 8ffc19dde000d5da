"""Using a model: documents in, answers out."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np

from classmark.data import CorpusOptions
from classmark.data.formats.jsonl import read_object
from classmark.data.formats.records import BYTE_ORDER_MARK
from classmark.persistence import replacing
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.corpora import check_spared, read_for
from classmark.text.vectoriser import Document

DOCUMENTS_IN_A_BATCH = 1000


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
    pending = iter(documents)
    while batch := list(islice(pending, DOCUMENTS_IN_A_BATCH)):
        ids, texts = zip(*batch, strict=True)
        found = model.classifier_.node_scores(X := model.transform(texts))
        ranked = found if top is None else model.classifier_.own_scores(X)
        chances = model.classifier_.predict_proba(X) if probabilities else None
        labels = model.classifier_.predict_indicator(X)
        labels = model.hierarchy_.own(labels) if leaves else labels
        for row, name in enumerate(ids):
            nodes = labels.indices[labels.indptr[row] : labels.indptr[row + 1]]
            if top is not None:
                ends = model.classifier_.ends_
                nodes = ends[np.argsort(-ranked[row, ends], kind="stable")[:top]]
            answer: dict[str, Any] = {"id": name, "labels": [names[node] for node in nodes]}
            if scores:
                answer["scores"] = {str(names[node]): float(found[row, node]) for node in nodes}
            if chances is not None:
                answer["probabilities"] = {str(names[node]): float(chances[row, node]) for node in nodes}
            yield answer


def write_predictions(answers: Iterable[dict[str, Any]], output: str | None, *inputs: str) -> None:
    """Write answers as JSON lines, to standard output or to a file, the file whole or not at all.

    The `inputs`, what the answers are made from, must not be the file that is written.
    """
    if output is None:
        _write_lines(answers, sys.stdout.buffer)
        return
    check_spared(output, *inputs)
    with replacing(Path(output)) as temporary, temporary.open("wb") as file:
        _write_lines(answers, file)


def _write_lines(answers: Iterable[dict[str, Any]], file: BinaryIO) -> None:
    for answer in answers:
        file.write(msgspec.json.encode(answer) + b"\n")


def documents_for(
    model: TextClassifier, data: str, options: CorpusOptions, splits: Sequence[str] | None
) -> Iterator[tuple[str, Document]]:
    """Give the documents to classify with their ids; `-` reads JSON or plain lines from standard input."""
    if data == "-":
        yield from read_lines(sys.stdin.buffer, options)
        return
    corpus = read_for(model, data, options, splits)
    yield from track(zip(corpus.ids, corpus.documents, strict=True), "documents", len(corpus))


def read_lines(lines: Iterable[bytes], options: CorpusOptions) -> Iterator[tuple[str, Document]]:
    """Read a document a line: a JSON object as in a dataset folder, or else plain text."""
    for number, line in enumerate(lines, 1):
        line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if not line.strip():
            continue
        if line.lstrip().startswith(b"{"):
            record = read_object(line, number, "standard input", options)
            yield record.id or str(number), record.document
        else:
            try:
                yield str(number), line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise ValueError(f"standard input:{number}: not UTF-8; convert it first") from None
