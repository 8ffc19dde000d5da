"""Texts as token numbers: what an encoder reads.

A row of the matrix is a text: its first column has the number of its first token, and so on. Numbers are counted from
1, since what is not stored is 0.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.errors import InputError, needing
from classmark.progress import track

TEXTS_AT_A_TIME = 256
"""How many texts the tokenizer has at a time: it keeps of long ones much more than their numbers."""
FEW, MANY = 16, 1024
"""How many characters are read for each token that is asked for, and how many where those gave too few tokens."""


class Tokeniser:
    """Turns texts into rows of token numbers, by the tokenizer of an encoder.

    Of a long text no more is read than its first tokens need: 16 characters a token, to the end of a word, and only
    where these gave fewer tokens than asked for, as blanks and words without end do, 1024 characters a token.

    Parameters
    ----------
    definition : str
        The tokenizer as the package tokenizers writes it, in JSON; it goes into the model file.
    max_tokens : int
        The rest of a longer text is not read.
    """

    def __init__(self, definition: str, max_tokens: int) -> None:
        self.definition, self.max_tokens = definition, max_tokens
        self._made: Any = None

    @property
    def vocabulary_(self) -> list[str]:
        """Names of the columns."""
        return [f"token {number}" for number in range(1, self.max_tokens + 1)]

    @property
    def vocabulary_size(self) -> int:
        """How many different tokens there are."""
        return int(self._tokenizer.get_vocab_size())

    def fit_transform(self, texts: Iterable[Any]) -> csr_array:
        """Give the rows of texts; there is nothing to learn."""
        return self.transform(texts)

    def transform(self, texts: Iterable[Any]) -> csr_array:
        """Give the rows of texts: `(n_texts, max_tokens)`; an empty one has its marks of begin and end, if any."""
        portions = track(_portions(checked_texts(texts)), "portions of texts")
        rows = [numbers for some in portions for numbers in self._numbers(some)]
        return token_rows([numbers + 1.0 for numbers in rows], self.max_tokens)

    def _numbers(self, texts: Sequence[str]) -> list[npt.NDArray[np.int32]]:
        few, many = FEW * self.max_tokens, MANY * self.max_tokens
        found = self._encoded([_beginning(text, few) for text in texts])
        for place, text in enumerate(texts):
            if len(text) > few and len(found[place]) < self.max_tokens:
                (found[place],) = self._encoded([_beginning(text, many)])
        return found

    def _encoded(self, texts: list[str]) -> list[npt.NDArray[np.int32]]:
        # Half a character, such as a lone surrogate, is none to the tokenizer.
        whole = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        with _refusing("cannot be used"):
            return [np.array(one.ids, dtype=np.int32) for one in self._tokenizer.encode_batch(whole)]

    @property
    def _tokenizer(self) -> Any:
        if self._made is None:
            self._made = _made(self.definition, self.max_tokens)
        return self._made

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_made": None}


def _made(definition: str, max_tokens: int) -> Any:
    with needing("reading texts as tokens needs tokenizers", "embed"):
        from tokenizers import Tokenizer
    with _refusing("cannot be read"):
        tokenizer = Tokenizer.from_str(definition)
    marks = tokenizer.num_special_tokens_to_add(False)
    if max_tokens <= marks:
        raise InputError(f"max_tokens={max_tokens} is not allowed: give {marks + 1} at least, the marks are {marks}")
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def token_rows(rows: Sequence[npt.NDArray[Any]], columns: int) -> csr_array:
    """Give rows of different lengths as a matrix, each from its first column on.

    >>> token_rows([np.array([5.0, 6.0]), np.array([7.0])], 3).toarray()
    array([[5., 6., 0.],
           [7., 0., 0.]])
    """
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    places = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
    return csr_array((np.concatenate([np.empty(0), *rows]), places, starts), shape=(len(rows), columns))


@contextmanager
def _refusing(what: str) -> Iterator[None]:
    """Say in a line what is wrong with a tokenizer: its package raises bare exceptions."""
    try:
        yield
    except ValueError:
        raise
    except Exception as error:  # noqa: BLE001
        reason = " ".join(str(error).split())
        raise InputError(f"the tokenizer {what} ({reason}); give a tokenizer.json of the package tokenizers") from None


def checked_texts(documents: Iterable[Any]) -> Iterator[str]:
    """Pass texts on, refusing documents that are none."""
    if isinstance(documents, str):
        raise InputError("documents is one text; give a list of texts")
    for place, text in enumerate(documents):
        if not isinstance(text, str):
            what = "features" if isinstance(text, Mapping) else type(text).__name__
            raise InputError(f"document {place} is {what}; an encoder reads texts, give strings")
        yield text


def _portions(texts: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(texts)
    while some := list(islice(remaining, TEXTS_AT_A_TIME)):
        yield some


def _beginning(text: str, limit: int) -> str:
    """Give the words that a text begins with, at most so many characters; of one that never ends, its beginning.

    >>> _beginning("an owl hoots", 9), _beginning("owls", 3)
    ('an owl', 'owl')
    """
    if len(text) <= limit:
        return text
    cut = text[: limit + 1]
    words = cut.rstrip() if cut[-1].isspace() else cut.rpartition(" ")[0]
    return words or cut[:limit]
