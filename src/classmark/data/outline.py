"""What stays of the records of a file when their documents have gone."""

from array import array
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from classmark.data.formats.records import Record


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
