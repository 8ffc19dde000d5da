"""Reviewing: documents that wait for a person's word, given to one person at a time, and what that person says."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from classmark.server import schemas
from classmark.server.batch_reviews import forget_batches_of
from classmark.server.context import Context, who, writer
from classmark.server.feedback import said_of
from classmark.server.problems import Problem
from classmark.server.projects import Asked, Project
from classmark.server.routes.annif import name_at
from classmark.server.routes.answers import ProjectId, answered, problems
from classmark.service.reviewing import disagreement
from classmark.store import NewDocument, RecordedVerdict, StoredDocument, Verdict

router = APIRouter(prefix="/v1/projects/{project_id}/review", tags=["Reviewing"])


@router.post("/add", response_model=schemas.StoredList, responses=problems(404))
async def add(
    request: Request, project_id: ProjectId, body: schemas.ReviewAdd, context: Annotated[Context, Depends(writer)]
) -> Response:
    """Keep documents that are to be reviewed, with what the model says of them and how much it doubts."""
    project = context.project(project_id)
    texts = [document.text for document in body.documents]
    context.check_texts(project, texts)
    given = [_labels(project, document.labels, f"document {at}") for at, document in enumerate(body.documents)]
    judged = await project.ask(Asked(judged=True), list(zip(texts, given, strict=True)))
    documents = [
        NewDocument(
            name=document.document_id,
            text=document.text,
            given=labels,
            said=said_of(one.answer),
            version=one.version,
            doubt=one.answer.doubt,
            suspicion=one.answer.suspicion,
        )
        for document, labels, one in zip(body.documents, given, judged, strict=True)
    ]
    kept = await context.in_thread(context.feedback.add, project, documents, who(request, body.who))
    version = judged[0].version if judged else project.served.version
    return answered({"documents": [stored(one) for one in kept]}, version)


def _labels(project: Project, labels: list[str] | None, where: str) -> list[str] | None:
    return None if labels is None else [name_at(project, one, where) for one in labels]


async def suggested_again(
    context: Context, project: Project, documents: Sequence[StoredDocument]
) -> list[StoredDocument]:
    """Return waiting documents with suggestions of the served model, in place of those of an earlier version."""
    served = project.served
    outdated = [one for one in documents if one.said is not None and one.version != served.version]
    if not outdated:
        return list(documents)
    tree = served.responder.taxonomy
    known = [
        one.given if all(tree.naming.find(label) is not None for label in one.given or ()) else None for one in outdated
    ]
    texts = [one.text for one in outdated]
    judged = await project.ask(Asked(judged=True), list(zip(texts, known, strict=True)))
    again = []
    for one, (version, now) in zip(outdated, judged, strict=True):
        said, differing = said_of(now), one.disagreement
        other = (one.said or {}).get("other")
        if other is not None:
            said["other"], differing = other, disagreement(tree, now.labels, other.get("labels") or [])
        values = {"doubt": now.doubt, "suspicion": now.suspicion, "disagreement": differing}
        again.append(replace(one, said=said, version=version, **values))
    store = await context.store()
    stored = await context.in_thread(store.queue.suggest, project.name, again)
    return [stored.get(one.id, one) for one in documents]


@router.post(
    "",
    response_model=schemas.VerdictOut,
    responses=problems(404, on_409="Somebody else was first: the answer says who and when."),
)
async def review(
    request: Request, project_id: ProjectId, body: schemas.ReviewVerdict, context: Annotated[Context, Depends(writer)]
) -> Response:
    """Accept what the model says, correct it, reject it, skip the document, or undo the last verdict."""
    project = context.project(project_id)
    person = who(request, body.who)
    if body.verdict == "undo":
        kept = await context.in_thread(context.feedback.undo, project, person, body.document_id, body.key)
    else:
        name, verdict = _verdict(project, body, person)
        kept = await context.in_thread(context.feedback.judge, project, name, verdict)
    context.metrics.corrections.labels(project.name, kept.kind).inc()
    return answered(recorded(kept), project.served.version)


def _verdict(project: Project, body: schemas.ReviewVerdict, person: str) -> tuple[str, Verdict]:
    if body.document_id is None:
        raise Problem(400, "document_id: say which document is meant")
    if (body.labels is not None) != (body.verdict == "correct"):
        raise Problem(400, "labels: give the right categories with the verdict correct, and with no other")
    labels = _labels(project, body.labels, "labels")
    verdict = Verdict(kind=body.verdict, labels=labels, who=person, key=body.key, revision=body.revision)
    return body.document_id, verdict


@router.get("/documents", response_model=schemas.StoredList, responses=problems(404))
async def documents(
    project_id: ProjectId,
    context: Annotated[Context, Depends(writer)],
    state: Annotated[str | None, Query(pattern="^(waiting|reviewed|human|rejected)$")] = None,
    offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """List documents of the store, the first that came first."""
    project = context.project(project_id)
    store = await context.store()
    found = await context.in_thread(store.documents, project.name, state=state, offset=offset, limit=limit)
    return answered({"documents": [stored(one) for one in found]})


@router.delete("/documents", response_model=schemas.Forgotten, responses=problems(404))
async def forget(
    project_id: ProjectId,
    context: Annotated[Context, Depends(writer)],
    document_id: Annotated[schemas.DocumentId | None, Query(description="This document.")] = None,
    person: Annotated[schemas.Who | None, Query(description="All that this person has brought.")] = None,
) -> Response:
    """Delete documents for good: their texts, all that was said of them, and what a live index has of them."""
    project = context.project(project_id)
    if (document_id is None) == (person is None):
        raise Problem(400, "document_id and person: say which document, or whose; one of the two")
    gone = await context.in_thread(context.feedback.forget, project, document_id, person)
    if person is not None:
        await context.in_thread(forget_batches_of, context, project, person)
    await context.clean_store()
    return answered({"forgotten": gone})


def stored(one: StoredDocument) -> dict[str, Any]:
    """Give a document of the store as it is sent."""
    members = (
        *("text", "state", "labels", "given", "said", "version", "doubt"),
        *("disagreement", "suspicion", "revision", "added", "by"),
    )
    return {"document_id": one.name, **{name: getattr(one, name) for name in members}}


def recorded(one: RecordedVerdict) -> dict[str, Any]:
    """Give a verdict as it is sent."""
    members = ("labels", "state", "revision", "who", "at", "key")
    return {"document_id": one.name, "verdict": one.kind, **{name: getattr(one, name) for name in members}}
