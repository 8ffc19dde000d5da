"""What a report says about the documents alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from classmark.answers import Positions
from classmark.data import Corpus
from classmark.hierarchy import Hierarchy, Name
from classmark.inspection import CorpusCheck, Finding, check_corpus
from classmark.labels import Labels, encode
from classmark.metrics import Counts
from classmark.pipeline import TextClassifier
from classmark.report.contents import Node
from classmark.service.corpora import check_same
from classmark.service.dividing import with_flat_hierarchy
from classmark.service.naming import name_of
from classmark.service.reporting.words import Words

TOLD_ELSEWHERE = ("siblings",)
"""Findings that have a place of their own in a report, where all categories are compared."""


@dataclass(frozen=True, eq=False)
class Data:
    """Documents whose hierarchy is known."""

    corpus: Corpus
    """The documents, with the hierarchy."""
    hierarchy: Hierarchy
    """The categories."""
    titles: Mapping[Name, str]
    """What people call them."""

    @classmethod
    def of(cls, corpus: Corpus, model: TextClassifier | None = None) -> "Data | None":
        """Take up documents, with the hierarchy of a model where there is one; nothing where there is no category."""
        if model is not None and corpus.hierarchy is not None:
            check_same(model.hierarchy_, corpus.hierarchy, corpus.source)
        known = replace(corpus, hierarchy=model.hierarchy_) if model is not None else with_flat_hierarchy(corpus)
        titles: dict[Name, str] = {node: text.name for node, text in corpus.nodes.items() if text.name}
        named = {**titles, **((model.titles or {}) if model is not None else {})}
        return None if known.hierarchy is None else cls(known, known.hierarchy, named)

    @cached_property
    def labels(self) -> Labels:
        """The labels of all documents."""
        return encode([list(one) if one is not None else None for one in self.corpus.labels], self.hierarchy)

    @cached_property
    def own(self) -> csr_array:
        """Each document's own labels; none where it has none."""
        return self.hierarchy.own(self.hierarchy.close(self.labels.indicator))

    @cached_property
    def check(self) -> CorpusCheck:
        """What is wrong with the documents."""
        return check_corpus(self.corpus)

    @property
    def findings(self) -> list[Finding]:
        """What is wrong, but for what is told elsewhere."""
        return [one for one in self.check.findings if one.kind not in TOLD_ELSEWHERE]

    @cached_property
    def words(self) -> Words | None:
        """The words of the labelled documents."""
        rows = self.labelled
        if not rows.size:
            return None
        return Words.of(self.corpus.take(rows.tolist()).documents, csr_array(self.own[rows]), self.hierarchy)

    @property
    def labelled(self) -> Positions:
        """The places of the labelled documents."""
        return np.flatnonzero(self.labels.labelled)

    @property
    def splits(self) -> Counter[str]:
        """How many labelled documents each split has."""
        return Counter(split for row in self.labelled if (split := self.corpus.splits[row]) is not None)

    def closed(self, split: str | None = None) -> csr_array:
        """Give the labels of all documents, or of a split, with all above them."""
        rows = [row for row, own in enumerate(self.corpus.splits) if split is None or own == split]
        return self.hierarchy.close(csr_array(self.own[rows]))

    def to_evaluate(self, splits: Sequence[str] | None) -> Corpus:
        """Give the documents to evaluate on: those asked for, or the test split, or all where it has none."""
        if splits is not None:
            return self.corpus.select(splits)
        return self.corpus.select(["test"]) if self.splits["test"] else self.corpus

    def to_learn_from(self, evaluated: Corpus) -> Corpus | None:
        """Give the training documents, if they are others than those that are evaluated on."""
        return self.corpus.select(["train"]) if self.splits["train"] and "train" not in evaluated.splits else None

    def empty(self) -> list[int]:
        """Give the nodes without a document to learn from, by themselves or below: of training documents, or of all."""
        labels = self.closed("train" if self.splits["train"] else None)
        return np.flatnonzero(np.bincount(labels.indices, minlength=len(self.hierarchy)) == 0).tolist()


def never_learned(model: TextClassifier) -> list[int]:
    """Give the nodes that a model has never seen, neither by themselves nor below."""
    above = model.hierarchy_.ancestors[model.classifier_.ends_]
    return [int(node) for node in np.setdiff1d(np.arange(len(model.hierarchy_)), above.indices)]


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
