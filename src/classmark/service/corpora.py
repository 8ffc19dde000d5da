"""Finding and reading documents."""

from collections.abc import Sequence
from pathlib import Path

from classmark.data import Corpus, CorpusOptions, load_docstrings, read_corpus
from classmark.data.sets import resolve
from classmark.hierarchy import Hierarchy
from classmark.pipeline import TextClassifier

EMBEDDED = "docstrings"
"""The name of the embedded corpus, where no file or folder is called so."""


def read(data: str, hierarchy: Hierarchy | str | None = None, options: CorpusOptions | None = None) -> Corpus:
    """Read a file or folder, a dataset by its name, or the embedded corpus, `docstrings`."""
    if data == EMBEDDED and not Path(data).exists():
        return load_docstrings()
    return read_corpus(resolve(data), hierarchy=hierarchy, options=options or CorpusOptions())


def read_for(model: TextClassifier, data: str, options: CorpusOptions, splits: Sequence[str] | None) -> Corpus:
    """Read documents to use a model on: a hierarchy of theirs must be the one it was trained with."""
    place = Path(resolve(data)) if data != EMBEDDED else Path(data)
    own_hierarchy = (place / "hierarchy.tsv").is_file()
    corpus = read(data, None if own_hierarchy else model.hierarchy_, options)
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
