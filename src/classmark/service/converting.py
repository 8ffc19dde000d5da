"""A corpus in another format."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from classmark.data import Corpus, CorpusOptions
from classmark.data.conversion import convert as convert_corpus
from classmark.data.conversion import resplit, with_label_rate
from classmark.errors import InputError
from classmark.service.corpora import check_spared, read

NEAR_DUPLICATES = "near-duplicates"
"""What stands in place of a column where documents that are nearly the same stay together."""


@dataclass(frozen=True, kw_only=True)
class Converted:
    """A corpus that was written."""

    written: Sequence[str]
    """The files or the folder, the documents first."""
    format: str
    """The name of the format."""
    documents: int
    """How many documents there are."""
    shards: int | None = None
    """How many shards they are in, where that was asked for."""
    categories: int | None
    """How many categories there are; none without a hierarchy."""
    splits: Mapping[str, int] | None = None
    """How many documents each split has, where they were divided anew."""
    read_with: Mapping[str, str] | None = None
    """The options that reading it needs, where they are not the default."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What to do with a corpus before it is written, for experiments."""

    resplit: str | None = None
    """How to divide the documents anew, such as `random,train=0.8,test=0.2`, or `80/20`."""
    by_group: str | None = None
    """The column by which documents stay together when they are divided, or `near-duplicates`."""
    by_time: str | None = None
    """The column by which the earliest documents come into the first part when they are divided."""
    label_rate: float | None = None
    """The share of the training labels to keep."""
    seed: int = 0
    """The seed of both."""

    def __post_init__(self) -> None:
        if self.by_group is not None and self.by_time is not None:
            raise InputError("by_group and by_time are both given; divide by one of them")

    @property
    def field_column(self) -> str | None:
        """The column that must be read for it, if any."""
        return self.by_time if self.by_group in (None, NEAR_DUPLICATES) else self.by_group

    @property
    def divides(self) -> bool:
        """Whether documents are divided anew."""
        return any(one is not None for one in (self.resplit, self.by_group, self.by_time))

    def __call__(self, corpus: Corpus) -> Corpus:
        """Give the changed corpus."""
        if self.divides:
            corpus = resplit(self._grouped(corpus), self.resplit or "", self.seed, by=self._by)
        if self.label_rate is not None:
            corpus = with_label_rate(corpus, self.label_rate, self.seed)
        return corpus

    @property
    def _by(self) -> str | None:
        """By what documents are divided, where it is a field."""
        if self.by_group is not None:
            return "group"
        return None if self.by_time is None else "time"

    def _grouped(self, corpus: Corpus) -> Corpus:
        """Make near duplicates groups, where that is asked for."""
        if self.by_group != NEAR_DUPLICATES:
            return corpus
        from classmark.inspection.duplicates import groups_of_documents

        return replace(corpus, fields=[str(group) for group in groups_of_documents(corpus.documents)])


def convert(
    source: str,
    target: str,
    *,
    kind: str | None = None,
    hierarchy: str | None = None,
    splits: Sequence[str] | None = None,
    options: CorpusOptions | None = None,
    path_columns: Sequence[str] = (),
    change: Change | None = None,
    overwrite: bool = False,
    shards: int | None = None,
) -> Converted:
    """Write a corpus in another format.

    Parameters
    ----------
    source, target : str
        From where: a path, a dataset's name, or the embedded corpus; and to where.
    kind : str, optional
        The format of the target, where its suffix does not tell it.
    hierarchy : str, optional
        A file with the categories.
    splits : sequence of str, optional
        The splits to convert; by default all.
    options : CorpusOptions, optional
        How to read the source.
    path_columns : sequence of str
        The columns of the target to write a label into, one level each.
    change : Change, optional
        What to do with the corpus in between.
    overwrite : bool
        Whether the target may be replaced.
    shards : int, optional
        Write a dataset folder in so many shards.
    """
    options, change = options or CorpusOptions(), change or Change()
    check_spared(target, source, hierarchy)
    done = convert_corpus(
        read(source, hierarchy, replace(options, field_column=change.field_column), stored=shards is not None),
        target,
        kind=kind,
        splits=splits,
        options=options,
        target_options=_by_levels(options, path_columns),
        change=change,
        overwrite=overwrite,
        shards=shards,
    )
    return Converted(
        written=[str(path) for path in done.written],
        format=done.kind,
        documents=len(done.corpus),
        shards=shards,
        categories=None if done.corpus.hierarchy is None else len(done.corpus.hierarchy),
        splits=dict(Counter(map(str, done.corpus.splits))) if change.divides else None,
        read_with=done.options or None,
    )


def _by_levels(options: CorpusOptions, path_columns: Sequence[str]) -> CorpusOptions | None:
    """Give the options that write labels into columns, one level each, if there are any."""
    if not path_columns:
        return None
    return CorpusOptions(
        path_columns=tuple(path_columns), path_separator=options.path_separator, empty_labels=options.empty_labels
    )
