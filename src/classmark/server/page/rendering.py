"""Pages of HTML: a template with its values, in the language of whoever asks, under a strict rule of what may load."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from fastapi import Request, Response

from classmark import html

LANGUAGES = {"en": "English", "de": "Deutsch"}
"""The languages, and what each calls itself; the first stands where nothing else is asked for."""
DEFAULT = next(iter(LANGUAGES))


@cache
def catalogue() -> Mapping[str, Mapping[str, str]]:
    """Give all texts: by key, and by language."""
    read = (files("classmark.server.page") / "catalogue.json").read_bytes()
    return msgspec.json.decode(read, type=dict[str, dict[str, str]])


class Words:
    """The texts of one language.

    >>> Words("de")("flow.try")
    'Probieren'
    """

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, key: str, **values: object) -> str:
        """Give a text, with values in the places that are named for them."""
        text = catalogue()[key][self.language]
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def beginning_with(self, *prefixes: str) -> dict[str, str]:
        """Give the texts whose keys begin so, for a script."""
        return {key: texts[self.language] for key, texts in catalogue().items() if key.startswith(prefixes)}


def wanted_language(accepted: str) -> str:
    """Give the language that a browser would rather have, of those that there are.

    >>> wanted_language("fr, de-AT;q=0.8, en;q=0.5"), wanted_language("fr"), wanted_language("de;q=zero")
    ('de', 'en', 'en')
    """
    ranked = sorted((_ranked(one) for one in accepted[:1000].split(",")), key=lambda one: -one[0])
    return next((name for rank, name in ranked if rank > 0 and name in LANGUAGES), DEFAULT)


def _ranked(one: str) -> tuple[float, str]:
    name, _, rank = one.partition(";")
    try:
        number = float(rank.strip().removeprefix("q=") or 1)
    except ValueError:
        number = 0.0
    return number, name.strip().lower().partition("-")[0]


def first_known(*asked: str | None) -> str | None:
    """Give the first of some languages that there is."""
    return next((one for one in asked if one in LANGUAGES), None)


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
    accepted = request.headers.get("accept-language", "")
    language = first_known(chosen, request.cookies.get(LANGUAGE)) or wanted_language(accepted)
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
