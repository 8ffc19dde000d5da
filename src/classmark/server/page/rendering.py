"""Pages of HTML: a template with its values, in the language of whoever asks, under a strict rule of what may load."""

from typing import Any

from fastapi import Request, Response

from classmark import html
from classmark.server.page.catalogue import LANGUAGES, Words, first_known, wanted_language

FLOWS = ("try", "browse", "batch", "review", "models")
"""What can be done with a project, in the order of the page's head."""
LANGUAGE = "classmark-language"
"""The cookie that keeps the language somebody has chosen."""
A_YEAR = 365 * 24 * 3600
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    # Without a referrer of any kind, browsers would not say either that a form comes from this site.
    "Referrer-Policy": "same-origin",
}


def render(request: Request, template: str, status: int = 200, /, **values: Any) -> Response:
    """Give a page, in the language of whoever asks.

    A template knows `t`, which gives texts of the catalogue, and `data`, which its script is given: whatever `data`
    has among the values, the language, who asks, and all texts of the flow.
    """
    chosen = first_known(request.query_params.get("lang"))
    language = chosen or first_known(request.cookies.get(LANGUAGE)) or wanted_language(_accepted(request))
    words = Words(language)
    flow = template.removesuffix(".html")
    data = {
        **values.pop("data", {}),
        "flow": flow,
        "project": values.get("project"),
        "language": language,
        "who": getattr(request.state, "who", None),
        "words": words.beginning_with("common.", f"{flow}."),
    }
    known = {"flow": flow, "project": None, "projects": [], "flows": FLOWS, "languages": LANGUAGES, **values}
    more = {"data": html.script_json(data), "path": request.url.path, "who": data["who"]}
    content = html.render(f"server/{template}", **known, **more, t=words, language=language)
    response = Response(content, status, HEADERS, "text/html; charset=utf-8")
    if chosen:
        response.set_cookie(LANGUAGE, chosen, max_age=A_YEAR, samesite="lax", httponly=True)
    return response


def _accepted(request: Request) -> str:
    return request.headers.get("accept-language", "")
