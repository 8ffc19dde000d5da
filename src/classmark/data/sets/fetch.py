"""Public corpora on this machine: download their files, unpack them, make dataset folders, and find these by name.

Datasets are in the folder that the environment variable `CLASSMARK_DATA` names, or else in the user's data folder; the
name of a dataset is that of its folder. Downloads wait in `.downloads/NAME` next to the dataset folders, so that an
interrupted `get` resumes, and are deleted once the dataset is made. A dataset folder appears complete or not at all.

A download goes to `NAME.part`, and what the server said of the file (its length, and its ETag or date) to
`NAME.part.json`. A later call asks for the rest with an HTTP range, and resumes only if the server answers with that
range (206) of a file of the same length and ETag; otherwise it starts again. A file that turns out wrong is deleted; a
file that had the name before stays until the right one replaces it. URLs are `http` and `https` only, redirections
included; proxies are taken from the environment.

Archives are checked before the first byte is written. Rejected are members that leave their folder (an absolute path,
`..`, a drive), links, devices, and archives that would grow past a bound, in bytes or in members. Only regular files
are written, as copies of their bytes: no owner, mode or date of the archive reaches the disk.
"""

import errno
import gzip
import hashlib
import os
import re
import shutil
import stat
import struct
import tarfile
import time
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from http.client import HTTPException, HTTPResponse
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple, cast
from urllib import request
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

import msgspec
from platformdirs import user_data_path

from classmark.data.formats.dataset import is_dataset
from classmark.data.formats.output import making
from classmark.data.sets.catalogue import CATALOGUE, source_of
from classmark.data.sets.source import GIGABYTE, RemoteFile, Source
from classmark.environment import DATA
from classmark.errors import InputError
from classmark.progress import tell, track

NAME = re.compile(r"\w[\w.+-]*")
DOWNLOADS = ".downloads"
NESTED = 2
"""How deep archives may be nested: those of a competition come as a zip of zips."""
CHUNK = 1 << 16
TIMEOUT = 30.0
"""Seconds to wait for a server."""
RETRIES, PAUSE = 4, 1.0
"""How often to try again after a broken connection; seconds before the first retry, doubled before each further one."""
AGENT = "classmark"
TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
"""Status codes for which a retry may help."""
NO_SUCH_RANGE = 416
CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")
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


@dataclass(frozen=True)
class Fetched:
    """Result of `get`."""

    folder: Path
    """The dataset folder."""
    is_new: bool
    """False if it existed already and nothing was done."""
    unverified: dict[str, str]
    """SHA-256 of each downloaded file without a published checksum."""


class DownloadError(OSError):
    """A URL that does not give the file; a retry is of no use."""


class BrokenError(Exception):
    """A broken connection. Not an `OSError`, so that it is never taken for a full disk."""


class Version(msgspec.Struct, frozen=True):
    """What distinguishes versions of a remote file: its length, and its ETag or else its date."""

    total: int | None = None
    tag: str | None = None


class Response(NamedTuple):
    """The bytes of a version of a file from a position on; -1 is an invalid position."""

    body: HTTPResponse
    start: int
    version: Version


class Member(NamedTuple):
    """One entry of an archive: `what` says what it is if it is neither a file nor a folder."""

    name: str
    size: int
    is_folder: bool
    what: str | None
    open: Callable[[], IO[bytes] | None]


def roots() -> list[Path]:
    """Return the folders that datasets are searched in, in this order; new ones go to the first."""
    given = os.environ.get(DATA)
    return [*([Path(given)] if given else []), user_data_path("classmark", appauthor=False) / "datasets"]


def installed() -> dict[str, Path]:
    """Give every dataset there is, by name; of two with one name, the one that is found first."""
    found: dict[str, Path] = {}
    for root in filter(Path.is_dir, roots()):
        for folder in sorted(root.iterdir()):
            if NAME.fullmatch(folder.name) and is_dataset(folder):
                found.setdefault(folder.name, folder)
    return found


def find(name: str) -> Path:
    """Give the folder of a dataset.

    Raises
    ------
    FileNotFoundError
        If there is none of that name: one line that lists what there is, and how to get this one.
    """
    there = installed()
    if name in there:
        return there[name]
    if name in CATALOGUE:
        raise FileNotFoundError(
            f"{name}: not here yet; classmark datasets get {name} gets it (there is: {_listed(there)})"
        )
    raise FileNotFoundError(
        f"{name}: no such dataset; there is: {_listed(there)}; to be had with classmark datasets get:"
        f" {_listed(CATALOGUE)}"
    )


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(names) or "none"


