"""The words of categories: which are typical of each, and which categories have nearly the same.

A word is typical of a category by how much more often its documents have it than the others, and how surely. Documents
count for a category and for all above it.

Two categories are alike by the cosine of the means of their own documents' tf-idf vectors, of which the heaviest words
are looked at: the others would cost most of the time and say least.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array, diags_array
from scipy.special import xlogy

from classmark.answers import Positions
from classmark.arrays import Floats
from classmark.data.corpus import Documents
from classmark.explain.words import strongest_words
from classmark.hierarchy import Hierarchy
from classmark.pipeline import TextClassifier
from classmark.reader import Reader, Readings
from classmark.text import Analyser, TextSettings, TextVectoriser

MOST_DOCUMENTS = 50_000
"""So many documents are read for their words, at most."""
TYPICAL = 5
"""So many typical words are given of a category."""
SURELY = 2.0
"""A word is typical from so many standard deviations on."""
LEAST = 5
"""With fewer documents the words of a category say little about what it is like."""
HEAVIEST = 100
"""So many words of a category are compared."""
ALIKE = 0.85
"""From this cosine on categories are spoken of."""
MOST_ALIKE = 50
AT_A_TIME = 1000
"""So many categories are compared with all others at once."""
FEW = 50
"""With so few documents, words that stand in one alone are looked at too."""
READING = TextSettings(language="auto", stemmer=None, min_length=2, min_df=2, max_features=200_000)
"""Words as they are written, without the most common ones of the language."""


@dataclass(frozen=True, eq=False)
class Words:
    """Which words some documents have, and which categories."""

    terms: list[str]
    """The words."""
    has: csr_array
    """Documents × words: how often."""
    own: csr_array
    """Documents × nodes: their own labels."""
    hierarchy: Hierarchy
    """The categories."""

    @classmethod
    def of(cls, documents: Documents, own: csr_array, hierarchy: Hierarchy) -> "Words | None":
        """Read documents, a part of them where there are very many; nothing where they have no words in common."""
        rows = np.arange(own.shape[0])
        if rows.size > MOST_DOCUMENTS:
            rows = np.sort(np.random.default_rng(0).permutation(rows)[:MOST_DOCUMENTS])
            picked = rows.tolist()
            documents = [documents[row] for row in picked] if isinstance(documents, list) else documents.take(picked)
        try:
            reader, counts = Reader.learn(READING if rows.size > FEW else replace(READING, min_df=1), documents)
        except ValueError:  # there is no word, or no document
            return None
        return cls(reader.vectoriser.vocabulary_, counts, csr_array(own[rows]), hierarchy)

    def typical(self, most: int = TYPICAL) -> list[tuple[str, ...]]:
        """Give the words that are most typical of each node, the most typical first.

        >>> tree = Hierarchy.from_paths(["bird/owl", "bird/gull", "fish"])
        >>> own = csr_array(np.eye(4, dtype=bool)[[2, 2, 3, 3, 1, 1]])
        >>> texts = ["owl wing", "owl wing", "gull wing", "gull wing", "fin", "fin"]
        >>> Words.of(texts, own, tree).typical()
        [('wing',), ('fin',), ('owl',), ('gull',)]
        """
        closed = self.hierarchy.close(self.own).astype(np.float64)
        present = csr_array((np.ones(self.has.nnz), self.has.indices, self.has.indptr), shape=self.has.shape)
        within = csr_array(closed.T @ present)
        sizes = np.asarray(closed.sum(axis=0)).ravel()
        nodes = np.repeat(np.arange(within.shape[0]), np.diff(within.indptr))
        totals = np.bincount(present.indices, minlength=present.shape[1]).astype(np.float64)
        sure = _surprise(within.data, sizes[nodes], totals[within.indices], present.shape[0])
        kept = np.flatnonzero(sure >= SURELY)
        order = kept[np.lexsort((within.indices[kept], -sure[kept], nodes[kept]))]
        ends = np.searchsorted(nodes[order], np.arange(within.shape[0] + 1)).tolist()
        columns = within.indices[order]
        return [
            tuple(self.terms[column] for column in columns[start : min(stop, start + most)])
            for start, stop in pairwise(ends)
        ]

    def spoken(self, analysers: Sequence[Analyser]) -> dict[str, str]:
        """Give for terms, which may be stems, the most frequent word that becomes each.

        >>> own, birds = csr_array([[True]]), Hierarchy.flat(["bird"])
        >>> Words.of(["hoots hoots hooted"], own, birds).spoken([Analyser(stemmer="porter")])
        {'hoot': 'hoots'}
        """
        found: dict[str, str] = {}
        frequent = np.argsort(-np.asarray(self.has.sum(axis=0)).ravel(), kind="stable").tolist()
        for word in (self.terms[column] for column in frequent):
            for analyser in analysers:
                for term in analyser.terms(word):
                    found.setdefault(term, word)
        return found

    def alike(self, most: int = MOST_ALIKE) -> list[tuple[int, int, float]]:
        """Give the pairs of nodes with nearly the same words, the most alike first."""
        sizes = np.asarray(self.own.sum(axis=0)).ravel()
        nodes = np.flatnonzero(sizes >= LEAST)
        means = _heaviest(self._means(nodes))
        found = [pair for pair in _near(means, nodes) if not self._on_a_path(*pair[:2])]
        return sorted(found, key=lambda pair: (-pair[2], pair[:2]))[:most]

    def _means(self, nodes: Positions) -> csr_array:
        idf = np.log((1 + self.has.shape[0]) / (1 + np.bincount(self.has.indices, minlength=self.has.shape[1])))
        vectors = _of_length_one(csr_array(self.has @ diags_array(idf)))
        return csr_array(self.own[:, nodes].T.astype(np.float64) @ vectors)

    def _on_a_path(self, first: int, second: int) -> bool:
        above = self.hierarchy.ancestors
        return any(
            one in above.indices[above.indptr[other] : above.indptr[other + 1]]
            for one, other in ((first, second), (second, first))
        )


def _surprise(within: Floats, size: Floats, total: Floats, documents: int) -> Floats:
    """Give how surprising it is that so many documents of a category have a word; below 0 where they are too few.

    The root of the log-likelihood ratio (T. Dunning, "Accurate methods for the statistics of surprise and
    coincidence", 1993), which grows with the number of documents and does not overrate words that stand in one alone.
    """
    rest = total - within
    observed = [within, size - within, rest, documents - size - rest]
    shares = [size * total, size * (documents - total), (documents - size) * total]
    expected = [*shares, (documents - size) * (documents - total)]
    ratio = sum(
        xlogy(some, some) - xlogy(some, share / documents) for some, share in zip(observed, expected, strict=True)
    )
    return np.sign(within * documents - size * total) * np.sqrt(np.maximum(2 * ratio, 0.0))


def _heaviest(vectors: csr_array) -> csr_array:
    """Keep the largest entries of each row, of length 1 together."""
    rows = np.repeat(np.arange(vectors.shape[0]), np.diff(vectors.indptr))
    order = np.lexsort((-vectors.data, rows))
    ranks = np.arange(order.size) - vectors.indptr[:-1][rows[order]]
    kept = order[ranks < HEAVIEST]
    return _of_length_one(csr_array((vectors.data[kept], (rows[kept], vectors.indices[kept])), shape=vectors.shape))


def _of_length_one(vectors: csr_array) -> csr_array:
    lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1))).ravel()
    return csr_array(diags_array(1 / np.where(lengths > 0, lengths, 1.0)) @ vectors)


def _near(means: csr_array, nodes: Positions) -> Iterator[tuple[int, int, float]]:
    """Yield the pairs that are alike, some nodes against all at a time."""
    columns = csr_array(means.T)
    for start in range(0, nodes.size, AT_A_TIME):
        cosines = (means[start : start + AT_A_TIME] @ columns).tocoo()
        rows, others = cosines.coords
        near = (cosines.data >= ALIKE) & (rows + start < others)
        for row, other, cosine in zip(rows[near], others[near], cosines.data[near], strict=True):
            yield int(nodes[start + row]), int(nodes[other]), min(1.0, float(cosine))


def speaking_words(words: Words, model: TextClassifier | None = None) -> list[tuple[str, ...]]:
    """Give each node the words that speak for it by the model; where it has none, those typical of its documents."""
    typical = words.typical()
    if model is None:
        return typical
    try:
        found = strongest_words(model, top=TYPICAL)
    except ValueError:  # an encoder has no words, and a majority knows none
        return typical
    written = words.spoken(_analysers(model))
    return [
        tuple(dict.fromkeys(_as_written(term, written) for term, _ in one.speaking_for)) or others
        for one, others in zip(found, typical, strict=True)
    ]


def _analysers(model: TextClassifier) -> Sequence[Analyser]:
    vectoriser = model.vectoriser_
    ways = [way for _, way in vectoriser.ways()] if isinstance(vectoriser, Readings) else [vectoriser]
    return [way.analyser_ for way in ways if isinstance(way, TextVectoriser)]


def _as_written(term: str, written: dict[str, str]) -> str:
    """Give a term, or each word of a run of them, as documents have it.

    >>> _as_written("buffer stock", {"stock": "stocks"})
    'buffer stocks'
    """
    return " ".join(written.get(part, part) for part in term.split(" "))
