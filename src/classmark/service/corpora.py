"""Finding and reading documents."""

import warnings
from collections.abc import Sequence
from pathlib import Path

from classmark.data import Corpus, CorpusOptions, load_docstrings, read_corpus
from classmark.data.reading import check_unasked
from classmark.data.sets import resolve
from classmark.data.writing import check_spared as spared
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import READERS
from classmark.pipeline import TextClassifier

EMBEDDED = "docstrings"
"""The name of the embedded corpus, where no file or folder is called so."""
PATH_SEPARATORS = ("/", " > ")
"""What stands in every label where labels are most probably paths."""


def read(
    data: str,
    hierarchy: Hierarchy | str | None = None,
    options: CorpusOptions | None = None,
    *,
    stored: bool = False,
) -> Corpus:
    """Read a file or folder, a dataset by its name, or the embedded corpus, `docstrings`.

    `stored` leaves the documents of a file or folder there, to be read again when they are used.
    """
    if data == EMBEDDED and not Path(data).exists():
        if isinstance(hierarchy, str):
            raise ValueError(f"{data}: the embedded corpus has a hierarchy of its own; leave {hierarchy} out")
        check_unasked(data, "the embedded corpus", options or CorpusOptions())
        return load_docstrings()
    return read_corpus(resolve(data), hierarchy=hierarchy, options=options or CorpusOptions(), stored=stored)


def read_for(
    model: TextClassifier, data: str, options: CorpusOptions, splits: Sequence[str] | None, *, stored: bool = False
) -> Corpus:
    """Read documents to use a model on: a hierarchy of theirs must be the one it was trained with."""
    place = Path(resolve(data)) if data != EMBEDDED else Path(data)
    own_hierarchy = any((place / f"hierarchy{suffix}").is_file() for suffix in READERS)
    corpus = read(data, None if own_hierarchy else model.hierarchy_, options, stored=stored)
    if corpus.hierarchy is not None:
        check_same(model.hierarchy_, corpus.hierarchy, data)
    return corpus.part(splits, "test")


def check_same(trained: Hierarchy, found: Hierarchy, source: str) -> None:
    """Refuse a hierarchy that changed since training, naming what changed."""
    if trained == found:
        return
    changes = []
    for what, edges in (
        ("new", set(found.edges()) - set(trained.edges())),
        ("gone", set(trained.edges()) - set(found.edges())),
    ):
        if edges:
            parent, child = min(edges, key=repr)
            changes.append(f"{len(edges)} edge(s) {what}, such as {parent or 'ROOT'} → {child}")
    raise ValueError(f"{source}: the hierarchy changed since training: {'; '.join(changes)}; train again")


def check_spared(output: str, *inputs: str | None) -> None:
    """Refuse to write over what is read, given as the user gives it."""
    spared(output, *(Path(resolve(given)) for given in inputs if given))


def warn_of_paths(corpus: Corpus) -> None:
    """Warn where labels look like paths and nobody has said that they are, so that they make no hierarchy."""
    labels = {label for one in corpus.labels for label in one or ()}
    for separator in PATH_SEPARATORS if corpus.hierarchy is None and labels else ():
        if all(separator in label for label in labels):
            option = f"--path-separator {separator if separator.strip() == separator else repr(separator)}"
            warnings.warn(
                f"every label has {separator!r} in it, such as {min(labels)!r}, but is taken for one name; "
                f"if labels are paths, say so ({option}, path_separator={separator!r})",
                stacklevel=3,
            )
