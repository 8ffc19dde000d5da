"""Where labels went that were missed: each to the nearest wrong answer of its document, by what that is to it.

A true own label t that is no own label of the answer is *missed*. Of the own labels w of the answer that are not true
own labels it goes to the nearest one, by the first of these kinds that any of them has:

- `parent`: w is above t, the answer stops early;
- `below`: w is below t, the answer goes too far;
- `sibling`: w and t have a parent in common; two categories at the top are no siblings;
- `same top`: w and t have some category above them in common, not counting what everything is below;
- `elsewhere`: they have none.

Of several of one kind it is the one with the most categories above it in common with t, and then the first in the order
of the nodes. Where the answer has no wrong label at all, the label went `nowhere`.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.answers import Positions
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.indicator import canonical
from classmark.report.contents import Destination, Pair

KINDS = ("parent", "below", "sibling", "same top", "elsewhere", "nowhere")
PARENT, BELOW, SIBLING, SAME_TOP, ELSEWHERE, NOWHERE = range(len(KINDS))
WORDS = {
    "parent": "the answer stops above the right category, too early",
    "below": "the answer goes on below the right category, too far",
    "sibling": "the answer is another category below the same parent",
    "same top": "the answer is further away, below the same top category",
    "elsewhere": "the answer is below another top category",
    "nowhere": "nothing was answered in its place",
}
WORDS_WHEN_FLAT = WORDS | {"elsewhere": "the answer is another category"}
"""Where all categories stand side by side."""
MOST_PAIRS = 50
"""So many of the most frequent mistakes are named."""
AT_A_TIME = 500_000
"""So many pairs of a missed label and a wrong answer are compared at once."""


class Missed(NamedTuple):
    """The labels that were missed: their document, the label, where it went (-1 for nowhere), and the kind of that."""

    documents: Positions
    true: Positions
    answered: Positions
    kinds: Positions

    def __len__(self) -> int:
        return int(self.documents.size)


def missed_labels(true: csr_array, predicted: csr_array, hierarchy: Hierarchy) -> Missed:
    """Find where every missed label went, in the order of documents and nodes.

    Parameters
    ----------
    true, predicted : csr_array of bool, (n_documents, n_nodes)
        The label sets, with their ancestors or without.
    hierarchy : Hierarchy
        The categories, a tree or a DAG.

    Examples
    --------
    >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
    >>> label = {name: row for name, row in zip(tree.names, np.eye(4, dtype=bool), strict=True)}
    >>> answers = ["a/x", "a", "a/y", "b"]
    >>> true, predicted = csr_array([label["a/x"]] * 4), csr_array([label[answer] for answer in answers])
    >>> found = missed_labels(true, predicted, tree)
    >>> [(tree.names[node], KINDS[kind]) for node, kind in zip(found.answered, found.kinds, strict=True)]
    [('a', 'parent'), ('a/y', 'sibling'), ('b', 'elsewhere')]
    """
    own_true, own_predicted = (hierarchy.own(hierarchy.close(labels)) for labels in (true, predicted))
    missed, wrong = canonical(own_true > own_predicted), canonical(own_predicted > own_true)
    documents = np.repeat(np.arange(missed.shape[0]), np.diff(missed.indptr))
    answered = np.full(documents.size, -1, dtype=np.int64)
    kinds = np.full(documents.size, NOWHERE, dtype=np.int64)
    for places, nodes in _candidates(documents, wrong):
        _choose(answered, kinds, places, missed.indices[places], nodes, hierarchy)
    return Missed(documents, missed.indices.astype(np.int64), answered, kinds)


def _candidates(documents: Positions, wrong: csr_array) -> Iterator[tuple[Positions, Positions]]:
    """Yield the places of missed labels beside each wrong answer of their documents, all of a label's at once."""
    sizes = np.diff(wrong.indptr)[documents]
    ends = np.cumsum(sizes)
    start = 0
    while start < documents.size:
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + AT_A_TIME, "right")))
        some = np.arange(start, stop)
        places = np.repeat(some, sizes[some])
        within = np.arange(places.size) - np.repeat(ends[some] - sizes[some] - before, sizes[some])
        yield places, wrong.indices[wrong.indptr[documents[places]] + within]
        start = stop


def _choose(
    answered: npt.NDArray[np.int64],
    kinds: npt.NDArray[np.int64],
    places: Positions,
    true: Positions,
    nodes: Positions,
    hierarchy: Hierarchy,
) -> None:
    """Write down for each missed label the nearest of its wrong answers."""
    found, shared = _relations(true, nodes, hierarchy)
    order = np.lexsort((nodes, -shared, found, places))
    _, first = np.unique(places[order], return_index=True)
    nearest = order[first]
    answered[places[nearest]] = nodes[nearest]
    kinds[places[nearest]] = found[nearest]


def _relations(true: Positions, nodes: Positions, hierarchy: Hierarchy) -> tuple[Positions, Positions]:
    """Give what each answer is to its label, and how many categories they share, themselves and those above."""
    above = hierarchy.ancestors
    sizes = np.diff(above.indptr)
    shared = _in_common(above, true, nodes)
    beside = _in_common(hierarchy.parents, true, nodes)
    trunk = int((np.bincount(above.indices, minlength=len(hierarchy)) == len(hierarchy)).sum())
    cases = [shared == sizes[nodes], shared == sizes[true], beside > 0, shared > trunk]
    return np.select(cases, [PARENT, BELOW, SIBLING, SAME_TOP], ELSEWHERE), shared


def _in_common(relation: csr_array, some: Positions, others: Positions) -> Positions:
    """Count for each pair of nodes what both are related to."""
    return np.diff(canonical(relation[some].multiply(relation[others])).indptr)


def destinations(missed: Missed, hierarchy: Hierarchy) -> list[Destination]:
    """Count the kinds of places, those that occur, the most frequent first."""
    words = WORDS if hierarchy.depth > 1 else WORDS_WHEN_FLAT
    counts = np.bincount(missed.kinds, minlength=len(KINDS)).tolist()
    order = sorted(range(len(KINDS)), key=lambda kind: -counts[kind])
    return [
        Destination(kind=KINDS[kind], labels=counts[kind], words=words[KINDS[kind]]) for kind in order if counts[kind]
    ]


def pairs(missed: Missed, most: int = MOST_PAIRS) -> list[Pair]:
    """Give the most frequent mistakes, each a label and what was answered in its place."""
    if not len(missed):
        return []
    table = np.stack([missed.true, missed.answered, missed.kinds])
    found, counts = np.unique(table, axis=1, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:most]
    return [_pair(found[:, place], int(counts[place])) for place in order]


def _pair(found: Positions, documents: int) -> Pair:
    true, answered, kind = found.tolist()
    return Pair(true=true, answered=None if answered < 0 else answered, documents=documents, kind=KINDS[kind])
