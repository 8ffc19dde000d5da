"""Columns of a large corpus as arrays: texts, codes and label sets, of which one is an object where it is asked for.

A list of a hundred million ids takes ten gigabytes, and their bytes take one.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from classmark.arrays import Integers, Positions

__all__ = ["Codes", "LabelSets", "Texts", "column"]


class _Column(Sequence[Any]):
    """What the columns share: a place gives what stands there, a slice or `take` a shorter column."""

    def take(self, rows: Sequence[int]) -> Self:
        """Give the rows at some positions, in that order."""
        raise NotImplementedError

    def _at(self, row: int) -> Any:
        raise NotImplementedError

    @overload
    def __getitem__(self, row: int) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> Self: ...
    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            return self.take(range(*row.indices(len(self))))
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        return self._at(row % len(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} rows>"


class Texts(_Column):
    """Texts as their bytes.

    >>> names = Texts.of(["a", "bß", ""])
    >>> list(names), names[1], list(names.take([2, 1]))
    (['a', 'bß', ''], 'bß', ['', 'bß'])
    """

    def __init__(self, content: npt.NDArray[np.uint8], starts: Positions) -> None:
        self.content, self.starts = content, starts

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Keep texts."""
        written = [text.encode("utf-8", "surrogatepass") for text in texts]
        starts = np.cumsum([0, *map(len, written)], dtype=np.int64)
        return cls(np.frombuffer(b"".join(written), dtype=np.uint8), starts)

    @classmethod
    def joined(cls, columns: Sequence["Texts"]) -> Self:
        """Put columns below each other."""
        sizes = [np.diff(one.starts) for one in columns]
        starts = np.concatenate([[0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *sizes]))])
        return cls(np.concatenate([np.zeros(0, np.uint8), *(one.content for one in columns)]), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[str]:
        content = self.content.tobytes()
        for start, stop in pairwise(self.starts.tolist()):
            yield content[start:stop].decode("utf-8", "surrogatepass")

    def _at(self, row: int) -> str:
        return self.content[self.starts[row] : self.starts[row + 1]].tobytes().decode("utf-8", "surrogatepass")

    def take(self, rows: Sequence[int]) -> Self:
        """Give the texts at some positions."""
        chosen = np.asarray(rows, dtype=np.int64)
        starts, sizes = _starts_of(np.diff(self.starts)[chosen])
        places = np.repeat(self.starts[:-1][chosen] - starts[:-1], sizes) + np.arange(starts[-1])
        return type(self)(self.content[places], starts)


class Codes(_Column):
    """One of a few values a row, such as the name of a split.

    >>> splits = Codes.of(["train", None, "train"])
    >>> list(splits), splits.names, splits.codes
    (['train', None, 'train'], ['train', None], array([0, 1, 0], dtype=int32))
    """

    def __init__(self, codes: Integers, names: list[Any]) -> None:
        self.codes, self.names = codes, names

    @classmethod
    def of(cls, values: Iterable[Any]) -> Self:
        """Give values numbers as they come."""
        numbers: dict[Any, int] = {}
        codes = np.fromiter((numbers.setdefault(value, len(numbers)) for value in values), np.int32)
        return cls(codes, list(numbers))

    @classmethod
    def joined(cls, columns: Sequence["Codes"]) -> Self:
        """Put columns below each other; equal values get one code."""
        numbers: dict[Any, int] = {}
        codes = [_renumbered(one.codes, one.names, numbers) for one in columns]
        return cls(np.concatenate([np.zeros(0, np.int32), *codes]), list(numbers))

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[Any]:
        return map(self.names.__getitem__, self.codes.tolist())

    def _at(self, row: int) -> Any:
        return self.names[self.codes[row]]

    def take(self, rows: Sequence[int]) -> Self:
        """Give the values at some positions."""
        return type(self)(self.codes[np.asarray(rows, dtype=np.int64)], self.names)


class LabelSets(_Column):
    """The labels of documents: a list of names for each, or None where it is not labelled.

    Attributes
    ----------
    codes, starts : array
        The labels of document i are those with the codes `codes[starts[i]:starts[i + 1]]`.
    labelled : array of bool
        Whether each is labelled; one without labels that is belongs nowhere.
    names : list of str
        The label of each code.

    Examples
    --------
    >>> sets = LabelSets.of([["owl", "gull"], None, [], ["gull"]])
    >>> list(sets), sets.take([3, 1])[0], sets.count(None)
    ([['owl', 'gull'], None, [], ['gull']], ['gull'], 1)
    """

    def __init__(self, codes: Integers, starts: Positions, labelled: npt.NDArray[np.bool_], names: list[str]) -> None:
        self.codes, self.starts, self.labelled, self.names = codes, starts, labelled, names

    @classmethod
    def of(cls, sets: Iterable[Sequence[str] | None]) -> Self:
        """Give labels numbers as they come."""
        numbers: dict[str, int] = {}
        codes, sizes, labelled = [], [], []
        for labels in sets:
            codes.extend([numbers.setdefault(label, len(numbers)) for label in labels or ()])
            sizes.append(len(labels or ()))
            labelled.append(labels is not None)
        starts, _ = _starts_of(np.array(sizes, dtype=np.int64))
        return cls(np.array(codes, dtype=np.int32), starts, np.array(labelled, dtype=bool), list(numbers))

    @classmethod
    def joined(cls, columns: Sequence["LabelSets"]) -> Self:
        """Put columns below each other; equal labels get one code."""
        numbers: dict[Any, int] = {}
        codes = [_renumbered(one.codes, one.names, numbers) for one in columns]
        sizes = [np.diff(one.starts) for one in columns]
        starts, _ = _starts_of(np.concatenate([np.zeros(0, np.int64), *sizes]))
        labelled = np.concatenate([np.zeros(0, bool), *(one.labelled for one in columns)])
        return cls(np.concatenate([np.zeros(0, np.int32), *codes]), starts, labelled, list(numbers))

    def renamed(self, names: Sequence[str | None]) -> Self:
        """Rename labels by code; two that become one in a document are kept once, and None drops a label.

        A document that loses its last label is not labeled.

        >>> list(LabelSets.of([["owl", "gull"], ["gull"], []]).renamed(["owl", None]))
        [['owl'], None, []]
        """
        numbers: dict[Any, int] = {}
        wanted = [name for name in names if name is not None]
        codes = np.array([-1 if name is None else numbers.setdefault(name, len(numbers)) for name in names], np.int32)
        if len(numbers) == len(names):
            return type(self)(self.codes, self.starts, self.labelled, wanted)
        known = list(numbers)
        renamed = (None if labels is None else list(dict.fromkeys(labels)) for labels in self._coded(codes, known))
        sizes = np.diff(self.starts).tolist()
        return type(self).of(
            None if size and not labels else labels for labels, size in zip(renamed, sizes, strict=True)
        )

    def _coded(self, codes: Integers, names: list[str]) -> Iterator[list[str] | None]:
        given = codes[self.codes].tolist() if len(self.codes) else []
        for (start, stop), known in zip(pairwise(self.starts.tolist()), self.labelled.tolist(), strict=True):
            yield [names[code] for code in given[start:stop] if code >= 0] if known else None

    def __len__(self) -> int:
        return len(self.labelled)

    def __iter__(self) -> Iterator[list[str] | None]:
        return self._coded(np.arange(len(self.names), dtype=np.int32), self.names)

    def _at(self, row: int) -> list[str] | None:
        if not self.labelled[row]:
            return None
        return [self.names[code] for code in self.codes[self.starts[row] : self.starts[row + 1]].tolist()]

    def count(self, value: Any) -> int:
        """Say how many are a value; None is quick."""
        return int((~self.labelled).sum()) if value is None else super().count(value)

    def take(self, rows: Sequence[int]) -> Self:
        """Give the label sets at some positions."""
        chosen = np.asarray(rows, dtype=np.int64)
        starts, sizes = _starts_of(np.diff(self.starts)[chosen])
        places = np.repeat(self.starts[:-1][chosen] - starts[:-1], sizes) + np.arange(starts[-1])
        return type(self)(self.codes[places], starts, self.labelled[chosen], self.names)


def column(values: Any, rows: Sequence[int]) -> Any:
    """Give some rows of a column, a list or one of these.

    >>> column(["a", "b", "c"], [2, 0])
    ['c', 'a']
    """
    return values.take(rows) if isinstance(values, _Column) else [values[row] for row in rows]


def _starts_of(sizes: npt.NDArray[Any]) -> tuple[Positions, npt.NDArray[Any]]:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]), sizes


def _renumbered(codes: Integers, names: list[Any], numbers: dict[Any, int]) -> Integers:
    """Give codes those of names in a dictionary, which grows."""
    new = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int32)
    return new[codes] if len(codes) else codes
