"""The lines of a UTF-8 file, numbered."""

from collections.abc import Iterator
from pathlib import Path


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, without their ends.

    Only a line feed ends a line: names may hold the other characters that `str.splitlines` breaks at.
    """
    for number, line in enumerate(path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            text = line.decode().removesuffix("\r")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{path}:{number}: not UTF-8 at byte {error.start + 1} of the line; save the file as UTF-8"
            ) from None
        if text.strip():
            yield number, text
