"""Text files in folders: `category/sub/file.txt` is a document with the label `category/sub`.

The folders are the hierarchy, those without documents too. A file in the outermost folder is not labelled. What begins
with a dot is passed over, and so are links to folders. A document's id is the path of its file.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from classmark.data.corpus import Corpus
from classmark.data.formats.dataset import HIERARCHY_FILE, NODES_FILE, is_dataset, write_categories
from classmark.data.formats.output import making, no_split, parts_of, records_of, text_of, with_path_names
from classmark.data.formats.records import BYTE_ORDER_MARK, Record
from classmark.data.options import CorpusOptions
from classmark.errors import InputError, attempt
from classmark.hierarchy.formats import Categories

NOT_DOCUMENTS = frozenset([HIERARCHY_FILE, NODES_FILE, "label_names.tsv"])
"""Files of the outermost folder that tell about the categories."""

SUFFIX = ".txt"
LONGEST_NAME = 200
"""In bytes; file systems stop at 255, and a temporary name may need some of it."""

UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]|^[. ]|[. ]$')
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def has_folders(folder: Path) -> bool:
    """Say whether there are categories in a folder, and not datasets, whose parent was given by mistake."""
    below = [entry for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith(".")]
    return bool(below) and not any(map(is_dataset, below))


def read_files(path: Path, options: CorpusOptions) -> Iterator[Record]:
    """Yield the documents below a folder, in the order of their paths."""
    for category, files in _folders(path):
        for file in files:
            if category or file.name not in NOT_DOCUMENTS:
                text = attempt(read_text, file.path)
                name = f"{category}/{file.name}" if category else file.name
                if text is not None:
                    yield Record(1, name, text, [category] if category else None, None, file.path)


def categories_of_folders(path: Path) -> Categories | None:
    """Give the hierarchy of the folders."""
    found = [category for category, _ in _folders(path)][1:]
    edges = [(name.rpartition("/")[0] or None, name) for name in found]
    return Categories(list(edges), {}) if edges else None


def _folders(path: Path) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Yield the visible folders by their paths from the outermost, which is first and "", and the files in each.

    A folder's entries know what they are without being asked again, which makes half of the time of `os.walk`.
    """
    waiting = [("", str(path))]
    while waiting:
        category, folder = waiting.pop()
        entries = _visible(folder)
        below = [entry for entry in reversed(entries) if entry.is_dir(follow_symlinks=False)]
        waiting += [(f"{category}/{entry.name}".removeprefix("/"), entry.path) for entry in below]
        yield category, [entry for entry in entries if entry.is_file()]


def _visible(folder: str) -> list[os.DirEntry[str]]:
    """List what a folder holds that is not hidden, by name."""
    with os.scandir(folder) as found:
        entries = sorted((entry for entry in found if not entry.name.startswith(".")), key=lambda entry: entry.name)
    for entry in entries:
        try:
            entry.name.encode()
        except UnicodeEncodeError:
            raise InputError(f"{folder}: the name {entry.name!a} is not UTF-8; rename it") from None
    return entries


def read_text(file: str) -> str:
    """Read a file as UTF-8, without a byte order mark; what is none is refused by its line."""
    with open(file, "rb", buffering=0) as opened:  # noqa: PTH123 - a Path for each of many small files is not for free
        raw = opened.read().removeprefix(BYTE_ORDER_MARK)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{file}:{line}: not UTF-8 at byte {error.start + 1} of the file; save it as UTF-8, or move it away"
        ) from None


def write_files(corpus: Corpus, path: Path, options: CorpusOptions) -> None:
    """Write each document into the folder of its label; a label that is not a path becomes one."""
    corpus = with_path_names(corpus, "/")
    with making(path) as folder:
        for name in corpus.hierarchy or ():
            _folder_of(str(name), folder).mkdir(parents=True, exist_ok=True)
        write_categories(folder, None, corpus.nodes)
        for record in records_of(corpus):
            _write(record, folder)


def _write(record: Record, folder: Path) -> None:
    text = text_of(record)
    no_split(record)
    label = _only_label(record)
    target = folder if label is None else _folder_of(label, folder)
    target.mkdir(parents=True, exist_ok=True)
    # The reader takes one byte order mark away.
    doubled = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK.decode()) else b""
    try:
        with (target / _file_name(str(record.id), label)).open("xb") as file:
            file.write(doubled + text.encode())
    except FileExistsError:
        raise InputError(f"document {record.id!r} would overwrite another; rename it") from None


def _only_label(record: Record) -> str | None:
    """Give the one label of a document, None where it is not labelled."""
    if record.labels is None:
        return None
    if len(record.labels) != 1:
        raise InputError(
            f"document {record.id!r} has {len(record.labels)} labels, and a file lies in one folder;"
            " write .jsonl or a dataset folder"
        )
    return record.labels[0]


def _folder_of(label: str, folder: Path) -> Path:
    return folder.joinpath(*(_safe(part) for part in parts_of(label, "/")))


def _file_name(name: str, label: str | None) -> str:
    """Name the file as it was called where the id is its path, or the end of it; otherwise by the id."""
    above, _, last = name.rpartition("/")
    if above and label is not None and f"/{label}".endswith(f"/{above}"):
        return _safe(last)
    return _safe(name if name.endswith(SUFFIX) else name + SUFFIX)


def _safe(part: str) -> str:
    """Refuse a name that would leave the folder, be hidden in it, or not exist on every system."""
    if UNSAFE.search(part) or DEVICES.fullmatch(part) or not part or len(part.encode()) > LONGEST_NAME:
        raise InputError(f"{part[:LONGEST_NAME]!r} is no safe name for a file or folder; rename it, or write .jsonl")
    return part
