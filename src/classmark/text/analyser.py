"""From a text to its terms: lower case, tokens, stop words, stems, n-grams.

An `Analyser` only holds parameters, so that it clones, pickles and prints like any scikit-learn object.
What runs is a `TermReader`, which the analyser makes of its parameters at the first use. A text has many
tokens and few different ones, so the reader decides about a token once and remembers the answer (`Memo`):
the work for a text is one regular expression and one dictionary look-up a token, both of them loops in C.
"""

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Annotated, Any, TypeVar

import Stemmer
from sklearn.base import BaseEstimator

from classmark.checks import Constraint, choice, integer, optional
from classmark.errors import InputError
from classmark.parameters import Parameterized
from classmark.text.patterns import ALLOWED, check_pattern
from classmark.text.settings import Lowercase, MinLength, RemoveNumbers, TokenPattern
from classmark.text.stopwords import STOP_WORDS

__all__ = ["TOKEN_PATTERNS", "Analyser", "Memo", "TermReader"]

TOKEN_PATTERNS = {"letters": r"[^\W\d_]+", "words": r"[^\W_]+"}
"""The token patterns that have a name: each a run of one class of characters."""

MEMO_LIMIT = 1_000_000
MOST_TOGETHER = 20
"""How many neighbouring terms may be joined at most: each one more makes a document as much longer as it was."""

Value = TypeVar("Value")


class Memo(dict[str, Value]):
    """A dictionary that computes what it lacks, and starts afresh when it has grown past a limit.

    Parameters
    ----------
    compute : callable
        The value of a key. It may run twice for the same key when threads share the memo, so it must give
        the same answer each time.
    limit : int
        The number of entries at which everything is forgotten.

    Examples
    --------
    >>> lengths = Memo(len)
    >>> lengths["word"], dict(lengths)
    (4, {'word': 4})
    """

    def __init__(self, compute: Callable[[str], Value], limit: int = MEMO_LIMIT) -> None:
        super().__init__()
        self._compute = compute
        self._limit = limit

    def __missing__(self, key: str) -> Value:
        if len(self) >= self._limit:
            self.clear()
        value = self[key] = self._compute(key)
        return value


def _are_stop_words(value: object) -> bool:
    if value is None or isinstance(value, str):
        return value is None or value in STOP_WORDS
    # An iterator would be empty the second time, in a clone for example.
    if not isinstance(value, Iterable) or isinstance(value, Iterator | bytes):
        return False
    return all(isinstance(word, str) for word in value)


def _are_ngrams(value: object) -> bool:
    may_be = integer(ge=1, le=MOST_TOGETHER).accepts
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(may_be, value)) and value[0] <= value[1]


