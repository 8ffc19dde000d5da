"""The files of an index, whose arrays are mapped into memory, and strings as bytes one after another."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import overload

import numpy as np
import numpy.typing as npt

from classmark.errors import InputError
from classmark.persistence import State, check_content, map_arrays, read_header


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
        raise InputError(f"{path}: another file than the one that was written; copy the index again, or build it again")
    arrays = map_arrays(path)
    check_content(path, header, arrays)
    return {key: arrays.get(key, value) for key, value in header.state.items()}


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
        raise InputError("the strings of the index do not fit together; build it again")
    try:
        return [whole[start:stop].decode("utf-8", "surrogatepass") for start, stop in pairwise(stops)]
    except UnicodeDecodeError:
        raise InputError("the index has strings that are not UTF-8; build it again") from None


class PackedStrings(Sequence[str]):
    """Strings that stay bytes until somebody asks for one.

    >>> names = PackedStrings(*pack_strings(["ab", "", "c"]))
    >>> len(names), names[2], list(names)
    (3, 'c', ['ab', '', 'c'])
    """

    def __init__(self, data: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]) -> None:
        self.data = data
        self.ends = ends
        rises = not len(ends) or (ends[0] >= 0 and bool((np.diff(ends) >= 0).all()))
        if not rises or len(data) != (ends[-1] if len(ends) else 0):
            raise InputError("the strings of the index do not fit together; build it again")

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> list[str]: ...
    def __getitem__(self, position: int | slice) -> str | list[str]:
        if isinstance(position, slice):
            return [self[one] for one in range(*position.indices(len(self)))]
        position = range(len(self))[position]
        inside = slice(int(self.ends[position - 1]) if position else 0, int(self.ends[position]))
        try:
            return self.data[inside].tobytes().decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise InputError("the index has strings that are not UTF-8; build it again") from None
