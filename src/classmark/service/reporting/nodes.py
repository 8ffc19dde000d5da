"""The categories of a report, each with its documents, its figures and its words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from classmark.answers import Positions
from classmark.hierarchy import Hierarchy, Name
from classmark.metrics import Counts
from classmark.report.contents import Node
from classmark.service.naming import name_of


class Table:
    """Columns about the nodes of a hierarchy, from which nodes are made; a column that nobody has put in is empty."""

    def __init__(self, hierarchy: Hierarchy, titles: Mapping[Name, str] | None) -> None:
        self.hierarchy = hierarchy
        self.titles = titles or {}
        self.columns: dict[str, Sequence[Any]] = {}

    def put(self, name: str, values: Sequence[Any]) -> None:
        """Put in a column."""
        self.columns[name] = values

    def put_counts(self, name: str, closed: csr_array) -> None:
        """Put in how many documents each node has."""
        self.put(name, np.bincount(closed.indices, minlength=len(self.hierarchy)).tolist())

    def put_figures(self, true: csr_array, predicted: csr_array) -> None:
        """Put in how good answers are, both with ancestors; there is no figure where there is nothing to divide by."""
        counts = Counts.per_node(true, predicted)
        self.put("documents", counts.true.tolist())
        self.put("predicted", counts.predicted.tolist())
        self.put("precision", _where(counts.precision(), counts.predicted))
        self.put("recall", _where(counts.recall(), counts.true))
        self.put("f1", _where(counts.f(), counts.predicted + counts.true))

    def put_other(self, true: csr_array, predicted: csr_array) -> None:
        """Put in how good the answers of a second model are."""
        counts = Counts.per_node(true, predicted)
        self.put("other_f1", _where(counts.f(), counts.predicted + counts.true))

    def nodes(self) -> list[Node]:
        """Give the nodes, in the order of the hierarchy: each after its parents."""
        names, parents = self.hierarchy.names, self.hierarchy.parents
        above = [part.tolist() for part in np.split(parents.indices, parents.indptr[1:-1])]
        rows = zip(*self.columns.values(), strict=True) if self.columns else ((),) * len(names)
        return [
            Node(
                name=name_of(name),
                title=self.titles.get(name),
                parents=tuple(upper),
                **dict(zip(self.columns, row, strict=True)),
            )
            for name, upper, row in zip(names, above, rows, strict=True)
        ]


def _where(values: Any, wholes: Positions) -> list[float | None]:
    return [value if whole else None for value, whole in zip(values.tolist(), wholes.tolist(), strict=True)]
