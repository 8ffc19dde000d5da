"""LSHTC's submission file: `Id,Predicted`, one line per test document, the labels separated by spaces.

Documents are numbered from 1 in the order of the test file, whatever their ids.
"""

from collections.abc import Iterable
from pathlib import Path

from classmark.data.formats.output import writing
from classmark.errors import InputError

HEADER = "Id,Predicted"


def write_submission(path: str | Path, predictions: Iterable[Iterable[str]]) -> int:
    """Write label sets as a submission, whole or not at all, and give their number.

    Parameters
    ----------
    path : str or Path
        The file; `.gz` at the end of the name compresses.
    predictions : iterable of iterables of str
        The labels of each document, best first, in the order of the test file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "submission.csv")
    ...     write_submission(file, [["33", "6"], []])
    ...     print(file.read_text())
    2
    Id,Predicted
    1,33 6
    2,
    <BLANKLINE>
    """
    number = 0
    with writing(Path(path)) as file:
        file.write(f"{HEADER}\n".encode())
        for number, labels in enumerate(predictions, 1):
            names = [_checked(str(label), number) for label in labels]
            file.write(f"{number},{' '.join(names)}\n".encode())
    return number


def _checked(label: str, number: int) -> str:
    if not label or set(label) & set(' ,"\r\n\t'):
        raise InputError(f"the label {label!r} of document {number} has a space or comma in it, or nothing; rename it")
    return label
