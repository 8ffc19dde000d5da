"""The files of an index: safetensors files whose arrays are mapped into memory instead of read.

What is mapped can be put out of memory again, and processes that have the same file open share it. The mapping is
private and copied on writing, so nothing can change the file by it. Strings are bytes one after another and where each
one ends.
"""

import json
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from classmark.persistence import DTYPES, SIZE_OF_LENGTH, Arrays, State, check_content, read_header


def load_mapped(path: Path, checksum: str | None = None) -> State:
    """Load a flat state, its arrays mapped, once the content fits the file's checksum, and this the one asked for.

    To compare it reads the file once, which takes about a sixth of the time that opening an index does.

    >>> import tempfile
    >>> from classmark.persistence import save
    >>> target = Path(tempfile.mkdtemp()) / "owls.classmark"
    >>> _ = save(target, {"name": "owls", "counts": np.arange(3)})
    >>> state = load_mapped(target)
    >>> state["name"], state["counts"].tolist()
    ('owls', [0, 1, 2])
    """
    header = read_header(path)
    if checksum not in (None, header.checksum):
        raise ValueError(f"{path}: another file than the one that was written; copy the index again, or build it again")
    arrays = _map_arrays(path)
    check_content(path, header, arrays)
    return {key: arrays.get(key, value) for key, value in header.state.items()}


def _map_arrays(path: Path) -> Arrays:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(SIZE_OF_LENGTH), "little")
        described = json.loads(file.read(length))
    data = np.memmap(path, dtype=np.uint8, mode="c")[SIZE_OF_LENGTH + length :]
    arrays: Arrays = {}
    for name, about in described.items():
        if name == "__metadata__":
            continue
        if about["dtype"] not in DTYPES:
            raise ValueError(f"{path}: holds numbers of the type {about['dtype']}, which no index has; build it again")
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
