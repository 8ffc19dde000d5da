"""What went wrong, as `application/problem+json` (RFC 9457): one form for every error, as Annif has it."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from classmark.errors import InputError
from classmark.server.logging import LOG
from classmark.store import Conflict, Missing, StoreUnavailable
from classmark.wording import in_a_line

MEDIA_TYPE = "application/problem+json"


class Problem(HTTPException):
    """An error that whoever asked is told.

    Parameters
    ----------
    status : int
        The HTTP status.
    detail : str
        What is wrong, and what to do, in a line.
    more : mapping, optional
        Further members of the answer.
    headers : mapping, optional
        Further headers of the answer.
    """

    def __init__(
        self, status: int, detail: str, more: dict[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, detail, headers)
        self.more = more or {}

    def response(self) -> Response:
        """Give the answer."""
        status = HTTPStatus(self.status_code)
        members = {
            "type": "about:blank",
            "title": status.phrase,
            "status": self.status_code,
            "detail": in_a_line(self.detail),
            **self.more,
        }
        headers = {429: {"Retry-After": "1"}, 401: {"WWW-Authenticate": "Bearer"}}.get(self.status_code, {})
        return Response(msgspec.json.encode(members), self.status_code, headers | dict(self.headers or {}), MEDIA_TYPE)


def add_handlers(app: FastAPI) -> None:
    """Let every error become a problem."""
    handlers: dict[Any, Any] = {
        HTTPException: lambda error: (
            error if isinstance(error, Problem) else Problem(error.status_code, error.detail, headers=error.headers)
        ),
        RequestValidationError: lambda error: Problem(400, in_words(error.errors())),
        Conflict: lambda error: Problem(409, str(error)),
        Missing: lambda error: Problem(404, str(error)),
        StoreUnavailable: lambda error: Problem(503, str(error)),
        OSError: _unavailable,
        InputError: lambda error: Problem(400, str(error)),
        MemoryError: lambda error: Problem(503, "there is not enough memory for this; ask for less at a time"),
        Exception: _unexpected,
    }
    for kind, made in handlers.items():
        app.add_exception_handler(kind, _handler(made))


def _handler(made: Any) -> Any:
    async def answer(_: Request, error: Exception) -> Response:
        problem: Problem = made(error)
        return problem.response()

    return answer


def _unavailable(error: OSError) -> Problem:
    """Log which file cannot be read or written, and say why: a full disk, most of the time."""
    LOG.error("a file cannot be read or written: %s", error)
    return Problem(503, f"a file that is needed here cannot be read or written ({error.strerror or 'see the log'})")


def _unexpected(error: Exception) -> Problem:
    """Log a programming error with its traceback, and return a problem without any of it."""
    LOG.error("an error that is ours", exc_info=error)
    return Problem(500, "something went wrong here; it is in the server's log")


def in_words(errors: Sequence[Any]) -> str:
    """Say where a request does not fit, and how, without giving its content back."""
    first = errors[0]
    place = ".".join(str(step) for step in first["loc"] if step != "body") or "the body"
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}{more}; see /docs"
