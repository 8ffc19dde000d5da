"""What `read_corpus` does with all records of a file: ids, the hierarchy, and labels held against it."""

import warnings
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from classmark.data.corpus import Corpus, Documents
from classmark.data.formats import Format, Record
from classmark.data.formats.dataset import DOCUMENT_FILES as DOCUMENT_FILES
from classmark.data.formats.dataset import HIERARCHY_FILE as HIERARCHY_FILE
from classmark.data.formats.dataset import NODES_FILE, document_files, is_dataset, read_nodes
from classmark.data.formats.output import tidied
from classmark.data.formats.records import Outline, where_of
from classmark.data.options import CorpusOptions
from classmark.errors import InputError, attempt
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import READERS, Categories, NodeText, read_categories
from classmark.wording import listed, meant

NODES_FILES = (NODES_FILE, "label_names.tsv")
LABEL_SEPARATORS = (";", "|", ",")
"""What may stand between several labels that were taken for one."""


def named_file(path: Path) -> Path:
    """Give what messages name where a record does not: the path itself, or the one file of a dataset folder."""
    files = document_files(path) if path.is_dir() and is_dataset(path) else []
    return files[0] if len(files) == 1 else path


def assembled(
    records: Outline,
    documents: Documents,
    categories: tuple[Hierarchy | None, dict[str, NodeText]],
    options: CorpusOptions,
    file: Path,
    source: str,
) -> Corpus:
    """Make a corpus of what was read: ids for all, a tree of label paths, labels held against the hierarchy."""
    known, nodes = categories
    if options.tree_separator is not None:
        tidy_paths(records, options.tree_separator, known)
        known = known or tree_of_paths(records, options.tree_separator, file)
    labels = records.labels if known is None else LABELS_OF[options.on_unknown](records, known, file)
    numbered = np.array([name is None for name in records.ids], dtype=bool)
    return Corpus(
        ids=distinct_ids(records, file),
        documents=documents,
        labels=labels,
        splits=records.splits,
        hierarchy=known,
        source=source,
        nodes=nodes,
        fields=None if options.field_column is None else records.fields,
        numbered=numbered if numbered.any() else None,
    )


def find_categories(
    path: Path | None, given: Hierarchy | str | Path | None, form: Format, records: Outline, language: str
) -> tuple[Hierarchy | None, dict[str, NodeText]]:
    """Give the hierarchy that the user names, or else the one in the folder, if any, and the texts that go with it.

    Categories of a thesaurus are called by their addresses where some document is labelled so.
    """
    if isinstance(given, Hierarchy):
        return given, {}
    file = hierarchy_file(path, given)
    hierarchy, nodes = None, dict[str, NodeText]()
    found = read_found(path, file, form, records, language)
    if found is not None:
        hierarchy, nodes = _built(found, file or path), found.nodes
    names = names_file(path, None if given is None else file)
    return hierarchy, nodes if names is None else nodes | _amended(read_nodes(names, hierarchy), nodes)


def _amended(nodes: dict[str, NodeText], before: dict[str, NodeText]) -> dict[str, NodeText]:
    """Let texts keep the addresses and notations that another file has, where they have none themselves."""
    nothing = NodeText("")
    return {
        name: text._replace(
            uri=text.uri or before.get(name, nothing).uri, notation=text.notation or before.get(name, nothing).notation
        )
        for name, text in nodes.items()
    }


def hierarchy_file(path: Path | None, given: str | Path | None) -> Path | None:
    """Give the hierarchy file that the user names, or else the folder's own, if it has one."""
    if given is None:
        files = (path / f"hierarchy{suffix}" for suffix in READERS) if path else ()
        return next((file for file in files if file.is_file()), None)
    if not Path(given).is_file():
        raise FileNotFoundError(f"{given}: there is no such hierarchy file; check the path")
    return Path(given)


def read_found(
    path: Path | None, file: Path | None, form: Format, records: Outline, language: str
) -> Categories | None:
    """Read a hierarchy file; without one, take what the format makes of the folder, if anything."""
    if file is None:
        return None if path is None else form.categories(path)
    by_address = form.by_address or any("://" in label for label in _distinct_labels(records))
    return read_categories(file, language, by_address=by_address)


