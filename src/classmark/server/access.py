"""Who may do what: tokens for reading and for writing, requests from other sites, and names of this machine.

Without tokens a server listens to this machine alone, and whoever is on it may read and write; pages of other sites,
which a browser here may show, may not, nor may a name that somebody else has pointed here.
"""

import binascii
from base64 import urlsafe_b64decode
from functools import lru_cache
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from classmark.errors import InputError
from classmark.server.problems import Problem
from classmark.server.settings import ServerSettings, is_loopback

RIGHTS = ("read", "write")
LEAST_LENGTH = 16
"""A token of fewer characters can be guessed."""
SAFE = ("GET", "HEAD", "OPTIONS")
COOKIE = "classmark-token"
"""Where a browser keeps the token of who has signed in: HttpOnly, and sent to this site's own pages alone."""
SOMEBODY = "somebody"
"""Who it was, where nobody says."""


class Token(NamedTuple):
    """A token: what it allows, and whose it is."""

    right: str
    secret: str
    who: str


def read_tokens(path: str) -> list[Token]:
    """Read a file of tokens: a line each, `read TOKEN` or `write TOKEN`, and perhaps the name of a person."""
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a text in UTF-8; write 'read TOKEN' or 'write TOKEN', a line each") from None
    found = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) < 2 or words[0] not in RIGHTS:
            raise InputError(f"{path}:{number}: not a token; write 'read TOKEN' or 'write TOKEN', and perhaps a name")
        if len(words[1]) < LEAST_LENGTH or not words[1].isascii():
            raise InputError(
                f"{path}:{number}: the token must have {LEAST_LENGTH} plain characters or more; "
                "python3 -c 'import secrets; print(secrets.token_urlsafe())' makes one"
            )
        found.append(Token(words[0], words[1], " ".join(words[2:]) or SOMEBODY))
    if not found:
        raise InputError(f"{path}: has no token; write 'read TOKEN' or 'write TOKEN', a line each")
    return found


class Access:
    """What requests are let through."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._tokens = [] if settings.tokens is None else read_tokens(settings.tokens)

    def check(self, headers: Headers, right: str, *, allow_open: bool = True) -> str | None:
        """Return the owner of a request's token, or None without tokens; raise a problem if the right is missing.

        `--open-reading` stands in for a token that may read only if `allow_open`.
        """
        if right == "write":
            self.check_site(headers)
        if not self._tokens and self._settings.local:
            _check_host(headers)
            return None
        token = self._token(headers)
        if token is None:
            if right == "read" and allow_open and self._settings.open_reading:
                return None
            raise Problem(401, f"this needs a token that may {right}; send it as 'Authorization: Bearer TOKEN'")
        if right == "write" and token.right != "write":
            raise Problem(403, "this token may read, not write; send one that may")
        return token.who

    def _token(self, headers: Headers) -> Token | None:
        """Find the token that was sent; all are compared, each in the same time whatever it is."""
        scheme, _, sent = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            # A browser goes on sending what it has kept: a token that is no longer known is as none.
            return self._matching(_kept(headers))
        found = self._matching(sent.strip())
        if found is None:
            raise Problem(401, "this token is not known here; ask whoever runs the server")
        return found

    def _matching(self, sent: str) -> Token | None:
        given = sent.encode("utf-8", "replace")
        matching = [token for token in self._tokens if compare_digest(token.secret.encode(), given)]
        return max(matching, key=lambda token: token.right, default=None)

    def owner(self, sent: str) -> str | None:
        """Say whose token it is; None where it is nobody's."""
        found = self._matching(sent)
        return None if found is None else found.who

    def client(self, scope: Scope) -> tuple[str, ...]:
        """Return which client a request counts against: its address, and its token's owner if the token is valid."""
        headers = Headers(scope=scope)
        scheme, _, sent = headers.get("authorization", "").partition(" ")
        token = self._matching(sent.strip() if scheme.lower() == "bearer" else _kept(headers)) if self._tokens else None
        address = network_of(scope["client"][0]) if scope.get("client") else ""
        return (address,) if token is None else (address, token.right, token.who)

    def by_cookie(self, headers: Headers) -> bool:
        """Say whether whoever asks has signed in."""
        return self._matching(_kept(headers)) is not None

    def check_site(self, headers: Headers) -> None:
        """Refuse to write for the page of another site."""
        origin = headers.get("origin")
        foreign = origin is not None and _host_of(origin) != headers.get("host")
        if foreign or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Problem(403, "a page of another site may not write here")


def _host_of(origin: str) -> str | None:
    """Return the host and port of an origin, or None if it is malformed.

    >>> _host_of("https://birds.example:8443"), _host_of("http://[")
    ('birds.example:8443', None)
    """
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _kept(headers: Headers) -> str:
    """Give the token that a browser has kept; nothing where it has none."""
    try:
        cookies: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
        return urlsafe_b64decode(cookies[COOKIE].value).decode() if COOKIE in cookies else ""
    except (CookieError, binascii.Error, ValueError):
        return ""


@lru_cache(1000)
def network_of(address: str) -> str:
    """Return the network that one client has: an IPv4 address, or the 64 leading bits of an IPv6 address.

    >>> network_of("192.0.2.7"), network_of("2001:db8::7"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8::', '192.0.2.7')
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        mapped = parsed.ipv4_mapped
        return str(IPv6Address(int(parsed) >> 64 << 64)) if mapped is None else str(mapped)
    return str(parsed)


@lru_cache(1000)
def is_own_host(host: str) -> bool:
    """Return whether a `Host` header names this machine."""
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False


def _check_host(headers: Headers) -> None:
    """Refuse a name that is not this machine's own: it may be a stranger's that points here."""
    if not is_own_host(headers.get("host", "")):
        raise Problem(
            403, "this server is for its own machine; ask it by localhost or 127.0.0.1, or start it with tokens"
        )
