"""Get a corpus: download its files, unpack them, and make a dataset folder of them, whole or not at all.

Downloads wait in `.downloads/NAME` beside the dataset folders, so that an interrupted `get` goes on where it was; once
the dataset is there, they go. Files in a folder of the user's own are only read.
"""

import shutil
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory

from classmark.data.folders import making
from classmark.data.formats.dataset import is_dataset
from classmark.data.sets.catalogue import source_of
from classmark.data.sets.download import Patience, checksum, download
from classmark.data.sets.source import Source
from classmark.data.sets.store import installed, roots
from classmark.data.sets.unpack import is_archive, unpack
from classmark.errors import InputError

DOWNLOADS = ".downloads"
NESTED = 2
"""How deep archives may lie in archives: those of a competition come as a zip of zips."""


@dataclass(frozen=True)
class Fetched:
    """What `get` did."""

    folder: Path
    """The dataset folder."""
    is_new: bool
    """False where it was there already, and nothing was done."""
    unverified: dict[str, str]
    """Of the files without a published checksum, the SHA-256 that they turned out to have."""


def get(
    name: str,
    *,
    to: Path | None = None,
    given: Path | None = None,
    groups: Path | None = None,
    force: bool = False,
    base_url: str | None = None,
    patience: Patience | None = None,
) -> Fetched:
    """Get a corpus of the catalogue.

    Parameters
    ----------
    name : str
        Its name in the catalogue.
    to : Path, optional
        The folder to make the dataset folder in; by default the first that datasets are looked for in.
    given : Path, optional
        A folder with the corpus's files, downloaded by hand, unpacked or not; nothing is downloaded then.
    groups : Path, optional
        A file of `parent<TAB>child` lines that puts the categories below groups, for a corpus whose hierarchy may be
        given.
    force : bool
        Make the dataset anew where it is there already.
    base_url : str, optional
        The address of a folder that has the files under their names, to use instead of their own addresses.
    patience : Patience, optional
        How long to wait for a server and how often to try.

    Raises
    ------
    ValueError, FileNotFoundError
        If the request makes no sense, or the files are not what they should be.
    OSError
        If something cannot be downloaded or written.
    """
    source = _grouped(source_of(name), groups)
    root = roots()[0] if to is None else to
    here = _there_already(name, to)
    if here is not None and not force:
        return Fetched(here, is_new=False, unverified={})
    target = root / name
    _check_can_be_made(source, target, given)
    root.mkdir(parents=True, exist_ok=True)
    if given is None:
        return _download_and_make(source, target, base_url, patience)
    _make(source, _given_files(source, given), target)
    return Fetched(target, is_new=True, unverified={})


def _check_can_be_made(source: Source, target: Path, given: Path | None) -> None:
    """Refuse to replace what is no dataset, and to download what only its user can."""
    if target.exists() and not is_dataset(target):
        raise InputError(f"{target}: already there, and not a dataset; move it away, or choose another folder")
    if given is None and source.by_hand is not None:
        raise InputError(f"{source.name}: {source.by_hand}")


def _grouped(source: Source, groups: Path | None) -> Source:
    """Give the source that makes the dataset with the groups of a file."""
    if groups is None:
        return source
    if source.regroup is None:
        raise InputError(f"{source.name}: has a hierarchy of its own; give groups for reuters90 alone")
    if not groups.is_file():
        raise FileNotFoundError(f"{groups}: no such file; give one of parent<TAB>child lines")
    regroup = source.regroup
    return replace(source, prepare=lambda files, folder: regroup(files, folder, groups))


def _there_already(name: str, to: Path | None) -> Path | None:
    """Give the folder of the dataset in a folder, or else anywhere, if there is one."""
    if to is None:
        return installed().get(name)
    return to / name if is_dataset(to / name) else None


def _download_and_make(source: Source, target: Path, base_url: str | None, patience: Patience | None) -> Fetched:
    waiting = target.parent / DOWNLOADS / source.name
    waiting.mkdir(parents=True, exist_ok=True)
    sums = {
        file.name: download(file, waiting / file.name, base_url=base_url, patience=patience) for file in source.files
    }
    _make(source, [waiting / name for name in sums], target)
    shutil.rmtree(waiting, ignore_errors=True)
    if not any(waiting.parent.iterdir()):
        waiting.parent.rmdir()
    return Fetched(target, True, {file.name: sums[file.name] for file in source.files if file.sha256 is None})


def _given_files(source: Source, folder: Path) -> list[Path]:
    """List the files in a folder of the user's, and warn of those that are not the published ones."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: there is no such folder; give the one that the files of the corpus are in")
    files = _files_below(folder)
    published = {file.name: file.sha256 for file in source.files}
    for path in files:
        _warn_if_other(path, published.get(path.name))
    return files


def _warn_if_other(path: Path, published: str | None) -> None:
    """Warn of a file that is not the published one, where it is known which that is."""
    if published is not None and (found := checksum(path)) != published:
        warnings.warn(f"{path}: its SHA-256 is {found}, the published one {published}; taken as it is", stacklevel=4)


def _files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _make(source: Source, files: Sequence[Path], target: Path) -> None:
    """Unpack and prepare, each in a folder of its own, and give the dataset its name."""
    with TemporaryDirectory(prefix=f".{source.name}.", dir=target.parent) as work:
        unpacked = list(_unpacked(source, files, Path(work)))
        with making(target) as folder:
            source.prepare(unpacked, folder)


def _unpacked(source: Source, files: Iterable[Path], work: Path, depth: int = NESTED) -> Iterator[Path]:
    """Give the files, and instead of the source's archives what is in them."""
    for number, file in enumerate(files):
        if depth and _is_of(source, file) and is_archive(file):
            inside = work / str(number)
            work.mkdir(exist_ok=True)
            unpack(file, inside, most_bytes=source.most_bytes)
            yield from _unpacked(source, _files_below(inside), work / f"{number}.archives", depth - 1)
        else:
            yield file


def _is_of(source: Source, file: Path) -> bool:
    """Say whether a file is called like one that the source names."""
    patterns = (*source.archives, *(remote.name for remote in source.files))
    return any(fnmatchcase(file.name, pattern) for pattern in patterns)
