"""The parts of a live index: a segment each, with the ids and labels of its documents, and their files."""

from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.errors import InputError
from classmark.index.manifest import Manifest
from classmark.index.segment import Segment, segment_from_state, segment_to_state
from classmark.index.storage import load_mapped, pack_strings, unpack_strings
from classmark.persistence import all_below, checked_array


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
