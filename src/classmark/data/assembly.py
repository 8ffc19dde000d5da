"""What `read_corpus` does with all records of a file: ids, the hierarchy, and labels held against it."""

import warnings
from collections.abc import Sequence
from pathlib import Path

from classmark.data.formats import Record
from classmark.hierarchy import Hierarchy

DOCUMENT_FILES = ("docs.jsonl", "docs.jsonl.gz")
HIERARCHY_FILE = "hierarchy.tsv"


def document_file(path: Path) -> Path:
    """Give the file that holds the documents: the path itself, or the first that a dataset folder has."""
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file or folder; check the path")
    if not path.is_dir():
        return path
    for name in DOCUMENT_FILES:
        if (path / name).exists():
            return path / name
    raise ValueError(f"{path}: the folder has no {' or '.join(DOCUMENT_FILES)}; add it, or give the path of a file")


def find_hierarchy(path: Path, given: Hierarchy | str | Path | None) -> Hierarchy | None:
    """Give the hierarchy that the user names, or else the one in the dataset folder."""
    if isinstance(given, Hierarchy):
        return given
    if given is not None:
        if not Path(given).is_file():
            raise FileNotFoundError(f"{given}: there is no such hierarchy file; check the path")
        return Hierarchy.from_tsv(given)
    beside = path / HIERARCHY_FILE
    return Hierarchy.from_tsv(beside) if beside.is_file() else None


def tree_of_paths(records: Sequence[Record], separator: str, file: Path) -> Hierarchy | None:
    """Make the tree of all label paths; there is none where no document is labelled."""
    lines: dict[str, int] = {}
    for record in records:
        for label in record.labels or ():
            lines.setdefault(label, record.line)
    if not lines:
        return None
    try:
        return Hierarchy.from_paths(lines, separator)
    except ValueError:
        # Only now, as one hierarchy a path is slow: find the line to blame.
        for path, line in lines.items():
            _check_path(path, separator, f"{file}:{line}")
        raise


def _check_path(path: str, separator: str, where: str) -> None:
    try:
        Hierarchy.from_paths([path], separator)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def distinct_ids(records: Sequence[Record], file: Path) -> list[str]:
    """Give the ids, the row number where there is none; an id on two lines is refused."""
    lines: dict[str, int] = {}
    for row, record in enumerate(records, 1):
        name = str(row) if record.id is None else record.id
        if name in lines:
            raise ValueError(
                f"{file}:{record.line}: the id {name!r} already stands on line {lines[name]};"
                " give each document its own"
            )
        lines[name] = record.line
    return list(lines)


def all_known(records: Sequence[Record], hierarchy: Hierarchy, file: Path) -> list[list[str] | None]:
    """Give the labels, if the hierarchy has them all."""
    for record in records:
        for label in record.labels or ():
            if label not in hierarchy:
                named = "" if record.id is None else f" of document {record.id!r}"
                raise ValueError(
                    f"{file}:{record.line}: the label {label!r}{named} is not in the hierarchy;"
                    f" add it to {HIERARCHY_FILE} or drop unknown labels (on_unknown='drop')"
                )
    return [record.labels for record in records]


def without_unknown(records: Sequence[Record], hierarchy: Hierarchy, file: Path) -> list[list[str] | None]:
    """Give the labels that the hierarchy has, and say how many were dropped."""
    kept = [record.labels and [label for label in record.labels if label in hierarchy] for record in records]
    unknown = [label for record in records for label in record.labels or () if label not in hierarchy]
    if unknown:
        warnings.warn(
            f"{file}: dropped {len(unknown)} label(s) that the hierarchy does not have,"
            f" the first of them {unknown[0]!r}",
            stacklevel=3,
        )
    return kept
