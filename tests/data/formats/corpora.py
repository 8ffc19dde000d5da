"""Hypothesis strategies for corpora, and what a writer and its reader make of one."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.data import Corpus, CorpusOptions, NodeText, read_corpus, write_corpus

OPTIONS = CorpusOptions()

needs_arrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="needs pyarrow")

# Everything but surrogates, which no UTF-8 file holds; quotes, breaks and separators often.
TEXTS = st.lists(
    st.sampled_from(['"', "'", ",", "\n", "\r", "\t", "\\", "#", "\ufeff", "\u2028", "\0", "é", "🦉"])
    | st.characters(codec="utf-8")
).map("".join)
NAMES = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip)
FEATURES = st.dictionaries(
    st.integers(1, 10**9).map(str), st.floats(0, exclude_min=True, allow_infinity=False), max_size=4
)


def labels_of(names: st.SearchStrategy[str], max_size: int = 3) -> st.SearchStrategy[list[str] | None]:
    """Draw label sets, not labelled and belonging nowhere among them."""
    return st.none() | st.lists(names, max_size=max_size, unique=True)


@st.composite
def corpora(
    draw: st.DrawFn,
    documents: st.SearchStrategy[Any] = TEXTS,
    labels: st.SearchStrategy[list[str] | None] | None = None,
    splits: st.SearchStrategy[str | None] | None = None,
    ids: st.SearchStrategy[str] = NAMES,
) -> Corpus:
    """Draw a few documents without a hierarchy."""
    labels = labels_of(NAMES) if labels is None else labels
    splits = st.none() | NAMES if splits is None else splits
    names = draw(st.lists(ids, min_size=1, max_size=5, unique=True))
    return Corpus(
        ids=names,
        documents=[draw(documents) for _ in names],
        labels=[draw(labels) for _ in names],
        splits=[draw(splits) for _ in names],
        hierarchy=None,
        source="drawn",
    )


def under_paths(corpus: Corpus, paths: list[str], nodes: dict[str, NodeText] | None = None) -> Corpus:
    """Give a corpus the tree of some paths and of its labels."""
    labels = [label for labels in corpus.labels for label in labels or ()]
    return replace(corpus, hierarchy=Hierarchy.from_paths([*paths, *labels]), nodes=nodes or {})


def there_and_back(
    corpus: Corpus, name: str, options: CorpusOptions = OPTIONS, kind: str | None = None, shards: int | None = None
) -> Corpus:
    """Write a corpus, read it, and call it by the name it had."""
    with TemporaryDirectory() as folder:
        written = write_corpus(corpus, Path(folder, name), kind=kind, options=options, shards=shards)
        assert sorted(path.name for path in Path(folder).iterdir()) == sorted(path.name for path in written)
        hierarchy = next((path for path in written if path.name.endswith(".hierarchy.tsv")), None)
        read = read_corpus(written[0], hierarchy=hierarchy, options=replace(options, kind=kind))
    return replace(read, source=corpus.source)
