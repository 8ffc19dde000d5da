"""What people have said of documents in a store, to learn from: it counts more than the labels that were there."""

import warnings
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from classmark.data import Corpus, CorpusOptions
from classmark.data.stored import Document, FeatureRows, StoredDocuments, mark_of
from classmark.errors import InputError
from classmark.service.corpora import address_of
from classmark.service.storing import Dropped, chosen_project, known_labels, warn_of_dropped
from classmark.store import Store, StoredDocument


@dataclass(frozen=True, kw_only=True)
class UsedFeedback:
    """What was learned from people."""

    documents: int
    """How many documents of a store have labels by people, and were used."""
    replaced: int
    """How many training documents have these labels in place of their own."""

    def __str__(self) -> str:
        return f"{self.documents:,} documents, {self.replaced:,} of them instead of old labels"


def with_feedback(corpus: Corpus, whole: Corpus, feedback: str, options: CorpusOptions) -> tuple[Corpus, UsedFeedback]:
    """Give the documents to learn from, joined by those of a store whose labels people have accepted or given.

    One that has the id or the very text of a training document takes its place, labels and text. A row number is not an
    id: a table without ids is matched by text alone.

    Parameters
    ----------
    corpus : Corpus
        The training documents.
    whole : Corpus
        These and all others of the same source; one of the others that is learned from is warned of.
    feedback : str
        The address of a store, and after `#` the name of a project where there are several.
    options : CorpusOptions
        What to do with labels that the hierarchy does not have.
    """
    if isinstance(corpus.documents, FeatureRows):
        raise InputError(f"{corpus.source}: documents are features, and those of a store are texts; leave feedback out")
    address, project = address_of(feedback)
    with Store.open(address, create=False) as store:
        said = list(store.labelled(chosen_project(store, project)))
        place = store.place
    dropped: Dropped = []
    kept = dropped if options.on_unknown == "drop" else None
    labels = [known_labels(one.labels or [], corpus.hierarchy, f"{place}: document {one.name!r}", kept) for one in said]
    warn_of_dropped(dropped, place, corpus.hierarchy)
    _warn_of_others(said, corpus, whole)
    return _joined(corpus, said, labels)


def _warn_of_others(said: Sequence[StoredDocument], corpus: Corpus, whole: Corpus) -> None:
    """Warn where documents are learned from that somebody may want to test on."""
    if len(whole) == len(corpus):
        return
    here = set(corpus.ids)
    others = [row for row, name in enumerate(whole.ids) if name not in here]
    names = {whole.ids[row] for row in others if whole.numbered is None or not whole.numbered[row]}
    marks = set(map(mark_of, whole.take(others).documents))
    count = sum(one.name in names or mark_of(one.text) in marks for one in said)
    if count:
        told = f"{count:,} documents of the feedback are in other splits of {whole.source}, and are learned from now"
        warnings.warn(f"{told}; figures on those would be too good", stacklevel=4)


def _joined(
    corpus: Corpus, said: Sequence[StoredDocument], labels: Sequence[list[str] | None]
) -> tuple[Corpus, UsedFeedback]:
    """Put labels and texts in the place of old ones, and what is new after them."""
    marks = array("q", map(mark_of, corpus.documents))
    numbered = np.zeros(len(corpus), dtype=bool) if corpus.numbered is None else corpus.numbered
    by_id = {name: row for row, name in enumerate(corpus.ids) if not numbered[row]}
    by_mark: dict[int, list[int]] = {}
    for row, mark in enumerate(marks):
        by_mark.setdefault(mark, []).append(row)
    own: list[list[str] | None] = list(corpus.labels)
    texts: dict[int, str] = {}
    new: dict[int, tuple[StoredDocument, list[str] | None]] = {}
    for one, mine in zip(said, labels, strict=True):
        mark = mark_of(one.text)
        rows = [by_id[one.name]] if one.name in by_id else by_mark.get(mark, [])
        for row in rows:
            own[row], texts[row], marks[row] = mine, one.text, mark
        if not rows:
            # Of two with the same text the later one holds.
            new.pop(mark, None)
            new[mark] = one, mine
    marks.extend(new)
    added = [one for one, _ in new.values()]
    row_numbers = {corpus.ids[row] for row in np.flatnonzero(numbered).tolist()}
    joined = replace(
        corpus,
        # A store may have a document with the id "1" beside the first row of a table without ids.
        ids=[*corpus.ids, *(f"feedback:{one.name}" if one.name in row_numbers else one.name for one in added)],
        documents=_documents(corpus, texts, [one.text for one in added], marks),
        labels=[*own, *(mine for _, mine in new.values())],
        splits=[*corpus.splits, *[corpus.splits[0] if corpus.splits else None] * len(added)],
        fields=None if corpus.fields is None else [*corpus.fields, *[""] * len(added)],
        numbered=np.append(numbered, np.zeros(len(added), dtype=bool)),
    )
    return joined, UsedFeedback(documents=len(said), replaced=len(texts))


def _documents(
    corpus: Corpus, texts: Mapping[int, str], new: Sequence[str], marks: Sequence[int]
) -> list[Document] | StoredDocuments:
    """Give old and new documents; those that stay in their file are read again when they are used."""

    def read() -> Iterator[Document]:
        kept = (texts.get(row, one) for row, one in enumerate(corpus.documents))
        return chain(kept, new)

    if isinstance(corpus.documents, StoredDocuments):
        return StoredDocuments(corpus.source, read, marks)
    return list(read())
