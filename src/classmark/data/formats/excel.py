"""Excel's `.xlsx`, read with openpyxl: the first sheet, with a header, as in a CSV file; a row's number is its line.

Cells become text as Excel shows it plainly: whole numbers without a point, dates as 2024-05-31, and of formulas the
value that was last calculated.
"""

import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, time
from itertools import islice
from pathlib import Path
from typing import Any

from classmark.data.formats.cells import Columns, find_columns, without_empty_end
from classmark.data.formats.records import LARGEST_WHOLE, Record, check_not_packed
from classmark.data.formats.tables import record_of_row
from classmark.data.options import MEBIBYTE, CorpusOptions
from classmark.errors import InputError, attempts, needing
from classmark.progress import notice

ROWS_AT_A_TIME = 256
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError, SyntaxError),
    *(ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError),
)
"""What openpyxl, and the packages below it, raise over a file that is not what it should be."""
WRITTEN: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: "",
    bool: lambda value: str(value).upper(),
    float: lambda value: str(int(value) if value.is_integer() else value),
    datetime: lambda value: str(value.date() if value.time() == time() else value),
}
"""How a cell's value becomes text, where Python writes it otherwise than Excel."""


def read_excel(path: Path, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents of the first sheet; blank rows are passed over."""
    rows = ((number, row) for number, row in enumerate(_rows(path), 1) if row)
    first, header = next(rows, (0, []))
    if not header:
        return
    columns = find_columns(list(map(str.strip, header)), options, f"{path}:{first}")
    yield from attempts(_filled_up, ((row, len(header), number, path, columns, options) for number, row in rows))


def _filled_up(row: list[str], width: int, number: int, path: Path, columns: Columns, options: CorpusOptions) -> Record:
    """Make a document of a row that may end early."""
    if len(row) > width:
        raise InputError(f"{path}:{number}: {len(row)} cell(s) for {width} columns; name every column")
    return record_of_row(row + [""] * (width - len(row)), number, path, columns, options)


def _rows(path: Path) -> Iterator[list[str]]:
    """Yield all rows of the first sheet, empty cells at their ends left out."""
    openpyxl = _openpyxl(path)
    with path.open("rb") as file:
        with _readable(path):
            # Members cannot unpack to more than the archive says.
            with zipfile.ZipFile(file) as archive:
                size = sum(member.file_size for member in archive.infolist())
            if size > LARGEST_WHOLE:
                raise TooLargeError(f"{path}: unpacked longer than {LARGEST_WHOLE // MEBIBYTE:,} MiB; save it as CSV")
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            sheet = book.worksheets[0]
            # What the file says about its own size may be wrong.
            sheet.reset_dimensions()
            rows = sheet.iter_rows(values_only=True)
        if len(book.worksheets) > 1:
            notice(f"{path}: read the first of {len(book.worksheets)} sheets, {sheet.title!r}")
        while some := _next_rows(rows, path):
            yield from map(_cells, some)


def _next_rows(rows: Iterator[tuple[Any, ...]], path: Path) -> list[tuple[Any, ...]]:
    with _readable(path):
        return list(islice(rows, ROWS_AT_A_TIME))


def _openpyxl(path: Path) -> Any:
    with needing(f"{path}: Excel files need openpyxl", "excel"):
        import openpyxl
    check_not_packed(path, "Excel files are", ".xlsx")
    return openpyxl


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Tell damage in a line; what openpyxl warns of, such as fonts, says nothing about documents."""
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    except TooLargeError as error:
        raise InputError(str(error)) from None
    except DAMAGED as error:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise InputError(
            f"{path}:1: not an Excel file (.xlsx), or a damaged or protected one ({reason}); save it again"
        ) from None


class TooLargeError(Exception):
    """A file that would fill memory."""


def _cells(row: tuple[Any, ...]) -> list[str]:
    return without_empty_end([WRITTEN.get(type(value), str)(value) for value in row])
