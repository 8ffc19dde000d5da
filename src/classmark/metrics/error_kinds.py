"""The kinds of errors that a hierarchy has: how the answer about a document lies to the truth.

Both are sets of own labels, T the true and P the predicted ones, and a label stands for its ancestors too. A true label
is *missed* if P neither has it nor has a label below it, and a predicted one is *wrong* if T neither has it nor has one
below it. Then a document is

- `right`: nothing is missed or wrong;
- `too shallow`: nothing is wrong, and every missed label is below a predicted one;
- `missing`: nothing is wrong otherwise, such as where nothing is predicted;
- `too deep`: nothing is missed, and every wrong label is below a true one;
- `extra`: nothing is missed otherwise, such as where nothing is true;
- `sibling`: something is missed and something wrong, and every wrong label has a parent of a missed one;
- `other branch`: something is missed and something wrong otherwise; two categories at the top are two branches.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.hierarchy import Hierarchy
from classmark.hierarchy.indicator import canonical

ERROR_KINDS = ("right", "too shallow", "too deep", "sibling", "other branch", "missing", "extra")
RIGHT, SHALLOW, DEEP, SIBLING, BRANCH, MISSING, EXTRA = range(len(ERROR_KINDS))

Truths: TypeAlias = npt.NDArray[np.bool_]


def error_kinds(true: csr_array, predicted: csr_array, hierarchy: Hierarchy) -> npt.NDArray[np.intp]:
    """Give the kind of each document's answer, a position in `ERROR_KINDS`.

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
    >>> [ERROR_KINDS[kind] for kind in error_kinds(true, predicted, tree)]
    ['right', 'too shallow', 'sibling', 'other branch']
    """
    closed_true, closed_predicted = hierarchy.close(true), hierarchy.close(predicted)
    own_true, own_predicted = hierarchy.own(closed_true), hierarchy.own(closed_predicted)
    missed, wrong = canonical(own_true > closed_predicted), canonical(own_predicted > closed_true)
    any_missed, any_wrong = (np.diff(found.indptr) > 0 for found in (missed, wrong))
    above, parents_of_missed = hierarchy.ancestors, (missed @ hierarchy.parents).astype(bool)
    # Of several cases that hold, the first one counts.
    cases: dict[int, Truths] = {
        RIGHT: ~any_missed & ~any_wrong,
        SHALLOW: ~any_wrong & _all_meet(missed, above, own_predicted),
        MISSING: ~any_wrong,
        DEEP: ~any_missed & _all_meet(wrong, above, own_true),
        EXTRA: ~any_missed,
        SIBLING: _all_meet(wrong, hierarchy.parents, parents_of_missed),
    }
    return np.select(list(cases.values()), [np.intp(kind) for kind in cases], np.intp(BRANCH))


def _all_meet(labels: csr_array, relation: csr_array, others: csr_array) -> Truths:
    """Say for each document whether every one of its labels has a node that it is related to among the others."""
    rows = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))
    met = np.diff(canonical(relation[labels.indices].multiply(others[rows])).indptr) > 0
    failing = np.bincount(rows[~met], minlength=labels.shape[0])
    return np.asarray(failing == 0)
