"""`Corpus`: documents, labels, splits and the hierarchy, in one shape for all formats, and its HTML for notebooks."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from classmark.columns import column
from classmark.data.stored import Document as Document
from classmark.data.stored import FeatureRows, StoredDocuments
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText
from classmark.hierarchy.render import outline_of
from classmark.html import render

MAX_DOCUMENTS, MAX_LABELS, MAX_SPLITS = 5, 5, 20
"""Numbers of documents, of labels of a document, and of splits that are shown."""


def corpus_html(corpus: "Corpus") -> str:
    """Return the representation of a corpus."""
    titles = {name: node.name for name, node in corpus.nodes.items() if node.name}
    unlabeled, unassigned = Counter[str | None](), Counter[str | None]()
    for split, labels in zip(corpus.splits, corpus.labels, strict=True):
        unlabeled[split] += labels is None
        unassigned[split] += labels == []
    splits = [
        ("none" if split is None else split, f"{number:,}", f"{unlabeled[split]:,}", f"{unassigned[split]:,}")
        for split, number in Counter(corpus.splits).most_common(MAX_SPLITS)
    ]
    documents, problem = [], None
    try:
        documents = list(islice(corpus.documents, MAX_DOCUMENTS))
    except (OSError, ValueError) as error:  # the file that the documents are read from may be missing by now
        problem = str(error)

    def labels_of(labels: list[str] | None) -> str:
        if labels is None:
            return "not labelled"
        more = [f"… {len(labels) - MAX_LABELS:,} more"] if len(labels) > MAX_LABELS else []
        return (
            ", ".join([*(titles.get(label, label) for label in labels[:MAX_LABELS]), *more]) or "none: belongs nowhere"
        )

    sizes = [len(labels) for labels in corpus.labels if labels]
    used = len({label for labels in corpus.labels for label in labels or ()})
    tree = corpus.hierarchy
    return render(
        "notebook/corpus.html",
        title=f"Corpus: {len(corpus):,} documents from {corpus.source}",
        splits=splits,
        pairs=[
            ("labels a document", f"{sum(sizes) / len(sizes):.2f}" if sizes else None),
            ("categories used", f"{used:,}" + ("" if tree is None else f" of {len(tree):,}")),
            ("hierarchy", "none" if tree is None else repr(tree).strip("<>")),
        ],
        error=problem,
        documents=zip(corpus.ids, documents, map(labels_of, corpus.labels), strict=False),
        outline=None if tree is None else outline_of(tree, titles),
    )


Documents: TypeAlias = list[Document] | StoredDocuments | FeatureRows
"""What holds the documents of a corpus."""


@dataclass(frozen=True, repr=False)
class Corpus:
    """Documents, with their labels, splits and hierarchy as far as they have them.

    Attributes
    ----------
    ids : sequence of str
        One id a document, no two alike.
    documents : list of str or of dict, StoredDocuments, or FeatureRows
        Running text, or ready-made features: term → weight. Stored ones are read when they are iterated over, and rows
        of features are dictionaries as soon as somebody asks for one.
    labels : sequence of (list of str, or None)
        `None` means *not labelled*, `[]` means *belongs nowhere*.
    splits : sequence of (str or None)
        The part of the corpus that a document belongs to, such as `train` or `test`.
    hierarchy : Hierarchy or None
        The categories; every label is one of them.
    source : str
        Where the documents come from, for messages.
    nodes : dict of str to NodeText
        What people call the categories, as far as something says so.
    fields : list of str, optional
        What stands in `CorpusOptions.field_column`, such as authors or dates, where that is asked for.
    numbered : array of bool, optional
        True where the id is a row number, because the document has none; None if each document has an id.

    Examples
    --------
    >>> texts, labels, splits = ["an owl", "a cod"], [["bird"], None], ["train", "test"]
    >>> corpus = Corpus(["1", "2"], texts, labels, splits, hierarchy=None, source="two animals")
    >>> corpus
    <Corpus: 2 documents, no hierarchy, from two animals>
    >>> corpus.select(["train"]).documents
    ['an owl']
    """

    ids: Sequence[str]
    documents: Documents
    labels: Sequence[list[str] | None]
    splits: Sequence[str | None]
    hierarchy: Hierarchy | None
    source: str
    nodes: dict[str, NodeText] = field(default_factory=dict)
    fields: list[str] | None = None
    numbered: npt.NDArray[np.bool_] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        optional = [name for name in ("fields", "numbered") if getattr(self, name) is not None]
        sizes = {name: len(getattr(self, name)) for name in ["ids", "documents", "labels", "splits", *optional]}
        if len(set(sizes.values())) > 1:
            listed = ", ".join(f"{size} {name}" for name, size in sizes.items())
            raise InputError(f"{self.source}: {listed}; give one of each for every document")

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        text: str | Sequence[str] = "text",
        labels: str | Sequence[str] | None = None,
        *,
        id: str | None = None,
        split: str | None = None,
        hierarchy: Hierarchy | str | Path | None = None,
        label_separator: str | None = None,
        path_separator: str | None = None,
        on_unknown: Literal["error", "drop"] = "error",
    ) -> "Corpus":
        """Make a corpus of a frame; in messages, its rows are counted from 0.

        Parameters
        ----------
        frame : DataFrame, Dataset, DatasetDict, Table or dict
            Of pandas, polars, Hugging Face `datasets` or pyarrow; or a dict of columns. A dict of frames, such as a
            `DatasetDict`, has splits for keys.
        text : str or sequence of str
            The column of texts; of several, what is there is put below each other.
        labels : str or sequence of str, optional
            The column of labels: a string is one label, a list several, and what is missing means *not labelled*;
            numbers of a `ClassLabel` become its names. Several columns are a path, a level each. Without a name,
            `labels` or `label`, if the frame has one.
        id, split : str, optional
            The columns of ids and splits; without a name, `id` and `split`, if the frame has them.
        hierarchy : Hierarchy, str or Path, optional
            The categories, as for `read_corpus`.
        label_separator : str, optional
            What stands between several labels in a string.
        path_separator : str, optional
            Given, labels such as `a/b/c` are paths, and the hierarchy is their tree where there is no other.
        on_unknown : "error" or "drop"
            What to do with a label that the hierarchy does not have.

        Examples
        --------
        >>> corpus = Corpus.from_frame({"text": ["an owl", "a cod"], "label": ["bird", None]})
        >>> corpus.labels, corpus.ids
        ([['bird'], None], ['1', '2'])
        """
        # Frames are read as files are, and what reads these makes corpora.
        from classmark.data.frames import NO_SEPARATOR, read_frame
        from classmark.data.options import CorpusOptions

        options = CorpusOptions(
            label_column=labels if isinstance(labels, str) else None,
            path_columns=() if isinstance(labels, str) else tuple(labels or ()),
            id_column=id,
            split_column=split,
            label_separator=label_separator or NO_SEPARATOR,
            path_separator=path_separator,
            on_unknown=on_unknown,
        )
        return read_frame(frame, [text] if isinstance(text, str) else list(text), options, hierarchy)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        categories = "no hierarchy" if self.hierarchy is None else f"{len(self.hierarchy)} categories"
        return f"<Corpus: {len(self)} documents, {categories}, from {self.source}>"

    def _repr_html_(self) -> str:
        return corpus_html(self)

    def select(self, splits: Sequence[str]) -> "Corpus":
        """Give the documents of some splits in their order here; a name that no document has is refused."""
        wanted = {splits} if isinstance(splits, str) else set(splits)
        check_splits(wanted, self.splits, self.source)
        return self.take([row for row, split in enumerate(self.splits) if split in wanted])

    def take(self, rows: Sequence[int]) -> "Corpus":
        """Give some documents by their positions, in that order."""
        return replace(
            self,
            ids=column(self.ids, rows),
            documents=column(self.documents, rows) if isinstance(self.documents, list) else self.documents.take(rows),
            labels=column(self.labels, rows),
            splits=column(self.splits, rows),
            fields=None if self.fields is None else column(self.fields, rows),
            numbered=None if self.numbered is None else self.numbered[np.asarray(rows, dtype=np.intp)],
        )

    def part(self, splits: Sequence[str] | None, default: str) -> "Corpus":
        """Give the splits asked for; unasked, the `default` one, or everything where no document has a split.

        >>> Corpus(["1"], ["an owl"], [["bird"]], [None], None, "an animal").part(None, "train").ids
        ['1']
        """
        if splits is not None:
            return self.select(splits)
        return self if all(split is None for split in self.splits) else self.select([default])


def check_splits(wanted: Iterable[str], splits: Iterable[str | None], source: str) -> None:
    """Refuse the name of a split that no document has, and say which there are."""
    there = sorted({split for split in splits if split is not None})
    if missing := sorted(set(wanted).difference(there)):
        raise InputError(
            f"{source}: no document has the split {missing[0]!r};"
            f" there is {', '.join(map(repr, there)) or 'no split at all'}"
        )
