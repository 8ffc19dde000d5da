"""What readers yield, and what they share: the lines of a file, plain or compressed, and checks of values."""

import gzip
import zlib
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias, cast

import msgspec

from classmark.data.corpus import Document
from classmark.data.options import DEFAULT_OPTIONS, MEBIBYTE, CorpusOptions
from classmark.errors import InputError, attempt
from classmark.wording import meant

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLANK = b" \t\r\n\v\f" + BYTE_ORDER_MARK
LARGEST_WHOLE = 1024 * MEBIBYTE
"""How many bytes are read at once at most, unless lines may be longer."""


class Stream(NamedTuple):
    """Bytes that come from no file of their own, such as standard input, and what messages call them."""

    name: str
    content: BinaryIO

    def __str__(self) -> str:
        return self.name


Source: TypeAlias = Path | Stream
"""What the readers of lines read."""


class Block(NamedTuple):
    """Some whole lines of a file, and the number of the first."""

    content: bytes
    first: int


class Record(msgspec.Struct, frozen=True):
    """One document of a file, and the line it stands on.

    `id` is None where the file has none; `labels` is None where the document is *not labelled*; `file` is given
    where a corpus has several, and `field` where a column is asked for beside all others.
    """

    line: int
    id: str | None
    document: Document
    labels: list[str] | None
    split: str | None
    file: Path | str | None = None
    field: str | None = None


def where_of(record: Record, file: Path) -> str:
    """Say where a record stands, in a file or a corpus of several."""
    return f"{record.file or file}:{record.line}"


def read_lines(path: Source, options: CorpusOptions, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a file, plain or compressed by gzip, with their line ends.

    Only a line feed ends a line, so that other breaks inside a text stay there. A line that is too long is refused
    before it is read to its end.
    """
    number = 0
    try:
        with _open(path) as stream:
            for number, line in enumerate(lines_of(stream, str(path), options), 1):
                bare = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
                text = attempt(decoded, bare, f"{path}:{number}", encoding)
                if text is not None:
                    yield number, text
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged(f"{path}:{number + 1}", error) from None


def read_cells(path: Path, *headers: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the numbered lines of a small table, the cells between tabs without space around them.

    Blank lines are passed over, and so is the first where it is one of the headers.
    """
    for number, line in read_lines(path, DEFAULT_OPTIONS):
        cells = [cell.strip() for cell in line.split("\t")]
        if any(cells) and not (number == 1 and cells in headers):
            yield number, cells


def lines_of(stream: BinaryIO, name: str, options: CorpusOptions) -> Iterator[bytes]:
    """Yield the lines of a stream, none longer than the options allow."""
    longest = options.longest
    for number, line in enumerate(iter(partial(stream.readline, longest + 1), b""), 1):
        if len(line) > longest:
            raise _too_long("line", f"{name}:{number}", options)
        yield line


def read_blocks(path: Path, options: CorpusOptions, size: int) -> Iterator[Block]:
    """Yield the lines of a file, plain or compressed by gzip, many whole ones at a time, some `size` bytes."""
    try:
        with _open(path) as stream:
            yield from _blocks(stream, path, options, size)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        # Line by line, which says where.
        deque(read_lines(path, options), maxlen=0)
        raise


def _blocks(stream: BinaryIO, path: Path, options: CorpusOptions, size: int) -> Iterator[Block]:
    number, rest = 1, b""
    while read := stream.read(size):
        rest = (rest + read).removeprefix(BYTE_ORDER_MARK) if number == 1 else rest + read
        _check_lengths(rest, path, number, options)
        whole, newline, after = rest.rpartition(b"\n")
        if newline:
            yield Block(whole + newline, number)
            number, rest = number + whole.count(b"\n") + 1, after
    if rest:
        yield Block(rest, number)


def _check_lengths(content: bytes, path: Path, first: int, options: CorpusOptions) -> None:
    """Refuse a line that is too long; the last may have no end yet."""
    if len(content) <= options.longest:
        return
    *lines, last = content.split(b"\n")
    for number, size in enumerate([*(len(line) + 1 for line in lines), len(last)], first):
        if size > options.longest:
            raise _too_long("line", f"{path}:{number}", options)


def read_whole(path: Path, options: CorpusOptions) -> bytes:
    """Give all bytes of a file, plain or compressed, if they are not too many."""
    most = max(options.longest, LARGEST_WHOLE)
    try:
        with _open(path) as stream:
            content = stream.read(most + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged(f"{path}:1", error) from None
    if len(content) > most:
        raise InputError(
            f"{path}: longer than {most // MEBIBYTE:,} MiB, which is read whole; write JSON Lines (.jsonl),"
            " or allow more (--max-line, max_line)"
        )
    return content.removeprefix(BYTE_ORDER_MARK)


def is_blank(path: Path) -> bool:
    """Say whether there is nothing but white space in a file, plain or compressed by gzip."""
    try:
        with _open(path) as stream:
            chunks = iter(partial(stream.read, MEBIBYTE // 16), b"")
            return all(not chunk.strip(BLANK) for chunk in chunks)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return False  # damaged, as whoever reads it says


class Room:
    """What is left for a document that stands on several lines."""

    def __init__(self, what: str, options: CorpusOptions) -> None:
        self.what = what
        self.options = options
        self.empty()

    def empty(self) -> None:
        """Begin a document."""
        self.left = self.options.longest

    def take(self, line: str, where: str) -> None:
        """Refuse the line that makes a document too long."""
        self.left -= len(line)
        if self.left < 0:
            raise _too_long(self.what, where, self.options)


def _too_long(what: str, where: str, options: CorpusOptions) -> InputError:
    return InputError(
        f"{where}: the {what} is longer than {options.max_line:,} MiB; if that is right, allow more"
        f" (--max-line {2 * options.max_line}, max_line={2 * options.max_line})"
    )


def _damaged(where: str, error: Exception) -> InputError:
    return InputError(f"{where}: the compressed file is damaged or cut off ({error}); make or get it again")


def _open(path: Source) -> AbstractContextManager[BinaryIO]:
    """Open for reading bytes; a stream stays open for whoever gave it."""
    if isinstance(path, Stream):
        return nullcontext(path.content)
    return cast("BinaryIO", gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")


def decoded(line: bytes, where: str, encoding: str = "utf-8") -> str:
    """Give a line as text, refusing what is none."""
    try:
        return line.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8 at byte {error.start + 1} of the line; save the file as UTF-8") from None


def check_not_packed(path: Path, what: str, suffix: str) -> None:
    """Refuse `.gz` around a format that is compressed itself."""
    if path.suffix.lower() == ".gz":
        raise InputError(f"{path}: {what} compressed inside; unpack the file, or name it {suffix}")


def check_id(value: str, where: str) -> str:
    """Refuse an empty id."""
    if not value.strip():
        raise InputError(f"{where}: the id is empty; give each document an id, or leave ids out everywhere")
    return value


def check_field(value: str | None, name: str, where: str, there: Collection[str] = ()) -> str:
    """Refuse a document without what every document must have; it may have something of a like name."""
    if value is None or not value.strip():
        near = "" if name in there else meant(name, there)
        raise InputError(f"{where}: nothing stands in {name!r}{near}; give every document a value there")
    return value.strip()


def check_label(value: str, where: str) -> str:
    """Refuse an empty label."""
    if not value.strip():
        raise InputError(f"{where}: a label is empty; give it a name or take it out")
    return value
