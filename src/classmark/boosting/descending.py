"""The way down with the merged hypotheses of all nodes, a node at a time.

A node's pivots have a row of weights each, a weight for every slot. All documents that come to a node are scored one
after the other, while an array says where a term's row is: so a term costs a look at that array and the sum of a row.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.boosting.merits import Indices, Integers
from classmark.compilation import kernel
from classmark.parallel import balanced_ranges, threads
from classmark.strategies.topdown.descent import DESCENTS, Structure, finished, localise, lowest
from classmark.strategies.topdown.descent_kernels import arrive, at_top
from classmark.strategies.topdown.linear_bank import LinearModel

NOWHERE = np.uint32(0xFFFFFFFF)
"""The row of a term that is no pivot of a node. Rows are unsigned, so that no index is checked for its sign."""


class Answers(NamedTuple):
    """What the boosters of all nodes say of the presence of terms, one node after the other.

    Attributes
    ----------
    columns, column_starts : array of int
        The pivots of problem i are `columns[column_starts[i]:column_starts[i + 1]]`.
    weights, weight_starts : array
        Their rows of weights begin at `weights[weight_starts[i]]`.
    intercepts : array, (n_slots,)
        The margins without any pivot; infinite where there is nothing in a document's way.
    """

    columns: Integers
    column_starts: Integers
    weights: Floats
    weight_starts: Integers
    intercepts: Floats

    @classmethod
    def gather(cls, models: list[LinearModel]) -> "Answers":
        """Put the weights of all nodes one after the other."""
        columns, weights = [model.columns for model in models], [model.weights.ravel() for model in models]
        return cls(
            np.concatenate(columns).astype(np.int64),
            np.cumsum([0, *map(len, columns)]),
            np.concatenate(weights),
            np.cumsum([0, *map(len, weights)]),
            np.concatenate([model.intercepts for model in models]),
        )

    def scores(
        self, X: csr_array, structure: Structure, descent: str, floor: float, least: float, n_threads: int
    ) -> Floats:
        """Score every node, as `LinearBank.scores` does; X is presence."""
        scores = np.full((X.shape[0], structure.nodes), -np.inf)
        terms = X.indices.astype(np.uint32)
        given = (X.indptr, terms, X.shape[1], self, structure, DESCENTS[descent], lowest(floor, descent))
        ranges = balanced_ranges(X.indptr, n_threads) if X.shape[0] else []
        with threads(n_threads) as run:
            run(descend_by_stumps, [(*given, scores, *part) for part in ranges])
        return finished(scores, structure, descent, least)


@kernel
def descend_by_stumps(
    indptr: npt.NDArray[np.integer[Any]],
    indices: Indices,
    n_features: int,
    answers: Answers,
    structure: Structure,
    mode: int,
    floor: float,
    scores: Floats,
    first: int,
    last: int,
) -> None:
    """Score every node for the documents from `first` to `last`, which go down only where they are above a floor."""
    parents, starts, slots, _ = structure
    rows = np.full(n_features, NOWHERE)
    margins = np.empty(np.max(starts[1:] - starts[:-1]))
    for problem in range(parents.size):
        parent, start, size = parents[problem], starts[problem], starts[problem + 1] - starts[problem]
        columns = answers.columns[answers.column_starts[problem] : answers.column_starts[problem + 1]]
        table = answers.weights[answers.weight_starts[problem] : answers.weight_starts[problem + 1]]
        targets = slots[start : start + size]
        found = False
        for document in range(first, last):
            above = scores[document, parent] if parent >= 0 else at_top(mode)
            if above <= floor:
                stop(above, targets, scores[document])
                continue
            if not found:
                for row in range(columns.size):
                    rows[columns[row]] = row * size
                found = True
            for slot in range(size):
                margins[slot] = answers.intercepts[start + slot]
            add_rows(indices[indptr[document] : indptr[document + 1]], rows, table, size, margins)
            localise(margins, 0, size, mode, False)
            go_on(above, targets, margins, mode, scores[document])
        if found:
            for column in columns:
                rows[column] = NOWHERE


@kernel
def add_rows(terms: Indices, rows: Indices, table: Floats, size: int, margins: Floats) -> None:
    """Add the rows of a document's terms to the margins of a node's slots."""
    for k in terms:
        row = rows[k]
        if row != NOWHERE:
            for slot in range(size):
                margins[slot] += table[row + np.uint32(slot)]


@kernel
def stop(above: float, targets: npt.NDArray[np.int32], scores: Floats) -> None:
    """Let everything below a node score no less than the node, where a document goes no further."""
    for node in targets:
        if 0 <= node < scores.size:
            scores[node] = max(scores[node], above)


@kernel
def go_on(above: float, targets: npt.NDArray[np.int32], margins: Floats, mode: int, scores: Floats) -> None:
    """Take a document from a node to where its slots lead."""
    for slot in range(targets.size):
        node, score = targets[slot], arrive(above, margins[slot], mode)
        if node >= scores.size:
            # Staying at the node itself, whose own score has just been asked for the last time.
            scores[node - scores.size] = score
        elif node >= 0:
            scores[node] = max(scores[node], score)
