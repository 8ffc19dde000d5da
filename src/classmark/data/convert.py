"""`convert`, from any format to any other that has a writer."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from classmark.data.corpus import Corpus
from classmark.data.formats import FORMATS, kind_of_target
from classmark.data.options import DEFAULT_OPTIONS, CorpusOptions
from classmark.data.reading import read_corpus
from classmark.data.writing import check_target, write_corpus
from classmark.hierarchy import Hierarchy


class Conversion(NamedTuple):
    """What was written: the corpus, its format, and the files or the folder, the documents first."""

    corpus: Corpus
    kind: str
    written: list[Path]


def convert(
    source: str | Path | Corpus,
    target: str | Path,
    *,
    kind: str | None = None,
    hierarchy: Hierarchy | str | Path | None = None,
    splits: Sequence[str] | None = None,
    options: CorpusOptions = DEFAULT_OPTIONS,
    target_options: CorpusOptions | None = None,
    change: Callable[[Corpus], Corpus] | None = None,
    overwrite: bool = False,
) -> Conversion:
    r"""Read a corpus in one format and write it in another.

    Parameters
    ----------
    source : str, Path or Corpus
        From where, or what.
    target : str or Path
        To where.
    kind : str, optional
        The format of the target, where its suffix does not tell it; that of the source is `options.kind`.
    hierarchy : Hierarchy, str or Path, optional
        The categories, as for `read_corpus`.
    splits : sequence of str, optional
        Convert these splits alone. A format without splits takes one at a time.
    options : CorpusOptions
        How to read the source.
    target_options : CorpusOptions, optional
        How to write the target. By default its columns have classmark's own names, and `label_separator` and
        `empty_labels` are those of the source.
    change : function, optional
        What to do with the corpus in between, such as dividing it anew.
    overwrite : bool
        Whether the target may be replaced.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "animals.csv")
    ...     _ = file.write_text("text,labels\nhoots,owl\n")
    ...     done = convert(file, Path(folder, "animals.jsonl"))
    ...     print(done.written[0].read_text())
    {"id":"1","text":"hoots","labels":["owl"],"split":null}
    """
    kind = kind_of_target(Path(target), kind)
    if target_options is None:
        target_options = CorpusOptions(label_separator=options.label_separator, empty_labels=options.empty_labels)
    check_target(Path(target), kind, overwrite=overwrite)
    corpus = source if isinstance(source, Corpus) else read_corpus(source, hierarchy=hierarchy, options=options)
    if splits is not None:
        corpus = corpus.select(splits)
        if len(splits) == 1 and not FORMATS[kind].holds_splits:
            corpus = replace(corpus, splits=[None] * len(corpus))
    if change is not None:
        corpus = change(corpus)
    written = write_corpus(corpus, target, kind=kind, options=target_options, overwrite=overwrite)
    return Conversion(corpus, kind, written)
