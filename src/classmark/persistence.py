"""Arrays and metadata to and from one file; knows no class.

A model file is a safetensors file. A *state* is plain data, dicts, lists, strings, numbers and numpy arrays, nested at
will (a tuple comes back as a list); its arrays become tensors, and the rest becomes one JSON string in the header: the
format version first, then a checksum over everything. Loading executes nothing, and a file that is damaged, foreign or
newer is refused in a line. A large file is mapped into memory and not read: what is mapped can be put out of memory
again, and processes that have the same file open share it. The mapping is private and copied on writing, so nothing
can change the file by it.

Temporary files are beside the files that they become. The process that writes one holds a lock on it, and a lock ends
with its process. So the next writer in the folder removes the files whose lock it gets. If the system has no such
locks, nothing is removed.
"""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, TypeAlias
from zlib import crc32

import msgspec
import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from classmark.errors import InputError

ENDING = ".classmark.tmp"
SHOWN = 40
"""So many characters of the file's name are in that of the temporary one, for the system limits its length."""


def is_temporary(path: Path) -> bool:
    """Say by its name whether a file is a temporary one."""
    return path.name.endswith(ENDING)


@contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """Make an empty file beside the target, held while it is in use; it is removed at the end if it is still there."""
    remove_left_behind(target.parent)
    path, file = _held(target)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        file.close()


def _held(target: Path) -> tuple[Path, IO[bytes]]:
    """Make a new file and lock it, again if another process took it for one left behind between the two."""
    while True:
        path = target.with_name(f".{target.name[:SHOWN]}.{token_hex(4)}{ENDING}")
        file = path.open("xb")
        if not lock(file, wait=True):
            file.close()  # a system without such locks may not let an open file be renamed
            return path, file
        if os.fstat(file.fileno()).st_nlink:
            return path, file
        file.close()


def remove_left_behind(folder: Path) -> None:
    """Remove the temporary files in a folder that nobody writes any more."""
    for path in folder.glob(f".*.{'[0-9a-f]' * 8}{ENDING}"):
        with suppress(OSError):  # gone by now, or another user's
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    if lock(file):
                        path.unlink()


def lock(file: IO[bytes] | int, *, wait: bool = False, shared: bool = False) -> bool | None:
    """Lock an open file until its process ends or closes it.

    Return whether the lock is held: False if another process holds it, None if the system has no such locks.
    """
    try:
        import fcntl

        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


State: TypeAlias = dict[str, Any]
Arrays: TypeAlias = dict[str, npt.NDArray[Any]]

FORMAT = 2
MAPPED = 64 << 20
"""From so many bytes on a file is mapped."""
INDEX = "index.json"
"""The file that makes a folder an index."""
_KEY = "classmark"
_REFERENCE = "$array"
_LIBRARIES = ("classmark", "numpy", "scipy", "scikit-learn", "PyStemmer")
DTYPES = {
    name: np.dtype(kind)
    for name, kind in zip(
        ("U64", "I64", "F64", "F32", "U32", "I32", "F16", "U16", "I16", "I8", "U8", "BOOL"),
        ("<u8", "<i8", "<f8", "<f4", "<u4", "<i4", "<f2", "<u2", "<i2", "i1", "u1", "?"),
        strict=True,
    )
}
"""What safetensors calls the types of numbers, in the order in which a file has their arrays: the widest first."""
SIZE_OF_LENGTH = 8
LARGEST_HEADER = 100_000_000
"""What every reader of safetensors takes, in bytes."""


class _Version(msgspec.Struct):
    """The one thing that every format has in its header."""

    format: Any = None


class Header(msgspec.Struct):
    """What stands in the file's header."""

    format: int
    checksum: str
    libraries: dict[str, str]
    state: dict[str, Any]


def is_index(path: str | Path) -> bool:
    """Say whether a folder is a live index, which is a model too."""
    return (Path(path) / INDEX).is_file()


def save(path: str | Path, state: State) -> str:
    """Write a state to a file, whole or not at all: to a temporary name first, then renamed. Give its checksum.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "answer.classmark"
    >>> _ = save(target, {"name": "answer", "values": np.arange(3)})
    >>> load(target)
    {'name': 'answer', 'values': array([0, 1, 2])}
    """
    arrays: Arrays = {}
    plain = _take_arrays(state, "", arrays)
    header = Header(FORMAT, "", {name: version(name) for name in _LIBRARIES}, plain)
    header.checksum = _checksum(header, arrays)
    with replacing(Path(path)) as temporary:
        try:
            _write(temporary, arrays, {_KEY: msgspec.json.encode(header).decode()})
        except OSError as error:
            raise OSError(f"{path}: cannot be written: {error.strerror or error}") from None
    return header.checksum


