"""Several ways to read the same documents, side by side in one matrix: what a method of several parts sees.

Each part has its own columns, weighed as it asks for; parts that read alike share theirs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Self

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

from classmark.data.stored import FeatureRows
from classmark.errors import InputError
from classmark.persistence import State
from classmark.reader import Reader, Vectoriser, Weigher
from classmark.seen import row_numbers, token_numbers
from classmark.text import TermWeighting, TextSettings, TextVectoriser
from classmark.text.encoders.features import restored_features, restored_terms, terms_state
from classmark.text.encoders.tokens import Tokeniser
from classmark.text.parts import TextsOfParts

NUMBER_OF_A_BLOCK = np.uint64(0x9E3779B97F4A7C15)
"""What keeps the numbers of documents in one way of reading apart from those in another."""


class Readings:
    """Reads documents in the ways of all parts, in the place of a `TextVectoriser`.

    Parameters
    ----------
    text : TextsOfParts
        How each part reads.
    tokenisers : mapping from int to Tokeniser
        What the parts that read texts themselves read them by, by the number of the part.

    Attributes
    ----------
    columns : list of slice
        Which columns each part sees.
    """

    def __init__(self, text: TextsOfParts, tokenisers: Mapping[int, Tokeniser]) -> None:
        self.text, self.tokenisers = text, tokenisers
        ways = [(part, tokenisers.get(number)) for number, part in enumerate(text.parts)]
        self._like = [ways.index(way) for way in ways]
        self._read: dict[int, tuple[Reader, Weigher]] = {}

    @property
    def vocabulary_(self) -> list[str]:
        """Names of the columns, those of one way of reading after those of another."""
        return [name for reader, _ in self._read.values() for name in reader.vectoriser.vocabulary_]

    def ways(self) -> Iterator[tuple[TextSettings, Vectoriser]]:
        """Give the settings of text and the vectoriser of each way of reading."""
        return ((reader.text, reader.vectoriser) for reader, _ in self._read.values())

    @property
    def columns(self) -> list[slice]:
        """Which columns each part sees."""
        ends = np.cumsum([0, *(len(reader.vectoriser.vocabulary_) for reader, _ in self._read.values())]).tolist()
        found = {number: slice(*pair) for number, pair in zip(self._read, pairwise(ends), strict=True)}
        return [found[number] for number in self._like]

    def fit_transform(self, documents: Iterable[Any]) -> csr_array:
        """Learn to read from documents, which are held meanwhile, and give their rows."""
        documents = _held(documents)
        blocks = []
        for number in dict.fromkeys(self._like):
            reader, counts = Reader.learn(self.text.parts[number], documents, self.tokenisers.get(number))
            rows, weigher = reader.weigh(counts)
            self._read[number] = reader, weigher
            blocks.append(rows)
        return csr_array(hstack(blocks, format="csr"))

    def transform(self, documents: Iterable[Any]) -> csr_array:
        """Give the rows of documents, which are held meanwhile."""
        documents = _held(documents)
        blocks = [weigher(reader.rows(documents)) for reader, weigher in self._read.values()]
        return csr_array(hstack(blocks, format="csr"))

    def numbers(self, X: csr_array) -> npt.NDArray[np.uint64]:
        """Give each row a number by which its document is known again, made of all ways of reading it."""
        found = np.zeros(X.shape[0], dtype=np.uint64)
        for number in self._read:
            number_of = token_numbers if number in self.tokenisers else row_numbers
            found = found * NUMBER_OF_A_BLOCK + number_of(csr_array(X[:, self.columns[number]]))
        return found

    def to_state(self) -> State:
        """Give what a model file keeps of each way of reading, besides the settings of text."""
        read = self._read.values()
        ways = [way_state(reader.vectoriser, weigher.weighting) for reader, weigher in read]
        return {"like": list(self._like), "ways": ways}

    @classmethod
    def from_state(cls, text: TextsOfParts, tokenisers: Mapping[int, Tokeniser], state: State) -> Self:
        """Take up what a model file has."""
        found = cls(text, tokenisers)
        found._like = like = msgspec.convert(state["like"], list[int])
        if len(like) != len(text.parts) or any(not 0 <= one <= number for number, one in enumerate(like)):
            raise InputError("the model's ways to read text are not those of its parts")
        for number, kept in zip(dict.fromkeys(like), state["ways"], strict=True):
            settings = text.parts[number]
            vectoriser, weighting = restored_way(settings, tokenisers.get(number), kept)
            found._read[number] = Reader(settings, vectoriser), Weigher(weighting)
        return found


def tokenisers_of(classifier: Any) -> dict[int, Tokeniser]:
    """Give what the parts that read texts themselves read them by, by the number of the part."""
    return {number: _tokeniser_of(part) for number, part in enumerate(classifier.inside()) if part.reads_texts}


def _tokeniser_of(part: Any) -> Tokeniser:
    """Give what a part read texts by when it learned, or would read them by."""
    return getattr(part, "tokeniser_", None) or part.tokeniser()  # type: ignore[no-any-return]


def own_reading(classifier: Any, text: TextSettings) -> Tokeniser | Readings | None:
    """Give what reads documents where that is not for the settings of text alone to say."""
    if isinstance(text, TextsOfParts):
        return Readings(text, tokenisers_of(classifier))
    return classifier.tokeniser() if classifier.reads_texts else None


def numbers_by(vectoriser: Any) -> Callable[[csr_array], npt.NDArray[np.uint64]]:
    """Give what makes numbers of rows, by which documents are known again."""
    if isinstance(vectoriser, Readings):
        return vectoriser.numbers
    return token_numbers if isinstance(vectoriser, Tokeniser) else row_numbers


def _held(documents: Iterable[Any]) -> Any:
    """Give documents that can be read several times."""
    return documents if isinstance(documents, FeatureRows) else list(documents)


def way_state(vectoriser: Vectoriser, weighting: TermWeighting | None) -> State:
    """Give what a model file keeps of one way of reading; a tokeniser is kept by the classifier."""
    if isinstance(vectoriser, Tokeniser):
        return {}
    if isinstance(vectoriser, TextVectoriser):
        assert weighting is not None
        return terms_state(vectoriser, weighting)
    return vectoriser.to_state()


def restored_way(
    text: TextSettings, tokeniser: Tokeniser | None, state: State
) -> tuple[Vectoriser, TermWeighting | None]:
    """Give what reads and weighs as one way of a model file does."""
    if tokeniser is not None:
        return tokeniser, None
    if not text.by_terms:
        return restored_features(text, state), None
    return restored_terms(text, state)
