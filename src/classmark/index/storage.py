"""The files of an index, whose arrays are mapped into memory, and strings as bytes one after another.

A live index has parts: a segment each, with the ids and labels of its documents.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.errors import InputError
from classmark.index.manifest import Manifest
from classmark.index.segment import Segment, segment_from_state, segment_to_state
from classmark.persistence import State, all_below, check_content, checked_array, map_arrays, read_header


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


class Part(NamedTuple):
    """A segment with what belongs to its documents, and which of these are still there; `name` is that of its file."""

    segment: Segment
    ids: list[str]
    labels: list[list[str]]
    terms: list[str]
    live: npt.NDArray[np.bool_]
    name: str | None = None


def without(parts: list[Part], names: set[str]) -> list[Part]:
    """Delete the documents of these ids."""
    changed = []
    for part in parts:
        gone = np.array([name in names for name in part.ids], dtype=bool)
        changed.append(part._replace(live=part.live & ~gone) if (gone & part.live).any() else part)
    return changed


def live_of(parts: list[Part]) -> npt.NDArray[np.bool_]:
    """Say which documents of all parts are there."""
    return np.concatenate([np.empty(0, bool), *(part.live for part in parts)])


def has_unused_terms(part: Part) -> bool:
    """Say whether a part has terms that none of its documents has: those of documents that were there once."""
    return bool(np.count_nonzero(part.segment.document_frequencies()) < len(part.terms))


def with_used_terms(part: Part) -> Part:
    """Give the only part of an index without terms that none of its documents has, the others numbered anew."""
    columns, rows, lists, bits, signatures = part.segment
    numbered = Segment(np.arange(len(columns), dtype=np.int32), rows, lists, bits, signatures)
    return part._replace(segment=numbered, terms=[part.terms[column] for column in columns.tolist()])


def counts_of(parts: list[Part], n_terms: int) -> csr_array:
    """Give the frequencies of all documents, the deleted ones among them, as rows over the terms of the index."""
    columns = [part.segment.vocabulary[part.segment.rows.terms] for part in parts]
    frequencies = [part.segment.rows.frequencies.astype(np.float64) for part in parts]
    lengths = [np.diff(part.segment.rows.starts) for part in parts]
    starts = np.cumsum(np.concatenate([np.zeros(1, np.int64), *lengths]))
    data, indices = np.concatenate([np.empty(0), *frequencies]), np.concatenate([np.empty(0, np.int32), *columns])
    return csr_array((data, indices, starts), shape=(len(starts) - 1, n_terms))


def part_to_state(part: Part) -> dict[str, Any]:
    """Give what the file of a part holds."""
    id_bytes, id_ends = pack_strings(part.ids)
    term_bytes, term_ends = pack_strings(part.terms)
    label_bytes, label_ends = pack_strings(chain.from_iterable(part.labels))
    return {
        **segment_to_state(part.segment),
        "id_bytes": id_bytes,
        "id_ends": id_ends,
        "term_bytes": term_bytes,
        "term_ends": term_ends,
        "label_bytes": label_bytes,
        "label_ends": label_ends,
        "label_counts": np.array([len(names) for names in part.labels], dtype=np.int32),
    }


def _part_from_state(state: dict[str, Any], name: str) -> Part:
    strings = {
        kind: unpack_strings(
            checked_array(state, f"{kind}_bytes", np.uint8, (None,)),
            checked_array(state, f"{kind}_ends", np.int64, (None,)),
        )
        for kind in ("id", "term", "label")
    }
    segment = segment_from_state(state)
    counts = checked_array(state, "label_counts", np.int32, (len(segment),))
    if len(strings["id"]) != len(segment) or counts.sum() != len(strings["label"]) or (counts < 0).any():
        raise InputError("ids, labels and documents are not of the same number; build the index again")
    labels = iter(strings["label"])
    lists = [[next(labels) for _ in range(n)] for n in counts.tolist()]
    return Part(segment, strings["id"], lists, strings["term"], np.ones(len(segment), dtype=bool), name)


def read_parts(folder: Path, manifest: Manifest) -> list[Part]:
    """Read the files that the manifest names."""
    parts = [_read_part(folder, manifest, name) for name in manifest.segments]
    if manifest.deleted is None:
        return parts
    deleted = load_mapped(folder / manifest.deleted, manifest.checksums[manifest.deleted])
    gone = checked_array(deleted, "deleted", np.int32, (None,))
    ends = np.cumsum([len(part.ids) for part in parts])
    live = np.ones(ends[-1] if parts else 0, dtype=bool)
    if not all_below(gone, len(live)):
        raise InputError(f"{folder / manifest.deleted}: deletes documents that are not there; build the index again")
    live[gone] = False
    return [part._replace(live=piece) for part, piece in zip(parts, np.split(live, ends[:-1]), strict=True)]


def _read_part(folder: Path, manifest: Manifest, name: str) -> Part:
    """Read the file of a segment."""
    try:
        return _part_from_state(load_mapped(folder / name, manifest.checksums[name]), name)
    except ValueError as error:
        raise InputError(_named(folder / name, error)) from None


def _named(path: Path, error: ValueError) -> str:
    """Put the file's name before what is wrong with it, unless it is there already."""
    return str(error) if str(path) in str(error) else f"{path}: {error}"
