"""One question to a web server: a file, or the rest of it.

Addresses are `http` and `https` only, redirections included; proxies are taken from the environment. What a server or
a network can do wrong becomes one of two errors: `RefusedError`, where asking again is of no use, and `BrokenError`,
where it may help.
"""

import re
from http.client import HTTPException, HTTPResponse
from typing import cast
from urllib import request
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

import msgspec

from classmark.errors import InputError

AGENT = "classmark"
PASSING = {408, 425, 429, 500, 502, 503, 504}
"""Answers of a server that may well be others a moment later."""
NO_SUCH_RANGE = 416
CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")


class RefusedError(OSError):
    """An address that does not give the file."""


class BrokenError(Exception):
    """A connection that broke. Not an `OSError`, so that it is never taken for a full disk."""


class Version(msgspec.Struct, frozen=True):
    """What tells one version of a remote file from another: its length, and its ETag or else its date."""

    total: int | None = None
    tag: str | None = None


class Answer(msgspec.Struct):
    """What a server sends: the bytes from a position on, of some version of the file."""

    body: HTTPResponse
    start: int
    version: Version


def check_address(address: str) -> None:
    """Refuse what is not a web address.

    >>> check_address("file:///etc/passwd")
    Traceback (most recent call last):
    classmark.errors.InputError: file:///etc/passwd: not a web address; write it as https://host/folder, spaces as %20
    """
    if not _is_web_address(address):
        raise InputError(f"{address}: not a web address; write it as https://host/folder, spaces as %20")


def _is_web_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    plain = (address.isascii(), address.isprintable(), " " not in address)
    return all((*plain, parts.scheme in ("http", "https"), parts.hostname, port != 0))


def ask(address: str, timeout: float, there: int = 0, version: Version | None = None) -> Answer | None:
    """Ask for a file from a position on; there is no answer where the file has no such position.

    The version is sent along, so that a server that knows `If-Range` gives the whole file if it is another one now.
    """
    try:
        body = cast("HTTPResponse", _opener().open(_question(address, there, version), timeout=timeout))
    except HTTPError as error:
        error.close()
        if error.code == NO_SUCH_RANGE:
            return None
        raise _no_success(address, error) from None
    except URLError as error:
        raise RefusedError(f"{address}: cannot be reached ({_in_words(error.reason)}); check the connection") from None
    except (OSError, HTTPException) as error:
        raise BrokenError(f"no answer ({_in_words(error)})") from None
    return Answer(body, *_position(body))


def _question(address: str, there: int, version: Version | None) -> request.Request:
    question = request.Request(address, headers={"User-Agent": AGENT, "Accept-Encoding": "identity"})
    if there:
        question.add_header("Range", f"bytes={there}-")
    # A weak tag (W/"…") promises no identical bytes, and may not be sent.
    if version is not None and version.tag is not None and version.tag.startswith('"'):
        question.add_header("If-Range", version.tag)
    return question


def _no_success(address: str, error: HTTPError) -> Exception:
    """Say what a server answers in place of the file."""
    answer = f"the server answers {error.code} {error.reason}"
    return BrokenError(answer) if error.code in PASSING else RefusedError(f"{address}: {answer}; it may have moved")


def read(body: HTTPResponse, size: int) -> bytes:
    """Read some bytes, `size` unless the end comes before."""
    try:
        return body.read(size)
    except (OSError, HTTPException) as error:
        raise BrokenError(f"the connection broke ({_in_words(error)})") from None


def _position(body: HTTPResponse) -> tuple[int, Version]:
    """Give where the bytes start, and the version of the file; a range that makes no sense starts nowhere, at -1."""
    tag = body.headers.get("ETag") or body.headers.get("Last-Modified")
    if body.status != 206:
        length = body.headers.get("Content-Length", "")
        return 0, Version(int(length) if length.isdecimal() else None, tag)
    found = CONTENT_RANGE.fullmatch(body.headers.get("Content-Range", "").strip())
    return (int(found[1]), Version(int(found[2]), tag)) if found else (-1, Version())


def _in_words(reason: object) -> str:
    """Give an error without its number, and its name where it says nothing."""
    return getattr(reason, "strerror", None) or str(reason) or type(reason).__name__


def _opener() -> request.OpenerDirector:
    """Make an opener for the web alone; urllib's own would follow a redirection to ftp, too."""
    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(),
        request.HTTPHandler(),
        request.HTTPSHandler(),
        request.HTTPRedirectHandler(),
        request.HTTPDefaultErrorHandler(),
        request.HTTPErrorProcessor(),
        request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener
