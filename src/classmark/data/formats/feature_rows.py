"""Rows of features to arrays, a block of lines at a time, the blocks side by side in threads.

A kernel reads the rows that are as rows are: `l1,l2 f:v f:v`, in ASCII, no feature twice, weights that are decimal
numbers above 0. It marks any other as *odd*, and that one row goes to the reader of single rows (`svmlight`), which
takes or refuses it: so there is one place that knows what is allowed, and it need not be fast.

Of a weight the kernel makes mantissa · 10^e, which is exact, and so the nearest number, where the mantissa is below
2^53 and e between -22 and 22. Longer ones are left to Python.
"""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, Protocol

import numpy as np

from classmark.arrays import Bytes, Floats, Integers, Positions
from classmark.compilation import kernel
from classmark.data.formats.records import Block, Record
from classmark.data.stored import GrowingMatrix
from classmark.parallel import n_cores

MOST_THREADS = 4
COLON, COMMENT, NEWLINE, POINT, MINUS, PLUS, SMALL_E, LARGE_E = (ord(one) for one in ":#\n.-+eE")
BEYOND = 100_000
"""An exponent that no number has; larger ones are as large."""
EXACT = 1 << 53
POWERS = np.array([float(f"1e{power}") for power in range(23)])
MOST_FEATURE = int(np.iinfo(np.int32).max) - 1
PLAIN, ODD = 0, 1


class Parsed(NamedTuple):
    """What the kernel makes of a block.

    A row that is not blank has its line, counted from 0, where that begins and ends, where its labels do, where a
    comment begins (-1: none), whether it is odd, and where its features end. `long` are the entries whose weights are
    still to be read, with where they begin and end.
    """

    lines: Positions
    spans: Positions
    odd: Bytes
    ends: Positions
    features: Integers
    weights: Floats
    long: Positions


class Taker(Protocol):
    """What is done with rows, in their order: odd ones are read one by one, of the others the labels and comments."""

    def odd(self, number: int, line: bytes) -> Record | None:
        """Read a row by itself; None where it is no document."""

    def plain(self, number: int, labels: bytes, comment: bytes | None) -> None:
        """Take up the labels and the comment of a row."""


def take_blocks(blocks: Iterator[Block], rows: Taker, matrix: GrowingMatrix) -> None:
    """Read blocks side by side, and give their rows on in order, the features to a matrix."""
    for block, parsed in _side_by_side(blocks):
        _take_up(block, parsed, rows, matrix)


def _side_by_side(blocks: Iterator[Block]) -> Iterator[tuple[Block, Parsed]]:
    """Parse a few blocks at a time; if reading on fails, those before come first, for they may be wrong as well."""
    count = min(MOST_THREADS, n_cores())
    pending: deque[tuple[Block, Future[Parsed]]] = deque()

    def done(most: int) -> Iterator[tuple[Block, Parsed]]:
        while len(pending) > most:
            block, parsed = pending.popleft()
            yield block, parsed.result()

    with ThreadPoolExecutor(count) as pool:
        try:
            for block in blocks:
                pending.append((block, pool.submit(parse, block.content)))
                yield from done(count)
        except (OSError, ValueError):
            yield from done(0)
            raise
        yield from done(0)


def parse(content: bytes) -> Parsed:
    """Find the rows of a block and read the plain ones."""
    text = np.frombuffer(content, dtype=np.uint8)
    n_lines, n_pairs = content.count(b"\n") + 1, content.count(b":")
    parsed = Parsed(
        np.empty(n_lines, np.int64),
        np.empty((n_lines, 5), np.int64),
        np.empty(n_lines, np.uint8),
        np.empty(n_lines, np.int64),
        np.empty(n_pairs, np.int32),
        np.empty(n_pairs, np.float64),
        np.empty((n_pairs, 3), np.int64),
    )
    n_rows, n_entries, n_long = parse_rows(text, *parsed)
    found = Parsed(
        parsed.lines[:n_rows],
        parsed.spans[:n_rows],
        parsed.odd[:n_rows],
        parsed.ends[:n_rows],
        parsed.features[:n_entries],
        parsed.weights[:n_entries],
        parsed.long[:n_long],
    )
    _read_long(content, found)
    sort_rows(found.ends, found.features, found.weights, found.odd)
    return found


def _read_long(content: bytes, parsed: Parsed) -> None:
    """Read the weights that the kernel has left; a row with one that is 0 or no finite number is odd."""
    if not len(parsed.long):
        return
    entries = parsed.long[:, 0]
    values = np.array([float(content[start:stop]) for _, start, stop in parsed.long.tolist()])
    parsed.weights[entries] = values
    wrong = entries[~((values > 0) & np.isfinite(values))]
    parsed.odd[np.searchsorted(parsed.ends, wrong, side="right")] = ODD


def _take_up(block: Block, parsed: Parsed, rows: Taker, matrix: GrowingMatrix) -> None:
    """Give the rows of a block on, in order."""
    content, first = block
    sizes = np.diff(parsed.ends, prepend=0)
    read: dict[int, Record | None] = {}
    columns = (parsed.lines.tolist(), parsed.spans.tolist(), parsed.odd.tolist())
    for row, (line, (start, stop, label, label_stop, comment), odd) in enumerate(zip(*columns, strict=True)):
        if odd:
            read[row] = rows.odd(first + line, content[start:stop])
        else:
            rows.plain(first + line, content[label:label_stop], None if comment < 0 else content[comment:stop])
    if read:
        matrix.extend(*_with_odd(parsed, sizes, read))
    else:
        matrix.extend(parsed.weights, parsed.features, sizes)


def _with_odd(parsed: Parsed, sizes: Positions, read: dict[int, Record | None]) -> tuple[Floats, Integers, Positions]:
    """Put the features of odd rows between those of the others; a row that is no document falls out."""
    owners = np.repeat(np.arange(len(sizes)), sizes)
    kept = parsed.odd[owners] == PLAIN
    found = {row: _numbered(record) for row, record in read.items() if record is not None}
    entries = [(row, number, weight) for row, pairs in found.items() for number, weight in pairs]
    more = np.array(entries, dtype=np.float64).reshape(-1, 3)
    owners = np.concatenate([owners[kept], more[:, 0].astype(np.int64)])
    order = np.argsort(owners, kind="stable")
    features = np.concatenate([parsed.features[kept], more[:, 1].astype(np.int32)])
    weights = np.concatenate([parsed.weights[kept], more[:, 2]])
    there = np.ones(len(sizes), dtype=bool)
    there[[row for row in read if row not in found]] = False
    return weights[order], features[order], np.bincount(owners, minlength=len(sizes))[there]


def _numbered(record: Record) -> list[tuple[int, float]]:
    assert isinstance(record.document, dict)
    pairs = sorted((int(term), weight) for term, weight in record.document.items())
    if pairs and pairs[-1][0] > MOST_FEATURE:
        raise TooLargeError
    return pairs


class TooLargeError(Exception):
    """A feature's number does not fit into a matrix: documents are read one by one."""


@kernel
def is_space(byte: int) -> bool:
    """Say whether a byte is white space within a line; of other kinds of space a row is odd."""
    return byte == 32 or byte == 9 or byte == 13


@kernel
def parse_rows(
    text: Bytes,
    lines: Positions,
    spans: Positions,
    odd: Bytes,
    ends: Positions,
    features: Integers,
    weights: Floats,
    long: Positions,
) -> tuple[int, int, int]:
    """Fill in the rows of a block; give the numbers of rows, of entries, and of weights that are still to be read."""
    row = entry = n_long = line = end = 0
    while end < len(text):
        start = end
        while end < len(text) and text[end] != NEWLINE:
            end += 1
        stop = end
        end += 1
        begin = start
        while begin < stop and is_space(text[begin]):
            begin += 1
        if begin < stop:
            label_stop, at = parse_labels(text, begin, stop)
            found, found_long, comment = parse_features(text, at, stop, entry, n_long, features, weights, long)
            lines[row] = line
            spans[row] = start, stop, begin, label_stop, comment
            # A row without features may be a header, or a comment alone.
            odd[row] = at < 0 or found < 0 or at in (stop, comment)
            if not odd[row]:
                entry, n_long = found, found_long
            ends[row] = entry
            row += 1
        line += 1
    return row, entry, n_long


@kernel
def parse_labels(text: Bytes, begin: int, stop: int) -> tuple[int, int]:
    """Give where the labels of a row end, and where its features begin: -1 where there is something about it."""
    label_stop = at = begin
    while at < stop:
        token = at
        while at < stop and not is_space(text[at]) and text[at] != COLON and text[at] != COMMENT:
            if text[at] < 33 or text[at] > 126:
                return label_stop, -1
            at += 1
        if at < stop and (text[at] == COLON or text[at] == COMMENT):
            if text[at] == COMMENT and at > token:
                label_stop = at
            return label_stop, token if text[at] == COLON else at
        label_stop = at
        while at < stop and is_space(text[at]):
            at += 1
    return label_stop, stop


