"""Styles and scripts: the files of this package by their names, and nothing else that a request may name."""

from base64 import urlsafe_b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


class Static(NamedTuple):
    """A file as it is sent."""

    content: bytes
    kind: str
    tag: str
    """What tells this content from any other."""


@cache
def _files() -> dict[str, Static]:
    found = {}
    for file in (files("classmark.server.page") / "static").iterdir():
        kind = TYPES.get(f".{file.name.rpartition('.')[2]}")
        if kind is not None:
            content = file.read_bytes()
            tag = urlsafe_b64encode(sha256(content).digest()[:12]).decode()
            found[file.name] = Static(content, kind, f'"{tag}"')
    return found


def static_file(name: str) -> Static | None:
    """Give a style or a script."""
    return _files().get(name)
