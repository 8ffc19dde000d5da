"""Finding and reading documents."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shlex import quote

from classmark.data import Corpus, CorpusOptions, load_docstrings, read_corpus
from classmark.data.looks import joined_labels, path_labels
from classmark.data.reading import check_unasked, columns_without_labels
from classmark.data.sets import resolve
from classmark.data.writing import check_spared as spared
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name
from classmark.hierarchy.formats import READERS
from classmark.persistence import check_writable
from classmark.pipeline import TextClassifier
from classmark.wording import listed

EMBEDDED = "docstrings"
"""The name of the embedded corpus, where no file or folder is called so."""
OWN_COLUMNS = frozenset(["id", "text", "features", "split"])
"""Columns that hold no labels."""
LABEL_COLUMNS = ("category", "categories", "class", "classes", "tag", "tags", "target", "topic", "topics", "subject")
"""What columns of labels are often called, the likeliest first: a subject may be the title of a message."""


def read(
    data: str,
    hierarchy: Hierarchy | str | None = None,
    options: CorpusOptions | None = None,
    *,
    stored: bool = False,
    titles: Mapping[Name, str] | None = None,
) -> Corpus:
    """Read a file or folder, a dataset by its name, or the embedded corpus, `docstrings`.

    `stored` leaves the documents of a file or folder there, to be read again when they are used; `titles` are those of
    a hierarchy that is given, by which documents may be labelled.
    """
    options = options or CorpusOptions()
    if data != EMBEDDED or Path(data).exists():
        return read_corpus(resolve(data), hierarchy=hierarchy, options=options, stored=stored, titles=titles)
    if isinstance(hierarchy, str):
        raise InputError(f"{data}: the embedded corpus has a hierarchy of its own; leave {hierarchy} out")
    check_unasked(data, "the embedded corpus", options)
    return load_docstrings()


def read_for(
    model: TextClassifier, data: str, options: CorpusOptions, splits: Sequence[str] | None, *, stored: bool = False
) -> Corpus:
    """Read documents to use a model on: a hierarchy of theirs must be the one it was trained with."""
    return read_with(model, data, options, stored=stored).part(splits, "test")


def read_with(model: TextClassifier, data: str, options: CorpusOptions, *, stored: bool = False) -> Corpus:
    """Read all documents, by the hierarchy of a model, which must be theirs where they have one."""
    place = Path(resolve(data)) if data != EMBEDDED else Path(data)
    own_hierarchy = any((place / f"hierarchy{suffix}").is_file() for suffix in READERS)
    hierarchy = None if own_hierarchy else model.hierarchy_
    corpus = read(data, hierarchy, options, stored=stored, titles=model.titles)
    if corpus.hierarchy is not None:
        check_same(model.hierarchy_, corpus.hierarchy, data)
    return corpus


def check_same(trained: Hierarchy, found: Hierarchy, source: str) -> None:
    """Refuse a hierarchy that changed since training, naming what changed."""
    if trained != found:
        changes = hierarchy_changes(trained, found)
        raise InputError(f"{source}: the hierarchy changed since training: {changes}; train again")


def hierarchy_changes(before: Hierarchy, after: Hierarchy) -> str:
    """Say how many edges are new and gone, with one of each.

    >>> hierarchy_changes(Hierarchy.from_paths(["a/x"]), Hierarchy.from_paths(["a/y"]))
    '1 edge(s) new, such as a → a/y; 1 edge(s) gone, such as a → a/x'
    """
    changes = []
    for what, edges in (
        ("new", set(after.edges()) - set(before.edges())),
        ("gone", set(before.edges()) - set(after.edges())),
    ):
        if edges:
            parent, child = min(edges, key=repr)
            changes.append(f"{len(edges)} edge(s) {what}, such as {parent or 'ROOT'} → {child}")
    return "; ".join(changes)


def check_output(output: str, *inputs: str | None) -> None:
    """Refuse a file that cannot be written, or that would be written over what is read."""
    check_writable(Path(output))
    check_spared(output, *inputs)


def check_spared(output: str, *inputs: str | None) -> None:
    """Refuse to write over what is read, given as the user gives it."""
    spared(output, *(Path(resolve(given)) for given in inputs if given))


def address_of(feedback: str) -> tuple[str, str | None]:
    """Take the address of a store and the name of a project apart.

    >>> address_of("reviews.sqlite#birds"), address_of("postgresql://host/reviews")
    (('reviews.sqlite', 'birds'), ('postgresql://host/reviews', None))
    """
    store, separator, project = feedback.rpartition("#")
    if not separator or Path(feedback).exists():
        return feedback, None
    return store, project


def check_label_column(corpus: Corpus) -> None:
    """Refuse documents of which none is labelled, where labels may stand in a column of another name."""
    source = Path(corpus.source)
    if any(labels is not None for labels in corpus.labels) or not (source.is_file() or source.is_dir()):
        return
    there = columns_without_labels(source)
    if not OWN_COLUMNS.issuperset(there):
        raise InputError(
            f"{corpus.source}: no document has a label, as no column is called 'labels' or 'label';"
            f" name the one that has them ({_label_flag(there)}) of: {listed(there)}"
        )


def _label_flag(columns: Iterable[str]) -> str:
    """Give the option that names the column of labels, with the one that is most probably meant."""
    known = {name.strip().casefold(): name for name in columns}
    likely = next((known[name] for name in LABEL_COLUMNS if name in known), None)
    return "--label-column" if likely is None else f"--label-column {quote(likely)}"


def warn_of_paths(corpus: Corpus) -> None:
    """Warn where a share of the labels looks like paths, or like several labels in one, and nobody has said so."""
    labels, hierarchy = all_labels(corpus), corpus.hierarchy
    several = any(len(one or ()) > 1 for one in corpus.labels)
    for found in [*joined_labels(labels, hierarchy, several=several), *path_labels(labels, hierarchy)]:
        warnings.warn(
            f"{len(found.labels):,} of {len(labels):,} labels have {found.separator!r} in them, such as"
            f" {min(found.labels)!r}, and are taken for one name each; if they are {found.remedy}",
            stacklevel=3,
        )


def all_labels(corpus: Corpus) -> set[str]:
    """Give every label that some document has."""
    return {label for one in corpus.labels for label in one or ()}
