"""svmlight and LSHTC rows: `l1,l2 f:v f:v`, labels with commas between them, then features with rising numbers.

Feature numbers start at 1. Everything after `#` is a comment; one that reads `id=NAME` gives the document's id, and
makes a document even of a row without labels and features. A first line without features that is not made of numbers
is a header, such as `Data` in Kaggle's LSHTC files. In an LSHTC file the single label 0 means *not labelled*: the test
files have it in every row.
"""

import math
import sys
from collections.abc import Iterator
from pathlib import Path

from classmark.data.corpus import Corpus
from classmark.data.formats.cells import no_labels
from classmark.data.formats.output import can_be_empty, features_of, no_split, records_of, writing
from classmark.data.formats.records import (
    BYTE_ORDER_MARK,
    Outline,
    Record,
    Source,
    check_id,
    check_label,
    decoded,
    read_blocks,
    read_lines,
)
from classmark.data.options import CorpusOptions
from classmark.data.stored import FeatureRows, GrowingMatrix
from classmark.errors import InputError, attempts
from classmark.progress import track

ID = "id="
HIDDEN = "0"
"""What LSHTC's test files have instead of labels."""
BLOCK = 8 << 20


def read_svmlight(path: Source, options: CorpusOptions, *, hidden: str | None = None) -> Iterator[Record]:
    """Yield the documents of a file; `hidden` is a label that means *not labelled*."""
    rows = _RowReader(path, options, hidden)
    return attempts(rows.record, read_lines(path, options))


