"""From documents to a term matrix: one row per document, one column per term.

Documents are read once and one at a time. A token goes straight to the number of its column (the analyser is
asked once for each different token), and the numbers pile up in a flat array, block by block; a block is then
summed into rows of a CSR matrix. So nothing is kept of a text but the entries that it has in the matrix.

While fitting, columns are numbered as their terms come; at the end they are put into alphabetical order, so
that the same documents give the same columns in whatever order they come.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from numbers import Integral
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from classmark.checks import BOOLEAN, instance, optional
from classmark.data.stored import FeatureRows
from classmark.errors import InputError
from classmark.parameters import Parameterized
from classmark.text.analyser import Analyser
from classmark.text.counting import (
    Document,
    Known,
    KnownPairs,
    Lookup,
    Numbered,
    NumberedPairs,
    column_sums,
    count,
    distinct_columns,
    key_of,
    lookup_of,
    lookup_with_pairs,
    members,
    renumber,
    sized,
    warn_of_left_out,
)
from classmark.text.settings import MaxDocuments, MinDocuments, MinDocumentsOfRuns, MostTerms

__all__ = ["Document", "TextVectoriser"]


class TextVectoriser(Parameterized, TransformerMixin, BaseEstimator):
    """Counts the terms of documents.

    A document is a text, or a mapping from terms to weights: ready-made features, which the analyser does not
    touch. A weight of 0 means that the document does not have the term.

    Attributes
    ----------
    vocabulary_ : list of str
        The terms in the order of the columns, which is alphabetical after `fit`.
    runs_ : array of bool
        After `fit`, which terms are runs of several tokens of a text.
    analyser_ : Analyser
        A copy of the analyser, so that what happens to the parameter afterwards changes nothing.

    Examples
    --------
    >>> vectoriser = TextVectoriser(Analyser(stop_words="english"))
    >>> vectoriser.fit_transform(["The cat saw the other cat", {"cat": 0.5, "12": 2}]).toarray()
    array([[0. , 2. , 1. ],
           [2. , 0.5, 0. ]])
    >>> vectoriser.vocabulary_
    ['12', 'cat', 'saw']
    """

    analyser: Annotated[
        Analyser | None, optional(instance(Analyser, "an Analyser(...)")), "What makes terms of a text."
    ] = field(default=None, kw_only=False)
    binary: Annotated[bool, BOOLEAN, "Whether presence counts (1) and not the number of times or the weight."] = False
    min_df: MinDocuments = 1
    max_df: MaxDocuments = 1.0
    max_features: MostTerms = None
    ngram_min_df: MinDocumentsOfRuns = 1

    @classmethod
    def from_vocabulary(cls, vocabulary: Sequence[str], analyser: Analyser | None = None, binary: bool = False) -> Self:
        """Return a fitted vectoriser with the given columns.

        Parameters
        ----------
        vocabulary : sequence of str
            The terms, in the order of their columns.
        analyser, binary
            As for the class.

        Returns
        -------
        TextVectoriser
            Ready to transform.

        Examples
        --------
        >>> TextVectoriser.from_vocabulary(["b", "a"]).transform(["a b a c"]).toarray()
        array([[1., 2.]])
        """
        vectoriser = cls(analyser, binary=binary)
        vectoriser.check()
        vectoriser.analyser_ = _own_copy(analyser)
        vectoriser.analyser_.check()
        vectoriser.vocabulary_ = _checked_terms(vocabulary)
        return vectoriser

    def fit(self, documents: Iterable[Document], y: Any = None) -> Self:
        """Learn the vocabulary.

        Parameters
        ----------
        documents : iterable of str or mapping
            Read once, so a generator will do.
        y : ignored
            Part of scikit-learn's contract.

        Returns
        -------
        TextVectoriser
            Itself.
        """
        self.fit_transform(documents)
        return self

    def fit_transform(self, documents: Iterable[Document], y: Any = None) -> csr_array:
        """Learn the vocabulary and count, reading the documents once.

        Parameters
        ----------
        documents : iterable of str or mapping
            Read once, so a generator will do. `FeatureRows` are taken as they are, which is quickest.
        y : ignored
            Part of scikit-learn's contract.

        Returns
        -------
        csr_array of float64, shape (n_documents, n_terms)
            With sorted indices and no duplicates.
        """
        self.check()
        analyser = _own_copy(self.analyser)
        terms, counts = self._learned(documents, analyser)
        if counts.shape[0] == 0:
            raise InputError("documents is empty: give at least one document to learn the vocabulary from")

        runs = terms.runs()
        numbers = self.kept(column_sums(counts.indices, None, len(runs)), runs, counts.shape[0])
        names = terms.names(numbers)
        order = self._chosen(counts, numbers, sorted(range(len(numbers)), key=names.__getitem__))
        self.check_left(len(order), counts.shape[0])
        counts = _with_columns(counts, numbers[order], len(runs))
        self.take_terms([names[position] for position in order], runs[numbers[order]], terms.left_out, analyser)
        return counts

    def take_terms(
        self, names: list[str], runs: NDArray[np.bool_], left_out: int, analyser: Analyser | None = None
    ) -> None:
        """Have learned these terms, and say how many were left out."""
        warn_of_left_out(left_out)
        self.vocabulary_, self.runs_ = names, runs
        self.analyser_ = _own_copy(self.analyser) if analyser is None else analyser
        self.__dict__.pop("_known", None)

    def check_left(self, terms: int, n_documents: int) -> None:
        """Refuse a vocabulary without a term."""
        if not terms:
            raise InputError(
                f"no term is left of {n_documents} documents: loosen min_df={self.min_df!r}, "
                f"max_df={self.max_df!r} or the analyser's stop_words, token_pattern and min_length"
            )

    def _learned(self, documents: Iterable[Document], analyser: Analyser) -> "tuple[LearnedTerms | _Given, csr_array]":
        """Count all terms of documents; what is in arrays already is taken as it is."""
        if isinstance(documents, FeatureRows):
            columns, counts = distinct_columns(documents.matrix)
            if self.binary:
                counts.data.fill(1.0)
            return _Given(columns), counts
        terms = LearnedTerms(analyser)
        counts = count(documents, terms.lookup, binary=self.binary)
        terms.unite_given_pairs(counts)
        return terms, counts

    def transform(self, documents: Iterable[Document]) -> csr_array:
        """Count the known terms of documents; others are ignored.

        Parameters
        ----------
        documents : iterable of str or mapping
            May be empty.

        Returns
        -------
        csr_array of float64, shape (n_documents, n_terms)
            With sorted indices and no duplicates.
        """
        check_is_fitted(self)
        # Kept from call to call: a server transforms one text at a time and would never get warm otherwise.
        lookup: Lookup | None = self.__dict__.get("_known")
        if lookup is None:
            lookup = self._known = _known(Known.of(self.vocabulary_), self.analyser_)
        counts = count(documents, lookup, binary=self.binary)
        return sized(counts, counts.indices, len(self.vocabulary_))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the terms in the order of the columns.

        Parameters
        ----------
        input_features : ignored
            Part of scikit-learn's contract.

        Returns
        -------
        ndarray of object
            The vocabulary.

        Examples
        --------
        >>> TextVectoriser().fit(["b a"]).get_feature_names_out()
        array(['a', 'b'], dtype=object)
        """
        check_is_fitted(self)
        return np.array(self.vocabulary_, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        # scikit-learn would go through all attributes, while another thread's first `transform` adds one.
        return hasattr(self, "vocabulary_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def __getstate__(self) -> dict[str, Any]:
        # The look-up holds functions and what it remembers; it is made again when it is needed.
        return {name: value for name, value in super().__getstate__().items() if name != "_known"}

    def check(self) -> None:
        """Refuse parameters that cannot be, the analyser's among them."""
        super().check()
        if self.analyser is not None:
            self.analyser.check()

    def kept(self, df: NDArray[np.float64], runs: NDArray[np.bool_], n_documents: int) -> NDArray[np.intp]:
        """Return which terms min_df and max_df leave, in ascending order, by the documents that each is in."""
        low, high, run_low = (
            value if isinstance(value, Integral) else value * n_documents
            for value in (self.min_df, self.max_df, self.ngram_min_df)
        )
        if high < low:
            ranges = f"min_df={self.min_df!r} and max_df={self.max_df!r}"
            raise InputError(f"{ranges} leave nothing of {n_documents} documents: lower min_df or raise max_df")
        least = np.where(runs, max(low, run_low, 1), max(low, 1))  # a term seen with weight 0 only has df 0
        return np.flatnonzero((df >= least) & (df <= high))

    def _chosen(self, counts: csr_array, numbers: NDArray[np.intp], order: list[int]) -> NDArray[np.intp]:
        """Return of positions in alphabetical order those that max_features leaves, in that order."""
        positions = np.array(order, dtype=np.intp)
        if self.max_features is None or len(positions) <= self.max_features:
            return positions
        totals = column_sums(counts.indices, counts.data, int(counts.indices.max()) + 1)[numbers[positions]]
        return positions[self.most_frequent(totals)]

    def most_frequent(self, totals: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return which terms max_features leaves, in ascending order, by how often each is there."""
        if self.max_features is None or len(totals) <= self.max_features:
            return np.arange(len(totals))
        return np.sort(np.argsort(-totals, kind="stable")[: self.max_features])


class LearnedTerms:
    """The terms of documents in the order in which they come, numbered from 0."""

    def __init__(self, analyser: Analyser) -> None:
        reader = analyser.reader()
        self._numbers, self._given, self._joins = Numbered(), dict[str, int](), reader.joins
        number = self._numbers.__getitem__
        if reader.pairs:
            self.lookup = lookup_with_pairs(reader, number, self._given_term, NumberedPairs(self._numbers))
        elif reader.joins:
            self.lookup = lookup_of(reader, number)._replace(of_term=self._given_term)
        else:
            self.lookup = lookup_of(reader, number)

    def _given_term(self, term: str) -> int:
        """Give a ready-made feature its number: it is no run of tokens, whatever stands in it."""
        return self._given.setdefault(term, self._numbers[term])

    def unite_given_pairs(self, counts: csr_array) -> None:
        """Give a pair of words that is also a ready-made feature the number of that."""
        same = np.arange(len(self._numbers), dtype=np.int32)
        for term, own in self._given.items():
            match [self._numbers.get(word) for word in term.split(" ")]:
                case [int(first), int(second)]:
                    same[self._numbers.get(key_of(first, second), own)] = own
        renumber(counts.indices, same)

    def runs(self) -> NDArray[np.bool_]:
        """Tell which terms are runs of several tokens of a text."""
        are_runs = (
            isinstance(term, int) or (self._joins and " " in term and term not in self._given) for term in self._numbers
        )
        return np.fromiter(are_runs, bool, len(self._numbers))

    def names(self, numbers: NDArray[np.intp]) -> list[str]:
        """Give the terms with these numbers."""
        terms = list(self._numbers)

        def name(term: str | int) -> str:
            return term if isinstance(term, str) else " ".join(str(terms[member]) for member in members(term))

        return [name(terms[number]) for number in numbers.tolist()]

    @property
    def left_out(self) -> int:
        """How many runs were not counted."""
        return self._numbers.left_out

    def __len__(self) -> int:
        return len(self._numbers)


class _Given:
    """The terms of documents that are rows of features already: numbers, in their order."""

    left_out = 0

    def __init__(self, columns: NDArray[np.int32]) -> None:
        self._columns = columns

    def runs(self) -> NDArray[np.bool_]:
        """Say that none is a run of several tokens."""
        return np.zeros(len(self._columns), dtype=bool)

    def names(self, numbers: NDArray[np.intp]) -> list[str]:
        """Give the terms with these numbers."""
        return list(map(str, self._columns[numbers].tolist()))


def _own_copy(analyser: Analyser | None) -> Analyser:
    return Analyser() if analyser is None else clone(analyser)


def _checked_terms(vocabulary: Sequence[str]) -> list[str]:
    """Give the terms of a vocabulary, one at least and none twice."""
    terms = list(vocabulary)
    if isinstance(vocabulary, str) or not terms or not all(issubclass(kind, str) for kind in set(map(type, terms))):
        raise InputError(f"vocabulary={vocabulary!r} is not allowed: give a list of terms, one at least")
    if len(set(terms)) < len(terms):
        term, times = Counter(terms).most_common(1)[0]
        raise InputError(f"vocabulary has {term!r} {times} times: give each term one column")
    return terms


def _known(known: Known, analyser: Analyser) -> Lookup:
    """Give the lookup of a vocabulary."""
    reader = analyser.reader()
    if not reader.pairs:
        return lookup_of(reader, known.__getitem__, known.of_all)
    pairs = KnownPairs(list(known))
    return lookup_with_pairs(reader, pairs.number, known.__getitem__, pairs)


def _with_columns(counts: csr_array, numbers: NDArray[np.intp], n_terms: int) -> csr_array:
    """Give counts the columns of these numbers, in their order; in place where all are kept."""
    if len(numbers) < n_terms:
        counts = sized(counts, counts.indices, n_terms)[:, numbers]
    else:
        rank = np.empty(n_terms, dtype=np.int32)
        rank[numbers] = np.arange(n_terms, dtype=np.int32)
        renumber(counts.indices, rank)
        counts = sized(counts, counts.indices, n_terms)
    counts.sort_indices()
    return counts
