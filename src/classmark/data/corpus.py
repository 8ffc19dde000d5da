"""`Corpus`: documents, labels, splits and the hierarchy, in one shape whatever they came from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from classmark.data.features import FeatureRows
from classmark.data.stored import Document as Document
from classmark.data.stored import StoredDocuments
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import NodeText

T = TypeVar("T")
Documents: TypeAlias = list[Document] | StoredDocuments | FeatureRows
"""What holds the documents of a corpus."""


@dataclass(frozen=True, repr=False)
class Corpus:
    """Documents, with their labels, splits and hierarchy as far as they have them.

    Attributes
    ----------
    ids : list of str
        One id a document, no two alike.
    documents : list of str or of dict, StoredDocuments, or FeatureRows
        Running text, or ready-made features: term → weight. Stored ones are read when they are iterated over, and rows
        of features are dictionaries as soon as somebody asks for one.
    labels : list of (list of str, or None)
        `None` means *not labelled*, `[]` means *belongs nowhere*.
    splits : list of (str or None)
        The part of the corpus that a document belongs to, such as `train` or `test`.
    hierarchy : Hierarchy or None
        The categories; every label is one of them.
    source : str
        Where the documents come from, for messages.
    nodes : dict of str to NodeText
        What people call the categories, as far as something says so.

    Examples
    --------
    >>> texts, labels, splits = ["an owl", "a cod"], [["bird"], None], ["train", "test"]
    >>> corpus = Corpus(["1", "2"], texts, labels, splits, hierarchy=None, source="two animals")
    >>> corpus
    <Corpus: 2 documents, no hierarchy, from two animals>
    >>> corpus.select(["train"]).documents
    ['an owl']
    """

    ids: list[str]
    documents: Documents
    labels: list[list[str] | None]
    splits: list[str | None]
    hierarchy: Hierarchy | None
    source: str
    nodes: dict[str, NodeText] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = {name: len(getattr(self, name)) for name in ("ids", "documents", "labels", "splits")}
        if len(set(sizes.values())) > 1:
            listed = ", ".join(f"{size} {name}" for name, size in sizes.items())
            raise ValueError(f"{self.source}: {listed}; give one of each for every document")

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        categories = "no hierarchy" if self.hierarchy is None else f"{len(self.hierarchy)} categories"
        return f"<Corpus: {len(self)} documents, {categories}, from {self.source}>"

    def select(self, splits: Sequence[str]) -> "Corpus":
        """Give the documents of some splits in their order here; a name that no document has is refused."""
        wanted = {splits} if isinstance(splits, str) else set(splits)
        check_splits(wanted, self.splits, self.source)
        return self.take([row for row, split in enumerate(self.splits) if split in wanted])

    def take(self, rows: Sequence[int]) -> "Corpus":
        """Give some documents by their positions, in that order."""
        return replace(
            self,
            ids=_take(self.ids, rows),
            documents=_take_documents(self.documents, rows),
            labels=_take(self.labels, rows),
            splits=_take(self.splits, rows),
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
        raise ValueError(
            f"{source}: no document has the split {missing[0]!r};"
            f" there is {', '.join(map(repr, there)) or 'no split at all'}"
        )


def _take(values: list[T], rows: Sequence[int]) -> list[T]:
    return [values[row] for row in rows]


def _take_documents(documents: Documents, rows: Sequence[int]) -> Documents:
    return _take(documents, rows) if isinstance(documents, list) else documents.take(rows)