class Analyser(Parameterized, BaseEstimator):
    """Turns a text into its terms.

    The steps, in this order: compose accents (NFC), lower-case, find the tokens, drop the short ones, the
    numbers and the stop words, stem, and join neighbours that survived into n-grams. Both named token patterns split
    at combining marks that have no composed form: for the scripts of India give an expression that includes them.

    Examples
    --------
    >>> Analyser(stop_words="english", stemmer="porter").terms("The ponies weren't running.")
    ['poni', 'run']
    >>> Analyser(ngrams=(1, 2)).terms("Die schöne Müllerin")
    ['die', 'schöne', 'müllerin', 'die schöne', 'schöne müllerin']
    """

    lowercase: Lowercase = True
    token_pattern: TokenPattern = "letters"
    stop_words: Annotated[
        str | Iterable[str] | None,
        Constraint(_are_stop_words, f"None, your own list of words, or one of {', '.join(STOP_WORDS)}"),
        "Words to drop: none, those of a language, or your own.",
    ] = None
    stemmer: Annotated[
        str | None, optional(choice(Stemmer.algorithms())), "Porter's stemmer, or a Snowball one by its language."
    ] = None
    remove_numbers: RemoveNumbers = False
    min_length: MinLength = 1
    ngrams: Annotated[
        tuple[int, int],
        Constraint(_are_ngrams, f"(low, high) with 1 <= low <= high <= {MOST_TOGETHER}", None),
        "The smallest and the largest number of neighbouring terms to join, by one space.",
    ] = (1, 1)

    def __setattr__(self, name: str, value: Any) -> None:
        # A changed parameter makes the reader stale, whether set_params changed it or an assignment.
        self.__dict__.pop("_reader", None)
        super().__setattr__(name, value)

    def __getstate__(self) -> dict[str, Any]:
        # Neither PyStemmer's objects nor locks can be pickled, and the memo is not worth it.
        return {name: value for name, value in super().__getstate__().items() if name != "_reader"}

    def check(self) -> None:
        """Refuse parameters that make no sense.

        Raises
        ------
        ValueError
            With one line that names the value, what is allowed and the remedy.

        Examples
        --------
        >>> Analyser(min_length=0).check()
        Traceback (most recent call last):
        classmark.errors.InputError: min_length=0: must be an integer >= 1
        """
        super().check()
        _check_pattern(self.token_pattern)

    def reader(self) -> "TermReader":
        """Return what does the work, made once for the present parameters.

        Returns
        -------
        TermReader
            Usable from several threads.

        Examples
        --------
        >>> Analyser(stemmer="english").reader().term("running")
        'run'
        """
        reader: TermReader | None = self.__dict__.get("_reader")
        if reader is None:
            self.check()
            reader = TermReader(self)
            self.__dict__["_reader"] = reader  # past __setattr__, which would take it for a change
        return reader

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text.

        Parameters
        ----------
        text : str
            Any text, the empty one included.

        Returns
        -------
        list of str
            In the order of the text; of several n-gram lengths, the shorter first.

        Examples
        --------
        >>> Analyser(stop_words="french").terms("L'école en été")
        ['école', 'été']
        """
        return self.reader().terms(text)


class TermReader:
    """An analyser's parameters made ready to run: compiled, looked up and with a memory.

    Parameters
    ----------
    analyser : Analyser
        Already checked.

    Attributes
    ----------
    joins : bool
        Whether terms are n-grams, so that a token alone does not decide its terms.
    pairs : bool
        Whether terms are single tokens and pairs, and no token holds a space, so that each pair has one string.
    pattern : Pattern
        What finds tokens, of which the only group counts where there is one.
    lowercase : bool
        Whether a text is folded to lower case first.
    ngrams : tuple of int
        How many neighbouring terms are joined, at least and at most.
    known_term : callable
        The same as `term`, with a memory.

    Examples
    --------
    >>> reader = TermReader(Analyser(stop_words=["the"]))
    >>> reader.tokens("The end"), reader.term("the"), reader.terms("The end")
    (['the', 'end'], None, ['end'])
    """

    def __init__(self, analyser: Analyser) -> None:
        pattern = TOKEN_PATTERNS.get(analyser.token_pattern, analyser.token_pattern)
        self.pattern = re.compile(pattern)
        self.lowercase = analyser.lowercase
        is_one_class = pattern in TOKEN_PATTERNS.values()
        self._ascii_table = _ascii_table(pattern, analyser.lowercase) if is_one_class else ""
        self._stop_words = _stop_words(analyser.stop_words)
        # The size 0 turns off PyStemmer's own cache: each distinct token comes here once anyway.
        self._stem = Stemmer.Stemmer(analyser.stemmer, 0).stemWord if analyser.stemmer else None
        self._lock = threading.Lock()
        self._remove_numbers = analyser.remove_numbers
        self._min_length = analyser.min_length
        self.ngrams = tuple(analyser.ngrams)
        self.joins = self.ngrams != (1, 1)
        self.pairs = self.ngrams == (1, 2) and is_one_class
        self._memo: Memo[str | None] = Memo(self.term)
        self.known_term = self._memo.__getitem__

    def tokens(self, text: str) -> list[str]:
        """Return every match of the token pattern in the composed and lower-cased text."""
        if text.isascii():
            if self._ascii_table:
                return text.translate(self._ascii_table).split()
        elif not unicodedata.is_normalized("NFC", text):
            text = unicodedata.normalize("NFC", text)
        found: list[str] = self.pattern.findall(text.lower() if self.lowercase else text)
        return found

    def term(self, token: str) -> str | None:
        """Return the term that a token stands for, or None if it is dropped."""
        if self._is_dropped(token):
            return None
        if self._stem is None:
            return token
        with self._lock:  # a PyStemmer object has one buffer for all its callers
            stem: str = self._stem(token)
        return stem or None  # Porter leaves nothing of "s"

    def _is_dropped(self, token: str) -> bool:
        if len(token) < self._min_length or (self._remove_numbers and token.isdigit()):
            return True
        return token.lower() in self._stop_words

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, joined into n-grams where the parameters say so."""
        terms: list[str] = list(filter(None, map(self.known_term, self.tokens(text))))
        if not self.joins:
            return terms
        low, high = self.ngrams
        runs = (zip(*(terms[start:] for start in range(n)), strict=False) for n in range(max(low, 2), high + 1))
        return [*(terms if low == 1 else ()), *map(" ".join, chain.from_iterable(runs))]


def _ascii_table(pattern: str, lowercase: bool) -> str:
    """Return for each ASCII character itself where it belongs to a token, a space where it separates tokens.

    On ASCII text, translating and splitting finds the same tokens as a pattern that is a run of one class of
    characters, in a third of the time.
    """
    kept = (char if re.fullmatch(pattern, char) else " " for char in map(chr, range(128)))
    return "".join(kept).lower() if lowercase else "".join(kept)


def _stop_words(stop_words: str | Iterable[str] | None) -> frozenset[str]:
    if stop_words is None:
        return frozenset()
    return (
        STOP_WORDS[stop_words]
        if isinstance(stop_words, str)
        else frozenset(unicodedata.normalize("NFC", word).lower() for word in stop_words)
    )


def _check_pattern(pattern: str) -> None:
    # Letters alone are a valid expression, but one that finds a single word: a misspelt name.
    if pattern not in TOKEN_PATTERNS and pattern.isalpha():
        raise InputError(f"token_pattern={pattern!r} is not known: {ALLOWED}")
    if pattern not in TOKEN_PATTERNS and pattern not in TOKEN_PATTERNS.values():
        check_pattern(pattern)
