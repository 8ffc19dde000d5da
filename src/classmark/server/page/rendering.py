"""Pages of HTML: a template with its values, in the language of whoever asks, under a strict rule of what may load."""

from functools import cache
from typing import Any

import msgspec
from fastapi import Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from classmark.server.page.catalogue import LANGUAGES, Words, first_known, wanted_language
from classmark.wording import visible

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
    content = (
        _environment()
        .get_template(template)
        .render(**known, t=words, language=language, data=embedded(data), path=request.url.path, who=data["who"])
    )
    response = Response(content, status, HEADERS, "text/html; charset=utf-8")
    if chosen:
        response.set_cookie(LANGUAGE, chosen, max_age=A_YEAR, samesite="lax", httponly=True)
    return response


def _accepted(request: Request) -> str:
    return request.headers.get("accept-language", "")


def embedded(value: Any) -> Markup:
    r"""Give data as JSON that can stand inside an element `script`, whatever texts it has.

    >>> print(embedded({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    written = msgspec.json.encode(value).decode()
    for character in "<>&\u2028\u2029":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return Markup(written)


@cache
def _environment() -> Environment:
    loader = PackageLoader("classmark.server.page")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["visible"] = visible
    return environment
