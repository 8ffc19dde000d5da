"""A piece of a text, and the part of a long text whose pieces say most."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

WORD = re.compile(r"\S+")
AS_GOOD = 1 - 1e-9
"""How much of the most that a part can have counts as much: sums are rounded."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A piece of a text, and what it does."""

    text: str
    """The piece, as it was written."""
    share: float = 0.0
    """What it adds to the score; 0 where it does nothing."""


def richest(pieces: Sequence[Piece], longest: int) -> list[Piece]:
    """Give at most so many characters of a text, those with the most of the shares, by absolute value.

    Among parts that have as much, the text's beginning is given, or else the one in the middle of them, which shows
    what stands on both sides of a word.

    >>> text = [Piece(text="What is it that "), Piece(text="hoots", share=1.0), Piece(text=" over there at night?")]
    >>> "".join(piece.text for piece in richest(text, 20))
    'that hoots over '
    """
    text = "".join(piece.text for piece in pieces)
    bounds = np.array([0, *accumulate(len(piece.text) for piece in pieces)])
    heard = np.array([0.0, *accumulate(abs(piece.share) for piece in pieces)])
    cuts = _cuts(text, bounds, longest)
    # A piece that is cut has its share where its characters are.
    loud = np.interp(cuts, bounds, heard)
    behind = np.searchsorted(cuts, cuts + longest, side="right") - 1
    found = loud[behind] - loud
    best = np.flatnonzero(found >= AS_GOOD * found.max())
    first = best[0] if best[0] == 0 else best[best.size // 2]
    return _between(pieces, bounds, int(cuts[first]), int(cuts[behind[first]]))


def _cuts(text: str, bounds: npt.NDArray[np.intp], longest: int) -> npt.NDArray[np.intp]:
    """Give where a text may be cut: before words, or within what has no words between pieces, or else anywhere."""
    words = np.unique([0, *(word.start() for word in WORD.finditer(text)), len(text)])
    return _filled(_filled(words, bounds, longest), np.arange(0, len(text) + 1, max(1, longest // 2)), longest)


def _filled(cuts: npt.NDArray[np.intp], others: npt.NDArray[np.intp], longest: int) -> npt.NDArray[np.intp]:
    """Add those of other cuts that stand where two are farther from each other than a part may be long."""
    after = np.searchsorted(cuts, others, side="left").clip(1, cuts.size - 1)
    far = cuts[after] - cuts[after - 1] > longest
    return np.union1d(cuts, others[far])


def _between(pieces: Sequence[Piece], bounds: npt.NDArray[np.intp], start: int, end: int) -> list[Piece]:
    """Give the pieces from one character up to another; one that is cut has its part of the share."""
    found = []
    begun, behind = int(np.searchsorted(bounds, start, side="right")) - 1, int(np.searchsorted(bounds, end))
    for piece, begin in zip(pieces[begun:behind], bounds[begun:behind].tolist(), strict=True):
        first, last = max(start - begin, 0), min(end - begin, len(piece.text))
        if first < last:
            found.append(Piece(text=piece.text[first:last], share=piece.share * (last - first) / len(piece.text)))
    return found
