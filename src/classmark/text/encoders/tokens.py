"""Texts as token numbers: what an encoder that learns reads.

A row of the matrix is a text: its first column has the number of its first token, and so on. Numbers are counted from 1,
since what is not stored is 0.
"""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

TEXTS_AT_A_TIME = 256
"""How many texts the tokenizer has at a time: it keeps of long ones much more than their numbers."""


class Tokeniser:
    """Turns texts into rows of token numbers, by the tokenizer of an encoder.

    Parameters
    ----------
    definition : str
        The tokenizer as the package tokenizers writes it, in JSON; it goes into the model file.
    max_tokens : int
        The rest of a longer text is not read.
    """

    def __init__(self, definition: str, max_tokens: int) -> None:
        self.definition, self.max_tokens = definition, max_tokens
        self._tokenizer: Any = None

    def transform(self, texts: Iterable[str]) -> csr_array:
        """Give the rows of texts: `(n_texts, max_tokens)`."""
        rows = [ids for some in _portions(texts) for ids in self._numbers(some)]
        starts = np.concatenate([[0], np.cumsum([len(ids) for ids in rows])]).astype(np.int64)
        columns = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
        values = np.array([number + 1 for ids in rows for number in ids], dtype=np.float64)
        return csr_array((values, columns, starts), shape=(len(rows), self.max_tokens))

    def _numbers(self, texts: list[str]) -> list[list[int]]:
        if self._tokenizer is None:
            from tokenizers import Tokenizer

            self._tokenizer = Tokenizer.from_str(self.definition)
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(self.max_tokens)
        return [one.ids for one in self._tokenizer.encode_batch(texts)]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_tokenizer": None}

    @classmethod
    def from_folder(cls, folder: Any, max_tokens: int) -> Self:
        """Take up the tokenizer in the folder of a model."""
        return cls((folder / "tokenizer.json").read_text(encoding="utf-8"), max_tokens)


def _portions(texts: Iterable[str]) -> Iterable[list[str]]:
    some: list[str] = []
    for text in texts:
        some.append(text)
        if len(some) == TEXTS_AT_A_TIME:
            yield some
            some = []
    if some:
        yield some
