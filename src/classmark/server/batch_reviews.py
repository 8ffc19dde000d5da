"""Rows of batches and the documents that are made of them for review: sent there, looked up there, deleted there."""

from collections.abc import Mapping, Sequence
from itertools import islice

from classmark.server.batch_schemas import BatchReview
from classmark.server.context import Context
from classmark.server.feedback import is_there
from classmark.server.projects import Project
from classmark.service.batching import Batch, Own, RowAnswer, ShownRow
from classmark.service.batching.folders import document_name
from classmark.service.batching.joining import People
from classmark.service.naming import name_of
from classmark.service.reviewing import closed
from classmark.service.storing import IN_AN_INDEX
from classmark.store import NewDocument, StoredDocument

DOCUMENTS_AT_A_TIME = 500
SAID_BY = {"reviewed": "accepted", "human": "corrected", "rejected": "rejected"}
"""Whose word the labels of a document are, by its state."""


def send_to_review(context: Context, project: Project, batch: Batch, asked: BatchReview, who: str) -> int:
    """Let rows of a batch wait for review, and say how many do."""
    known = batch.facts()
    name = known["name"]
    with batch.in_words():
        found = batch.answers.rows(category=asked.category, order=asked.order, limit=asked.count)
        chosen = [row for row in found if row.answer is not None]
        # Written down first, so that whatever was sent can be deleted.
        batch.answers.note(sent=sorted({*known["sent"], *(row.line for row in chosen)}))
        added = 0
        pending = iter(chosen)
        while some := list(islice(pending, DOCUMENTS_AT_A_TIME)):
            texts = batch.answers.texts([row.number for row in some])
            documents = [_document(batch, name, row, texts[row.number]) for row in some]
            kept = context.feedback.store.add(project.name, documents, who=who)
            added += sum(one.state == "waiting" for one in kept)
    return added


def _document(batch: Batch, name: str, row: ShownRow, text: str) -> NewDocument:
    answer = row.answer
    assert answer is not None
    return NewDocument(
        name=document_name(batch.id, name, row.line),
        text=text.replace("\0", "\ufffd"),
        said={"labels": [one.name for one in answer.own], "chances": [one.chance for one in answer.own]},
        version=answer.version,
        doubt=answer.doubt,
        origin="batch",
    )


def judged(context: Context, project: Project, batch: Batch) -> People:
    """Give what tells what people have said of rows."""
    known = batch.facts()
    sent = set(known["sent"]) if is_there(context.settings.store) else set()

    def told(rows: Sequence[ShownRow]) -> Mapping[int, tuple[str, RowAnswer | None]]:
        names = {document_name(batch.id, known["name"], row.line): row.number for row in rows if row.line in sent}
        there = context.feedback.store.queue.named(project.name, list(names)).values() if names else ()
        return {names[one.name]: (SAID_BY[one.state], _answer(project, one)) for one in there if one.state in SAID_BY}

    return told


def _answer(project: Project, one: StoredDocument) -> RowAnswer | None:
    """Give the labels of a person as an answer; None where the document was rejected."""
    if one.labels is None:
        return None
    tree = project.responder.taxonomy
    own = []
    for name in one.labels:
        node = tree.naming.find(name)
        path = [name] if node is None else [*(found := tree.branch(node)).path, found.category.label]
        own.append(Own(name, path[-1], list(path), _chance(one, name)))
    above = [name_of(tree.hierarchy.names[node]) for node in sorted(closed(tree, one.labels))]
    return RowAnswer(above or list(one.labels), own, one.doubt if one.state == "reviewed" else None, one.version)


def _chance(one: StoredDocument, name: str) -> float | None:
    """Give the chance that the model gave a category, where a person has accepted it."""
    said = one.said or {}
    chances = dict(zip(said.get("labels") or [], said.get("chances") or [], strict=False))
    return chances.get(name) if one.state == "reviewed" else None


def forget_batch(context: Context, project: Project, batch: Batch, with_judged: bool) -> int:
    """Delete a batch after the documents made of it; the caller cleans the store's files afterwards."""
    known = batch.facts()
    gone: list[str] = []
    if known["sent"] and is_there(context.settings.store):
        names = [document_name(batch.id, known["name"], line) for line in known["sent"]]
        gone = context.feedback.store.queue.forget(project.name, names, judged=with_judged, clean=False)
        if gone and project.live:
            project.unlearn([IN_AN_INDEX + name for name in gone])
            project.compact()
    context.batches.delete(batch)
    return len(gone)


def forget_batches_of(context: Context, project: Project, who: str) -> int:
    """Delete all batches that a person has brought to a project."""
    brought = [batch for batch, known in context.batches.of(project.name) if known["who"] == who]
    for batch in brought:
        forget_batch(context, project, batch, with_judged=True)
    return len(brought)