@kernel
def parse_features(
    text: Bytes, at: int, stop: int, entry: int, n_long: int, features: Integers, weights: Floats, long: Positions
) -> tuple[int, int, int]:
    """Read the features of a row from a position on; give the entries and long weights so far, and where a comment is.

    -1 instead of the entries where there is something about the row.
    """
    # In one piece: cut into kernels that read a number, a pair and a space, it takes a quarter longer.
    if at < 0:
        return -1, n_long, -1
    while at < stop and text[at] != COMMENT:
        number, begin = 0, at
        while at < stop and is_digit(text[at]) and number <= MOST_FEATURE:
            number = 10 * number + text[at] - 48
            at += 1
        if at == stop or text[at] != COLON or text[begin] == 48 or not 0 < number <= MOST_FEATURE:
            return -1, n_long, -1
        begin = at + 1
        mantissa, power, at = parse_weight(text, begin, stop)
        if at < 0 or mantissa == 0:
            return -1, n_long, -1
        features[entry] = number
        if mantissa > 0 and -22 <= power <= 22:
            weights[entry] = mantissa * POWERS[power] if power >= 0 else mantissa / POWERS[-power]
        else:
            long[n_long] = entry, begin, at
            n_long += 1
        entry += 1
        while at < stop and is_space(text[at]):
            at += 1
    return entry, n_long, at if at < stop else -1


@kernel
def sort_rows(ends: Positions, features: Integers, weights: Floats, odd: Bytes) -> None:
    """Sort the features of rows whose numbers do not rise; a row with one of them twice is odd."""
    first = 0
    for row in range(len(ends)):
        last = ends[row]
        if not rises(features, first, last):
            sort_row(features, weights, first, last)
            if not rises(features, first, last):
                odd[row] = ODD
        first = last


@kernel
def rises(features: Integers, first: int, last: int) -> bool:
    """Say whether each of some features has a higher number than the one before it."""
    rising = True
    for entry in range(first + 1, last):
        rising = rising and features[entry - 1] < features[entry]
    return rising


@kernel
def sort_row(features: Integers, weights: Floats, first: int, last: int) -> None:
    """Sort some features by their numbers (Shell 1959)."""
    gap = last - first
    while gap > 1:
        gap = max(gap * 5 // 11, 1)
        for entry in range(first + gap, last):
            feature, weight, at = features[entry], weights[entry], entry
            while at - gap >= first and features[at - gap] > feature:
                features[at], weights[at] = features[at - gap], weights[at - gap]
                at -= gap
            features[at], weights[at] = feature, weight


@kernel
def is_digit(byte: int) -> bool:
    """Say whether a byte is one of 0 to 9."""
    return 48 <= byte <= 57


@kernel
def parse_weight(text: Bytes, at: int, stop: int) -> tuple[int, int, int]:
    """Read a decimal number: mantissa (-1 where it is too long), power of ten, and where it ends (-1: none that is)."""
    mantissa = power = digits = 0
    point = False
    while at < stop and (is_digit(text[at]) or (text[at] == POINT and not point)):
        if text[at] == POINT:
            point = True
        else:
            digits += 1
            power -= point
            mantissa = 10 * mantissa + text[at] - 48 if 0 <= mantissa < EXACT else -1
        at += 1
    exponent, at = parse_exponent(text, at, stop)
    if not digits or at < 0 or (at < stop and not is_space(text[at]) and text[at] != COMMENT):
        return 0, 0, -1
    return mantissa if mantissa < EXACT else -1, power + exponent, at


@kernel
def parse_exponent(text: Bytes, at: int, stop: int) -> tuple[int, int]:
    """Read what follows an e, if there is one: the power of ten, and where it ends (-1: no number)."""
    if at == stop or (text[at] != SMALL_E and text[at] != LARGE_E):
        return 0, at
    at += 1
    sign = -1 if at < stop and text[at] == MINUS else 1
    if at < stop and (text[at] == MINUS or text[at] == PLUS):
        at += 1
    exponent, first = 0, at
    while at < stop and is_digit(text[at]):
        exponent = min(10 * exponent + text[at] - 48, BEYOND)
        at += 1
    return sign * exponent, at if at > first else -1
