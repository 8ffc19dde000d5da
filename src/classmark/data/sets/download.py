"""Get a file from the web: streamed, resumed after a break, checked, and given its name only when it is right.

The bytes go to `NAME.part`, and what the server said of the file (its length, and its ETag or date) to
`NAME.part.json`. A later call asks for the rest alone, with an HTTP range; it goes on only if the server answers with
that range (206) of a file of the same length and ETag, and otherwise starts again. A file that turns out wrong loses
its part file; a file that was there before, under the name itself, stays until the right one replaces it.
"""

import hashlib
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec

from classmark.data.sets.source import RemoteFile
from classmark.data.sets.web import Answer, BrokenError, RefusedError, Version, ask, check_address, read
from classmark.progress import tell

CHUNK = 1 << 16


class Patience(msgspec.Struct, frozen=True):
    """How many seconds to wait for a server, and how often and after what pause to try again after a break."""

    timeout: float = 30.0
    retries: int = 4
    pause: float = 1.0


def download(file: RemoteFile, target: Path, *, base_url: str | None = None, patience: Patience | None = None) -> str:
    """Get a file, going on from its part file if there is one, and give its SHA-256.

    Parameters
    ----------
    file : RemoteFile
        The addresses, which are tried in turn, and the size and checksum to expect.
    target : Path
        Where to put it. A file there with the right checksum, or size where none is known, is not asked for again.
    base_url : str, optional
        The address of a folder that has the file under its name, to use instead of the file's own addresses.
    patience : Patience, optional
        How long to wait and how often to try.

    Raises
    ------
    OSError
        If no address gives the right file: one line that says why. The part file stays, unless its content is wrong.
    """
    addresses = file.addresses(base_url)
    for address in addresses:
        check_address(address)
    here = _checksum_if_right(file, target)
    return _download_from_any(addresses, file, target, patience or Patience()) if here is None else here


def checksum(path: Path) -> str:
    """Give the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _checksum_if_right(file: RemoteFile, target: Path) -> str | None:
    if not target.is_file() or (file.sha256 is None and file.size != target.stat().st_size):
        return None
    found = checksum(target)
    return found if file.sha256 in (None, found) else None


def _download_from_any(addresses: Iterable[str], file: RemoteFile, target: Path, patience: Patience) -> str:
    """Get the file from the first address that gives it."""
    failures = []
    for address in addresses:
        try:
            return _download_from(address, file, target, patience)
        except RefusedError as error:
            failures.append(str(error))
    others = f" (and {len(failures) - 1} more address(es) failed)" if len(failures) > 1 else ""
    raise OSError(failures[0] + others)


def _download_from(address: str, file: RemoteFile, target: Path, patience: Patience) -> str:
    """Get the whole file from one address into its part file, check it, and give it its name."""
    part = target.with_name(f"{target.name}.part")
    _transfer(address, file, part, patience)
    found, size = checksum(part), part.stat().st_size
    if file.sha256 not in (None, found) or file.size not in (None, size):
        _discard(part)
        raise RefusedError(
            f"{address}: {_measures(size, found)} instead of {_measures(file.size, file.sha256)};"
            " the file has changed or was damaged on the way"
        )
    part.replace(target)
    _discard(part)
    return found


def _measures(size: int | None, sha256: str | None) -> str:
    return " and ".join([f"{size} bytes"] * (size is not None) + [f"the SHA-256 {sha256}"] * (sha256 is not None))


def _transfer(address: str, file: RemoteFile, part: Path, patience: Patience) -> None:
    """Fill the part file, and try again after breaks."""
    for tries in range(1, patience.retries + 2):
        try:
            _attempt(address, file, part, patience.timeout)
            return
        except BrokenError as error:
            broken = error
            if tries <= patience.retries:
                time.sleep(patience.pause * 2 ** (tries - 1))
    raise RefusedError(f"{address}: {broken}, tried {patience.retries + 1} time(s); get it again to go on from here")


def _attempt(address: str, file: RemoteFile, part: Path, timeout: float) -> None:
    """Ask for what is missing and put it into the part file, telling how many bytes are there."""
    there, version = _remembered(part)
    if there and there == version.total:
        return
    answer = _ask_for_rest(address, timeout, there, version)
    with closing(answer.body):
        _check_total(answer.version.total, address, file, part)
        _take_up(answer, file, part)


def _check_total(total: int | None, address: str, file: RemoteFile, part: Path) -> None:
    """Refuse a file of another length before it is there."""
    if file.size is not None and total not in (None, file.size):
        _discard(part)
        raise RefusedError(f"{address}: {total} bytes instead of {file.size}; the file has changed")


def _take_up(answer: Answer, file: RemoteFile, part: Path) -> None:
    """Put an answer into the part file, which must then be whole."""
    total = answer.version.total
    _memory(part).write_bytes(msgspec.json.encode(answer.version))
    for done in _write(answer, part):
        tell(file.name, done, file.size if total is None else total)
    if total not in (None, part.stat().st_size):
        # http.client does not tell a body that ends too soon from one that is complete.
        raise BrokenError(f"the connection ended after {part.stat().st_size} of {total} bytes")


def _ask_for_rest(address: str, timeout: float, there: int, version: Version) -> Answer:
    """Ask for the rest, and where it is not the rest of the file that is here, for the whole."""
    rest = _rest(address, timeout, there, version) if there else None
    if rest is not None:
        return rest
    whole = ask(address, timeout)
    if whole is None or whole.start != 0:
        raise RefusedError(f"{address}: the server does not give the whole file")
    return whole


def _rest(address: str, timeout: float, there: int, version: Version) -> Answer | None:
    """Ask for the rest; an answer that neither goes on from here nor starts again is none."""
    answer = ask(address, timeout, there, version)
    if answer is None or answer.start == 0 or (answer.start, answer.version) == (there, version):
        return answer
    answer.body.close()
    return None


def _write(answer: Answer, part: Path) -> Iterator[int]:
    """Put an answer into the part file, and give its length at the start and after each chunk."""
    done = answer.start
    try:
        with part.open("ab" if answer.start else "wb") as stream:
            yield done
            while chunk := read(answer.body, CHUNK):
                stream.write(chunk)
                done += len(chunk)
                yield done
    except OSError as error:
        raise OSError(f"{part}: cannot be written ({error.strerror}); what is there is kept") from None


def _memory(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _remembered(part: Path) -> tuple[int, Version]:
    """Give how much of which version is here; nothing that can be gone on with where that is not known."""
    try:
        version = msgspec.json.decode(_memory(part).read_bytes(), type=Version)
        there = part.stat().st_size
    except (OSError, msgspec.DecodeError):
        return 0, Version()
    usable = version.total is not None and there <= version.total
    return (there, version) if usable else (0, Version())


def _discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    _memory(part).unlink(missing_ok=True)
