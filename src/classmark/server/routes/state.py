"""Whether the server is well, what it has counted, its versions of models, and the interface described."""

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Request, Response

from classmark import html
from classmark.server import schemas
from classmark.server.context import Context, context_of, review_reader, writer
from classmark.server.routes.annif import described
from classmark.server.routes.answers import ProjectId, answered, problems

router = APIRouter(tags=["The server"])
METHODS = ("get", "post", "put", "delete")


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
    project = context.projects[project_id]
    await context.in_thread(project.go_back)
    return answered(described(context, project), project.served.version)


@router.get("/docs", include_in_schema=False)
async def docs(request: Request) -> Response:
    """Return the description of the interface as a page."""
    return Response(docs_page(request.app.openapi()), media_type="text/html; charset=utf-8")


def docs_page(openapi: dict[str, Any]) -> str:
    """Return the page that describes an interface."""
    groups: dict[str, list[tuple[str, str, Any]]] = {}
    for path, operations in openapi["paths"].items():
        for method in sorted(operations, key=METHODS.index):
            group = operations[method].get("tags", ["The server"])[0]
            groups.setdefault(group, []).append((path, method, operations[method]))

    def example(content: dict[str, Any]) -> str:
        written = msgspec.json.encode(example_of(openapi, content.get("schema", {})))
        return msgspec.json.format(written, indent=2).decode()

    return html.render("server/docs.html", info=openapi["info"], groups=groups, example=example)


def example_of(openapi: dict[str, Any], schema: dict[str, Any]) -> Any:
    """Return an example of what a schema describes.

    >>> example_of({}, {"type": "object", "properties": {"text": {"type": "string", "examples": ["owl"]}}})
    {'text': 'owl'}
    """
    if "$ref" in schema:
        return example_of(openapi, openapi["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    for key in ("examples", "enum"):
        if key in schema:
            return schema[key][0]
    if "default" in schema:
        return schema["default"]
    if "anyOf" in schema:
        return example_of(openapi, schema["anyOf"][0])
    if schema.get("type") == "object":
        return {name: example_of(openapi, inner) for name, inner in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        return [example_of(openapi, schema.get("items", {}))]
    return {"string": "…", "integer": 0, "number": 0.5, "boolean": True}.get(schema.get("type", ""))
