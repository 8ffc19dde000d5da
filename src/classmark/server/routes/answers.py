"""What routes have in common: their answers, and how the interface describes them."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

import msgspec
from fastapi import Path, Response

from classmark.server.problems import MEDIA_TYPE
from classmark.server.schemas import ProblemOut

VERSION_HEADER = "X-Classmark-Version"
"""Where an answer says which version of the model gave it."""
EVERYWHERE = {
    400: "What was sent does not fit.",
    401: "A token is needed.",
    403: "This is not allowed.",
    404: "There is no such project, or nothing of that name in it.",
    408: "It took too long.",
    413: "There is too much of it.",
    415: "It is not of the type that is read here.",
    422: "What was sent does not fit.",
    429: "There are too many requests at a time.",
    503: "Something that is needed is not there at the moment.",
}
ProjectId: TypeAlias = Annotated[str, Path(description="The project: the name of a model.", examples=["news"])]


def problems(*statuses: int, **more: str) -> dict[int | str, dict[str, Any]]:
    """Describe what may go wrong at a route, beside what may at any."""
    told = EVERYWHERE | {int(name.removeprefix("on_")): words for name, words in more.items()}
    wanted = {400, 401, 403, 408, 413, 415, 429, 503, *statuses, *(int(name.removeprefix("on_")) for name in more)}
    schema = {"$ref": f"#/components/schemas/{ProblemOut.__name__}"}
    return {
        status: {"description": told[status], "content": {MEDIA_TYPE: {"schema": schema}}} for status in sorted(wanted)
    }


def answered(value: Any, version: str | None = None, headers: Mapping[str, str] | None = None) -> Response:
    """Give an answer in JSON, which says the version of the model in a header."""
    named = {} if version is None else {VERSION_HEADER: version}
    return Response(msgspec.json.encode(value), headers={**named, **(headers or {})}, media_type="application/json")
