"""Finding and reading documents."""

import warnings
from collections.abc import Collection, Iterable, Sequence, Sized
from itertools import chain
from pathlib import Path
from shlex import quote

from classmark.data import Corpus, CorpusOptions, load_docstrings, read_corpus
from classmark.data.assembly import LABEL_SEPARATORS, joined_parts
from classmark.data.reading import check_unasked, columns_without_labels
from classmark.data.sets import resolve
from classmark.data.writing import check_spared as spared
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.formats import READERS
from classmark.persistence import check_writable
from classmark.pipeline import TextClassifier
from classmark.wording import listed

EMBEDDED = "docstrings"
"""The name of the embedded corpus, where no file or folder is called so."""
PATH_SEPARATORS = ("/", " > ", ">")
"""What stands in labels that are most probably paths."""
OWN_COLUMNS = frozenset(["id", "text", "features", "split"])
"""Columns that hold no labels."""
LABEL_COLUMNS = ("category", "categories", "class", "classes", "subject", "tag", "tags", "target", "topic", "topics")
"""What columns of labels are often called."""
SHARE = 0.1
"""From this share of the labels on, those with a separator in them are spoken of."""


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
    options = options or CorpusOptions()
    if data != EMBEDDED or Path(data).exists():
        return read_corpus(resolve(data), hierarchy=hierarchy, options=options, stored=stored)
    if isinstance(hierarchy, str):
        raise ValueError(f"{data}: the embedded corpus has a hierarchy of its own; leave {hierarchy} out")
    check_unasked(data, "the embedded corpus", options)
    return load_docstrings()


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


def check_output(output: str, *inputs: str | None) -> None:
    """Refuse a file that cannot be written, or that would be written over what is read."""
    check_writable(Path(output))
    check_spared(output, *inputs)


def check_spared(output: str, *inputs: str | None) -> None:
    """Refuse to write over what is read, given as the user gives it."""
    spared(output, *(Path(resolve(given)) for given in inputs if given))


def check_label_column(corpus: Corpus) -> None:
    """Refuse documents of which none is labelled, where labels may stand in a column of another name."""
    source = Path(corpus.source)
    if any(labels is not None for labels in corpus.labels) or not (source.is_file() or source.is_dir()):
        return
    there = columns_without_labels(source)
    if not OWN_COLUMNS.issuperset(there):
        raise ValueError(
            f"{corpus.source}: no document has a label, as no column is called 'labels' or 'label';"
            f" name the one that has them ({_label_flag(there)}) of: {listed(there)}"
        )


def _label_flag(columns: Iterable[str]) -> str:
    """Give the option that names the column of labels, with the one that is most probably meant."""
    likely = next((name for name in columns if name.strip().casefold() in LABEL_COLUMNS), None)
    return "--label-column" if likely is None else f"--label-column {quote(likely)}"


def warn_of_paths(corpus: Corpus) -> None:
    """Warn where a share of the labels looks like paths, or like several labels in one, and nobody has said so."""
    labels = all_labels(corpus)
    for separator in LABEL_SEPARATORS:
        if _is_a_share(joined := _joined(corpus, labels, separator), labels):
            option = f"--label-separator {quote(separator)}, label_separator={separator!r}; in JSON, a list"
            _warn(joined, labels, separator, f"several labels each, say so ({option})")
    for separator in PATH_SEPARATORS if corpus.hierarchy is None else ():
        if _is_a_share(found := _with_parts(labels, separator), labels):
            option = f"--path-separator {quote(separator)}, path_separator={separator!r}"
            _warn(found, labels, separator, f"paths, say so ({option})")
            return


def all_labels(corpus: Corpus) -> set[str]:
    """Give every label that some document has."""
    return {label for one in corpus.labels for label in one or ()}


def _with_parts(labels: Iterable[str], separator: str) -> dict[str, list[str]]:
    """Give the labels that may be several names in one, with their parts."""
    return {label: parts for label in labels if (parts := joined_parts(label, separator))}


def _joined(corpus: Corpus, labels: set[str], separator: str) -> list[str]:
    """Give the labels that are most probably several, with a separator between them that nobody has named."""
    hierarchy = corpus.hierarchy
    joined = _with_parts(labels, separator)
    if hierarchy is not None:
        # Names that somebody has put into a hierarchy are names, unless their parts are categories too.
        return [label for label, parts in joined.items() if all(part in hierarchy for part in parts)]
    # Names have commas: only where nothing was taken apart, and parts are labels by themselves.
    return list(joined) if separator != "," or _are_labels(joined.values(), corpus, labels) else []


def _are_labels(found: Iterable[Sequence[str]], corpus: Corpus, labels: set[str]) -> bool:
    """Say whether no document has several labels, and a part of those found is one."""
    return all(len(one or ()) < 2 for one in corpus.labels) and not labels.isdisjoint(chain.from_iterable(found))


def _is_a_share(found: Sized, labels: Sized) -> bool:
    """Say whether some labels are enough to be no accident, as the one name AC/DC among many would be."""
    return len(found) >= max(SHARE * len(labels), 1) and (len(found) > 1 or len(found) >= len(labels) / 2)


def _warn(found: Collection[str], labels: Sized, separator: str, remedy: str) -> None:
    warnings.warn(
        f"{len(found):,} of {len(labels):,} labels have {separator!r} in them, such as {min(found)!r}, and are taken"
        f" for one name each; if they are {remedy}",
        stacklevel=4,
    )
