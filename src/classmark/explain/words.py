"""Which words speak for a category, and against it, by what a model has learned and without any document."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.answers import Matrix, Positions
from classmark.errors import InputError
from classmark.pipeline import TextClassifier
from classmark.reader import Readings, Vectoriser
from classmark.text import TextVectoriser
from classmark.text.encoders.features import VectorsAndTerms

NUMBERS_AT_A_TIME = 1 << 22
"""How many weights are held at once where they are not sparse: 32 megabytes."""
MOST_NODES = 1024
"""How many nodes are looked at at once, however few weights they have."""


@dataclass(frozen=True)
class Words:
    """The words that speak loudest for a category and against it, each with its weight, the loudest first."""

    speaking_for: tuple[tuple[str, float], ...]
    """Words that make the category likelier."""
    against: tuple[tuple[str, float], ...]
    """Words that make it less likely."""


def strongest_words(model: TextClassifier, nodes: Positions | None = None, top: int = 5) -> list[Words]:
    """Give the words that speak loudest for each of some categories, and against it.

    A weight is what the model has learned: of a linear method the weight of a term; of boosting what the presence of a
    term changes; of naive Bayes the logarithm of how much likelier a term is in the category than elsewhere; of
    neighbours how typical it is of the category's documents (`classmark.neighbours.voting`). From the top down a
    category is set against its siblings. One that nothing was learned of by itself has the mean of those below it, and
    one without any has no words. Weights are looked at some categories at a time, so that thousands take little memory.

    Parameters
    ----------
    model : TextClassifier
        A fitted classifier.
    nodes : array of int, optional
        The categories, by their positions in the hierarchy; all of them by default.
    top : int
        How many words of each kind, at most.

    Raises
    ------
    ValueError
        Where the model has no words for a category: an encoder's numbers are none, and a majority knows none.

    Examples
    --------
    >>> model = TextClassifier("nb").fit(["hoots at night", "cries over the sea"], ["owl", "gull"])
    >>> words = strongest_words(model, top=2)
    >>> [sorted(word for word, _ in one.speaking_for) for one in words]
    [['cries', 'sea'], ['hoots', 'night']]
    """
    if top < 1:
        raise InputError(f"top={top}: must be an integer >= 1")
    chosen = np.arange(len(model.hierarchy_)) if nodes is None else np.asarray(nodes, dtype=np.intp)
    names = np.array(known_words(model), dtype=object)
    return [words for block in word_weights(model, chosen) for words in _strongest(block, names, top)]


def known_words(model: TextClassifier) -> list[str]:
    """Give the words that a model knows, in the order of the columns of `word_weights`."""
    return list(dict.fromkeys(name for _, name in _columns(model)))


def word_weights(model: TextClassifier, nodes: Positions) -> Iterator[csr_array]:
    """Give what every known word says for each of some categories, some of them at a time."""
    pairs = _columns(model)
    if not pairs:
        name = model.method if isinstance(model.method, str) else type(model.method).__name__
        raise InputError(f"{name} reads texts by an encoder: its numbers are no words")
    numbers = {name: number for number, name in enumerate(dict.fromkeys(name for _, name in pairs))}
    # Parts that read in different ways may know the same word.
    columns, words = np.array([column for column, _ in pairs]), np.array([numbers[name] for _, name in pairs])
    width = len(model.vectoriser_.vocabulary_)
    put = csr_array((np.ones(columns.size), (columns, words)), shape=(width, len(numbers)))
    alike = columns.size == width == len(numbers)
    size = max(1, min(MOST_NODES, NUMBERS_AT_A_TIME // max(width, 1)))
    blocks = [nodes[start : start + size] for start in range(0, nodes.size, size)]
    for weights in model.classifier_.term_weights(blocks):
        yield csr_array(weights) if alike else csr_array(csr_array(weights) @ put)


def _columns(model: TextClassifier) -> list[tuple[int, str]]:
    """Give the columns that are words, each with its word."""
    found, start = list[tuple[int, str]](), 0
    for vectoriser in _read_by(model):
        names, first = vectoriser.vocabulary_, 0
        if isinstance(vectoriser, VectorsAndTerms):
            first = len(names) - len(vectoriser.vectoriser.vocabulary_)
        elif not isinstance(vectoriser, TextVectoriser):
            first = len(names)
        found += [(start + column, names[column]) for column in range(first, len(names))]
        start += len(names)
    return found


def _read_by(model: TextClassifier) -> list[Vectoriser]:
    if isinstance(model.vectoriser_, Readings):
        return [way for _, way in model.vectoriser_.ways()]
    return [model.vectoriser_]


def _strongest(weights: Matrix, names: npt.NDArray[np.object_], top: int) -> Iterator[Words]:
    rows = csr_array(weights)
    for start, end in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
        values, columns = rows.data[start:end], rows.indices[start:end]
        yield Words(*(_largest(sign * values, columns, names, top, sign) for sign in (1, -1)))


def _largest(
    values: npt.NDArray[np.float64], columns: npt.NDArray[np.int32], names: npt.NDArray[np.object_], top: int, sign: int
) -> tuple[tuple[str, float], ...]:
    """Give the largest of some values above 0 with their names; of equals the first in the alphabet."""
    kept = np.flatnonzero(values > 0)
    if kept.size > top:
        least = np.partition(values[kept], -top)[-top]
        kept = kept[values[kept] >= least]
    ranked = sorted((-float(values[place]), str(names[columns[place]])) for place in kept)
    return tuple((name, -sign * value) for value, name in ranked[:top])


def cosines(model: TextClassifier, node: int) -> npt.NDArray[np.float64]:
    """Give how alike every category is to one, by the words that speak for both: from 0 to 1.

    >>> model = TextClassifier("nb").fit(["hoots at night", "cries over the sea"], ["owl", "gull"])
    >>> cosines(model, 1).round(6)
    array([0., 1.])
    """
    (row,) = (_positive(block) for block in word_weights(model, np.array([node])))
    length = np.sqrt(row.multiply(row).sum())
    found = []
    for block in map(_positive, word_weights(model, np.arange(len(model.hierarchy_)))):
        lengths = np.sqrt(np.asarray(block.multiply(block).sum(axis=1)).ravel()) * length
        products = np.asarray((block @ row.T).toarray()).ravel()
        found.append(np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0))
    return np.concatenate(found)


def _positive(weights: csr_array) -> csr_array:
    return csr_array((np.maximum(weights.data, 0.0), weights.indices, weights.indptr), shape=weights.shape)