def load(path: str | Path) -> State:
    """Read a state from a file, checking everything before believing anything."""
    with _opened(Path(path)) as file:
        header = _read_header(file, path)
        if Path(path).stat().st_size >= MAPPED:
            arrays = map_arrays(Path(path))
        else:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    check_content(path, header, arrays)
    try:
        return dict(_put_arrays(header.state, arrays))
    except (KeyError, TypeError):
        raise InputError(f"{path}: the model's header names arrays that the file does not hold") from None


def map_arrays(path: Path) -> Arrays:
    """Give the arrays of a safetensors file that was opened before, mapped."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(SIZE_OF_LENGTH), "little")
        described = msgspec.json.decode(file.read(length), type=dict[str, msgspec.Raw])
    data = np.memmap(path, dtype=np.uint8, mode="c")[SIZE_OF_LENGTH + length :]
    arrays: Arrays = {}
    for name, raw in described.items():
        if name == "__metadata__":
            continue
        about = msgspec.json.decode(raw)
        if about["dtype"] not in DTYPES:
            raise InputError(f"{path}: holds numbers of the type {about['dtype']}, which no model has; make it again")
        start, stop = about["data_offsets"]
        arrays[name] = np.asarray(data[start:stop]).view(DTYPES[about["dtype"]]).reshape(about["shape"])
    return arrays


def read_header(path: str | Path) -> Header:
    """Read the metadata alone, unchecked."""
    with _opened(Path(path)) as file:
        return _read_header(file, path)


def check_content(path: str | Path, header: Header, arrays: Arrays) -> None:
    """Refuse a file whose content is not what its checksum was made of."""
    if header.checksum != _checksum(header, arrays):
        raise InputError(f"{path}: the checksum does not fit, the file is damaged; copy or make it again")


def checked_array(state: State, key: str, dtype: npt.DTypeLike, shape: tuple[int | None, ...]) -> npt.NDArray[Any]:
    """Take an array out of a state, refusing another type or shape; `None` leaves a length open."""
    array = state.get(key)
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != len(shape):
        raise InputError(f"the model's {key!r} is not an array of {np.dtype(dtype)} with {len(shape)} dimension(s)")
    if any(expected not in (None, found) for expected, found in zip(shape, array.shape, strict=True)):
        raise InputError(f"the model's {key!r} has shape {array.shape} instead of {shape}")
    return array


def are_starts(starts: npt.NDArray[np.integer[Any]], n_entries: int) -> bool:
    """Say whether numbers can be where rows start: they rise from 0 to the number of entries.

    >>> are_starts(np.array([0, 2, 2, 5]), 5), are_starts(np.array([0, 3, 2, 5]), 5)
    (True, False)
    """
    return bool(len(starts)) and starts[0] == 0 and starts[-1] == n_entries and bool((np.diff(starts) >= 0).all())


def all_below(numbers: npt.NDArray[np.integer[Any]], limit: int) -> bool:
    """Say whether numbers can be positions in something of a length: from 0 to below it.

    >>> all_below(np.array([0, 4]), 5), all_below(np.array([0, 5]), 5), all_below(np.array([], dtype=int), 0)
    (True, False, True)
    """
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < limit)


def _take_arrays(value: Any, name: str, arrays: Arrays) -> Any:
    """Replace arrays by references to the tensors they become."""
    if isinstance(value, np.ndarray):
        return _take_array(value, name, arrays)
    if isinstance(value, dict):
        return {key: _take_arrays(inner, f"{name}.{key}" if name else key, arrays) for key, inner in value.items()}
    if not isinstance(value, list | tuple):
        return _plain(value, name)
    if set(map(type, value)) == {str}:
        return list(value)  # a vocabulary has millions
    return [_take_arrays(inner, f"{name}.{place}", arrays) for place, inner in enumerate(value)]


def _take_array(array: npt.NDArray[Any], name: str, arrays: Arrays) -> dict[str, str]:
    """Keep an array, and give the reference to it."""
    if name in arrays or name == "__metadata__":
        raise InputError(f"a model cannot have two arrays called {name!r}")
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise InputError(f"{name} is an array of {array.dtype}, which a model file cannot hold; only numbers and bools")
    arrays[name] = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
    return {_REFERENCE: name}


def _plain(value: Any, name: str) -> str | int | float | None:
    """Give a value as JSON has it, which knows no NaN and no infinity, and makes strings of other types."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, str | int | float | None) or (isinstance(plain, float) and not math.isfinite(plain)):
        raise InputError(f"{name} is {plain!r}, which a model file cannot hold; only strings and finite numbers")
    return plain


