"""Whether the server is well, what it has counted, its versions of models, and the interface described."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from classmark.server import schemas
from classmark.server.context import Context, context_of, review_reader, writer
from classmark.server.documentation import STYLE, page
from classmark.server.routes.annif import described
from classmark.server.routes.answers import ProjectId, answered, problems

router = APIRouter(tags=["The server"])


@router.get("/healthz", response_model=schemas.Health)
async def healthy() -> Response:
    """Say that the process answers."""
    return answered({"status": "ok"})


@router.get("/readyz", response_model=schemas.Health, responses=problems())
async def ready(request: Request) -> Response:
    """Report that the models are loaded, the store can be read, and the background loops work."""
    context = context_of(request)
    await context.in_thread(context.feedback.check)
    context.loops.check()
    return answered({"status": "ok"})


@router.get(
    "/metrics",
    response_class=Response,
    responses=problems() | {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(context: Annotated[Context, Depends(review_reader)]) -> Response:
    """Give the numbers that Prometheus collects."""
    content, kind = context.metrics.text()
    return Response(content, media_type=kind)


@router.post(
    "/v1/projects/{project_id}/back",
    response_model=schemas.ProjectInfo,
    responses=problems(404, on_409="There is no version before."),
)
async def back(project_id: ProjectId, context: Annotated[Context, Depends(writer)]) -> Response:
    """Go back to the version of the model before this one; once more comes back to this one."""
    project = context.project(project_id)
    await context.in_thread(project.go_back)
    return answered(described(context, project), project.served.version)


@router.get("/docs", include_in_schema=False)
async def docs(request: Request) -> Response:
    """Show the interface to people."""
    return Response(page(request.app.openapi()), media_type="text/html; charset=utf-8")


@router.get("/docs/style.css", include_in_schema=False)
async def style() -> Response:
    """Give the style of that page."""
    return Response(STYLE, media_type="text/css", headers={"Cache-Control": "max-age=3600"})
