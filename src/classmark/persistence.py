"""Arrays and metadata to and from one file; knows no class.

A model file is a safetensors file. A *state* is plain data, dicts, lists, strings, numbers and numpy arrays, nested at
will (a tuple comes back as a list); its arrays become tensors, and the rest becomes one JSON string in the header: the
format version first, then a checksum over everything. Loading executes nothing, and a file that is damaged, foreign or
newer is refused in a line.
"""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

State: TypeAlias = dict[str, Any]
Arrays: TypeAlias = dict[str, npt.NDArray[Any]]

FORMAT = 1
_KEY = "classmark"
_REFERENCE = "$array"
_LIBRARIES = ("classmark", "numpy", "scipy", "scikit-learn", "PyStemmer")


class Header(msgspec.Struct):
    """What stands in the file's header."""

    format: int
    checksum: str
    libraries: dict[str, str]
    state: dict[str, Any]


def save(path: str | Path, state: State) -> None:
    """Write a state to a file, whole or not at all: to a temporary name first, then renamed.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "answer.classmark"
    >>> save(target, {"name": "answer", "values": np.arange(3)})
    >>> load(target)
    {'name': 'answer', 'values': array([0, 1, 2])}
    """
    arrays: Arrays = {}
    plain = _take_arrays(state, "", arrays)
    header = Header(FORMAT, "", {name: version(name) for name in _LIBRARIES}, plain)
    header.checksum = _checksum(header, arrays)
    with replacing(Path(path)) as temporary:
        # safetensors makes files that nobody but their owner may read; a model is as readable as any other file.
        temporary.touch()
        mode = temporary.stat().st_mode
        save_file(arrays, temporary, metadata={_KEY: msgspec.json.encode(header).decode()})
        temporary.chmod(mode)


def load(path: str | Path) -> State:
    """Read a state from a file, checking everything before believing anything."""
    with _opened(Path(path)) as file:
        header = _read_header(file, path)
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    if header.checksum != _checksum(header, arrays):
        raise ValueError(f"{path}: the checksum does not fit, the file is damaged; copy or train it again")
    try:
        return dict(_put_arrays(header.state, arrays))
    except (KeyError, TypeError):
        raise ValueError(f"{path}: the model's header names arrays that the file does not hold") from None


def read_header(path: str | Path) -> Header:
    """Read the metadata alone, unchecked."""
    with _opened(Path(path)) as file:
        return _read_header(file, path)


def checked_array(state: State, key: str, dtype: npt.DTypeLike, shape: tuple[int | None, ...]) -> npt.NDArray[Any]:
    """Take an array out of a state, refusing another type or shape; `None` leaves a length open."""
    array = state.get(key)
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != len(shape):
        raise ValueError(f"the model's {key!r} is not an array of {np.dtype(dtype)} with {len(shape)} dimension(s)")
    if any(expected not in (None, found) for expected, found in zip(shape, array.shape, strict=True)):
        raise ValueError(f"the model's {key!r} has shape {array.shape} instead of {shape}")
    return array


def _take_arrays(value: Any, name: str, arrays: Arrays) -> Any:
    """Replace arrays by references to the tensors they become."""
    if isinstance(value, np.ndarray):
        if name in arrays or name == "__metadata__":
            raise ValueError(f"a model cannot have two arrays called {name!r}")
        arrays[name] = _as_stored(value, name)
        return {_REFERENCE: name}
    if isinstance(value, dict):
        return {key: _take_arrays(inner, f"{name}.{key}" if name else key, arrays) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_take_arrays(inner, f"{name}.{place}", arrays) for place, inner in enumerate(value)]
    if isinstance(value, np.generic):
        value = value.item()
    # JSON has no NaN and no infinity, and other types would come back as strings.
    if not isinstance(value, str | int | float | None) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"{name} is {value!r}, which a model file cannot hold; only strings and finite numbers")
    return value


def _as_stored(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Give an array as the file holds it: little-endian and contiguous."""
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise ValueError(f"{name} is an array of {array.dtype}, which a model file cannot hold; only numbers and bools")
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def _put_arrays(value: Any, arrays: Arrays) -> Any:
    if isinstance(value, dict):
        if _REFERENCE in value:
            return arrays[value[_REFERENCE]]
        return {key: _put_arrays(inner, arrays) for key, inner in value.items()}
    if isinstance(value, list):
        return [_put_arrays(inner, arrays) for inner in value]
    return value


def _checksum(header: Header, arrays: Arrays) -> str:
    """Hash the metadata and every array's name, type, shape and bytes."""
    digest = blake2b(digest_size=16)
    digest.update(msgspec.json.encode([header.format, header.libraries, header.state]))
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return digest.hexdigest()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary name beside the path, renamed to it at the end and removed if anything goes wrong."""
    check_writable(path)
    target = path.resolve()  # what a link points to is replaced, not the link
    # A name may be as long as the system allows, and the temporary one no longer.
    temporary = target.with_name(f".{target.name[:40]}.{token_hex(4)}.tmp")
    try:
        yield temporary
        _flush_to_disk(temporary)
        temporary.replace(target)
    except SafetensorError as error:
        raise OSError(f"{path}: cannot be written: {error}") from None
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Find out before the work, not after it, that a file cannot be written."""
    if path.is_dir():
        raise IsADirectoryError(f"{path}: a folder; give the name of a file")
    if path.exists() and not path.is_file():
        # Renaming over it would replace a device or a pipe, such as /dev/null, by a file.
        raise ValueError(f"{path}: not a regular file; give the name of a file")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path.parent}: no such folder; make it first")
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(f"{path.parent}: not writable; choose another folder")


def _flush_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such model file")
    try:
        with safe_open(path, framework="numpy") as file:
            yield file
    except SafetensorError as error:
        raise ValueError(f"{path}: not a classmark model, or a damaged one ({error})") from None


def _read_header(file: Any, path: str | Path) -> Header:
    text = (file.metadata() or {}).get(_KEY)
    if text is None:
        raise ValueError(f"{path}: a safetensors file, but not a classmark model")
    try:
        found = msgspec.json.decode(text, type=dict[str, Any]).get("format")
        if found != FORMAT:
            raise ValueError(f"{path}: model format {found}, this version of classmark reads {FORMAT}; train it again")
        return msgspec.json.decode(text, type=Header)
    except msgspec.DecodeError as error:
        raise ValueError(f"{path}: the model's header is damaged ({error})") from None
