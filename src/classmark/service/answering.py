"""Using a model: documents in, answers out."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, BinaryIO, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.answers import Answers
from classmark.base import SCORES_IN_A_BATCH
from classmark.data import CorpusOptions
from classmark.data.formats.json import read_object
from classmark.data.formats.records import BYTE_ORDER_MARK, lines_of
from classmark.data.reading import iter_stream
from classmark.errors import InputError
from classmark.held_out import least_probability
from classmark.hierarchy import Name
from classmark.parallel import elsewhere, in_order
from classmark.pipeline import TextClassifier
from classmark.probability import CALIBRATIONS
from classmark.progress import notice, track
from classmark.service.corpora import read_for
from classmark.service.promises import NOT_MEASURED, in_words
from classmark.service.results import plain
from classmark.text.vectoriser import Document
from classmark.wording import one_of

T = TypeVar("T")

DOCUMENTS_IN_A_BATCH = 1000
NO_KNOWN_TERMS = "no_known_terms"
INPUT = "standard input"
INPUT_NAME = "-"
"""What stands for it in place of a path."""
NUMBERS: dict[str, Callable[..., npt.NDArray[np.float64]]] = {
    "scores": lambda batch, documents, nodes: batch.scores(documents, nodes),
    "probabilities": lambda batch, documents, nodes: batch.chances(documents, nodes),
}
"""What can be given of a category beside its name."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked about every document."""

    leaves: bool = False
    """Whether to give the most specific labels alone instead of all of them, ancestors included."""
    scores: bool = False
    """Whether to give the scores of the labels too, or of the `top` best categories."""
    top: int | None = None
    """How many of the best categories to give, whatever the decision says, best first."""
    probabilities: bool = False
    """Whether to give the probabilities of the same labels too; the model must have some, its own or by calibration."""
    min_precision: float | None = None
    """The share of labels that are to be right; those that are not sure enough give way to ancestors that are."""

    @property
    def numbers(self) -> list[str]:
        """What is asked of a category beside its name."""
        return [name for name in NUMBERS if getattr(self, name)]

    @property
    def columns(self) -> list[str]:
        """The columns of a table of answers."""
        return ["id", "labels", *self.numbers, NO_KNOWN_TERMS]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The categories of one document."""

    id: str
    """The document's id, or its number."""
    labels: Sequence[Name]
    """The names of its categories."""
    scores: Mapping[str, float] | None = None
    """The scores of the same categories, by name."""
    probabilities: Mapping[str, float] | None = None
    """Their probabilities, by name."""
    no_known_terms: bool | None = None
    """True if the model reads terms and knows none of the document's, which therefore has no category."""


@plain.register
def _(value: Answer) -> dict[str, Any]:
    # There may be millions, and all that they hold is plain.
    return {name: given for name, given in vars(value).items() if given is not None}


def predict(
    model: str,
    data: str,
    question: Question | None = None,
    *,
    splits: Sequence[str] | None = None,
    options: CorpusOptions | None = None,
) -> Iterator[Answer]:
    """Classify documents by a model file, one answer per document, as they are read.

    Parameters
    ----------
    model : str
        The model file.
    data : str
        Documents: a path, a dataset's name, the embedded corpus, or `-` for standard input.
    question : Question, optional
        What to give; by default the labels.
    splits : sequence of str, optional
        The splits to classify; by default `test`, or everything where there are no splits.
    options : CorpusOptions, optional
        How to read the documents.
    """
    loaded = TextClassifier.load(model)
    return classify(loaded, documents_for(loaded, data, options or CorpusOptions(), splits), question or Question())


def classify(model: TextClassifier, documents: Iterable[tuple[str, Document]], question: Question) -> Iterator[Answer]:
    """Classify documents, given with their ids, by a fitted model."""
    yield from answers_to(model, documents, question, least_for(model, question))


def least_for(model: TextClassifier, question: Question) -> float | None:
    """Give the probability that labels must reach, if any; what the model cannot answer is refused."""
    asked = question.probabilities or question.min_precision is not None
    if asked and not hasattr(model, "predict_proba"):
        raise InputError(f"the model has no probabilities; train it with --calibration {one_of(CALIBRATIONS)}")
    return None if question.min_precision is None else _promised(model, question.min_precision, question.top)


