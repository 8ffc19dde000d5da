"""Similarities found elsewhere, such as by explicit semantic analysis: `document<TAB>node<TAB>similarity`.

A pair without a row is not similar. A first line that says `document`, `node` and `similarity` is a header.
"""

import math
import warnings
from array import array
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.data.formats.records import read_cells
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.wording import meant

HEADER = ["document", "node", "similarity"]


def read_similarities(
    path: str | Path, ids: Sequence[str], hierarchy: Hierarchy, others: Container[str] = ()
) -> csr_array:
    r"""Read the similarities of documents and categories, as far as the file has them.

    Parameters
    ----------
    path : str or Path
        A file with three columns, plain or compressed by gzip.
    ids : list of str
        The documents that rows of the result are for.
    hierarchy : Hierarchy
        The categories.
    others : container of str, optional
        Documents that the file may speak of and that are not asked for, such as those of another split.

    Returns
    -------
    csr_array, (n_documents, n_nodes)
        For `labels_of_similarities`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> tree = Hierarchy.from_nested({"animals": ["owls", "gulls"]})
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "similarities.tsv")
    ...     _ = file.write_text("1\tanimals\t0.5\n1\tgulls\t0.25\n2\towls\t1\n")
    ...     read_similarities(file, ["1", "2"], tree).toarray()
    array([[0.5 , 0.  , 0.25],
           [0.  , 1.  , 0.  ]])
    """
    row_of = {name: row for row, name in enumerate(ids)}
    found: list[array[Any]] = [array(kind) for kind in "iiqd"]
    for entry in _entries(path, row_of, hierarchy, others):
        for values, value in zip(found, entry, strict=True):
            values.append(value)
    rows, nodes, lines, similarities = map(np.asarray, found)
    _refuse_pairs_twice(rows, nodes, lines, len(hierarchy), path)
    missing = np.setdiff1d(np.arange(len(ids)), rows)
    if missing.size:
        warnings.warn(
            f"{path}: {missing.size} of {len(ids)} documents have no row, such as {ids[missing[0]]!r}, and get no weak"
            " label; add rows for them if they should",
            stacklevel=2,
        )
    return csr_array((similarities, (rows, nodes)), shape=(len(ids), len(hierarchy)))


def _entries(
    path: str | Path, rows: Mapping[str, int], hierarchy: Hierarchy, others: Container[str]
) -> Iterator[tuple[int, int, int, float]]:
    """Yield the row, the node, the line and the similarity of every line about a document that is asked for."""
    for number, cells in read_cells(Path(path), HEADER):
        where = f"{path}:{number}"
        if len(cells) != len(HEADER):
            raise InputError(
                f"{where}: {len(cells)} column(s) instead of document<TAB>node<TAB>similarity; write three"
            )
        document, node, text = cells
        similarity = _number(text, where)
        _check_category(node, hierarchy, where)
        if document in rows:
            yield rows[document], hierarchy.position(node), number, similarity
        elif document not in others:
            raise InputError(
                f"{where}: there is no document with the id {document!r}{meant(document, rows)};"
                " take the line out, or rename it"
            )


def _check_category(node: str, hierarchy: Hierarchy, where: str) -> None:
    if node not in hierarchy:
        near = meant(node, hierarchy.names)
        raise InputError(
            f"{where}: the category {node!r} is not in the hierarchy{near}; take the line out, or rename it"
        )


def _number(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise InputError(f"{where}: the similarity {text!r} is no number; write one, such as 0.25") from None
    if not math.isfinite(number):
        raise InputError(f"{where}: the similarity {text!r} is not finite; write a number, or take the line out")
    return number


def _refuse_pairs_twice(
    rows: npt.NDArray[Any], nodes: npt.NDArray[Any], lines: npt.NDArray[Any], n_nodes: int, path: str | Path
) -> None:
    pairs = rows.astype(np.int64) * n_nodes + nodes
    order = np.argsort(pairs, kind="stable")
    again = np.flatnonzero(np.diff(pairs[order]) == 0)
    if again.size:
        # Of all that stand there again the one that comes first in the file.
        at = again[np.argmin(lines[order[again + 1]])]
        first, second = lines[order[at]], lines[order[at + 1]]
        raise InputError(
            f"{path}:{second}: the document and the category stand in line {first}, too; keep one of the lines"
        )