def names_file(path: Path | None, given: Path | None) -> Path | None:
    """Give the file that names the categories: in the folder, or beside a hierarchy file that the user names."""
    if given is None:
        files = [path / name for name in NODES_FILES] if path else []
    else:
        # Beside animals.ttl, animals.tsv is as likely the same vocabulary.
        called = [given.stem] if "hierarchy" in given.stem else []
        files = [given.with_name(f"{stem.replace('hierarchy', 'nodes')}.tsv") for stem in called]
    return next((file for file in files if file.is_file()), None)


def _built(categories: Categories, file: Path | None) -> Hierarchy:
    try:
        return Hierarchy.from_edges(categories.edges)
    except ValueError as error:
        raise InputError(f"{file}: {error}") from None


def tidy_paths(records: Outline, separator: str, known: Hierarchy | None) -> None:
    """Take white space around the separator of labels away; what a known hierarchy calls so stays."""
    paths = _distinct_labels(records).difference(known or ())
    names = {path: tidied(path, separator) for path in paths}
    if list(names) != list(names.values()):
        records.labels[:] = [_renamed(labels, names) for labels in records.labels]


def _distinct_labels(records: Outline) -> set[str]:
    return set(chain.from_iterable(filter(None, records.labels)))


def _renamed(labels: list[str] | None, names: dict[str, str]) -> list[str] | None:
    """Give labels their new names, each once."""
    return labels and list(dict.fromkeys(names.get(label, label) for label in labels))


def call_by_titles(
    records: Outline,
    categories: tuple[Hierarchy | None, dict[str, NodeText]],
    titles: Mapping[Any, str] | None,
    file: Path,
    *,
    strict: bool,
) -> dict[str, str]:
    """Call categories that documents name by their titles as the hierarchy does; a title of two is refused.

    `strict` refuses a name that no category has, too; otherwise it stays, to be dropped as any unknown label. Gives the
    titles that were found, with what the hierarchy calls them.
    """
    known, nodes = categories
    if known is None:
        return {}
    titles = titles or {name: text.name for name, text in nodes.items()}
    called: dict[str, list[str]] = {}
    for name, title in titles.items():
        called.setdefault(title, []).append(name)
    unknown = {label for label in _distinct_labels(records) if label not in known}
    for record, label in _labelled(records) if called and unknown else ():
        if label in unknown:
            attempt(_check_title, label, called, where_of_label(record, label, file), strict=strict)
    names = {label: called[label][0] for label in unknown if label in called}
    if names:
        records.labels[:] = [_renamed(labels, names) for labels in records.labels]
    return names


def _check_title(label: str, called: dict[str, list[str]], where: str, *, strict: bool) -> None:
    found = called.get(label, [])
    if len(found) > 1:
        raise InputError(
            f"{where}: {len(found)} categories are called {label!r}: {listed(found)}; label the document by address"
        )
    if strict and not found and "://" not in label:
        raise InputError(
            f"{where}: no category is called {label!r}{meant(label, called)}; mend it, name the language of the names"
            " (--language, language=…), or drop unknown labels (--unknown-labels drop, on_unknown='drop')"
        )


def tree_of_paths(records: Outline, separator: str, file: Path) -> Hierarchy | None:
    """Make the tree of all label paths; there is none where no document is labelled."""
    first: dict[str, Record] = {}
    for record, label in _labelled(records):
        first.setdefault(label, record)
    if not first:
        return None
    try:
        return Hierarchy.from_paths(first, separator)
    except ValueError:
        # Only now, as one hierarchy per path is slow: find the line to blame.
        for path, record in first.items():
            _check_path(path, separator, where_of(record, file))
        raise


def _labelled(records: Outline) -> Iterator[tuple[Record, str]]:
    """Yield each label with the record that has it."""
    return ((record, label) for record in records for label in record.labels or ())


