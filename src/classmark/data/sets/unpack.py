"""Unpack archives that nobody has looked into: everything in them is checked before the first byte is written.

Refused by name: a member that leaves its folder (an absolute path, `..`, a drive), a link (no corpus needs one), a
device, and an archive that would grow past a bound, in bytes or in members. Only regular files are written, as copies
of their bytes: no owner, mode or date of the archive reaches the disk.
"""

import errno
import gzip
import re
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple, TypeAlias, cast

from classmark.data.folders import making
from classmark.data.sets.source import GIGABYTE
from classmark.errors import InputError
from classmark.progress import track

MOST_BYTES = 20 * GIGABYTE
MOST_MEMBERS = 1_000_000
LARGEST_READ = 1 << 20
GZIP = b"\x1f\x8b"
ENCRYPTED = 1
DAMAGE = (
    *(tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error),
    *(EOFError, NotImplementedError, UnicodeDecodeError, struct.error),
)
"""What Python raises over damaged archives."""
DRIVE = re.compile(r"[A-Za-z]:")


class Member(NamedTuple):
    """One entry of an archive: `what` says what it is if it is neither a file nor a folder."""

    name: str
    size: int
    is_folder: bool
    what: str | None
    open: Callable[[], IO[bytes] | None]


Members: TypeAlias = Iterator[Member]


def is_archive(path: Path) -> bool:
    """Say whether a file is a tar (compressed by gzip or not) or a zip, by its content."""
    if zipfile.is_zipfile(path):
        return True
    try:
        with _tar(path) as archive:
            return archive.next() is not None
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError):
        return False


def unpack(archive: Path, target: Path, *, most_bytes: int = MOST_BYTES, most_members: int = MOST_MEMBERS) -> None:
    """Unpack a tar or zip into a new folder, whole or not at all.

    Parameters
    ----------
    archive : Path
        A `.tar`, `.tar.gz` or `.zip`, by its content.
    target : Path
        The folder to make.
    most_bytes, most_members : int
        What the archive may hold at most.

    Raises
    ------
    ValueError
        If a member is not safe or there is too much, before anything is written; if the archive is damaged.
    """
    if target.exists():
        raise FileExistsError(f"{target}: already there; move it away first")
    with _opened(archive) as members:
        checked = list(check(members, archive, most_bytes, most_members))
        with making(target) as folder:
            for member in track(checked, f"unpacking {archive.name}", len(checked)):
                _write(member, folder.joinpath(*PurePosixPath(member.name).parts))


def check(members: Iterable[Member], archive: Path, most_bytes: int, most_members: int) -> Members:
    """Pass members on, refusing the first that is not safe or too much."""
    total = 0
    for count, member in enumerate(members, 1):
        # As each comes: to look at the next one, a compressed archive must be read past this one's bytes.
        total += member.size
        if problem := _problem(member):
            raise InputError(f"{archive}: the member {member.name!r} {problem}; the archive is not to be trusted")
        for amount, most, what in ((total, most_bytes, "bytes"), (count, most_members, "members")):
            if amount > most:
                much = f"{most:,} {what}"
                raise InputError(f"{archive}: with the member {member.name!r} it holds more than {much}; not unpacked")
        yield member


def _problem(member: Member) -> str | None:
    """Say what is wrong with a member, if anything is."""
    parts = re.split(r"[/\\]", member.name)
    if not parts[0] or DRIVE.match(member.name):
        return "has an absolute path"
    if ".." in parts:
        return "leaves its folder"
    if member.size < 0:
        return "has a negative size"
    return f"is {member.what}" if member.what else None


def _write(member: Member, path: Path) -> None:
    if member.is_folder:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    source = member.open()
    if source is not None:
        with source, path.open("xb") as copy:
            shutil.copyfileobj(source, copy)


@contextmanager
def _opened(archive: Path) -> Iterator[Members]:
    """Open an archive of either kind; what is wrong with it is told in one line."""
    members_in = _members_in_zip if zipfile.is_zipfile(archive) else _members_in_tar
    try:
        with members_in(archive) as members:
            yield members
    except (*DAMAGE, OSError) as error:
        # A damaged zip sends Python to a position before its beginning, which is an invalid argument.
        if not isinstance(error, DAMAGE) and error.errno != errno.EINVAL:
            raise
        raise InputError(f"{archive}: not a tar or zip archive, or a damaged one ({error}); get it again") from None


class _Bounded:
    """A stream that is read in small pieces only: tarfile takes in long names whole, whatever length they claim."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.seek, self.tell = stream.seek, stream.tell

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= LARGEST_READ:
            raise tarfile.ReadError(f"a header of {size:,} bytes")
        return self._stream.read(size)


@contextmanager
def _tar(path: Path) -> Iterator[tarfile.TarFile]:
    with path.open("rb") as plain:
        magic = plain.read(len(GZIP))
    with gzip.open(path) if magic == GZIP else path.open("rb") as stream:
        bounded = cast("IO[bytes]", _Bounded(cast("IO[bytes]", stream)))
        with tarfile.open(fileobj=bounded, mode="r:") as archive:
            yield archive


@contextmanager
def _members_in_tar(path: Path) -> Iterator[Members]:
    with _tar(path) as archive:
        yield (
            Member(info.name, info.size, info.isdir(), _oddity_in_tar(info), partial(archive.extractfile, info))
            for info in archive
        )


def _oddity_in_tar(info: tarfile.TarInfo) -> str | None:
    """Say what a member is if it is neither a file nor a folder, or what Python's own filter has against it."""
    for is_so, what in ((info.issym(), "a symbolic link"), (info.islnk(), "a hard link"), (info.isdev(), "a device")):
        if is_so:
            return what
    return _refusal(info) if info.isreg() or info.isdir() else "of an unknown kind"


def _refusal(info: tarfile.TarInfo) -> str | None:
    """Ask Python's own filter: a second opinion, on which the checks here do not rest."""
    # Older versions of Python 3.11 have none.
    data_filter = getattr(tarfile, "data_filter", None)
    try:
        if data_filter is not None:
            data_filter(info, str(Path.cwd()))
    except tarfile.TarError as error:
        return f"refused by Python ({error})"
    return None


@contextmanager
def _members_in_zip(path: Path) -> Iterator[Members]:
    with zipfile.ZipFile(path) as archive:
        yield (
            Member(info.filename, info.file_size, info.is_dir(), _oddity_in_zip(info), partial(archive.open, info))
            for info in archive.infolist()
        )


def _oddity_in_zip(info: zipfile.ZipInfo) -> str | None:
    """Say what a member is if it is not a plain file or folder, packed as usual."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if info.flag_bits & ENCRYPTED:
        return "encrypted"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "a symbolic link" if stat.S_ISLNK(kind) else "a device"
    usual = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    return None if usual else "compressed in an unusual way"
