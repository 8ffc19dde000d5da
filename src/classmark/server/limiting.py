"""What every request goes through: limits on how many, how large and how long, and the headers of every answer."""

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from classmark.server.problems import Problem
from classmark.server.settings import Limits

HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; "
        b"form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
"""What every answer says, unless it says something else of it itself."""
BODIES = 16
"""So many bodies of the largest size are held at a time."""


class Limited:
    """An application within limits.

    A request counts when all of it is here: whoever sends slowly keeps nobody out.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._under_way = 0
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say what there is too much of."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer, body = Answer(send), _Body(receive)
        try:
            async with asyncio.timeout(self._limits.seconds):
                if await self._taken(scope, body):
                    await self._counted(scope, body, answer)
        except (Problem, TimeoutError) as error:
            if answer.begun:
                raise
            told = f"the request took longer than {self._limits.seconds:g} seconds; send less at a time"
            problem = error if isinstance(error, Problem) else Problem(408, told)
            await problem.response()(scope, receive, answer.send)
        finally:
            self._held -= body.size

    async def _taken(self, scope: Scope, body: "_Body") -> bool:
        """Take the whole of a body; False where whoever sent it has left."""
        most = self._limits.body
        told = f"the body is larger than {most:,} bytes; send less at a time"
        if promised(scope) > most:
            raise Problem(413, told)
        async for size in body.arriving():
            self._held += size
            if body.size > most:
                raise Problem(413, told)
            if self._held > BODIES * most:
                raise Problem(429, "too much is being sent at a time; ask again in a moment")
        return body.whole

    async def _counted(self, scope: Scope, body: "_Body", answer: "Answer") -> None:
        if self._under_way >= self._limits.requests:
            told = f"{self._limits.requests} requests are being answered already; ask again in a moment"
            raise Problem(429, told)
        self._under_way += 1
        try:
            await self._app(scope, body.receive, answer.send)
        finally:
            self._under_way -= 1


class Answer:
    """What is sent, with the headers that everything has."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False

    async def send(self, message: Message) -> None:
        """Send a part, the headers added to the first."""
        if message["type"] == "http.response.start":
            self.begun = True
            there = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(one for one in HEADERS if one[0] not in there)]
        await self._send(message)


class _Body:
    """A body that is taken as it arrives, and then given at once."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._parts: list[bytes] = []
        self._given = False
        self.size = 0
        self.whole = False

    async def arriving(self) -> AsyncIterator[int]:
        """Give the sizes of its parts as they come, until it is whole or whoever sends it leaves."""
        while not self.whole:
            message = await self._receive()
            if message["type"] != "http.request":
                return
            part = message.get("body", b"")
            self._parts.append(part)
            self.size += len(part)
            self.whole = not message.get("more_body", False)
            yield len(part)

    async def receive(self) -> Message:
        """Give the whole of it, and after that whatever else happens."""
        if self._given:
            return await self._receive()
        self._given = True
        body = b"".join(self._parts)
        self._parts.clear()
        return {"type": "http.request", "body": body, "more_body": False}


def promised(scope: MutableMapping[str, Any]) -> int:
    """Say how long a body is by its own word, before any of it is read."""
    values = [value for name, value in scope["headers"] if name == b"content-length"]
    return max((int(value) for value in values if value.isdigit()), default=0)
