"""What readers yield, and what they share: the lines of a file, plain or compressed, and checks of values."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import msgspec

from classmark.data.corpus import Document

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Record(msgspec.Struct, frozen=True):
    """One document of a file, and the line it stands on.

    `id` is None where the file has none; `labels` is None where the document is *not labelled*; `file` is given
    where a corpus has several.
    """

    line: int
    id: str | None
    document: Document
    labels: list[str] | None
    split: str | None
    file: Path | str | None = None


def place(record: Record, file: Path) -> str:
    """Say where a record stands, in a file or a corpus of several."""
    return f"{record.file or file}:{record.line}"


def read_lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a file, plain or compressed by gzip, with their line ends.

    Only a line feed ends a line, so that other breaks inside a text stay there.
    """
    number = 0
    try:
        with _open(path) as stream:
            for number, line in enumerate(stream, 1):
                bare = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
                yield number, _decode(bare, encoding, f"{path}:{number}")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(
            f"{path}:{number + 1}: the compressed file is damaged or cut off ({error}); make or get it again"
        ) from None


def _open(path: Path) -> BinaryIO:
    """Open for reading bytes."""
    return cast("BinaryIO", gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")


def _decode(line: bytes, encoding: str, where: str) -> str:
    try:
        return line.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(f"{where}: not UTF-8 at byte {error.start + 1} of the line; save the file as UTF-8") from None


def check_id(value: str, where: str) -> str:
    """Refuse an empty id."""
    if not value.strip():
        raise ValueError(f"{where}: the id is empty; give each document an id, or leave ids out everywhere")
    return value


def check_label(value: str, where: str) -> str:
    """Refuse an empty label."""
    if not value.strip():
        raise ValueError(f"{where}: a label is empty; give it a name or take it out")
    return value
