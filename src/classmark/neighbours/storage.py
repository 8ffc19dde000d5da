"""Segment files: safetensors files whose arrays are mapped into memory instead of read.

A mapped array costs memory only where it is looked at, and processes that have the same file open share it. The mapping
is private and copied on writing, so nothing can change the file by it. Strings are bytes one after another and where
each one ends.
"""

import json
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from classmark.persistence import Arrays, State, read_header

DTYPES = {
    "I8": np.int8,
    "U8": np.uint8,
    "I32": np.int32,
    "I64": np.int64,
    "U64": np.uint64,
    "F32": np.float32,
    "F64": np.float64,
}
SIZE_OF_LENGTH = 8


def load_mapped(path: Path) -> State:
    """Load a flat state, its arrays mapped; the header is checked, and that the file is as long as it says.

    >>> import tempfile
    >>> from classmark.persistence import save
    >>> target = Path(tempfile.mkdtemp()) / "owls.classmark"
    >>> save(target, {"name": "owls", "counts": np.arange(3)})
    >>> state = load_mapped(target)
    >>> state["name"], state["counts"].tolist()
    ('owls', [0, 1, 2])
    """
    header = read_header(path)
    arrays = _map_arrays(path)
    return {key: arrays.get(key, value) for key, value in header.state.items()}


def _map_arrays(path: Path) -> Arrays:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(SIZE_OF_LENGTH), "little")
        described = json.loads(file.read(length))
    data = np.memmap(path, dtype=np.uint8, mode="c")[SIZE_OF_LENGTH + length :]
    arrays: Arrays = {}
    for name, about in described.items():
        if name != "__metadata__":
            start, stop = about["data_offsets"]
            arrays[name] = np.asarray(data[start:stop]).view(DTYPES[about["dtype"]]).reshape(about["shape"])
    return arrays


def pack_strings(strings: Iterable[str]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Give strings as bytes and where each one ends.

    >>> [part.tolist() for part in pack_strings(["ab", "", "c"])]
    [[97, 98, 99], [2, 2, 3]]
    """
    parts = [text.encode("utf-8", "surrogatepass") for text in strings]
    return np.frombuffer(b"".join(parts), np.uint8), np.cumsum([len(part) for part in parts], dtype=np.int64)


def unpack_strings(data: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]) -> list[str]:
    """Give the strings back, refusing what are none.

    >>> unpack_strings(*pack_strings(["ab", "", "c"]))
    ['ab', '', 'c']
    """
    whole, stops = data.tobytes(), [0, *ends.tolist()]
    if stops[-1] != len(whole) or sorted(stops) != stops:
        raise ValueError("the strings of the index do not fit together; build it again")
    try:
        return [whole[start:stop].decode("utf-8", "surrogatepass") for start, stop in pairwise(stops)]
    except UnicodeDecodeError:
        raise ValueError("the index has strings that are not UTF-8; build it again") from None
