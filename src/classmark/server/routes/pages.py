"""The pages for people: a project's flows, signing in and out, and the files that pages need."""

import re
from base64 import urlsafe_b64encode
from urllib.parse import parse_qsl, quote

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from classmark.server.access import COOKIE, is_own_host
from classmark.server.context import Context, context_of, reader, review_reader
from classmark.server.page import FLOWS, render
from classmark.server.problems import Problem

router = APIRouter(include_in_schema=False)
OWN = re.compile(r"/projects/[A-Za-z0-9._-]+/[a-z]+")
"""Where signing in may lead: nowhere but to pages of ours."""
LONGEST_FORM = 10_000
SEARCHED = ("browse", "review")
"""Where people search categories."""
A_MONTH = 30 * 24 * 3600


@router.get("/")
async def start(request: Request) -> Response:
    """Redirect to the first project, or to the sign-in page if the request may not read."""
    context = context_of(request)
    try:
        await reader(request)
    except Problem as problem:
        return _refused(request, context, problem)
    first = next(iter(context.projects))
    return RedirectResponse(f"/projects/{first.name}/{FLOWS[0]}", 303)


@router.get("/projects/{project_id}")
async def project_page(project_id: str) -> Response:
    """Lead to the first flow of a project."""
    return RedirectResponse(f"/projects/{quote(project_id, safe='')}/{FLOWS[0]}", 303)


@router.get("/projects/{project_id}/report")
async def report(request: Request, project_id: str) -> Response:
    """Show the report of a model, in a room of its own: it runs its own scripts and can ask nobody."""
    context = context_of(request)
    try:
        await reader(request)
        found = context.materials.reports.get(context.projects[project_id].name)
        if found is None:
            raise Problem(404, f"{project_id} has no report; start the server with --report")
    except Problem as problem:
        return _refused(request, context, problem)
    return Response(
        found.content, headers={"Content-Security-Policy": found.rule}, media_type="text/html; charset=utf-8"
    )


@router.get("/projects/{project_id}/{flow}")
async def flow_page(request: Request, project_id: str, flow: str) -> Response:
    """Show a flow of a project; who may not read is led to where one signs in."""
    context = context_of(request)
    try:
        await (review_reader if flow == "review" else reader)(request)
        project = context.projects[project_id]
        if flow not in FLOWS:
            raise Problem(404, f"there is no page {flow[:100]!r}")
    except Problem as problem:
        return _refused(request, context, problem)
    if flow in SEARCHED:
        # So that the first search does not wait for what all of them use.
        await context.in_thread(context.materials.taxonomy(project).prepare)
    served = project.served
    return render(
        request,
        f"{flow}.html",
        project=project.name,
        projects=[one.name for one in context.projects],
        signed_in=context.access.by_cookie(request.headers),
        data={
            "version": served.version,
            "categories": len(served.responder.model.hierarchy_),
            "chances": served.responder.chances,
            "one_label": served.responder.model.classifier_.decision_.one_label,
            "live": project.live,
            "longest": context.settings.limits.length,
            "upload": context.settings.limits.upload,
        },
    )


def _refused(request: Request, context: Context, problem: Problem) -> Response:
    if problem.status_code == 401:
        return RedirectResponse(f"/sign-in?next={quote(request.url.path)}", 303)
    projects = [one.name for one in context.projects] if problem.status_code == 404 else []
    return render(request, "problem.html", problem.status_code, told=str(problem.detail), projects=projects)


@router.get("/sign-in")
async def sign_in_page(request: Request) -> Response:
    """Ask for a token."""
    return _asked_to_sign_in(request)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Take a token into a cookie, which scripts cannot read and other sites cannot send."""
    context = context_of(request)
    context.access.check_site(request.headers)
    body = await request.body()
    if len(body) > LONGEST_FORM:
        raise Problem(413, "this is no token; it is far too long")
    token = dict(parse_qsl(body.decode("utf-8", "replace"))).get("token", "").strip()
    if context.access.owner(token) is None:
        return _asked_to_sign_in(request, 401, wrong=True)
    response = RedirectResponse(_following(request), 303)
    kept = urlsafe_b64encode(token.encode()).decode()
    response.set_cookie(COOKIE, kept, max_age=A_MONTH, httponly=True, samesite="strict", secure=_is_https(request))
    return response


def _asked_to_sign_in(request: Request, status: int = 200, *, wrong: bool = False) -> Response:
    """Return the sign-in page, with a warning if the token would travel unencrypted or in a cookie that is not Secure.

    `Secure` cookies are dropped by browsers on plain HTTP beyond loopback, so there the cookie is not `Secure`.
    """
    warning = None
    if not _is_https(request) and not is_own_host(request.headers.get("host", "")):
        from_proxy = request.headers.get("x-forwarded-proto", "").strip() == "https"
        warning = "untrusted-proxy" if from_proxy else "unencrypted"
    return render(request, "sign-in.html", status, wrong=wrong, warning=warning, following=_following(request))


def _is_https(request: Request) -> bool:
    """Return whether the browser's connection is HTTPS, by the word of a trusted proxy if there is one in between."""
    return request.url.scheme == "https"


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """Forget the token."""
    context_of(request).access.check_site(request.headers)
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=_is_https(request))
    return response


def _following(request: Request) -> str:
    wanted = request.query_params.get("next", "")
    return wanted if OWN.fullmatch(wanted) else "/"
