"""A corpus in another format."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from classmark.data import Corpus, CorpusOptions, experiments
from classmark.data.convert import convert as convert_corpus
from classmark.service.corpora import check_spared, read


@dataclass(frozen=True, kw_only=True)
class Converted:
    """A corpus that was written."""

    written: Sequence[str]
    """The files or the folder, the documents first."""
    format: str
    """The name of the format."""
    documents: int
    """How many documents there are."""
    categories: int | None
    """How many categories there are; none without a hierarchy."""
    read_with: Mapping[str, str] | None = None
    """The options that reading it needs, where they are not the default."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What to do with a corpus before it is written, for experiments."""

    resplit: str | None = None
    """How to divide the documents anew, such as `random,train=0.8,test=0.2`."""
    label_rate: float | None = None
    """The share of the training labels to keep."""
    seed: int = 0
    """The seed of both."""

    def __call__(self, corpus: Corpus) -> Corpus:
        """Give the changed corpus."""
        if self.resplit is not None:
            corpus = experiments.resplit(corpus, self.resplit, self.seed)
        if self.label_rate is not None:
            corpus = experiments.with_label_rate(corpus, self.label_rate, self.seed)
        return corpus


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
    """
    options = options or CorpusOptions()
    check_spared(target, source, hierarchy)
    done = convert_corpus(
        read(source, hierarchy, options),
        target,
        kind=kind,
        splits=splits,
        options=options,
        target_options=_by_levels(options, path_columns),
        change=change,
        overwrite=overwrite,
    )
    return Converted(
        written=[str(path) for path in done.written],
        format=done.kind,
        documents=len(done.corpus),
        categories=None if done.corpus.hierarchy is None else len(done.corpus.hierarchy),
        read_with=done.options or None,
    )


def _by_levels(options: CorpusOptions, path_columns: Sequence[str]) -> CorpusOptions | None:
    """Give the options that write labels into columns, one level each, if there are any."""
    if not path_columns:
        return None
    return CorpusOptions(
        path_columns=tuple(path_columns), path_separator=options.path_separator, empty_labels=options.empty_labels
    )
