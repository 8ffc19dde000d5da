"""Records, which readers yield, and what readers share: lines of a file, plain or compressed, and checks of values.

An `Outline` keeps all of the records but their documents.
"""

import gzip
import zlib
from array import array
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias, cast

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


def type_word(value: Any) -> str:
    """Name the JSON type of a value that is not the one asked for."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else f"a {type(value).__name__}")


def is_integer(value: Any) -> bool:
    """Say whether a value is a whole number; a bool is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def id_of(value: Any, where: str) -> str | None:
    """Give an id as a string, None where there is none."""
    if value is None:
        return None
    if not (isinstance(value, str) or is_integer(value)):
        raise InputError(f"{where}: the id is {type_word(value)}; write a string or an integer")
    return check_id(str(value), where)


def split_of(value: Any, where: str) -> str | None:
    """Give the name of a split, None where it is empty or missing."""
    if not isinstance(value, str | None):
        raise InputError(f"{where}: the split is {type_word(value)}; write its name as a string, or null")
    return value or None


def field_of(value: Any, name: str, where: str, there: Collection[str] = ()) -> str:
    """Give what stands in a column beside all others as a string; a list or an object is refused."""
    if isinstance(value, dict | list | bool):
        raise InputError(f"{where}: {name!r} is {type_word(value)}; write a string or a number")
    return check_field(None if value is None else str(value), name, where, there)


def label_of(value: Any, where: str) -> str:
    """Give a label as a string."""
    if isinstance(value, str):
        return check_label(value, where)
    if is_integer(value):
        return str(value)
    raise InputError(f"{where}: a label is {type_word(value)}; write labels as strings or integers")


class Outline:
    """Ids, labels, splits and lines of records, in columns: a list of records would take several times the memory.

    Going through it gives records again, without their documents.

    Examples
    --------
    >>> outline = Outline()
    >>> outline.append(Record(1, "a", "a long text", ["bird"], "train"))
    >>> list(outline)
    [Record(line=1, id='a', document='', labels=['bird'], split='train', file=None, field=None)]
    """

    def __init__(self) -> None:
        self.ids: list[str | None] = []
        self.labels: list[list[str] | None] = []
        self.splits: list[str | None] = []
        self.fields: list[str] = []
        self._lines = array("q")
        self._files: list[Path | str | None] = []
        self._names: dict[str, str] = {}

    def append(self, record: Record) -> None:
        """Keep all of a record but its document; equal labels and splits become one string."""
        self.take(record.line, record.id, record.labels, record.split, record.file, record.field)

    def take(
        self,
        line: int,
        name: str | None,
        labels: list[str] | None,
        split: str | None = None,
        file: Path | str | None = None,
        field: str | None = None,
    ) -> None:
        """Keep what a record would have, where none was made."""
        same = self._names.setdefault
        self.ids.append(name)
        self.labels.append(labels and [same(label, label) for label in labels])
        self.splits.append(split and same(split, split))
        self._lines.append(line)
        self._files.append(file)
        if field is not None:
            self.fields.append(same(field, field))

    def where(self, row: int, file: Path) -> str:
        """Say where a record stands, in a file or a corpus of several."""
        return f"{self._files[row] or file}:{self._lines[row]}"

    def files(self) -> list[tuple[Path, int]]:
        """Give the files of records that know theirs, and how many stand in each."""
        return [(Path(file), sum(1 for _ in some)) for file, some in groupby(self._files) if file is not None]

    def __getitem__(self, row: int) -> Record:
        return Record(self._lines[row], self.ids[row], "", self.labels[row], self.splits[row], self._files[row])

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Record]:
        for line, name, labels, split, file in zip(
            self._lines, self.ids, self.labels, self.splits, self._files, strict=True
        ):
            yield Record(line, name, "", labels, split, file)
