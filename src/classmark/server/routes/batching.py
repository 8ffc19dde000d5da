"""Batches: files of documents that are brought, answered in the background, and given back with the answers."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any, BinaryIO, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse

from classmark.errors import InputError
from classmark.server import batch_schemas as schemas
from classmark.server.batch_reviews import forget_batch, judged, send_to_review
from classmark.server.context import Context, who, writer
from classmark.server.problems import Problem
from classmark.server.projects import Project
from classmark.server.routes.answers import ProjectId, answered, problems
from classmark.server.schemas import Forgotten
from classmark.service.batching import Batch, ShownRow, joined
from classmark.service.batching.answers import merged
from classmark.service.batching.folders import named_file

router = APIRouter(prefix="/v1/projects/{project_id}/batches", tags=["Batches"])
BatchId = Annotated[str, Path(max_length=100, description="The batch.", examples=["3fa2c4d5e6f70819"])]
MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "jsonl": "application/jsonl",
}
FILE = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}}


@router.post("", status_code=201, response_model=schemas.BatchOut, responses=problems(404), openapi_extra=FILE)
async def bring(
    request: Request,
    project_id: ProjectId,
    context: Annotated[Context, Depends(writer)],
    name: Annotated[
        str, Query(min_length=1, max_length=500, description="What the file is called: .csv, .tsv, .jsonl.")
    ],
    person: Annotated[str | None, Query(min_length=1, max_length=200, alias="who")] = None,
) -> Response:
    """Bring a file of documents: it is kept and looked at; what cannot be read is refused, the line named."""
    project = context.projects[project_id]
    called = named_file(name)
    batch = await _received(request, context, called, project, who(request, person))
    found = await context.in_thread(_described, batch)
    return Response(answered(found).body, 201, media_type="application/json")


async def _received(request: Request, context: Context, name: str, project: Project, person: str) -> Batch:
    """Write a file as it comes, and keep it if it can be read."""
    try:
        file = await context.in_thread(context.batches.incoming, name)
        try:
            await _write(request, context, file)
            return await context.in_thread(context.batches.keep, file, name, project.name, person)
        finally:
            await context.in_thread(context.batches.end_incoming, file)
    except OSError as error:
        told = f"the file cannot be kept ({error.strerror or error}); the server's disk may be full"
        raise Problem(503, told) from None


async def _write(request: Request, context: Context, file: BinaryIO) -> None:
    try:
        async for part in request.stream():
            if part:
                await context.in_thread(file.write, part)
    except ClientDisconnect:
        raise Problem(400, "the file did not come to its end; send it again") from None


@router.get("", response_model=schemas.BatchList, responses=problems(404))
async def every(project_id: ProjectId, context: Annotated[Context, Depends(writer)]) -> Response:
    """List the batches of a project, the latest first."""
    project = context.projects[project_id]
    found = await context.in_thread(context.batches.of, project.name)
    return answered({"batches": [_out(batch, known) for batch, known in found]})


async def _found(project_id: ProjectId, batch_id: BatchId, context: Annotated[Context, Depends(writer)]) -> Batch:
    project = context.projects[project_id]
    return await context.in_thread(context.batches.find, project.name, batch_id)


Found = Annotated[Batch, Depends(_found)]
Writer = Annotated[Context, Depends(writer)]


@router.get("/{batch_id}", response_model=schemas.BatchOut, responses=problems(404))
async def one(batch: Found, context: Writer) -> Response:
    """Say how far a batch is."""
    return answered(await context.in_thread(_described, batch))


def _described(batch: Batch) -> dict[str, Any]:
    return _out(batch, batch.facts())


def _out(batch: Batch, known: dict[str, Any]) -> dict[str, Any]:
    members = [name for name in schemas.BatchOut.model_fields if name != "batch_id"]
    return {"batch_id": batch.id, **{name: known[name] for name in members}}


@router.post("/{batch_id}/start", response_model=schemas.BatchOut, responses=problems(404))
async def start(batch: Found, body: schemas.BatchStart, context: Writer) -> Response:
    """Let the rows be answered by the texts of a column; one that has stopped goes on where it was."""
    await context.in_thread(batch.start, body.text_column)
    context.batch_loop.hurry()
    return answered(await context.in_thread(_described, batch))


@router.get("/{batch_id}/rows", response_model=schemas.BatchRows, responses=problems(404))
async def rows(
    batch: Found,
    context: Writer,
    project_id: ProjectId,
    category: Annotated[str | None, Query(max_length=500, description="Only rows of this branch.")] = None,
    unread: Annotated[bool, Query(description="Only rows that could not be read.")] = False,
    order: Annotated[
        Literal["doubt", "file"], Query(description="The most doubtful first, or as they came.")
    ] = "doubt",
    offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Response:
    """Give rows with their answers, as far as there are any."""

    def look() -> list[dict[str, Any]]:
        with batch.in_words():
            found = batch.answers.rows(category=category, problems=unread, order=order, offset=offset, limit=limit)
        return [_row(*pair) for pair in merged(found, judged(context, context.projects[project_id], batch)(found))]

    return answered({"rows": await context.in_thread(look)})


def _row(row: ShownRow, by: str) -> dict[str, Any]:
    answer = row.answer
    said = {
        "labels": None if answer is None else answer.labels,
        "own": None if answer is None else [one._asdict() for one in answer.own],
        "doubt": None if answer is None else answer.doubt,
    }
    return {"number": row.number, "line": row.line, "text": row.text, **said, "by": by or None, "problem": row.problem}


@router.get("/{batch_id}/branches", response_model=schemas.BranchList, responses=problems(404))
async def branches(
    batch: Found,
    context: Writer,
    project_id: ProjectId,
    parent: Annotated[str | None, Query(max_length=500, description="The branches below this category.")] = None,
) -> Response:
    """Say how many rows the branches of the tree have got."""
    tree = context.projects[project_id].responder.taxonomy

    def look() -> list[dict[str, Any]]:
        with batch.in_words():
            documents = batch.answers.documents()
        below = tree.children(parent, 0, len(tree.hierarchy)).categories
        shown = [
            {"name": one.name, "label": one.category.label, "children": one.children, "documents": documents[one.name]}
            for one in below
            if one.name in documents
        ]
        return sorted(shown, key=lambda one: -one["documents"])

    try:
        return answered({"branches": await context.in_thread(look)})
    except InputError as error:
        raise Problem(404, str(error)) from None


@router.post("/{batch_id}/review", response_model=schemas.Added, responses=problems(404))
async def review(
    request: Request, batch: Found, body: schemas.BatchReview, context: Writer, project_id: ProjectId
) -> Response:
    """Let rows wait for review: the most doubtful, or a sample at random."""
    project = context.projects[project_id]
    added = await context.in_thread(send_to_review, context, project, batch, body, who(request, body.who))
    return answered({"added": added})


@router.get(
    "/{batch_id}/result",
    response_class=Response,
    responses=problems(404, on_409="Rows are still being answered.")
    | {200: {"content": {kind.partition(";")[0]: {"schema": {"type": "string"}} for kind in MEDIA.values()}}},
)
async def result(batch: Found, context: Writer, project_id: ProjectId) -> Response:
    """Give the file as it came, with columns added: what the model says, or what people say who have reviewed it."""
    known = await context.in_thread(batch.facts)
    if known["state"] != "done":
        raise Problem(409, f"{known['done']:,} of {known['rows']:,} rows are answered; wait for the others")
    upload = await context.in_thread(batch.upload)
    people = await context.in_thread(judged, context, context.projects[project_id], batch)
    pieces = joined(upload, batch.answers, known["columns"], people)
    stem, _, suffix = known["name"].rpartition(".")
    name = f"{stem}-classmark.{suffix}"
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
    return StreamingResponse(_in_pieces(context, pieces), 200, headers, MEDIA[known["kind"]])


async def _in_pieces(context: Context, pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    while (piece := await context.in_thread(next, pieces, None)) is not None:
        yield piece
        await asyncio.sleep(0)


@router.delete("/{batch_id}", response_model=Forgotten, responses=problems(404))
async def delete(
    batch: Found,
    context: Writer,
    project_id: ProjectId,
    keep_judged: Annotated[bool, Query(description="Keep those of its documents that people have judged.")] = False,
) -> Response:
    """Delete a batch for good: the file, the answers, and its documents that wait for review."""
    gone = await context.in_thread(forget_batch, context, context.projects[project_id], batch, not keep_judged)
    await context.clean_store()
    return answered({"forgotten": gone})