def read_feature_rows(
    path: Path, options: CorpusOptions, *, hidden: str | None = None
) -> tuple[Outline, FeatureRows] | None:
    """Read a whole file into arrays, as `read_svmlight` does into documents; None where numbers do not fit."""
    # Here and not above: what reads other formats need not load a compiler.
    from classmark.data.formats.feature_rows import TooLargeError, take_blocks

    rows, matrix = _RowTaker(_RowReader(path, options, hidden)), GrowingMatrix()
    total = None if path.suffix.lower() == ".gz" else -(-path.stat().st_size // BLOCK)
    try:
        take_blocks(track(read_blocks(path, options, BLOCK), "blocks of 8 MiB", total), rows, matrix)
    except TooLargeError:
        return None
    return rows.outline, FeatureRows(matrix.finished())


class _RowReader:
    """Reads rows one by one; the first may be a header."""

    def __init__(self, path: Source, options: CorpusOptions, hidden: str | None) -> None:
        self.path = path
        self.options = options
        self.hidden = hidden
        self.first = True

    def record(self, number: int, line: str) -> Record | None:
        """Give the document of a row; None for a blank one, a comment and a header."""
        row, _, comment = line.partition("#")
        tokens = row.split()
        where = f"{self.path}:{number}"
        name = self.name(comment, where)
        if name is None and not self._is_document(tokens):
            return None
        self.first = False
        end = next((position for position, token in enumerate(tokens) if ":" in token), len(tokens))
        labels = self.labels(" ".join(tokens[:end]), where)
        return Record(number, name, _features(tokens[end:], where), labels, split=None)

    def _is_document(self, tokens: list[str]) -> bool:
        """Say whether a row without an id is one, and neither blank nor a header."""
        if not tokens:
            return False
        first, self.first = self.first, False
        return not (first and _is_header(tokens))

    def name(self, comment: str, where: str) -> str | None:
        """Give the id that a comment holds, if any."""
        comment = comment.strip()
        return check_id(comment.removeprefix(ID), where) if comment.startswith(ID) else None

    def labels(self, text: str, where: str) -> list[str] | None:
        """Give the labels that stand before the features."""
        labels = _labels(text, self.options, where)
        return None if self.hidden is not None and labels == [self.hidden] else labels


class _RowTaker:
    """Collects what a whole file has beside features; equal labels are read once."""

    def __init__(self, reader: _RowReader) -> None:
        self.reader = reader
        self.outline = Outline()
        self._labels: dict[bytes, list[str] | None] = {}

    def odd(self, number: int, line: bytes) -> Record | None:
        """Read a row by itself; None where it is no document."""
        record = self.reader.record(number, decoded(line, f"{self.reader.path}:{number}"))
        if record is not None:
            self.outline.append(record)
        return record

    def plain(self, number: int, labels: bytes, comment: bytes | None) -> None:
        """Take up the labels and the comment of a row."""
        name = None if comment is None else self._name(number, comment)
        if labels not in self._labels:
            self.reader.first = False
            text = " ".join(labels.decode("ascii").split())
            self._labels[labels] = self.reader.labels(text, f"{self.reader.path}:{number}")
        self.outline.take(number, name, self._labels[labels])

    def _name(self, number: int, comment: bytes) -> str | None:
        where = f"{self.reader.path}:{number}"
        return self.reader.name(decoded(comment, where)[1:], where)


def _is_header(tokens: list[str]) -> bool:
    return not any(":" in token for token in tokens) and not "".join(tokens).replace(",", "").isdigit()


def _labels(text: str, options: CorpusOptions, where: str) -> list[str] | None:
    if not text:
        return no_labels(options)
    labels = [label.strip() for label in text.split(",")]
    for label in labels:
        if " " in label:
            raise InputError(f"{where}: {label!r} is neither one label nor a feature; write l1,l2 f:v f:v")
        check_label(label, where)
    return labels


def _features(pairs: list[str], where: str) -> dict[str, float]:
    """Read all pairs at once, and one by one only where there is something about them."""
    features = _plain_features(pairs)
    if features is not None:
        return features
    features = {}
    for pair in pairs:
        number, weight = _pair(pair, where)
        term = str(number)
        if term in features:
            raise InputError(f"{where}: the feature {term} stands twice in the row; add its weights up")
        features[term] = weight
    return {term: weight for term, weight in features.items() if weight}


def _plain_features(pairs: list[str]) -> dict[str, float] | None:
    """Give the features of a row that is as rows are: plain numbers, each once, and weights above 0."""
    try:
        features = {term: float(weight) for term, weight in (pair.split(":") for pair in pairs)}
    except ValueError:
        return None
    return features if _are_plain(features, pairs) else None


def _are_plain(features: dict[str, float], pairs: list[str]) -> bool:
    """Say whether all numbers are written plainly, and all weights above 0 and finite."""
    text = "".join(pairs)
    return all(
        (
            text.isascii(),
            "_" not in text,
            len(features) == len(pairs),
            # A sum of weights that is not finite is no error yet, but a reason to look closer.
            math.isfinite(sum(features.values())),
            min(features.values(), default=1.0) > 0,
            all(term.isdecimal() and term[0] != "0" for term in features),
        )
    )


def _pair(pair: str, where: str) -> tuple[int, float]:
    try:
        number, weight = _parsed(pair)
    except ValueError:
        raise InputError(f"{where}: {pair!r} is not a feature; write number:weight, such as 12:0.5") from None
    if number < 1:
        raise InputError(f"{where}: the feature number in {pair!r} is {number}; they start at 1")
    if not 0 <= weight <= sys.float_info.max:
        written = pair.partition(":")[2]
        raise InputError(f"{where}: the weight in {pair!r} is {written}; write a number >= 0 up")
    return number, weight


def _parsed(pair: str) -> tuple[int, float]:
    """Read two numbers; Python itself would take 1_000 and other scripts' digits for some."""
    if "_" in pair or not pair.isascii():
        raise InputError(pair)
    number, _, weight = pair.partition(":")
    return int(number), float(weight)


def write_svmlight(corpus: Corpus, path: Path, options: CorpusOptions, *, hidden: str | None = None) -> None:
    """Write one row per document, with its id unless that is the row's number; weights of 0 are left out."""
    with writing(path) as file:
        for record in records_of(corpus):
            file.write(f"{_row(record, options, hidden)}\n".encode())


def _row(record: Record, options: CorpusOptions, hidden: str | None) -> str:
    pairs = [f"{number}:{_shortest(weight)}" for number, weight in _numbered(record) if weight]
    no_split(record)
    can_be_empty(record, options)
    cells = [",".join(_check_labels(record, hidden)), *pairs]
    # Without features a row could be taken for a header or a blank line.
    if record.id != str(record.line) or not pairs:
        cells.append(f"# {ID}{_check_name(record)}")
    return " ".join(cells)


def _check_labels(record: Record, hidden: str | None) -> list[str]:
    labels = record.labels or []
    for label in labels:
        if not _is_plain(label) or labels == [hidden]:
            raise InputError(
                f"the label {label!r} of document {record.id!r} is not one that a row can hold;"
                " use labels without spaces and ,:# (LSHTC: other than 0), or write .jsonl"
            )
    return labels


def _is_plain(label: str) -> bool:
    """Say whether a row gives a label back as it is."""
    whole = label.split() == [label] and not label.startswith(BYTE_ORDER_MARK.decode())
    return whole and not set(label) & set(",:#")


def _numbered(record: Record) -> list[tuple[int, float]]:
    pairs = []
    for term, weight in features_of(record).items():
        if not (term.isascii() and term.isdigit() and term[0] != "0"):
            raise InputError(
                f"document {record.id!r} has the term {term!r}, and a row holds numbers from 1 up;"
                " number the terms, or write .jsonl"
            )
        pairs.append((int(term), weight))
    return sorted(pairs)


def _shortest(weight: float) -> str:
    """Write a number so that it comes back the same, whole ones without a point."""
    return repr(float(weight)).removesuffix(".0")


def _check_name(record: Record) -> str:
    name = str(record.id)
    if name != name.strip() or "\n" in name:
        raise InputError(f"the id {name!r} has a line break, or space at an end; rename it, or write .jsonl")
    return name