def answers_to(
    model: TextClassifier, documents: Iterable[tuple[str, Document]], question: Question, least: float | None
) -> Iterator[Answer]:
    """Classify documents some at a time, by what `least_for` has given."""
    size = min(DOCUMENTS_IN_A_BATCH, max(1, SCORES_IN_A_BATCH // (question.top or 1)))
    batches = in_batches(documents, size)
    if elsewhere() is None or not model.classifier_.answers_anywhere:
        for batch in batches:
            yield from _answered(model, question, least, batch)
        return
    tasks = ((batch,) for batch in batches)
    for answers in in_order(_all_answered, tasks, shared=(model, question, least)):
        yield from answers


Batch: TypeAlias = list[tuple[str, Document]]


def _all_answered(model: TextClassifier, question: Question, least: float | None, batch: Batch) -> list[Answer]:
    """Classify one batch, wherever that is done."""
    return list(_answered(model, question, least, batch))


def _answered(model: TextClassifier, question: Question, least: float | None, batch: Batch) -> Iterator[Answer]:
    """Classify one batch."""
    ids, texts = zip(*batch, strict=True)
    names, X = model.hierarchy_.names, model.transform(texts)
    lacking = model.lacks_known_terms(X).tolist()
    for name, (nodes, values), lacks in zip(ids, _found(model, X, question, least), lacking, strict=True):
        if lacks:
            nothing: dict[str, Any] = {key: {} for key in question.numbers}
            yield Answer(id=name, labels=[], no_known_terms=True, **nothing)
        else:
            yield _answer(name, [names[node] for node in nodes], values)


def _answer(name: str, labels: list[Name], values: Mapping[str, npt.NDArray[np.float64]]) -> Answer:
    numbers: dict[str, Any] = {
        key: dict(zip(map(str, labels), some.tolist(), strict=True)) for key, some in values.items()
    }
    return Answer(id=name, labels=labels, **numbers)


Found: TypeAlias = Iterator[tuple[npt.NDArray[Any], dict[str, npt.NDArray[np.float64]]]]


def _promised(model: TextClassifier, confidence: float, top: int | None) -> float:
    """Give the probability that labels must reach, and say what was measured of it."""
    if top is not None:
        raise InputError("top gives the best categories however sure they are; leave it out, or min_precision")
    least = least_probability(model.classifier_, confidence)
    promise = model.classifier_.promise_
    found = NOT_MEASURED if promise is None else in_words(promise.at(confidence))
    notice(f"min-confidence {confidence:g}: {found}")
    return least


def _found(model: TextClassifier, X: csr_array, question: Question, least: float | None) -> Found:
    """Give each document's categories, and the numbers asked of them, each document scored once."""
    if question.top is None and not question.numbers and least is None:
        # A method may decide without scoring every node.
        starts, nodes = _categories(model, model.classifier_.predict_indicator(X), question.leaves)
        yield from ((nodes[start:stop], {}) for start, stop in pairwise(starts))
        return
    for batch in model.classifier_.answers(X):
        yield from _found_in(model, batch, question, least)


def _found_in(model: TextClassifier, batch: Answers, question: Question, least: float | None) -> Found:
    if question.top is None:
        labels = batch.labels() if least is None else batch.sure_labels(least)
        starts, nodes = _categories(model, labels, question.leaves)
    else:
        ranked = batch.top(question.top)
        starts, nodes = np.arange(len(batch) + 1) * ranked.shape[1], ranked.ravel()
    documents = np.repeat(np.arange(len(batch)), np.diff(starts))
    values = {name: NUMBERS[name](batch, documents, nodes) for name in question.numbers}
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
    if data == INPUT_NAME:
        if splits is not None:
            raise InputError(f"{INPUT}: is read as it comes, whatever the splits; leave them out, or give a file")
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
        raise InputError(f"{INPUT} is closed; give a file, or send documents to it")
    return sys.stdin.buffer


def read_text() -> str:
    """Read one text from standard input."""
    return decoded(standard_input().read().removeprefix(BYTE_ORDER_MARK), INPUT)


def decoded(content: bytes, place: str) -> str:
    """Read UTF-8; anything else is refused, and the place named."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{place}: not UTF-8; convert it first") from None


def read_lines(lines: Iterable[bytes], options: CorpusOptions) -> Iterator[tuple[str, Document]]:
    """Read a document a line: a JSON object as in a dataset folder, or else plain text."""
    for number, line in enumerate(lines, 1):
        line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if line.lstrip().startswith(b"{"):
            record = read_object(line, number, INPUT, options)
            yield record.id or str(number), record.document
        elif line.strip():
            yield str(number), decoded(line, f"{INPUT}:{number}").rstrip("\r\n")
