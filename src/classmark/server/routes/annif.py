"""Annif's interface as its clients use it: `/v1` with projects, `suggest`, `suggest-batch`, `learn`, languages.

Where our answers have more members than Annif's, its clients pass over them.
"""

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from classmark import __version__
from classmark.errors import InputError
from classmark.server import schemas
from classmark.server.context import Context, reader, who, writer
from classmark.server.problems import Problem, in_words
from classmark.server.projects import Answered, Asked, Project
from classmark.server.routes.answers import ProjectId, answered, problems
from classmark.service.languages import detect_among
from classmark.service.results import plain
from classmark.service.serving import Suggestion
from classmark.store import Lesson

router = APIRouter(prefix="/v1", tags=["Annif's interface"])
FORM = "application/x-www-form-urlencoded"
MOST_FIELDS = 1000


def described(context: Context, project: Project) -> dict[str, Any]:
    """Describe a project."""
    served, responder = project.served, project.responder
    learning = "no" if not context.settings.allow_learn else "at once" if project.live else "with the next training"
    return {
        "project_id": project.name,
        "name": project.name,
        "language": responder.language,
        "backend": {"backend_id": str(responder.model.method)},
        "vocab": vocabulary(project),
        "vocab_language": responder.language,
        "is_trained": True,
        "modification_time": served.modified,
        "version": served.version,
        "previous": project.previous,
        "problem": project.problem,
        "chances": responder.chances,
        "learning": learning,
    }


def vocabulary(project: Project) -> dict[str, Any]:
    """Describe the categories of a project."""
    responder = project.responder
    size = len(responder.hierarchy)
    return {"vocab_id": project.name, "languages": [responder.language], "size": size, "loaded": True}


@router.get("/", response_model=schemas.ApiInfo, responses=problems())
async def show_info(context: Annotated[Context, Depends(reader)]) -> Response:
    """Say what answers here."""
    return answered({"title": "classmark", "version": __version__})


@router.get("/vocabs", response_model=schemas.Vocabularies, responses=problems())
async def list_vocabularies(context: Annotated[Context, Depends(reader)]) -> Response:
    """List the vocabularies: that of each project."""
    return answered({"vocabs": [vocabulary(project) for project in context.projects]})


@router.get("/projects", response_model=schemas.ProjectList, responses=problems())
async def list_projects(context: Annotated[Context, Depends(reader)]) -> Response:
    """List the projects."""
    return answered({"projects": [described(context, project) for project in context.projects]})


@router.get("/projects/{project_id}", response_model=schemas.ProjectInfo, responses=problems(404))
async def show_project(project_id: ProjectId, context: Annotated[Context, Depends(reader)]) -> Response:
    """Describe a project."""
    project = context.projects[project_id]
    return answered(described(context, project), project.served.version)


@router.post(
    "/projects/{project_id}/suggest",
    response_model=schemas.SuggestionList,
    responses=problems(404),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {FORM: {"schema": {"$ref": f"#/components/schemas/{schemas.SuggestForm.__name__}"}}},
        }
    },
)
async def suggest(request: Request, project_id: ProjectId, context: Annotated[Context, Depends(reader)]) -> Response:
    """Suggest categories for a text that is sent as a form."""
    project = context.projects[project_id]
    form = await _form(request)
    _check_language(project, form.language)
    context.check_texts(project, [form.text])
    found = await project.ask(Asked(limit=_limit(project, form.limit)), [form.text])
    results = [_results(found[0], form.threshold)]
    context.metrics.answered(project.name, [[one["score"] for one in results[0]]])
    lacks = found[0].answer.no_known_terms
    return answered({"results": results[0], "no_known_terms": lacks}, found[0].version)