def resolve(data: str) -> str:
    """Give the folder of a dataset where the data is named like one and no such file or folder exists.

    Anything else comes back as it is. The name of a corpus in the catalogue that is not here yet is refused, with the
    command that gets it.

    >>> resolve("no/such/folder"), resolve("-")
    ('no/such/folder', '-')
    """
    if not NAME.fullmatch(data) or Path(data).exists():
        return data
    return str(find(data)) if data in CATALOGUE or data in installed() else data


def get(
    name: str,
    *,
    to: Path | None = None,
    given: Path | None = None,
    groups: Path | None = None,
    force: bool = False,
    base_url: str | None = None,
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

    Raises
    ------
    ValueError, FileNotFoundError
        If the request makes no sense, or the files are not what they should be.
    OSError
        If something cannot be downloaded or written.
    """
    source = source_of(name)
    if groups is not None:
        regroup = source.regroup
        if regroup is None:
            raise InputError(f"{source.name}: has a hierarchy of its own; give groups for reuters90 alone")
        if not groups.is_file():
            raise FileNotFoundError(f"{groups}: no such file; give one of parent<TAB>child lines")
        source = replace(source, prepare=lambda files, folder: regroup(files, folder, groups))
    target = (roots()[0] if to is None else to) / name
    existing = installed().get(name) if to is None else target if is_dataset(target) else None
    if existing is not None and not force:
        return Fetched(existing, is_new=False, unverified={})
    if target.exists() and not is_dataset(target):
        raise InputError(f"{target}: already there, and not a dataset; move it away, or choose another folder")
    if given is None and source.by_hand is not None:
        raise InputError(f"{source.name}: {source.by_hand}")
    target.parent.mkdir(parents=True, exist_ok=True)
    if given is not None:
        _make(source, _given_files(source, given), target)
        return Fetched(target, is_new=True, unverified={})
    waiting = target.parent / DOWNLOADS / source.name
    waiting.mkdir(parents=True, exist_ok=True)
    sums = {file.name: download(file, waiting / file.name, base_url=base_url) for file in source.files}
    _make(source, [waiting / name for name in sums], target)
    shutil.rmtree(waiting, ignore_errors=True)
    if not any(waiting.parent.iterdir()):
        waiting.parent.rmdir()
    unverified = {file.name: sums[file.name] for file in source.files if file.sha256 is None}
    return Fetched(target, is_new=True, unverified=unverified)


def _given_files(source: Source, folder: Path) -> list[Path]:
    """List the files in a folder of the user's, and warn of those that are not the published ones."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: there is no such folder; give the one that the files of the corpus are in")
    files = _files_below(folder)
    published = {file.name: file.sha256 for file in source.files}
    for path in files:
        known = published.get(path.name)
        if known is not None and (digest := checksum(path)) != known:
            warnings.warn(f"{path}: its SHA-256 is {digest}, the published one {known}; taken as it is", stacklevel=3)
    return files


def _files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _make(source: Source, files: Sequence[Path], target: Path) -> None:
    """Unpack and prepare, each in a separate folder, and give the dataset its name."""
    with TemporaryDirectory(prefix=f".{source.name}.", dir=target.parent) as work:
        unpacked = list(_unpacked(source, files, Path(work)))
        with making(target) as folder:
            source.prepare(unpacked, folder)


def _unpacked(source: Source, files: Iterable[Path], work: Path, depth: int = NESTED) -> Iterator[Path]:
    """Yield the files, and the content of those that are archives of the source."""
    patterns = (*source.archives, *(remote.name for remote in source.files))
    for number, file in enumerate(files):
        is_of_source = any(fnmatchcase(file.name, pattern) for pattern in patterns)
        if depth and is_of_source and is_archive(file):
            inside = work / str(number)
            work.mkdir(exist_ok=True)
            unpack(file, inside, most_bytes=source.most_bytes)
            yield from _unpacked(source, _files_below(inside), work / f"{number}.archives", depth - 1)
        else:
            yield file


def download(file: RemoteFile, target: Path, *, base_url: str | None = None) -> str:
    """Download a file, resuming from its part file if there is one, and return its SHA-256.

    Parameters
    ----------
    file : RemoteFile
        The URLs, which are tried in order, and the size and checksum to expect.
    target : Path
        Where to put it. An existing file with the right checksum, or size if none is known, is kept.
    base_url : str, optional
        The URL of a folder that has the file under its name, used instead of the file's own URLs.

    Raises
    ------
    OSError
        If no URL gives the right file: one line that says why. The part file stays, unless its content is wrong.
    """
    addresses = file.addresses(base_url)
    for address in addresses:
        check_address(address)
    if target.is_file() and (file.sha256 is not None or file.size == target.stat().st_size):
        digest = checksum(target)
        if file.sha256 in (None, digest):
            return digest
    failures = []
    for address in addresses:
        try:
            return _download_from(address, file, target)
        except DownloadError as error:
            failures.append(str(error))
    others = f" (and {len(failures) - 1} more address(es) failed)" if len(failures) > 1 else ""
    raise OSError(failures[0] + others)


def _download_from(address: str, file: RemoteFile, target: Path) -> str:
    """Download a file from one URL into its part file, retrying; check it, and rename it to the target."""
    part = target.with_name(f"{target.name}.part")
    for tries in range(RETRIES + 1):
        try:
            _transfer(address, file, part)
            break
        except BrokenError as error:
            broken = error
            if tries < RETRIES:
                time.sleep(PAUSE * 2**tries)
    else:
        raise DownloadError(f"{address}: {broken}, tried {RETRIES + 1} time(s); get it again to go on from here")
    digest, size = checksum(part), part.stat().st_size
    if file.sha256 not in (None, digest) or file.size not in (None, size):
        _discard(part)
        raise DownloadError(
            f"{address}: {_described(size, digest)} instead of {_described(file.size, file.sha256)};"
            " the file has changed or was damaged on the way"
        )
    part.replace(target)
    _discard(part)
    return digest


def _described(size: int | None, sha256: str | None) -> str:
    return " and ".join([f"{size} bytes"] * (size is not None) + [f"the SHA-256 {sha256}"] * (sha256 is not None))


def _transfer(address: str, file: RemoteFile, part: Path) -> None:
    """Request what the part file lacks and append it, reporting progress in bytes."""
    there, version = _read_part(part)
    if there and there == version.total:
        return
    response = _request_rest(address, there, version)
    total = response.version.total
    with closing(response.body):
        if file.size is not None and total not in (None, file.size):
            _discard(part)
            raise DownloadError(f"{address}: {total} bytes instead of {file.size}; the file has changed")
        _version_file(part).write_bytes(msgspec.json.encode(response.version))
        for done in _append(response, part):
            tell(file.name, done, file.size if total is None else total)
    if total not in (None, part.stat().st_size):
        # http.client does not tell a body that ends too soon from one that is complete.
        raise BrokenError(f"the connection ended after {part.stat().st_size} of {total} bytes")


def _append(response: Response, part: Path) -> Iterator[int]:
    """Append a response to the part file, and yield the length of this at the start and after each chunk."""
    done = response.start
    try:
        with part.open("ab" if response.start else "wb") as stream:
            yield done
            while chunk := read(response.body, CHUNK):
                stream.write(chunk)
                done += len(chunk)
                yield done
    except OSError as error:
        raise OSError(f"{part}: cannot be written ({error.strerror}); what is there is kept") from None


def _request_rest(address: str, there: int, version: Version) -> Response:
    """Request a file from a position on, and the whole file if the response does not continue that version."""
    rest = ask(address, there, version) if there else None
    if rest is not None and rest.start and (rest.start, rest.version) != (there, version):
        rest.body.close()
        rest = None
    if rest is not None:
        return rest
    whole = ask(address)
    if whole is None or whole.start != 0:
        raise DownloadError(f"{address}: the server does not give the whole file")
    return whole


def _version_file(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _read_part(part: Path) -> tuple[int, Version]:
    """Return the length of the part file and the version that it is of; 0 if it cannot be resumed."""
    try:
        version = msgspec.json.decode(_version_file(part).read_bytes(), type=Version)
        there = part.stat().st_size
    except (OSError, msgspec.DecodeError):
        return 0, Version()
    return (there, version) if version.total is not None and there <= version.total else (0, Version())


def _discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    _version_file(part).unlink(missing_ok=True)


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_address(address: str) -> None:
    """Raise InputError if a text is not a URL of the web.

    >>> check_address("file:///etc/passwd")
    Traceback (most recent call last):
    classmark.errors.InputError: file:///etc/passwd: not a web address; write it as https://host/folder, spaces as %20
    """
    try:
        parts = urlsplit(address)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_web = False
    if not is_web or not address.isascii() or not address.isprintable() or " " in address:
        raise InputError(f"{address}: not a web address; write it as https://host/folder, spaces as %20")


def ask(address: str, there: int = 0, version: Version | None = None) -> Response | None:
    """Request a file from a position on; return None if the file has no such position.

    The version is sent along, so that a server that knows `If-Range` sends the whole file if it has changed.
    """
    headers = {"User-Agent": AGENT, "Accept-Encoding": "identity"}
    if there:
        headers["Range"] = f"bytes={there}-"
    # A weak tag (W/"…") promises no identical bytes, and may not be sent.
    if version is not None and version.tag is not None and version.tag.startswith('"'):
        headers["If-Range"] = version.tag
    try:
        body = cast("HTTPResponse", _opener().open(request.Request(address, headers=headers), timeout=TIMEOUT))
    except HTTPError as error:
        error.close()
        if error.code == NO_SUCH_RANGE:
            return None
        answer = f"the server answers {error.code} {error.reason}"
        if error.code in TRANSIENT:
            raise BrokenError(answer) from None
        raise DownloadError(f"{address}: {answer}; it may have moved") from None
    except URLError as error:
        raise DownloadError(f"{address}: cannot be reached ({_reason(error.reason)}); check the connection") from None
    except (OSError, HTTPException) as error:
        raise BrokenError(f"no answer ({_reason(error)})") from None
    tag = body.headers.get("ETag") or body.headers.get("Last-Modified")
    if body.status != 206:
        length = body.headers.get("Content-Length", "")
        return Response(body, 0, Version(int(length) if length.isdecimal() else None, tag))
    span = CONTENT_RANGE.fullmatch(body.headers.get("Content-Range", "").strip())
    return Response(body, int(span[1]), Version(int(span[2]), tag)) if span else Response(body, -1, Version())


def read(body: HTTPResponse, size: int) -> bytes:
    """Read up to `size` bytes."""
    try:
        return body.read(size)
    except (OSError, HTTPException) as error:
        raise BrokenError(f"the connection broke ({_reason(error)})") from None


def _reason(error: object) -> str:
    """Return the text of an error without its number, or its type if it has no text."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _opener() -> request.OpenerDirector:
    """Return an opener for the web alone; the default one of urllib follows redirections to ftp, too."""
    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(),
        request.HTTPHandler(),
        request.HTTPSHandler(),
        request.HTTPRedirectHandler(),
        request.HTTPDefaultErrorHandler(),
        request.HTTPErrorProcessor(),
        request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


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
    """Unpack a tar or zip into a new folder, completely or not at all.

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
    members_in = _members_in_zip if zipfile.is_zipfile(archive) else _members_in_tar
    try:
        with members_in(archive) as members:
            checked = list(_checked(members, archive, most_bytes, most_members))
            with making(target) as folder:
                for member in track(checked, f"unpacking {archive.name}", len(checked)):
                    _write(member, folder.joinpath(*PurePosixPath(member.name).parts))
    except (*DAMAGE, OSError) as error:
        # A damaged zip sends Python to a position before its beginning, which is an invalid argument.
        if not isinstance(error, DAMAGE) and error.errno != errno.EINVAL:
            raise
        raise InputError(f"{archive}: not a tar or zip archive, or a damaged one ({error}); get it again") from None


def _checked(members: Iterable[Member], archive: Path, most_bytes: int, most_members: int) -> Iterator[Member]:
    """Yield the members, and raise InputError at the first that is unsafe or too much."""
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
    """Describe what is wrong with a member, or return None."""
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
def _members_in_tar(path: Path) -> Iterator[Iterator[Member]]:
    def what(info: tarfile.TarInfo) -> str | None:
        kinds = {"a symbolic link": info.issym(), "a hard link": info.islnk(), "a device": info.isdev()}
        known = info.isreg() or info.isdir()
        return next((name for name, is_so in kinds.items() if is_so), None if known else "of an unknown kind")

    with _tar(path) as archive:
        yield (
            Member(info.name, info.size, info.isdir(), what(info), partial(archive.extractfile, info))
            for info in archive
        )


@contextmanager
def _members_in_zip(path: Path) -> Iterator[Iterator[Member]]:
    def what(info: zipfile.ZipInfo) -> str | None:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if info.flag_bits & ENCRYPTED:
            return "encrypted"
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            return "a symbolic link" if stat.S_ISLNK(kind) else "a device"
        usual = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        return None if usual else "compressed in an unusual way"

    with zipfile.ZipFile(path) as archive:
        yield (
            Member(info.filename, info.file_size, info.is_dir(), what(info), partial(archive.open, info))
            for info in archive.infolist()
        )
