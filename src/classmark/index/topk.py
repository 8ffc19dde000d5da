"""The best k of a stream, in a heap."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from classmark.compilation import kernel

Number: TypeAlias = float | np.floating[Any]


class Heap(NamedTuple):
    """The best so far, the worst of them on top."""

    scores: npt.NDArray[np.float32]
    documents: npt.NDArray[np.int64]


@kernel
def is_worse(score: Number, document: int, other_score: Number, other_document: int) -> bool:
    """Say whether a document comes after another: a lower score, or the same and a higher number."""
    after: bool = score < other_score or (score == other_score and document > other_document)  # type: ignore[assignment]
    return after


@kernel
def sift(heap: Heap, size: int, score: Number, document: int) -> None:
    """Put a document in the position of the worst, and restore the order."""
    position = 0
    while True:
        child = 2 * position + 1
        if child >= size:
            break
        after = child + 1
        if after < size and is_worse(
            heap.scores[after], heap.documents[after], heap.scores[child], heap.documents[child]
        ):
            child = after
        if not is_worse(heap.scores[child], heap.documents[child], score, document):
            break
        heap.scores[position], heap.documents[position] = heap.scores[child], heap.documents[child]
        position = child
    heap.scores[position], heap.documents[position] = score, document


@kernel
def push(heap: Heap, size: int, score: Number, document: int) -> int:
    """Keep a document if it is among the best; give how many are kept."""
    if size == len(heap.scores):
        if is_worse(heap.scores[0], heap.documents[0], score, document):
            sift(heap, size, score, document)
        return size
    position = size
    while position > 0:
        parent = (position - 1) // 2
        if not is_worse(score, document, heap.scores[parent], heap.documents[parent]):
            break
        heap.scores[position], heap.documents[position] = heap.scores[parent], heap.documents[parent]
        position = parent
    heap.scores[position], heap.documents[position] = score, document
    return size + 1


@kernel
def pour(heap: Heap, size: int, documents: npt.NDArray[np.int32], scores: npt.NDArray[np.float32]) -> None:
    """Empty the heap into a row of the answer, best first."""
    while size > 0:
        size -= 1
        documents[size], scores[size] = heap.documents[0], heap.scores[0]
        sift(heap, size, heap.scores[size], heap.documents[size])