def _put_arrays(value: Any, arrays: Arrays) -> Any:
    if isinstance(value, list) and set(map(type, value)) == {str}:
        return value
    if isinstance(value, dict):
        if _REFERENCE in value:
            return arrays[value[_REFERENCE]]
        return {key: _put_arrays(inner, arrays) for key, inner in value.items()}
    if isinstance(value, list):
        return [_put_arrays(inner, arrays) for inner in value]
    return value


def _checksum(header: Header, arrays: Arrays) -> str:
    """Hash the metadata and every array's name, type, shape and CRC-32.

    A CRC detects damage as well as a hash of the bytes, in a fifth of the time, which dominates loading a large model.
    """
    digest = blake2b(digest_size=16)
    digest.update(msgspec.json.encode([header.format, header.libraries, header.state]))
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(crc32(bytes_of(array)).to_bytes(4, "little"))
    return digest.hexdigest()


def _write(path: Path, arrays: Arrays, metadata: dict[str, str]) -> None:
    """Write a safetensors file: the length of the header, the header, the arrays.

    Not by the library, whose own temporary files would stay beside the model if the process were killed.
    """
    names = {kind: name for name, kind in DTYPES.items()}
    ranks = list(names)
    described: dict[str, Any] = {"__metadata__": metadata}
    order, stop = sorted(arrays, key=lambda name: (ranks.index(arrays[name].dtype), name)), 0
    for name in order:
        array, start = arrays[name], stop
        stop += array.nbytes
        described[name] = {"dtype": names[array.dtype], "shape": array.shape, "data_offsets": (start, stop)}
    header = msgspec.json.encode(described)
    header += b" " * (-len(header) % SIZE_OF_LENGTH)
    if len(header) > LARGEST_HEADER:
        raise InputError(
            f"the names and words of the model take {len(header):,} bytes, and a model file holds {LARGEST_HEADER:,};"
            " keep fewer terms"
        )
    with path.open("wb") as file:
        file.write(len(header).to_bytes(SIZE_OF_LENGTH, "little") + header)
        for name in order:
            file.write(bytes_of(arrays[name]))


def bytes_of(array: npt.NDArray[Any]) -> bytes | memoryview:
    """Give the bytes of an array, not copied where it is contiguous."""
    return np.ascontiguousarray(array).data.cast("B") if array.size else b""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file beside the path, renamed to it at the end and removed if anything goes wrong.

    What a killed process left behind in the folder is removed first. A temporary file is given itself: whoever made it
    holds it, and renames it when all that belongs together is written.
    """
    if is_temporary(path):
        yield path
        return
    check_writable(path)
    target = path.resolve()  # what a link points to is replaced, not the link
    with temporary_beside(target) as temporary:
        yield temporary
        flush_to_disk(temporary)
        temporary.replace(target)


def check_writable(path: Path) -> None:
    """Find out before the work, not after it, that a file cannot be written."""
    if path.is_dir():
        raise IsADirectoryError(f"{path}: a folder; give the name of a file")
    if path.exists() and not path.is_file():
        # Renaming over it would replace a device or a pipe, such as /dev/null, by a file.
        raise InputError(f"{path}: not a regular file; give the name of a file")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path.parent}: no such folder; make it first")
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(f"{path.parent}: not writable; choose another folder")


def flush_to_disk(path: Path) -> None:
    """Make what was written last through a power cut; of a folder, the names in it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such model file")
    # Where it may not be read the system says so; safetensors says that there is no such file.
    path.open("rb").close()
    try:
        with safe_open(path, framework="numpy") as file:
            yield file
    except SafetensorError as error:
        raise InputError(f"{path}: not a classmark model, or a damaged one ({error})") from None


def _read_header(file: Any, path: str | Path) -> Header:
    text = (file.metadata() or {}).get(_KEY)
    if text is None:
        raise InputError(f"{path}: a safetensors file, but not a classmark model")
    try:
        found = msgspec.json.decode(text, type=_Version).format
        if found != FORMAT:
            raise InputError(f"{path}: model format {found}, this version of classmark reads {FORMAT}; train it again")
        return msgspec.json.decode(text, type=Header)
    except msgspec.DecodeError as error:
        raise InputError(f"{path}: the model's header is damaged ({error})") from None
