"""`Corpus`, and `read_corpus`, which makes one from a dataset folder or a file of any format.

A dataset folder holds `docs.jsonl` or `docs.jsonl.gz`, and perhaps `hierarchy.tsv`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from classmark.data import assembly
from classmark.data.formats import Document, reader_for
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.hierarchy import Hierarchy

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class Corpus:
    """Documents, with their labels, splits and hierarchy as far as they have them.

    Attributes
    ----------
    ids : list of str
        One id a document, no two alike.
    documents : list of str or of dict
        Running text, or ready-made features: term → weight.
    labels : list of (list of str, or None)
        `None` means *not labelled*, `[]` means *belongs nowhere*.
    splits : list of (str or None)
        The part of the corpus that a document belongs to, such as `train` or `test`.
    hierarchy : Hierarchy or None
        The categories; every label is one of them.
    source : str
        Where the documents come from, for messages.

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
    documents: list[Document]
    labels: list[list[str] | None]
    splits: list[str | None]
    hierarchy: Hierarchy | None
    source: str

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
        there = sorted({split for split in self.splits if split is not None})
        if missing := sorted(wanted.difference(there)):
            raise ValueError(
                f"{self.source}: no document has the split {missing[0]!r};"
                f" there is {', '.join(map(repr, there)) or 'no split at all'}"
            )
        rows = [row for row, split in enumerate(self.splits) if split in wanted]
        return Corpus(
            _take(self.ids, rows),
            _take(self.documents, rows),
            _take(self.labels, rows),
            _take(self.splits, rows),
            self.hierarchy,
            self.source,
        )

    def part(self, splits: Sequence[str] | None, default: str) -> "Corpus":
        """Give the splits asked for; unasked, the `default` one, or everything where no document has a split.

        >>> Corpus(["1"], ["an owl"], [["bird"]], [None], None, "an animal").part(None, "train").ids
        ['1']
        """
        if splits is not None:
            return self.select(splits)
        return self if all(split is None for split in self.splits) else self.select([default])


def _take(values: list[T], rows: list[int]) -> list[T]:
    return [values[row] for row in rows]


def read_corpus(
    path: str | Path,
    *,
    hierarchy: Hierarchy | str | Path | None = None,
    options: CorpusOptions = DEFAULT_OPTIONS,
) -> Corpus:
    r"""Read documents from a dataset folder or a file.

    Parameters
    ----------
    path : str or Path
        A folder with `docs.jsonl`, or a file in JSON Lines, CSV or TSV; each may be compressed (`.gz`).
    hierarchy : Hierarchy, str or Path, optional
        The categories, or the path of a `hierarchy.tsv`. Without one, the folder's own `hierarchy.tsv`; else
        the tree of the label paths where `options.path_separator` is given; else none.
    options : CorpusOptions
        The names of the columns and how labels are written.

    Raises
    ------
    FileNotFoundError
        If there is no such file or folder.
    ValueError
        If something in the file is wrong: one line with the file, the line, what it is, and the remedy.

    Warns
    -----
    UserWarning
        If labels that the hierarchy does not have were dropped. A document left without any belongs nowhere.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "animals.csv")
    ...     _ = file.write_text("text,labels\nhoots at night,animal/bird\nswims,animal/fish\n")
    ...     corpus = read_corpus(file, options=CorpusOptions(path_separator="/"))
    >>> corpus.ids, corpus.labels
    (['1', '2'], [['animal/bird'], ['animal/fish']])
    >>> corpus.hierarchy.names
    ('animal', 'animal/bird', 'animal/fish')
    """
    file = assembly.document_file(Path(path))
    records = list(reader_for(file)(file, options))
    if not records:
        raise ValueError(f"{file}:1: the file has no document; give it at least one")
    known = assembly.find_hierarchy(Path(path), hierarchy)
    if known is None and options.path_separator is not None:
        known = assembly.tree_of_paths(records, options.path_separator, file)
    labels = [record.labels for record in records]
    if known is not None:
        check = assembly.without_unknown if options.on_unknown == "drop" else assembly.all_known
        labels = check(records, known, file)
    return Corpus(
        ids=assembly.distinct_ids(records, file),
        documents=[record.document for record in records],
        labels=labels,
        splits=[record.split for record in records],
        hierarchy=known,
        source=str(path),
    )
