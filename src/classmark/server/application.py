"""The application: routes, limits, errors and counters put together."""

import asyncio
import time
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from classmark import __version__
from classmark.server.context import Context
from classmark.server.fairness import CALLER
from classmark.server.limiting import LimitsMiddleware
from classmark.server.problems import Problem, add_handlers
from classmark.server.routes import annif, batching, browsing, classifying, models, pages, reviewing, state
from classmark.server.schemas import ProblemOut, SuggestForm
from classmark.server.settings import ServerSettings

ABOUT = "Puts texts into a hierarchy of categories. The routes of Annif's interface are those of its version 1."
CLIENT_HAS_LEFT = 499
"""Status that nginx has for it; counted, never sent."""
ROUTERS = (
    *(annif.router, classifying.router, browsing.router, reviewing.router, batching.router),
    *(models.router, state.router, pages.router),
)


def create_app(settings: ServerSettings) -> ASGIApp:
    """Load the models and give an application that answers."""
    settings.check()
    context = Context(settings)
    app = FastAPI(
        title="classmark",
        version=__version__,
        description=ABOUT,
        lifespan=context.running,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.context = context
    add_handlers(app)
    app.add_exception_handler(405, _not_allowed)
    for router in ROUTERS:
        app.include_router(router)
    app.mount("/static", PageFiles(packages=[("classmark.server.page", "static")]))
    described: dict[str, Any] = {}

    def openapi() -> dict[str, Any]:
        if not described:
            described.update(_described(app))
        return described

    app.openapi = openapi  # type: ignore[method-assign]
    return LimitsMiddleware(Counted(app, context), settings.limits, context.access.client)


async def _not_allowed(request: Request, _: Exception) -> Response:
    """Say by which methods an address can be asked: those of all routes, where a router names the first one's alone."""
    routes = [route for router in ROUTERS for route in router.routes if isinstance(route, Route)]
    fitting = [route.methods or () for route in routes if route.path_regex.match(request.url.path)]
    methods = ", ".join(sorted({method for some in fitting for method in some} or {"GET", "HEAD"}))
    return Problem(
        405, f"this cannot be asked by {request.method}; use {methods}", headers={"Allow": methods}
    ).response()


def _described(app: FastAPI) -> dict[str, Any]:
    """Describe the interface, with what routes read by hand, and without the form of errors that none has."""
    found = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes, openapi_version="3.1.0"
    )
    schemas = found.setdefault("components", {}).setdefault("schemas", {})
    for model in (SuggestForm, ProblemOut):
        schemas[model.__name__] = model.model_json_schema(ref_template="#/components/schemas/{model}")
    for operations in found["paths"].values():
        for operation in operations.values():
            operation["responses"].pop("422", None)
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    return found


class PageFiles(StaticFiles):
    """Styles and scripts of the page, which browsers keep and revalidate by their ETag."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Return the file, or a 304 if the browser has it."""
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


class Counted:
    """An application whose answers are counted, by their routes."""

    def __init__(self, app: FastAPI, context: Context) -> None:
        self._app = app
        self._metrics = context.metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and count the answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        status = 500

        async def counting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, counting)
        except asyncio.CancelledError:
            status = CLIENT_HAS_LEFT if CALLER.get().has_left else 408
            raise
        finally:
            route = getattr(scope.get("route"), "path", "none")
            self._metrics.requests.labels(route, scope["method"], status).inc()
            self._metrics.seconds.labels(route).observe(time.perf_counter() - start)
