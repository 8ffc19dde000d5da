"""Past Annif: label sets that respect the hierarchy, the reasons for them, and the categories themselves."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Query, Response

from classmark.errors import InputError
from classmark.server import schemas
from classmark.server.context import Context, reader
from classmark.server.problems import Problem
from classmark.server.projects import Answered, Asked, Project
from classmark.server.routes.annif import name_at
from classmark.server.routes.answers import ProjectId, answered, problems
from classmark.server.versions import Served
from classmark.service.browsing import Branch
from classmark.service.explaining import Asked as AskedWhy
from classmark.service.explaining import explain_text
from classmark.service.naming import Called
from classmark.service.results import plain
from classmark.service.serving import Classified, Placed

MAX_DOCUMENTS_AT_ONCE = 32
"""Number of documents whose answers are written in the event loop: those of 1,000 would take 30 ms of it."""

router = APIRouter(prefix="/v1/projects/{project_id}", tags=["Classifying"])


@router.post("/classify", response_model=schemas.ClassifiedList, responses=problems(404))
async def classify(
    project_id: ProjectId, body: schemas.ClassifyRequest, context: Annotated[Context, Depends(reader)]
) -> Response:
    """Put texts into categories, as `classmark predict` does: consistent label sets, paths and chances."""
    project = context.projects[project_id]
    texts = [document.text for document in body.documents]
    context.check_texts(project, texts)
    if body.min_precision is not None and not project.responder.calibrated:
        raise Problem(400, "min_precision: the model has no probabilities; train it with --calibration")
    found = await project.ask(Asked(min_precision=body.min_precision), texts)
    context.metrics.answered(project.name, [[placed.chance for placed in one.answer.own] for one in found])
    version = found[0].version if found else project.served.version
    if len(found) <= MAX_DOCUMENTS_AT_ONCE:
        return _written(body, found, version)
    return await context.in_thread(_written, body, found, version)


def _written(body: schemas.ClassifyRequest, found: Sequence[Answered], version: str) -> Response:
    documents = [_classified(document.document_id, one) for document, one in zip(body.documents, found, strict=True)]
    return answered({"version": version, "documents": documents}, version)


def _classified(name: str | None, found: Answered) -> dict[str, Any]:
    answer: Classified = found.answer
    own = [_placed(placed) for placed in answer.own]
    return {
        "document_id": name,
        "labels": answer.labels,
        "own": own,
        "doubt": answer.doubt,
        "no_known_terms": answer.no_known_terms,
    }


def _placed(placed: Placed) -> dict[str, Any]:
    return {**called(placed.category), "name": placed.name, "path": placed.path, "chance": placed.chance}


def called(category: Called) -> dict[str, Any]:
    """Give what a category is called."""
    return {"uri": category.uri, "label": category.label, "notation": category.notation}


@router.post("/explain", response_model=schemas.ExplainedOut, responses=problems(404))
async def explain(
    project_id: ProjectId, body: schemas.ExplainRequest, context: Annotated[Context, Depends(reader)]
) -> Response:
    """Say why a text gets its categories, or would get others: the words behind them, and what nearly made it."""
    project = context.projects[project_id]
    context.check_texts(project, [body.text])
    longest = context.settings.limits.explained
    if len(body.text) > longest:
        raise Problem(413, f"text: {len(body.text):,} characters; at most {longest:,} can be explained; shorten it")
    served = project.served
    return await context.explain(_explained, project, served, body)


def _explained(project: Project, served: Served, body: schemas.ExplainRequest) -> Response:
    wanted = None if body.categories is None else [name_at(project, one, "categories") for one in body.categories]
    against = body.why_not if isinstance(body.why_not, bool) else name_at(project, body.why_not, "why_not")
    asked = AskedWhy(why_not=against, along=body.along, marked=body.marked)
    found = explain_text(served.responder.model, body.text, wanted, body.top, asked)
    explanations = msgspec.Raw(msgspec.json.encode([plain(one) for one in found.explanations], enc_hook=str))
    near = [_placed(one) for one in served.responder.nearly(body.text, body.near)]
    return answered(
        {"version": served.version, "decision": found.decision, "explanations": explanations, "near": near},
        served.version,
    )


@router.get("/taxonomy", response_model=schemas.TaxonomyPage, responses=problems(404))
async def taxonomy(
    project_id: ProjectId,
    context: Annotated[Context, Depends(reader)],
    parent: Annotated[str | None, Query(max_length=500, description="The children of this category.")] = None,
    q: Annotated[str | None, Query(max_length=200, description="Categories with these words.")] = None,
    around: Annotated[str | None, Query(max_length=500, description="The page that this child stands on.")] = None,
    offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """Give the topmost categories, those below one, or those that are called so; a page at a time."""
    project = context.projects[project_id]
    if parent and q:
        raise Problem(400, "parent and q: ask for the children of a category, or for words; leave one out")
    tree = context.materials.taxonomy(project)
    try:
        if q:
            found = await context.in_thread(tree.search, q, offset, limit)
        else:
            found = await context.in_thread(tree.children, parent, offset, limit, around or None)
    except InputError as error:
        raise Problem(404, f"parent or around: {error}") from None
    page = {"total": found.total, "offset": found.offset, "categories": [branch(one) for one in found.categories]}
    return answered(page, project.served.version)


def branch(one: Branch) -> dict[str, Any]:
    """Give a category in its place as it is sent."""
    return {
        **called(one.category),
        "name": one.name,
        "path": one.path,
        "children": one.children,
        "below": one.below,
    }
