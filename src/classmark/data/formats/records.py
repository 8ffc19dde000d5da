"""What readers yield, and what they share: the lines of a file, plain or compressed, and checks of values."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

import msgspec

Document: TypeAlias = str | dict[str, float]
"""Running text, or ready-made features: term → weight."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Record(msgspec.Struct, frozen=True):
    """One document of a file, and the line it stands on.

    `id` is None where the file has none; `labels` is None where the document is *not labelled*.
    """

    line: int
    id: str | None
    document: Document
    labels: list[str] | None
    split: str | None


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a UTF-8 file, plain or compressed by gzip, with their line ends.

    Only a line feed ends a line, so that other breaks inside a text stay there.
    """
    number = 0
    try:
        with _open(path) as stream:
            for number, line in enumerate(stream, 1):
                yield (
                    number,
                    _decode(line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line, f"{path}:{number}"),
                )
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(
            f"{path}:{number + 1}: the compressed file is damaged or cut off ({error}); make or get it again"
        ) from None


def _open(path: Path) -> BinaryIO:
    """Open for reading bytes."""
    return cast("BinaryIO", gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")


def _decode(line: bytes, where: str) -> str:
    try:
        return line.decode()
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
