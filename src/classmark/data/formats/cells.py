"""What CSV, TSV and Parquet share: which column is which, and labels in one cell or as a path in several."""

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from classmark.data.formats.output import can_be_empty, parts_of
from classmark.data.formats.records import Record, check_label
from classmark.data.options import CorpusOptions
from classmark.errors import InputError
from classmark.wording import listed, meant


class MissingColumnError(InputError):
    """A column that was asked for and is not there; says which there are."""

    def __init__(self, where: str, role: str, name: str, there: Iterable[str]) -> None:
        self.name = name
        self.there = list(there)
        # Whoever has named a column knows how; that of the text is looked for though nobody has.
        how = " (--text-column, text_column=…)" if (role, name) == ("text", "text") else ""
        super().__init__(
            f"{where}: no {role} column {name!r}{meant(name, self.there)}; name one of: {listed(self.there)}{how}"
        )


class Columns(NamedTuple):
    """Where each role's column stands; None where the table does not have it."""

    text: int
    id: int | None
    split: int | None
    labels: int | None
    path: tuple[int, ...]
    field: int | None = None

    @property
    def used(self) -> list[int]:
        """Where a column stands that has a role, in order."""
        roles = (self.text, self.id, self.split, self.labels, self.field, *self.path)
        return sorted({column for column in roles if column is not None})


def label_column_of(there: Container[str], asked: str | None) -> str:
    """Name the column or key of labels: the one asked for, or else `labels` or `label`."""
    return asked or ("labels" if "labels" in there else "label")


def find_columns(header: list[str], options: CorpusOptions, where: str) -> Columns:
    """Find the columns in a header; those that the options name must be there, and only once."""
    label_column = label_column_of(header, options.label_column)
    _check_header(header, label_column, options, where)

    def position(name: str) -> int | None:
        return header.index(name) if name in header else None

    return Columns(
        text=header.index(options.text_column),
        id=position(options.id_name),
        split=position(options.split_name),
        labels=None if options.path_columns else position(label_column),
        path=tuple(map(header.index, options.path_columns)),
        field=position(options.field_column) if options.field_column else None,
    )


def _check_header(header: list[str], label_column: str, options: CorpusOptions, where: str) -> None:
    """Refuse a header without a column that was asked for, or with two of one that is used."""
    for role, name in [("text", options.text_column), *options.asked]:
        if name not in header:
            raise MissingColumnError(where, role, name, header)
    used = (options.text_column, label_column, options.id_name, options.split_name, options.field_column)
    for name in filter(None, (*used, *options.path_columns)):
        if header.count(name) > 1:
            raise InputError(f"{where}: {header.count(name)} columns are called {name!r}; rename all but one")


def header_of(options: CorpusOptions) -> list[str]:
    """Give the names of the columns that writers write, in their order."""
    labels = options.path_columns or (options.label_column or "labels",)
    return [options.id_name, options.text_column, *labels, options.split_name]


def no_labels(options: CorpusOptions) -> list[str] | None:
    """Give what the absence of labels means."""
    return [] if options.empty_labels == "nowhere" else None


def labels_of_cell(cell: str, options: CorpusOptions, where: str) -> list[str] | None:
    """Take the labels of a cell apart."""
    if not cell.strip():
        return no_labels(options)
    return [check_label(label.strip(), where) for label in cell.split(options.label_separator)]


def without_empty_end(cells: Sequence[str]) -> list[str]:
    """Leave out the blank cells at the end of a row.

    >>> without_empty_end(["a", "", "b", " ", ""])
    ['a', '', 'b']
    """
    return list(cells[: max((end for end, cell in enumerate(cells, 1) if cell.strip()), default=0)])


def labels_of_path(cells: Sequence[str], options: CorpusOptions, where: str) -> list[str] | None:
    """Make one label of the levels of a path; it may end early."""
    parts = [cell.strip() for cell in without_empty_end(cells)]
    if not parts:
        return no_labels(options)
    if not all(parts):
        raise InputError(f"{where}: the path {parts!r} has a gap; only its end may be left empty")
    separator = options.tree_separator or "/"
    for part in parts:
        if separator in part:
            raise InputError(
                f"{where}: {part!r} has the path separator {separator!r} in it; choose another (path_separator)"
            )
    return [separator.join(parts)]


class LabelCells:
    """Writes labels as one cell, or as a path in several, so that reading gives them back; else refuses them."""

    def __init__(self, options: CorpusOptions) -> None:
        self.options = options

    def of(self, record: Record) -> list[str]:
        """Give the cells of a document."""
        can_be_empty(record, self.options)
        return self._levels(record) if self.options.path_columns else [self._joined(record)]

    def _joined(self, record: Record) -> str:
        separator, labels = self.options.label_separator, record.labels or []
        for label in labels:
            if separator in label or label != label.strip():
                raise InputError(
                    f"the label {label!r} of document {record.id!r} has {separator!r} in it or space at an"
                    " end; choose another label separator, or write .jsonl or .parquet"
                )
        return separator.join(labels)

    def _levels(self, record: Record) -> list[str]:
        width = len(self.options.path_columns)
        if not record.labels:
            return [""] * width
        parts = self._parts(record, record.labels)
        if len(parts) > width:
            raise InputError(f"the path {parts!r} has {len(parts)} levels; give as many path columns")
        if any(part != part.strip() for part in parts):
            raise InputError(f"the path {parts!r} has space at an end of a part; rename it")
        return parts + [""] * (width - len(parts))

    def _parts(self, record: Record, labels: list[str]) -> list[str]:
        """Take the one label of a document apart."""
        if len(labels) > 1:
            raise InputError(
                f"document {record.id!r} has {len(labels)} labels, and path columns hold one;"
                " write a label column, or .jsonl"
            )
        try:
            return parts_of(labels[0], self.options.tree_separator or "/")
        except ValueError as error:
            raise InputError(f"document {record.id!r}: {error}") from None
