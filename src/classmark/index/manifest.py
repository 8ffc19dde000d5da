"""The manifest of a live index: the one file that says which others count, replaced whole.

A writer puts new files beside the old ones and then replaces the manifest; only after that are files deleted that no
manifest names. So at every moment the folder holds one whole index, that before the write or that after it.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any

import msgspec

from classmark.errors import InputError
from classmark.index.scoring import checked_measure
from classmark.persistence import INDEX as NAME
from classmark.persistence import SHOWN, flush_to_disk, is_temporary, lock, replacing
from classmark.text import TextSettings

FORMAT = 1
LOCK = "index.lock"
ENDING = ".segment"
DELETED = ".deleted"
CATEGORIES = ".categories"
FILE = re.compile(r"[0-9]{8,16}(-[0-9]{1,9})?\.(segment|deleted|categories)")
OPTIONAL = ("unfinished", "categories", "decision")
"""What is not written down where it is not there."""
Number = Annotated[int, msgspec.Meta(ge=0, le=2**50)]


class Unfinished(msgspec.Struct, frozen=True):
    """How far an addition of many documents is: how many of them are in, and a mark of these."""

    documents: Number
    mark: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What an index consists of: its format, how it scores and reads text, and the names of its files in order.

    `checksums` are those of the files. The file of the manifest has a `checksum` of the other fields besides.
    `numbered` is the last number that was given to a document as its id. `unfinished` is there while documents are
    being added in several writes, and stays where that was stopped. `categories` is the file of the hierarchy and
    `decision` how votes become labels, where the index was given them.
    """

    format: int = FORMAT
    scoring: str = "okapi"
    k1: float = 1.2
    b: float = 0.75
    idf: str = "lucene"
    text: TextSettings = TextSettings()
    writes: Number = 0
    segments: tuple[str, ...] = ()
    deleted: str | None = None
    checksums: dict[str, str] = {}
    numbered: Number = 0
    unfinished: Unfinished | None = None
    categories: str | None = None
    decision: str | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The names of all files that count."""
        return (*self.segments, *(name for name in (self.deleted, self.categories) if name is not None))


def read_manifest(folder: Path) -> Manifest:
    """Read and check the manifest of a folder."""
    path = folder / NAME
    if not path.is_file():
        raise FileNotFoundError(f"{folder}: no index ({NAME} is missing); make one with classmark index create")
    data = path.read_bytes()
    try:
        found = msgspec.json.decode(data, type=dict[str, Any])
        if (form := found.get("format")) != FORMAT:
            raise InputError(f"{path}: index format {form!r}, this version of classmark reads {FORMAT}; build it again")
        if found.pop("checksum", None) != checksum_of(found):
            raise InputError(f"{path}: the checksum does not fit, the manifest is damaged; build the index again")
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the manifest is damaged ({error}); build the index again") from None
    try:
        _check(manifest)
    except ValueError as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}; build the index again") from None
    return manifest


def _check(manifest: Manifest) -> None:
    """Refuse what no index has, whoever wrote it."""
    for name, times in Counter(manifest.files).items():
        if not FILE.fullmatch(name):
            raise InputError(f"the manifest names {name[:SHOWN]!r}, which is no file of an index")
        if times > 1:
            raise InputError(f"the manifest names {name!r} {times} times")
    if set(manifest.checksums) != set(manifest.files):
        raise InputError("the checksums of the manifest are not those of its files")
    checked_measure(manifest.scoring, manifest.k1, manifest.b, manifest.idf)
    manifest.text.check()
    manifest.text.analyser().check()


def checksum_of(fields: dict[str, Any]) -> str:
    """Hash what the manifest says, however it is written down."""
    return blake2b(msgspec.json.encode(fields, order="sorted"), digest_size=16).hexdigest()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest, then remove the files that it does not name."""
    fields = msgspec.to_builtins(manifest)
    for name in OPTIONAL:
        if fields[name] is None:
            del fields[name]
    fields["checksum"] = checksum_of(fields)
    with replacing(folder / NAME) as temporary:
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(fields), indent=1) + b"\n")
    flush_to_disk(folder)
    for path in folder.iterdir():
        if path.name.endswith((ENDING, DELETED, CATEGORIES)) and path.name not in manifest.files:
            path.unlink(missing_ok=True)


def is_new(folder: Path) -> bool:
    """Say whether a folder has nothing in it but what a killed process may have left that was making an index."""
    return all(path.name == LOCK or is_temporary(path) for path in folder.iterdir())


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other writers out; a lock ends with its process, however that ends."""
    with (folder / LOCK).open("wb") as file:
        if lock(file) is False:
            raise BlockingIOError(f"{folder}: another process is writing to this index; try again when it is done")
        yield
