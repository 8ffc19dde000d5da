"""Warnings about training documents that little can be learned from; training continues."""

import warnings
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from classmark.data import Corpus
from classmark.data.sharded import ShardedDocuments
from classmark.data.stored import FeatureRows, StoredDocuments, mark_of
from classmark.seen import row_marks

SHARE = 0.1
"""Warn if at least this fraction of the labeled documents contradicts others; a few repeated texts are usual."""


def warn_of_single_category(corpus: Corpus) -> None:
    """Warn if all labeled documents have the same one label."""
    labeled = [frozenset(own) for own in corpus.labels if own is not None]
    names = {label for own in labeled for label in own}
    if len(set(labeled)) == len(names) == 1:
        (label,) = names
        warnings.warn(
            f"{corpus.source}: all {len(labeled):,} labeled documents have the one label {label!r}, so that every"
            " document will get it; add documents of other categories, or check the label column (--label-column)",
            stacklevel=4,
        )


def warn_of_contradictions(corpus: Corpus) -> None:
    """Warn of texts that several documents have with different labels; those of shards stay on the workers."""
    if isinstance(corpus.documents, ShardedDocuments):
        return
    labels = [None if own is None else frozenset(own) for own in corpus.labels]
    labeled = [row for row, own in enumerate(labels) if own is not None]
    groups = [group for group in _same_documents(corpus, labeled) if len({labels[row] for row in group}) > 1]
    count = sum(map(len, groups))
    if not groups or count < SHARE * len(labeled):
        return
    first = groups[0][0]
    other = next(row for row in groups[0] if labels[row] != labels[first])
    shown = [f"{corpus.ids[row]!r} ({', '.join(corpus.labels[row] or ['no category'])})" for row in (first, other)]
    warnings.warn(
        f"{corpus.source}: {count:,} of {len(labeled):,} labeled documents have the text of another one and other"
        f" labels, such as {shown[0]} and {shown[1]}; write all labels of a text into one row, or check the text"
        " column (--text-column)",
        stacklevel=4,
    )


def _same_documents(corpus: Corpus, labeled: list[int]) -> Iterator[list[int]]:
    """Yield the positions of labeled documents that are equal, in the order of the first."""
    rows = np.array(labeled, dtype=np.intp)
    fingerprints = _fingerprints(corpus)[rows]
    order = np.argsort(fingerprints, kind="stable")
    ordered = fingerprints[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    sizes = np.diff(np.append(starts, rows.size))
    repeated = [
        rows[order[start : start + size]].tolist() for start, size in zip(starts, sizes, strict=True) if size > 1
    ]
    yield from sorted(repeated)


def _fingerprints(corpus: Corpus) -> npt.NDArray[np.int64]:
    documents = corpus.documents
    if isinstance(documents, FeatureRows):
        return row_marks(documents.matrix).astype(np.int64)
    if isinstance(documents, StoredDocuments):
        return documents.marks
    return np.fromiter(map(mark_of, documents), np.int64, len(documents))
