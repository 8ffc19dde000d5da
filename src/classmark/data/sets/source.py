"""What the catalogue knows of a corpus: where its files are, what they weigh, and how they become a dataset."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

import msgspec

from classmark.data.formats.dataset import write_categories
from classmark.data.formats.json import FEATURES
from classmark.data.formats.output import writing
from classmark.data.formats.records import Record
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText
from classmark.progress import track

Prepare: TypeAlias = Callable[[Sequence[Path], Path], None]
"""Turn the files of a corpus, archives unpacked, into `docs.jsonl.gz` and `hierarchy.tsv` in a folder."""
Regroup: TypeAlias = Callable[[Sequence[Path], Path, Path], None]
"""The same with a file that puts the categories below groups."""

GIGABYTE = 10**9


@dataclass(frozen=True)
class RemoteFile:
    """A file on the web.

    Parameters
    ----------
    url : str
        Its address.
    size : int, optional
        Its length in bytes, if it is known.
    sha256 : str, optional
        Its published checksum, in hexadecimal; `None` where nobody trustworthy has published one.
    name : str
        What to call it here; by default the last part of the address.
    mirrors : tuple of str
        Addresses of the very same file, tried in turn where the first fails. Only for files with a checksum.

    Examples
    --------
    >>> RemoteFile("https://example.org/pub/owls%20and%20gulls.zip?download=1").name
    'owls and gulls.zip'
    """

    url: str
    size: int | None = None
    sha256: str | None = None
    name: str = ""
    mirrors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        name = self.name or Path(unquote(urlsplit(self.url).path)).name
        if not name:
            raise InputError(f"{self.url}: the address ends in no file name; give the file a name")
        if self.mirrors and self.sha256 is None:
            raise InputError(f"{self.url}: without a checksum nobody can tell whether a mirror has the same file")
        object.__setattr__(self, "name", name)

    def addresses(self, base_url: str | None = None) -> tuple[str, ...]:
        """Give the addresses to try: the file's own, or the one it has in a folder of somebody's choice.

        >>> RemoteFile("https://example.org/pub/owls.zip").addresses("http://127.0.0.1:8000/copies/")
        ('http://127.0.0.1:8000/copies/owls.zip',)
        """
        return (self.url, *self.mirrors) if base_url is None else (f"{base_url.rstrip('/')}/{self.name}",)


@dataclass(frozen=True)
class Source:
    """A corpus that can be got.

    Parameters
    ----------
    name : str
        What commands and the dataset folder are called by.
    title : str
        The corpus in a line.
    files : tuple of RemoteFile
        What to download.
    terms : str
        Under which terms it may be used.
    prepare : callable
        Makes the dataset folder of the files.
    notes : str
        What to know before using it: splits, labels, hierarchy.
    regroup : callable, optional
        For a corpus whose hierarchy its user may give: makes the dataset folder of the files and that of the groups.
    documents : int, optional
        How many there are.
    by_hand : str, optional
        For a corpus that only its user can download: what to get where, in a line.
    archives : tuple of str
        Patterns of the names that archives in a folder of the user's have, besides those of `files`.
    most_bytes : int
        What the files may unpack to at most; a larger archive is refused.
    """

    name: str
    title: str
    files: tuple[RemoteFile, ...]
    terms: str
    prepare: Prepare
    notes: str
    regroup: Regroup | None = None
    documents: int | None = None
    by_hand: str | None = None
    archives: tuple[str, ...] = ()
    most_bytes: int = 20 * GIGABYTE

    @property
    def size(self) -> int | None:
        """The bytes to download, if they are known and there are any."""
        known = [file.size for file in self.files if file.size is not None]
        return sum(known) if known else None


def pick(files: Iterable[Path], *patterns: str) -> list[Path]:
    """Give the files with a name like one of the patterns, sorted by name; that there is none is an error.

    Of files with the same name only the last counts: an archive may lie beside what was unpacked from it.

    >>> [file.as_posix() for file in pick([Path("b/one.sgm"), Path("a/one.sgm"), Path("a/readme")], "*.sgm")]
    ['a/one.sgm']
    """
    found = {file.name: file for file in files if any(fnmatchcase(file.name, pattern) for pattern in patterns)}
    if not found:
        raise InputError(f"there is no file called {' or '.join(patterns)}; get all files of the corpus")
    return [found[name] for name in sorted(found)]


def write_records(
    folder: Path,
    records: Iterable[Record],
    hierarchy: Hierarchy | None = None,
    nodes: Mapping[str, NodeText] | None = None,
    total: int | None = None,
) -> None:
    """Write documents, hierarchy and the names of categories into a folder; the same input gives the same bytes.

    Parameters
    ----------
    folder : Path
        A folder that exists.
    records : iterable of Record
        The documents, each with an id.
    hierarchy : Hierarchy, optional
        The categories.
    nodes : mapping of str to NodeText, optional
        What people call the categories.
    total : int, optional
        How many documents to expect, for the progress bar.
    """
    write_categories(folder, hierarchy, nodes)
    encoder = msgspec.json.Encoder()
    with writing(folder / "docs.jsonl.gz") as file:
        for record in track(_distinct(records), "documents", total):
            content = "text" if isinstance(record.document, str) else FEATURES
            line = {"id": record.id, content: record.document, "labels": record.labels, "split": record.split}
            file.write(encoder.encode(line) + b"\n")


def _distinct(records: Iterable[Record]) -> Iterator[Record]:
    """Pass documents on, refusing an id that comes again: some file lies there twice."""
    seen: set[str | None] = set()
    for record in records:
        if record.id in seen:
            where = f"{record.file}:{record.line}: " if record.file else ""
            raise InputError(f"{where}the id {record.id!r} comes a second time; take away what lies there twice")
        seen.add(record.id)
        yield record
