"""Documents out of frames: pandas, polars, pyarrow, Hugging Face `datasets`, or a dict of columns.

None of these is imported: what they share is that they name their columns and give one by its name.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from classmark.data import assembly
from classmark.data.corpus import Corpus, Document
from classmark.data.formats import FORMATS
from classmark.data.formats.cells import MissingColumnError, label_column_of, labels_of_cell, labels_of_path
from classmark.data.formats.records import Outline, Record, id_of, label_of, split_of, type_word
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.build import is_missing
from classmark.wording import listed

TEXT = DEFAULT_OPTIONS.text_column
NO_SEPARATOR = "\0"
"""What stands in no label, so that a string is one."""
HIDDEN = -1
"""What Hugging Face writes in the place of a class that is not told."""


def read_frame(
    frame: Any, text: Sequence[str], options: CorpusOptions, hierarchy: Hierarchy | str | Path | None
) -> Corpus:
    """Make a corpus of a frame, or of several by their splits; `Corpus.from_frame` says what is what."""
    kind = type(frame).__name__
    records, documents = Outline(), list[Document]()
    for split, part in _parts(frame):
        for record in _records(part, text, options, split or kind):
            records.take(record.line, record.id, record.labels, record.split or split, record.file)
            documents.append(record.document)
    if not records:
        raise InputError(f"{kind}: the frame has no document; give it at least one row")
    categories = assembly.find_categories(None, hierarchy, FORMATS["json"], records, options.language)
    return assembly.assembled(records, documents, categories, options, Path(kind), f"a {kind}")


def columns_of(frame: Any) -> list[str] | None:
    """Name the columns of a frame; None where something is none."""
    if isinstance(frame, Mapping):
        return list(frame)
    names = getattr(frame, "column_names", None)
    names = getattr(frame, "columns", None) if names is None else names
    return None if names is None or not hasattr(frame, "__getitem__") else list(names)


def documents_in(documents: Any) -> Any:
    """Give the column `text` of a frame; what is no frame stays as it is.

    >>> documents_in(["an owl"])
    ['an owl']
    """
    return documents if not _is_frame(documents) else _column(documents, TEXT)


def labels_in(documents: Any, labels: Any) -> Any:
    """Return the label column, or the label columns, of a frame of documents; return other labels unchanged.

    A list of strings selects columns if each of them is the name of one, whatever the number of rows.
    """
    if not _is_frame(documents):
        return labels
    if isinstance(labels, str):
        return _column(documents, labels)
    names = labels if isinstance(labels, list) and all(isinstance(name, str) for name in labels) else []
    if not names or len(set(names)) < len(names) or not set(names).issubset(columns_of(documents) or ()):
        return labels
    if hasattr(documents, "select_columns"):
        return documents.select_columns(names).to_pandas()
    return documents[names]


def _is_frame(documents: Any) -> bool:
    return not isinstance(documents, Mapping) and columns_of(documents) is not None


def _column(frame: Any, name: str) -> Any:
    there = columns_of(frame) or []
    if name not in there:
        raise MissingColumnError(type(frame).__name__, "label" if name != TEXT else "text", name, there)
    return frame[name]


def _parts(frame: Any) -> list[tuple[str | None, Any]]:
    """Give the frames of a mapping from splits, or the one frame."""
    if isinstance(frame, Mapping) and frame and all(columns_of(part) is not None for part in frame.values()):
        return list(frame.items())
    waits = hasattr(frame, "collect")
    if waits or columns_of(frame) is None:
        remedy = "collect() it first" if waits else "give a DataFrame, a Dataset or a dict of columns"
        raise InputError(f"a {type(frame).__name__} has no columns to read; {remedy}")
    return [(None, frame)]


def _records(frame: Any, text: Sequence[str], options: CorpusOptions, file: str) -> Iterator[Record]:
    """Yield the documents of a frame; rows are counted from 0."""
    there = columns_of(frame) or []
    for role, name in [*(("text", one) for one in text), *options.asked]:
        if name not in there:
            raise MissingColumnError(file, role, name, there)
    label = label_column_of(there, options.label_column)
    levels = options.path_columns
    columns = {name: _values(frame, name) for name in {*text, label, options.id_name, options.split_name, *levels}}
    rows = _length(columns, file)
    features = getattr(frame, "features", None)
    feature = features.get(label) if isinstance(features, Mapping) else None
    names = getattr(getattr(feature, "feature", feature), "names", None)
    for row in range(rows):
        where = f"{file}:{row}"
        cells = {name: None if column is None else column[row] for name, column in columns.items()}
        yield Record(
            line=row,
            id=id_of(_present(cells[options.id_name]), where),
            document=_text([cells[name] for name in text], text, where),
            labels=labels_of_path(
                ["" if _present(cell) is None else label_of(cell, where) for cell in map(cells.get, levels)],
                options,
                where,
            )
            if levels
            else _labels(cells[label], names, options, where),
            split=split_of(_present(cells[options.split_name]), where),
            file=file,
        )


def _length(columns: dict[str, list[Any] | None], file: str) -> int:
    """Count the rows of columns, which a dict may have of different lengths."""
    sizes = {len(column): name for name, column in columns.items() if column is not None}
    if len(sizes) > 1:
        found = " and ".join(f"{name!r} {size:,}" for size, name in sorted(sizes.items())[:2])
        raise InputError(f"{file}: columns of different lengths: {found}; give each a value per document")
    return next(iter(sizes))


def _values(frame: Any, name: str) -> list[Any] | None:
    """Give the values of a column as Python has them; None where there is no such column."""
    if name not in (columns_of(frame) or ()):
        return None
    column = frame[name]
    ways = (getattr(column, way, None) for way in ("to_pylist", "to_list", "tolist"))
    found = next(filter(None, ways), None)
    return list(column if found is None else found())


def _present(value: Any) -> Any:
    """Give a value, None for what pandas writes in its place."""
    return None if not isinstance(value, list | tuple) and is_missing(value) else value


def _text(cells: list[Any], names: Sequence[str], where: str) -> str:
    """Put the texts of a document below each other; some may be missing, not all."""
    found = [cell for cell in map(_present, cells) if cell is not None] or [cell for cell in cells if cell == ""]
    if not found:
        raise InputError(f"{where}: no text in {listed(names)}; fill it in, or leave the row out")
    for cell in found:
        if not isinstance(cell, str):
            raise InputError(f"{where}: the text is {type_word(cell)}; make it a string")
    return "\n".join(found)


def _labels(value: Any, names: Sequence[str] | None, options: CorpusOptions, where: str) -> list[str] | None:
    """Read a list of labels, a string of one or several, or a number."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, list | tuple | set | frozenset):
        if _present(value) is None or (names and value == HIDDEN):
            return None
        if isinstance(value, str):
            return labels_of_cell(value, options, where)
        value = [value]
    return [label_of(_named(one, names), where) for one in value]


def _named(label: Any, names: Sequence[str] | None) -> Any:
    """Give the name of a class for its number; of whole numbers, pandas makes fractions where one is missing."""
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    return names[label] if names and isinstance(label, int) else label
