"""Browsing: what is known of a category, and its documents."""

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Depends, Query, Response

from classmark.errors import InputError
from classmark.explain import NodeExplanation, explain_node
from classmark.hierarchy import Name
from classmark.server import page_answers
from classmark.server.context import Context, reader, writer
from classmark.server.feedback import is_there
from classmark.server.materials import CategoryFigures
from classmark.server.problems import Problem
from classmark.server.projects import Project
from classmark.server.routes.answers import ProjectId, answered, problems
from classmark.server.routes.classifying import branch
from classmark.server.routes.reviewing import stored
from classmark.service.naming import name_of
from classmark.service.results import plain
from classmark.service.serving import Responder
from classmark.store import StoredDocument

router = APIRouter(prefix="/v1/projects/{project_id}/node", tags=["Browsing"])
Uri = Annotated[str, Query(min_length=1, max_length=500, description="The category: its address, or its name.")]


def _position(project: Project, uri: str) -> int:
    try:
        return project.responder.naming.position(uri)
    except InputError as error:
        raise Problem(404, f"uri: {error}") from None


@router.get("", response_model=page_answers.NodeOut, responses=problems(404))
async def node(
    project_id: ProjectId,
    uri: Uri,
    context: Annotated[Context, Depends(reader)],
    top: Annotated[int, Query(ge=1, le=100, description="How many words and near categories.")] = 8,
) -> Response:
    """Say what the model knows of a category: its place, its words, what is nearest, and how good answers are."""
    project = context.projects[project_id]
    found = await context.in_thread(_described, context, project, uri, top)
    return answered(found, project.served.version)


def _described(context: Context, project: Project, uri: str, top: int) -> dict[str, Any]:
    place, responder = _position(project, uri), project.responder
    name = responder.model.hierarchy_.names[place]
    known = explain_node(responder.model, name, top)
    measured = context.materials.figures.get(project.name)
    figures = None if measured is None else measured.by_name.get(name_of(name))
    return {
        **branch(context.materials.taxonomy(project).branch(place)),
        **_explained(responder, known),
        "way": [_link(responder, one) for one in responder.model.hierarchy_.path(name)],
        "description": context.materials.descriptions.get(project.name, {}).get(name_of(name)),
        "figures": None if figures is None else _figures(responder, figures),
    }


def _explained(responder: Responder, known: NodeExplanation) -> dict[str, Any]:
    nearest = [
        {**_link(responder, one.category), "path": one.path, "alike": min(1.0, one.alike)} for one in known.nearest
    ]
    return {
        "parents": [_link(responder, one) for one in known.parents],
        "learned": known.learned,
        "learned_from": known.learned_from,
        "words": None if known.words is None else plain(known.words),
        "no_words": known.no_words or None,
        "nearest": nearest,
    }


def _link(responder: Responder, name: Name) -> dict[str, Any]:
    called = responder.naming.called[responder.model.hierarchy_.position(name)]
    return {"uri": called.uri, "label": called.label}


def _figures(responder: Responder, figures: CategoryFigures) -> dict[str, Any]:
    members = ("documents", "predicted", "precision", "recall", "f1")
    instead = [_instead(responder, one) for one in figures.instead]
    return {**{name: getattr(figures, name) for name in members}, "instead": [one for one in instead if one]}


def _instead(responder: Responder, one: dict[str, Any]) -> dict[str, Any] | None:
    """Give a category that came instead; figures of another model may name some that this one has not."""
    category = one.get("category")
    name = tuple(category) if isinstance(category, list) else category
    if name not in responder.model.hierarchy_:
        return None
    return {**_link(responder, name), "documents": int(one.get("documents", 0))}


@router.get("/documents", response_model=page_answers.NodeDocumentsOut, responses=problems(404))
async def node_documents(
    project_id: ProjectId,
    uri: Uri,
    context: Annotated[Context, Depends(writer)],
    offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Response:
    """Give the documents of a category: those that have it as a label in the store, and the ids of a live index's."""
    project = context.projects[project_id]
    found = await context.in_thread(_documents, context, project, uri, offset, limit)
    return answered(found, project.served.version)


def _documents(context: Context, project: Project, uri: str, offset: int, limit: int) -> dict[str, Any]:
    place, responder = _position(project, uri), project.responder
    label = name_of(responder.model.hierarchy_.names[place])
    kept: list[StoredDocument] = []
    if is_there(context.settings.store):
        kept = context.feedback.store.labelled_as(project.name, label, offset=offset, limit=limit + 1)
    indexed = _indexed(responder, place)
    return {
        "documents": [stored(one) for one in kept[:limit]],
        "more": len(kept) > limit,
        "indexed": indexed[offset : offset + limit],
        "indexed_total": len(indexed),
    }


def _indexed(responder: Responder, place: int) -> list[str]:
    """Give the ids of the documents that a model of neighbours has under a category."""
    classifier = responder.model.classifier_
    labels, ids = getattr(classifier, "labels_", None), getattr(classifier, "ids_", None)
    if labels is None or ids is None or not len(ids):
        return []
    rows = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))[labels.indices == place]
    return [str(ids[row]) for row in rows.tolist()]
