"""The content of a file, plain or compressed, and its lines, numbered."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from classmark.errors import InputError, attempt


def suffix_of(path: Path) -> str:
    """Give the suffix that tells the format: the one before `.gz` where there are both.

    >>> suffix_of(Path("animals.TTL.gz"))
    '.ttl'
    """
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def content_of(path: Path) -> bytes:
    """Give the bytes of a file, unpacked where its name ends in `.gz`."""
    content = path.read_bytes()
    if path.suffix.lower() != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: the compressed file is damaged or cut off ({error}); make or get it again") from None


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, without their ends.

    Only a line feed ends a line: names may hold the other characters that `str.splitlines` breaks at.
    """
    for number, line in enumerate(content_of(path).removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        text = attempt(_decoded, line, f"{path}:{number}")
        if text and text.strip():
            yield number, text


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode().removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8 at byte {error.start + 1} of the line; save the file as UTF-8") from None
