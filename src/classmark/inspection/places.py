"""Where documents stand, for examples."""

from pathlib import Path

from classmark.data.assembly import where_of_label
from classmark.data.outline import Outline


class Places:
    """Says where documents stand: the file and the line."""

    def __init__(self, outline: Outline, file: Path) -> None:
        self._outline = outline
        self._file = file

    def __getitem__(self, row: int) -> str:
        return self._outline.where(row, self._file)

    def of_label(self, row: int, label: str) -> str:
        """Say where a label of a document stands, which may be in a file of subjects."""
        return where_of_label(self._outline[row], label, self._file)

    def beside(self, row: int, other: int) -> str:
        """Say where a document stands to somebody who knows where another does: in the same file, the line alone."""
        (file, _, line), (before, _, _) = (self[one].rpartition(":") for one in (row, other))
        return f"line {line}" if file == before else self[row]
