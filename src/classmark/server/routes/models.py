"""Models: what is served and how good it is, and training it again from people's corrections."""

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Request, Response

from classmark.server import page_answers
from classmark.server.context import Context, reader, review_reader, who, writer
from classmark.server.materials import Measured
from classmark.server.projects import Project
from classmark.server.routes.annif import described
from classmark.server.routes.answers import ProjectId, answered, problems
from classmark.service.describing import model_facts
from classmark.service.results import plain

router = APIRouter(prefix="/v1/projects/{project_id}", tags=["Models"])


@router.get("/model", response_model=page_answers.ModelOut, responses=problems(404))
async def model(project_id: ProjectId, context: Annotated[Context, Depends(reader)]) -> Response:
    """Say what is served, how it was made, and how good it is."""
    project = context.projects[project_id]
    found = await context.in_thread(_about, context, project)
    return answered(found, project.served.version)


def _about(context: Context, project: Project) -> dict[str, Any]:
    measured, mark = context.materials.figures.get(project.name), project.served.mark
    facts = model_facts(project.responder.model)
    promises = [plain(one) for one in facts.pop("promises")]
    known = msgspec.json.decode(msgspec.json.encode(facts, enc_hook=str))
    return {
        **described(context, project),
        **known,
        "bytes": None if project.live or mark is None else mark.size,
        "promises": [{name: one[name] for name in page_answers.PromiseOut.model_fields} for one in promises],
        "figures": None if measured is None else _figures(measured, context.versions[project.name]),
        "report": project.name in context.materials.reports,
    }


def _figures(measured: Measured, version: str) -> dict[str, Any]:
    whole = measured.whole
    return {
        "documents": whole.documents,
        "hf": whole.hierarchical.get("hf"),
        "micro_f1": whole.leaves.get("micro_f1"),
        "macro_f1": whole.leaves.get("macro_f1"),
        "seen_in_training": whole.seen_in_training,
        "version": version,
    }


@router.get("/retrain", response_model=page_answers.RetrainingOut, responses=problems(404))
async def retraining(project_id: ProjectId, context: Annotated[Context, Depends(review_reader)]) -> Response:
    """Say how training again is going, and what it would gain."""
    project = context.projects[project_id]
    return answered(await context.in_thread(context.retrainings.state, project), project.served.version)


@router.post(
    "/retrain",
    response_model=page_answers.RetrainingOut,
    responses=problems(404, on_409="It is being trained already, or the server does not know from what."),
)
async def retrain(
    request: Request,
    project_id: ProjectId,
    context: Annotated[Context, Depends(writer)],
    body: page_answers.RetrainRequest | None = None,
) -> Response:
    """Train the model again from what it was trained on and people's corrections, beside what is served."""
    project = context.projects[project_id]
    person = who(request, None if body is None else body.who)
    await context.in_thread(context.retrainings.start, project, person)
    return answered(await context.in_thread(context.retrainings.state, project), project.served.version)


@router.delete(
    "/retrain",
    response_model=page_answers.RetrainingOut,
    responses=problems(404, on_409="Nothing is being trained."),
)
async def stop(project_id: ProjectId, context: Annotated[Context, Depends(writer)]) -> Response:
    """Stop training, or let go of the candidate."""
    project = context.projects[project_id]
    await context.in_thread(context.retrainings.stop, project)
    return answered(await context.in_thread(context.retrainings.state, project), project.served.version)


@router.post(
    "/retrain/take-up",
    response_model=page_answers.RetrainingOut,
    responses=problems(404, on_409="There is no candidate, or the model has changed since."),
)
async def take_up(project_id: ProjectId, context: Annotated[Context, Depends(writer)]) -> Response:
    """Put the candidate in the place of the model, which can be put back."""
    project = context.projects[project_id]
    await context.in_thread(context.retrainings.take_up, project)
    return answered(await context.in_thread(context.retrainings.state, project), project.served.version)
