"""What stays of the records of a file when their documents have gone."""

from array import array
from collections.abc import Iterator
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
    [Record(line=1, id='a', document='', labels=['bird'], split='train', file=None)]
    """

    def __init__(self) -> None:
        self.ids: list[str | None] = []
        self.labels: list[list[str] | None] = []
        self.splits: list[str | None] = []
        self._lines = array("q")
        self._files: list[Path | str | None] = []
        self._names: dict[str, str] = {}

    def append(self, record: Record) -> None:
        """Keep all of a record but its document; equal labels and splits become one string."""
        self.take(record.line, record.id, record.labels, record.split, record.file)

    def take(
        self,
        line: int,
        name: str | None,
        labels: list[str] | None,
        split: str | None = None,
        file: Path | str | None = None,
    ) -> None:
        """Keep what a record would have, where none was made."""
        same = self._names.setdefault
        self.ids.append(name)
        self.labels.append(labels and [same(label, label) for label in labels])
        self.splits.append(split and same(split, split))
        self._lines.append(line)
        self._files.append(file)

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Record]:
        for line, name, labels, split, file in zip(
            self._lines, self.ids, self.labels, self.splits, self._files, strict=True
        ):
            yield Record(line, name, "", labels, split, file)