def _check_path(path: str, separator: str, where: str) -> None:
    try:
        Hierarchy.from_paths([path], separator)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def joined_parts(label: str, separator: str) -> list[str]:
    """Give the parts of what may be several names in one; there are none where it is one name.

    >>> joined_parts("owl; gull", ";"), joined_parts("owl;", ";"), joined_parts("owl", ";")
    (['owl', 'gull'], [], [])
    """
    parts = [part.strip() for part in label.split(separator)]
    return parts if len(parts) > 1 and all(parts) else []


def distinct_ids(records: Outline, file: Path) -> list[str]:
    """Give the ids, the row number where there is none; an id on two lines is refused."""
    names = [str(row) if name is None else name for row, name in enumerate(records.ids, 1)]
    numbered = records.ids.count(None) == len(names)
    if not numbered and len(set(names)) < len(names):
        raise _twice(names, records, file)
    return names


def _twice(names: list[str], records: Outline, file: Path) -> InputError:
    """Name the first record that has the id of one before it."""
    first: dict[str, Record] = {}
    for name, record in zip(names, records, strict=True):
        before = first.setdefault(name, record)
        if before is not record:
            break
    at = f"on line {before.line}" if before.file == record.file else f"at {where_of(before, file)}"
    return InputError(f"{where_of(record, file)}: the id {name!r} already stands {at}; give each document its own")


def all_known(records: Outline, hierarchy: Hierarchy, file: Path) -> list[list[str] | None]:
    """Give the labels, if the hierarchy has them all."""
    unknown = {label for label in _distinct_labels(records) if label not in hierarchy}
    if unknown:
        raise _unknown(*next(pair for pair in _labelled(records) if pair[1] in unknown), hierarchy, file)
    return records.labels


def _unknown(record: Record, label: str, hierarchy: Hierarchy, file: Path) -> InputError:
    named = "" if record.id is None else f" of document {record.id!r}"
    return InputError(
        f"{where_of_label(record, label, file)}: the label {label!r}{named} is not in the hierarchy"
        f"{hint(label, hierarchy)};"
        " add it there, or drop unknown labels (--unknown-labels drop, on_unknown='drop')"
    )


def where_of_label(record: Record, label: str, file: Path) -> str:
    """Say where a label stands; in a file of subjects, or of one document, on which line of it."""
    if record.file is None or Path(record.file).suffix not in (".key", ".tsv", ".json"):
        return where_of(record, file)
    lines = Path(record.file).read_text(encoding="utf-8", errors="replace").split("\n")
    return f"{record.file}:{next((number for number, line in enumerate(lines, 1) if label in line), record.line)}"


def hint(label: str, hierarchy: Hierarchy) -> str:
    """Ask whether several labels of the hierarchy were meant, or one that is near."""
    for separator in LABEL_SEPARATORS:
        parts = joined_parts(label, separator)
        if parts and all(part in hierarchy for part in parts):
            return f", but its {len(parts)} parts are (--label-separator {quote(separator)})"
    return meant(label, hierarchy)


def without_unknown(records: Outline, hierarchy: Hierarchy, file: Path) -> list[list[str] | None]:
    """Return the known labels, and warn of the number dropped; a document that loses its last label is not labeled."""
    unknown = [label for _, label in _labelled(records) if label not in hierarchy]
    if not unknown:
        return records.labels
    kept = [labels and (list(filter(hierarchy.__contains__, labels)) or None) for labels in records.labels]
    n_unlabeled = kept.count(None) - records.labels.count(None)
    warnings.warn(dropped_labels(f"{file}", len(unknown), n_unlabeled, unknown[0], hierarchy), stacklevel=4)
    return kept


def dropped_labels(place: str, n_dropped: int, n_unlabeled: int, label: str, hierarchy: Hierarchy) -> str:
    """Return the warning that labels were dropped, and how many documents are left without one."""
    lost = f"; {n_unlabeled:,} document(s) have no other label and are not labeled now" if n_unlabeled else ""
    return (
        f"{place}: dropped {n_dropped} label(s) that the hierarchy does not have,"
        f" the first of them {label!r}{hint(label, hierarchy)}{lost}"
    )


LABELS_OF = {"drop": without_unknown, "error": all_known}
"""What to do with labels that the hierarchy does not have, by the option `on_unknown`."""