async def _form(request: Request) -> schemas.SuggestForm:
    """Read a form by hand: a general parser takes longer than everything else about a request."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        raise Problem(415, f"send a form: Content-Type: {FORM}")
    try:
        pairs = parse_qsl(
            (await request.body()).decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
        return schemas.SuggestForm.model_validate({name: value for name, value in pairs if value or name == "text"})
    except ValidationError as error:
        raise Problem(400, in_words(error.errors())) from None
    except HTTPException:
        raise
    except ValueError as error:
        raise Problem(400, f"the form cannot be read ({error}); send UTF-8, percent-encoded") from None


def _check_language(project: Project, language: str | None) -> None:
    if language and language != project.responder.language:
        told = f'language "{language}" not supported by vocabulary; it is {project.responder.language}'
        raise Problem(400, told)


def _limit(project: Project, limit: int) -> int:
    """Give how many suggestions there can be, so that any larger limit is asked together."""
    return min(limit, len(project.responder.hierarchy))


def _results(found: Answered, threshold: float) -> list[dict[str, Any]]:
    suggestions: Sequence[Suggestion] = found.answer.ranked
    return [
        {"uri": one.category.uri, "label": one.category.label, "notation": one.category.notation, "score": one.score}
        for one in suggestions
        if one.score >= threshold
    ]


@router.post(
    "/projects/{project_id}/suggest-batch",
    response_model=list[schemas.BatchedSuggestions],
    responses=problems(404),
)
async def suggest_batch(
    project_id: ProjectId,
    body: schemas.SuggestBatch,
    context: Annotated[Context, Depends(reader)],
    limit: Annotated[int, Query(ge=0, le=2**31 - 1)] = 10,
    threshold: Annotated[float, Query(ge=0, le=1)] = 0.0,
    language: Annotated[str | None, Query(max_length=20)] = None,
) -> Response:
    """Suggest categories for up to 32 texts."""
    project = context.projects[project_id]
    _check_language(project, language)
    texts = [document.text for document in body.documents]
    context.check_texts(project, texts)
    found = await project.ask(Asked(limit=_limit(project, limit)), texts)
    results = [_results(one, threshold) for one in found]
    context.metrics.answered(project.name, [[one["score"] for one in some] for some in results])
    version = found[0].version if found else project.served.version
    rows = [
        {"document_id": document.document_id, "results": some, "no_known_terms": one.answer.no_known_terms}
        for document, some, one in zip(body.documents, results, found, strict=True)
    ]
    return answered(rows, version)


@router.post(
    "/projects/{project_id}/learn",
    status_code=204,
    response_class=Response,
    responses=problems(404, on_409="The same key was sent with something else."),
)
async def learn(
    request: Request,
    project_id: ProjectId,
    body: list[schemas.IndexedDocument],
    context: Annotated[Context, Depends(writer)],
) -> Response:
    """Learn from documents and their categories: kept when this is answered, and counted as the project says."""
    project = context.projects[project_id]
    if not context.settings.allow_learn:
        raise Problem(403, f"Project '{project.name}' is not configured to allow learning via API (--allow-learn)")
    context.check_texts(project, [document.text for document in body])
    lessons = [
        Lesson(one.document_id, one.text, [name_at(project, subject.uri, f"document {at}") for subject in one.subjects])
        for at, one in enumerate(body)
    ]
    key = request.headers.get("idempotency-key")
    await context.in_thread(context.feedback.learn, project, lessons, who(request, None), key)
    context.metrics.corrections.labels(project.name, "learn").inc(len(lessons))
    return Response(status_code=204)


def name_at(project: Project, uri: str, where: str) -> str:
    """Give the name of the category that somebody calls by its address or name."""
    responder = project.responder
    try:
        return str(responder.model.hierarchy_.names[responder.naming.position(uri)])
    except InputError as error:
        raise Problem(400, f"{where}: {error}") from None


@router.post("/detect-language", response_model=schemas.DetectedLanguages, responses=problems())
async def detect_language(body: schemas.DetectLanguage, context: Annotated[Context, Depends(reader)]) -> Response:
    """Say which of some languages a text is in."""
    if len(body.text) > context.settings.limits.length:
        raise Problem(413, f"the text has more than {context.settings.limits.length:,} characters; shorten it")
    found = await context.in_thread(detect_among, body.text, body.languages)
    return answered({"results": [plain(one) for one in found]})
