"""HTML from the Jinja templates of the package: pages, reports, explanations and notebook representations."""

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from classmark.wording import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""Characters that could end a script element, or a line of JavaScript, and their escapes."""
MAX_TEXT = 200
"""Number of characters of a text that are shown."""


def short(value: object, longest: int = MAX_TEXT) -> str:
    r"""Return a value as one line of text, truncated, with control characters written out.

    >>> short("an\towl", 4), short("\x1b")
    ('an o…', '\\x1b')
    """
    shown = " ".join(str(value).split())
    return visible(shown if len(shown) <= longest else f"{shown[:longest]}…")


def running(text: str, kept: str = "\n\t\u061c\u200e\u200f") -> str:
    r"""Return a text with control characters written out, except line breaks, tabs and harmless marks of direction.

    >>> print(running("an\x00owl\n<i>"))
    an\x00owl
    <i>
    """
    return "".join(part if part in kept else visible(part) for part in re.split(f"([{kept}])", text))


def script_json(value: Any) -> "Markup":
    r"""Return a value as JSON that can stand inside a `<script>` element, whatever texts it has.

    >>> print(script_json({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    from markupsafe import Markup

    return Markup(msgspec.json.encode(value).decode().translate(UNSAFE))


@cache
def environment() -> "Environment":
    """Return the environment of all templates, which escapes every value and raises on missing ones."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("classmark"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"visible": lambda value: visible(str(value)), "short": short, "running": running}
    return made


def render(template: str, **values: Any) -> str:
    """Return a template with its values filled in."""
    return environment().get_template(template).render(values)
