"""Where the terms of a text stand in it, although they are read from another text: composed, folded, without headers.

What is read is made of the text by steps (`Aligned`), of which each knows for every character of its outcome the
characters that it came from.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from classmark.text.analyser import TermReader
from classmark.text.settings import spans_read

Offsets = npt.NDArray[np.intp]


class Place(NamedTuple):
    """A term, and the tokens that it is made of, each by its first character and the one behind its last."""

    term: str
    spans: tuple[tuple[int, int], ...]


class Aligned(NamedTuple):
    """A text made of another, and for each character where in the other it begins and ends."""

    text: str
    starts: Offsets
    ends: Offsets

    @classmethod
    def of(cls, text: str, *, subject_alone: bool = False) -> Self:
        r"""Give a text as it is, or what is read of a message.

        >>> Aligned.of("From: Ann\nSubject: Owls\n\nThey hoot.", subject_alone=True).text
        'Owls\nThey hoot.'
        """
        spans = spans_read(text) if subject_alone else [slice(0, len(text))]
        # Where the headers were is a line's end, made of no character of the text.
        made = np.concatenate([np.append(np.arange(span.start, span.stop), span.stop) for span in spans])[:-1]
        return cls("\n".join(text[span] for span in spans), made, made + 1)

    def composed(self) -> "Aligned":
        """Compose accents, a character and the marks behind it at a time."""
        if self.text.isascii() or unicodedata.is_normalized("NFC", self.text):
            return self
        whole = unicodedata.normalize("NFC", self.text)
        for begins in (_begins, str.isascii):
            cuts = [0, *(place for place, one in enumerate(self.text) if place and begins(one)), len(self.text)]
            made = [unicodedata.normalize("NFC", self.text[slice(*pair)]) for pair in pairwise(cuts)]
            if "".join(made) == whole:
                break
        return self._made(made, cuts)

    def lowered(self) -> "Aligned":
        """Fold to lower case; a letter may become two."""
        text = self.text.lower()
        if len(text) == len(self.text):
            return self._replace(text=text)
        # A sigma is folded by what stands around it, so the letters are those of the whole.
        found = self._made([one.lower() for one in self.text], range(len(self.text) + 1))
        return found._replace(text=text)

    def span(self, first: int, behind: int) -> tuple[int, int]:
        """Give the characters that some characters, one at least, came from."""
        return int(self.starts[first]), int(self.ends[behind - 1])

    def _made(self, pieces: list[str], cuts: "Iterable[int]") -> "Aligned":
        """Give what was made of the text between every two cuts."""
        bounds = np.fromiter(cuts, np.intp)
        which = np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
        starts, ends = self.starts[bounds[:-1]], self.ends[bounds[1:] - 1]
        return Aligned("".join(pieces), starts[which], ends[which])


def _begins(character: str) -> bool:
    """Say whether a character is composed with none before it: no mark, nor an inner letter of a Korean syllable."""
    return not ("ᅠ" <= character <= "ᇿ" or unicodedata.category(character).startswith("M"))


def places(reader: TermReader, text: str, *, subject_alone: bool = False) -> Iterator[Place]:
    """Give the terms of a text in its order, each with the tokens that it is made of; of several lengths, short first.

    >>> from classmark.text import Analyser
    >>> reader = Analyser(stop_words="english", stemmer="porter", ngrams=(1, 2)).reader()
    >>> for place in places(reader, "The E\N{COMBINING ACUTE ACCENT}toiles are shining"):
    ...     print(place)
    Place(term='étoil', spans=((4, 12),))
    Place(term='shine', spans=((17, 24),))
    Place(term='étoil shine', spans=((4, 12), (17, 24)))
    """
    aligned = Aligned.of(text, subject_alone=subject_alone).composed()
    if reader.lowercase:
        aligned = aligned.lowered()
    terms, spans = _kept(reader, aligned)
    low, high = reader.ngrams
    for count in range(low, high + 1):
        for first in range(len(terms) - count + 1):
            yield Place(" ".join(terms[first : first + count]), tuple(spans[first : first + count]))


def _kept(reader: TermReader, aligned: Aligned) -> tuple[list[str], list[tuple[int, int]]]:
    """Give the terms that tokens stand for, without those that are dropped, and where the tokens are."""
    terms, spans = [], []
    group = reader.pattern.groups
    term_of: Callable[[str], str | None] = reader.known_term
    for match in reader.pattern.finditer(aligned.text):
        term = term_of(match[group] or "")
        if term is not None:
            terms.append(term)
            spans.append(aligned.span(*match.span(group)))
    return terms, spans
