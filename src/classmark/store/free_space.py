"""Traces of deleted text in the free space of a SQLite file.

`PRAGMA secure_delete` overwrites deleted rows. But SQLite moves rows between pages to keep its trees balanced, and a
page that is rebuilt (`rebuildPage` in SQLite's `btree.c`) keeps copies of moved rows in the gap before its cells, which
no deletion reaches: 3 of 1,919 random deletions left such a copy. The format of pages is described at
https://www.sqlite.org/fileformat2.html#b_tree_pages.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import numpy.typing as npt

WINDOW = 16
"""Number of consecutive bytes by which a trace is recognized."""
SHORTEST = 4
"""Shorter strings identify nothing."""
BLOCK = 2 << 20
"""Number of bytes that are read at a time."""
FILE_HEADER = 100
INTERIOR, LEAVES = (2, 5), (10, 13)
TREE_PAGES = (*INTERIOR, *LEAVES)
"""First bytes of the pages of trees; other pages begin with the number of a page, whose first byte is 0."""
FACTOR = np.uint64(0x9E3779B97F4A7C15)


def has_traces(read: Callable[[int, int], bytes], deleted: Iterable[str]) -> bool:
    """Return whether the free space of a file has a piece of one of the deleted strings.

    Parameters
    ----------
    read : callable
        Function that returns a range of bytes of the file from offset and size.
    deleted : iterable of str
        The strings.
    """
    encoded = [text.encode() for text in deleted]
    short = [data for data in encoded if SHORTEST <= len(data) < WINDOW]
    windows = np.concatenate([np.empty(0, np.uint64), *(_windows(data) for data in encoded)])
    return any(
        any(data in free for data in short) or bool(np.isin(_windows(free), windows).any()) for free in _gaps(read)
    )


def _gaps(read: Callable[[int, int], bytes]) -> Iterator[bytes]:
    """Yield what is in the gaps of tree pages, those of one block at a time."""
    header = read(0, FILE_HEADER)
    if len(header) < FILE_HEADER:
        return
    size = int.from_bytes(header[16:18], "big")
    size = 65536 if size == 1 else size
    offset = 0
    while len(block := read(offset, BLOCK // size * size)) >= size:
        pages = np.frombuffer(block, np.uint8)[: len(block) // size * size].reshape(-1, size)
        first = FILE_HEADER if offset == 0 else 0
        gaps = []
        is_tree = np.isin(pages[:, 0], TREE_PAGES)
        # The first page begins with the header of the file.
        is_tree[0] |= bool(first)
        for number in np.flatnonzero(is_tree).tolist():
            page, at = pages[number], 0 if number else first
            n_cells, end = (int(page[at + place]) * 256 + int(page[at + place + 1]) for place in (3, 5))
            begin = at + (12 if page[at] in INTERIOR else 8) + 2 * n_cells
            gaps.append(page[begin : end or 65536].tobytes().strip(b"\0"))
        # Zeros keep windows from reaching from one gap into the next.
        if free := bytes(WINDOW).join(filter(None, gaps)):
            yield free
        offset += len(block)


def _windows(data: bytes) -> npt.NDArray[np.uint64]:
    """Return a hash of each window of bytes."""
    if len(data) < WINDOW:
        return np.empty(0, np.uint64)
    bytes_ = np.frombuffer(data, np.uint8)
    words = np.lib.stride_tricks.sliding_window_view(bytes_, 8).copy().view(np.uint64).ravel()
    return (words[:-8] * FACTOR) ^ words[8:]
