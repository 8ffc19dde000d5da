"""Reviewing: documents that wait for a person's word, given to one person at a time, and what that person says."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from classmark.server import queue_schemas, schemas
from classmark.server.batch_reviews import forget_batches_of
from classmark.server.context import Context, review_reader, who, writer
from classmark.server.feedback import said_of
from classmark.server.problems import Problem
from classmark.server.projects import Asked, Project
from classmark.server.routes.annif import name_at
from classmark.server.routes.answers import ProjectId, answered, problems
from classmark.server.schemas import DocumentId, ReviewClaim
from classmark.service.reviewing import IN_A_ROW, accepted_share, count_branches, disagreement, is_enough
from classmark.store import Conflict, Missing, NewDocument, RecordedVerdict, StoredDocument, Verdict
from classmark.store.signatures import nearest, rows_of, signature_of

router = APIRouter(prefix="/v1/projects/{project_id}/review", tags=["Reviewing"])
Writer = Annotated[Context, Depends(writer)]


@router.post("/add", response_model=schemas.StoredList, responses=problems(404))
async def add(request: Request, project_id: ProjectId, body: schemas.ReviewAdd, context: Writer) -> Response:
    """Keep documents that are to be reviewed, with what the model says of them and how much it doubts."""
    project = context.projects[project_id]
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
    store = await context.store()
    kept = await context.in_thread(store.add, project.name, documents, who=who(request, body.who))
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
async def review(request: Request, project_id: ProjectId, body: schemas.ReviewVerdict, context: Writer) -> Response:
    """Accept what the model says, correct it, reject it, skip the document, or undo the last verdict."""
    project = context.projects[project_id]
    if body.document_id is None and body.verdict != "undo":
        raise Problem(400, "document_id: say which document is meant")
    judge = _judging(context, project, body, who(request, body.who))
    kept = await context.in_thread(judge, body.document_id, body.revision, body.key)
    context.metrics.corrections.labels(project.name, kept.kind).inc()
    return answered(recorded(kept), project.served.version)


def _judging(
    context: Context, project: Project, body: schemas.ReviewVerdict | queue_schemas.SameVerdict, person: str
) -> Callable[[str | None, int | None, str | None], RecordedVerdict]:
    """Return the function that saves a verdict on a document, given with its revision and a key."""
    if (body.labels is not None) != (body.verdict == "correct"):
        raise Problem(400, "labels: give the right categories with the verdict correct, and with no other")
    labels = _labels(project, body.labels, "labels")

    def judge(name: str | None, revision: int | None, key: str | None) -> RecordedVerdict:
        if body.verdict == "undo" or name is None:
            return context.feedback.undo(project, person, name, key)
        verdict = Verdict(kind=body.verdict, labels=labels, who=person, key=key, revision=revision)
        return context.feedback.judge(project, name, verdict)

    return judge


@router.get("/documents", response_model=schemas.StoredList, responses=problems(404))
async def documents(
    project_id: ProjectId,
    context: Writer,
    state: Annotated[str | None, Query(pattern="^(waiting|reviewed|human|rejected)$")] = None,
    offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """List documents of the store, the first that came first."""
    project = context.projects[project_id]
    store = await context.store()
    found = await context.in_thread(store.documents, project.name, state=state, offset=offset, limit=limit)
    return answered({"documents": [stored(one) for one in found]})


@router.delete("/documents", response_model=schemas.Forgotten, responses=problems(404))
async def forget(
    project_id: ProjectId,
    context: Writer,
    document_id: Annotated[schemas.DocumentId | None, Query(description="This document.")] = None,
    person: Annotated[schemas.Who | None, Query(description="All that this person has brought.")] = None,
) -> Response:
    """Delete documents for good: their texts, all that was said of them, and what a live index has of them."""
    project = context.projects[project_id]
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


MOST_BRANCHES = 40
MOST_COMPARED = 2000
"""Among so many waiting documents, the most doubtful, those are looked for that are like one."""
AT_A_TIME = 500
"""So many documents are compared between two models in one request."""


@router.post("/claim", response_model=queue_schemas.QueuedList, responses=problems(404))
async def claim(request: Request, project_id: ProjectId, body: ReviewClaim, context: Writer) -> Response:
    """Claim the next pending documents for a user for ten minutes; return them with the paths of their categories."""
    project, store = context.projects[project_id], await context.store()
    person = who(request, body.who)
    claimed = await context.in_thread(store.claim, project.name, person, order=body.order, count=body.count)
    found = await suggested_again(context, project, claimed)
    return answered({"documents": [queued(project, one) for one in found]}, project.served.version)


@router.get("/document", response_model=queue_schemas.QueuedDocument, responses=problems(404))
async def document(project_id: ProjectId, context: Writer, document_id: Annotated[DocumentId, Query()]) -> Response:
    """Give a document as it is now."""
    project, store = context.projects[project_id], await context.store()
    found = await context.in_thread(store.document, project.name, document_id)
    return answered(queued(project, found))


@router.post("/release", response_model=queue_schemas.Released, responses=problems(404))
async def release(request: Request, project_id: ProjectId, body: queue_schemas.Person, context: Writer) -> Response:
    """Give back what a person has before them and has not judged."""
    project, store = context.projects[project_id], await context.store()
    count = await context.in_thread(store.release, project.name, who(request, body.who))
    return answered({"released": count})


@router.get("/history", response_model=queue_schemas.History, responses=problems(404))
async def history(project_id: ProjectId, context: Writer, document_id: Annotated[DocumentId, Query()]) -> Response:
    """Say who said what of a document, and when."""
    project, store = context.projects[project_id], await context.store()
    found = await context.in_thread(store.history, project.name, document_id)
    verdicts = [{**recorded(one), "undone": one.undone, "said": (one.said or {}).get("labels")} for one in found]
    return answered({"verdicts": verdicts})


@router.get("/progress", response_model=queue_schemas.Progress, responses=problems(404))
async def progress(project_id: ProjectId, context: Annotated[Context, Depends(review_reader)]) -> Response:
    """Say how far reviewing is: by state, by person, by branch, and the accepted share of the sample at random."""
    project = context.projects[project_id]

    def look() -> dict[str, Any]:
        store = context.feedback.store
        counted = store.counts(project.name)
        drawn = counted["random"]
        share = accepted_share(drawn["accepted"], sum(drawn.values()))
        latest = store.queue.outcomes(project.name, "random", IN_A_ROW)
        branches = context.remembered.get(
            project.name, lambda: count_branches(project.responder.taxonomy, store.queue.said(project.name))
        )
        sizes = {"accepted": share.accepted, "of": share.of, "share": share.share, "low": share.low, "high": share.high}
        return {
            **counted,
            "share": sizes,
            "enough": is_enough(share, latest),
            "branches": [
                {"name": one.name, "label": one.label, **dict.fromkeys(STATES, 0), **one.states}
                for one in branches[:MOST_BRANCHES]
            ],
            "others": [one.name for one in comparable(context, project)],
        }

    return answered(await context.in_thread(look))


STATES = ("waiting", "reviewed", "human", "rejected")


def comparable(context: Context, project: Project) -> list[Project]:
    """Give the other projects that have the same categories."""
    own = set(project.responder.model.hierarchy_.names)
    return [one for one in context.projects if one is not project and set(one.responder.model.hierarchy_.names) == own]


@router.post("/compare", response_model=queue_schemas.Compared, responses=problems(404))
async def compare(project_id: ProjectId, body: queue_schemas.CompareRequest, context: Writer) -> Response:
    """Find out for some waiting documents how far another model disagrees; asked again, for the next ones."""
    project, other = context.projects[project_id], context.projects[body.other]
    if other not in comparable(context, project):
        raise Problem(400, f"other: {other.name} has other categories than {project.name}; choose one with the same")
    queue = (await context.store()).queue
    some = await context.in_thread(queue.waiting_after, project.name, body.after, limit=AT_A_TIME)
    texts = [one.text for one in some]
    answers = await other.ask(Asked(), texts)
    tree = project.responder.taxonomy
    found = {}
    for one, answer in zip(some, answers, strict=True):
        labels = [placed.name for placed in answer.answer.own]
        own = (one.said or {}).get("labels") or one.given or []
        found[one.id] = disagreement(tree, own, labels), {"project": other.name, "labels": labels}
    compared = await context.in_thread(queue.compare, project.name, found)
    differing = sum(far > 0 for far, _ in found.values())
    after = some[-1].id if some else body.after
    return answered({"compared": compared, "differing": differing, "after": after, "more": len(some) == AT_A_TIME})


@router.get("/like", response_model=queue_schemas.LikeList, responses=problems(404))
async def like(
    request: Request,
    project_id: ProjectId,
    context: Writer,
    document_id: Annotated[DocumentId, Query()],
    person: Annotated[str | None, Query(min_length=1, max_length=200, alias="who")] = None,
    least: Annotated[float, Query(ge=0, le=1, description="How like documents must be.")] = 0.3,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Response:
    """Give waiting documents that are like one, and that nobody else has before them."""
    project = context.projects[project_id]

    def look() -> list[dict[str, Any]]:
        store = context.feedback.store
        this = store.document(project.name, document_id)
        signatures = store.queue.free_signatures(project.name, who(request, person), limit=MOST_COMPARED)
        signatures.pop(this.id, None)
        rows = rows_of([signature_of(this.text), *signatures.values()])
        near = nearest(rows[1:], rows[[0]], limit, max(least, 1e-9))
        numbers = list(signatures)
        others = store.queue.numbered(project.name, [numbers[one.position] for one in near])
        return [
            {**queued(project, others[number]), "likeness": one.likeness}
            for one in near
            if (number := numbers[one.position]) in others
        ]

    return answered({"documents": await context.in_thread(look)})


@router.post("/same", response_model=queue_schemas.SameOut, responses=problems(404))
async def same(request: Request, project_id: ProjectId, body: queue_schemas.SameVerdict, context: Writer) -> Response:
    """Say the same of several documents; of those that somebody else has judged meanwhile, it is told."""
    project = context.projects[project_id]
    judge = _judging(context, project, body, who(request, body.who))

    def judge_all() -> dict[str, Any]:
        kept, conflicts = [], []
        for number, one in enumerate(body.documents):
            key = None if body.key is None else f"{body.key[:180]}/{number}"
            try:
                kept.append(recorded(judge(one.document_id, one.revision, key)))
            except (Conflict, Missing) as error:
                conflicts.append({"document_id": one.document_id, "detail": str(error)})
        return {"kept": kept, "conflicts": conflicts}

    done = await context.in_thread(judge_all)
    for one in done["kept"]:
        context.metrics.corrections.labels(project.name, one["verdict"]).inc()
    return answered(done, project.served.version)


def queued(project: Project, one: StoredDocument) -> dict[str, Any]:
    """Give a document as it is sent, with the places of its categories."""
    said = one.said or {}
    other = said.get("other") or {}
    names = [*(said.get("labels") or ()), *(one.given or ()), *(one.labels or ()), *(other.get("labels") or ())]
    return {**stored(one), "places": places(project, names)}


def places(project: Project, names: Iterable[str]) -> dict[str, Any]:
    """Say where categories are; those that the model has not are left out."""
    tree = project.responder.taxonomy
    found = {}
    for name in dict.fromkeys(names):
        node = tree.naming.find(name)
        if node is not None:
            branch = tree.branch(node)
            found[name] = {"label": branch.category.label, "path": [*branch.path, branch.category.label]}
    return found
