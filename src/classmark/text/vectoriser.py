"""From documents to a term matrix: one row a document, one column a term.

Documents are read once and one at a time. A token goes straight to the number of its column (the analyser is
asked once for each different token), and the numbers pile up in a flat array, block by block; a block is then
summed into rows of a CSR matrix. So nothing is kept of a text but the entries that it has in the matrix.

While fitting, columns are numbered as their terms come; at the end they are put into alphabetical order, so
that the same documents give the same columns in whatever order they come.
"""

from __future__ import annotations

from collections import Counter
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from classmark.checks import TRUTH, Allowed, Rule, check_settings, is_whole, number, one_of_kind, optional, whole
from classmark.text.analyser import Analyser
from classmark.text.counting import Document, Known, Lookup, Numbered, column_sums, count, lookup_of, renumber, sized

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array
    from sklearn.utils import Tags

__all__ = ["Document", "TextVectoriser"]


_is_count, _ = whole(1)
_is_share, _ = number(least=0, most=1)
DOCUMENT_FREQUENCY: Rule = (
    lambda value: _is_count(value) if is_whole(value) else _is_share(value),
    "a whole number of documents from 1, or a share of them from 0.0 to 1.0",
)


class TextVectoriser(TransformerMixin, BaseEstimator):
    """Counts the terms of documents.

    A document is a text, or a mapping from terms to weights: ready-made features, which the analyser does not
    touch. A weight of 0 means that the document does not have the term.

    Parameters
    ----------
    analyser : Analyser or None
        What makes terms of a text; None is ``Analyser()``.
    binary : bool
        Whether presence counts (1) and not the number of times or the weight.
    min_df, max_df : int or float
        A term is kept if at least and at most so many documents have it: an int is a number of documents,
        a float a share of them.
    max_features : int or None
        Keep so many of those terms, the most frequent by total count; the alphabet breaks ties.
    ngram_min_df : int or float
        The same as `min_df` for terms of several tokens, of which most stand in one document alone.

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

    allowed: ClassVar[Allowed] = {
        "analyser": optional(one_of_kind(Analyser, "an Analyser(...)")),
        "binary": TRUTH,
        "min_df": DOCUMENT_FREQUENCY,
        "max_df": DOCUMENT_FREQUENCY,
        "max_features": optional(whole(1)),
        "ngram_min_df": DOCUMENT_FREQUENCY,
    }

    def __init__(
        self,
        analyser: Analyser | None = None,
        *,
        binary: bool = False,
        min_df: float = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
        ngram_min_df: float = 1,
    ) -> None:
        self.analyser = analyser
        self.binary = binary
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.ngram_min_df = ngram_min_df

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
        terms = list(vocabulary)
        if isinstance(vocabulary, str) or not terms or not all(isinstance(term, str) for term in terms):
            raise ValueError(f"vocabulary={vocabulary!r} is not allowed: give a list of terms, one at least")
        term, times = Counter(terms).most_common(1)[0]
        if times > 1:
            raise ValueError(f"vocabulary has {term!r} {times} times: give each term one column")
        vectoriser = cls(analyser, binary=binary)
        vectoriser.check()
        vectoriser.analyser_ = vectoriser._own_analyser()
        vectoriser.analyser_.check()
        vectoriser.vocabulary_ = terms
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
            Read once, so a generator will do.
        y : ignored
            Part of scikit-learn's contract.

        Returns
        -------
        csr_array of float64, shape (n_documents, n_terms)
            With sorted indices and no duplicates.
        """
        self.check()
        analyser = self._own_analyser()
        columns, given = Numbered(), dict[str, int]()
        lookup = lookup_of(analyser.reader(), columns.__getitem__)
        if analyser.reader().joins:
            # Ready-made features are no runs of tokens, whatever stands in them.
            lookup = lookup._replace(of_term=lambda term: given.setdefault(term, columns[term]))
        counts = count(documents, lookup, binary=self.binary)
        if counts.shape[0] == 0:
            raise ValueError("documents is empty: give at least one document to learn the vocabulary from")

        vocabulary = sorted(columns)
        rank = np.empty(len(vocabulary), dtype=np.int32)
        rank[[columns[term] for term in vocabulary]] = np.arange(len(vocabulary), dtype=np.int32)
        renumber(counts.indices, rank)
        counts = sized(counts, counts.indices, len(vocabulary))
        runs = np.array([analyser.reader().joins and " " in term and term not in given for term in vocabulary], bool)
        kept = self._kept(counts, runs)
        if len(kept) == 0:
            raise ValueError(
                f"no term is left of {counts.shape[0]} documents: loosen min_df={self.min_df!r}, "
                f"max_df={self.max_df!r} or the analyser's stop_words, token_pattern and min_length"
            )
        columns.warn()
        if len(kept) < len(vocabulary):
            counts = counts[:, kept]
        counts.sort_indices()
        self.vocabulary_ = [vocabulary[column] for column in kept]
        self.runs_ = runs[kept]
        self.analyser_ = analyser
        self.__dict__.pop("_known", None)
        return counts

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
            known = Known(zip(self.vocabulary_, range(len(self.vocabulary_)), strict=True))
            lookup = self._known = lookup_of(self.analyser_.reader(), known.__getitem__, known.of_all)
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

    def _own_analyser(self) -> Analyser:
        return Analyser() if self.analyser is None else clone(self.analyser)

    def check(self) -> None:
        """Refuse parameters that cannot be, the analyser's among them."""
        check_settings(self, self.allowed)
        if self.analyser is not None:
            self.analyser.check()

    def _kept(self, counts: csr_array, runs: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return the columns that min_df, max_df and max_features leave, in ascending order."""
        n_documents, n_terms = counts.shape
        low, high, run_low = (
            value if isinstance(value, Integral) else value * n_documents
            for value in (self.min_df, self.max_df, self.ngram_min_df)
        )
        if high < low:
            ranges = f"min_df={self.min_df!r} and max_df={self.max_df!r}"
            raise ValueError(f"{ranges} leave nothing of {n_documents} documents: lower min_df or raise max_df")
        df = column_sums(counts.indices, None, n_terms)
        least = np.where(runs, max(low, run_low, 1), max(low, 1))  # a term seen with weight 0 only has df 0
        kept = np.flatnonzero((df >= least) & (df <= high))
        if self.max_features is None or len(kept) <= self.max_features:
            return kept
        totals = column_sums(counts.indices, counts.data, n_terms)
        order = np.argsort(-totals[kept], kind="stable")
        return np.sort(kept[order[: self.max_features]])
