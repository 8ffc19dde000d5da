"""Limits on the number, the size and the time of requests, and the headers of every response."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable, MutableMapping
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from classmark.server.fairness import CALLER, Caller, FairShare, Turns
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
MAX_BODIES = 16
"""Number of bodies of the largest size that are held in memory at a time."""
MAX_FILES = 32
"""Number of files that are sent or received at a time, per worker."""
REQUESTS_PER_CLIENT, BYTES_OF_A_REQUEST = 16, 1 << 17
"""Number of requests of one client that are parsed and computed at a time, while its others wait; one with a body of
twice as many bytes counts twice. All requests in progress share the event loop, so each is as late as they are many
(benchmarks/fairness.py)."""


class RouteLimits(NamedTuple):
    """Limits of the requests to some paths."""

    path: re.Pattern[str]
    streamed: bool
    """Whether bodies pass in parts and are never held in memory."""
    max_bytes: int
    seconds: float
    requests: FairShare
    too_large: str
    too_slow: str
    too_many: str


def limits_of_routes(limits: Limits) -> tuple[RouteLimits, ...]:
    """Return the limits of files and those of all other requests; the first whose path matches holds."""
    return (
        RouteLimits(
            re.compile(r"/v1/projects/[^/]+/batches(/[^/]+/result)?"),
            True,
            limits.upload,
            limits.upload_seconds,
            FairShare(MAX_FILES),
            f"the file is larger than {limits.upload:,} bytes; cut it, or start the server with a larger --max-upload",
            f"the file took longer than {limits.upload_seconds:g} seconds; send it again",
            f"too many files: {MAX_FILES} are sent or received at a time; retry later",
        ),
        RouteLimits(
            re.compile(".*", re.DOTALL),
            False,
            limits.body,
            limits.seconds,
            FairShare(limits.requests),
            f"the body is larger than {limits.body:,} bytes; send less at a time",
            f"the request took longer than {limits.seconds:g} seconds; send less at a time",
            f"too many requests: {limits.requests} at a time is the limit of all clients; retry later",
        ),
    )


class LimitsMiddleware:
    """Application whose requests have limits, and whose clients take turns.

    A request is admitted when all of its body is here, so slow senders keep nobody out. Its turn ends when the response
    begins to be sent, so slow readers keep nobody out either. Files are admitted at once and pass in parts; what limits
    them is the time without any part.
    """

    def __init__(self, app: ASGIApp, limits: Limits, client: Callable[[Scope], Hashable]) -> None:
        self._app = app
        self._client = client
        self._idle_seconds = limits.seconds
        self._routes = limits_of_routes(limits)
        self._memory = BodyMemory(MAX_BODIES * limits.body)
        self._turns = Turns(limits.requests, REQUESTS_PER_CLIENT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response of the application, or the problem that a limit is."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        CALLER.set(Caller(self._client(scope)))
        route = next(route for route in self._routes if route.path.fullmatch(scope["path"]))
        answer = Answer(send)
        try:
            if promised(scope) > route.max_bytes:
                raise Problem(413, route.too_large)
            async with asyncio.timeout(route.seconds):
                await (self._stream if route.streamed else self._buffer)(scope, receive, answer, route)
        except (Problem, TimeoutError) as error:
            if answer.begun:
                raise
            problem = error if isinstance(error, Problem) else Problem(408, route.too_slow)
            await problem.response()(scope, receive, answer.send)

    async def _stream(self, scope: Scope, receive: Receive, answer: "Answer", route: RouteLimits) -> None:
        """Run the application on a body that passes in parts."""
        left = route.max_bytes

        async def arriving() -> Message:
            nonlocal left
            try:
                async with asyncio.timeout(self._idle_seconds):
                    message = await receive()
            except TimeoutError:
                raise Problem(408, f"nothing has come for {self._idle_seconds:g} seconds; send it again") from None
            left -= len(message.get("body", b""))
            if left < 0:
                raise Problem(413, route.too_large)
            return message

        async def leaving(message: Message) -> None:
            async with asyncio.timeout(self._idle_seconds):
                await answer.send(message)

        with route.requests.hold(route.too_many):
            await self._app(scope, arriving, leaving)

    async def _buffer(self, scope: Scope, receive: Receive, answer: "Answer", route: RouteLimits) -> None:
        """Read a whole body, and run the application when it is the client's turn."""
        body = RequestBody(receive, CALLER.get().client)
        try:
            if await self._read(body, route):
                with route.requests.hold(route.too_many):
                    await self._admit(scope, body, answer)
        finally:
            self._memory.release(body)

    async def _read(self, body: "RequestBody", route: RouteLimits) -> bool:
        """Read a whole body, and return False if its sender has left."""
        crowded = f"too much is being sent: {self._memory.bound:,} bytes are held at a time; retry later"
        try:
            async with asyncio.timeout(None) as body.reading:
                async for size in body.arriving():
                    if body.size > route.max_bytes:
                        raise Problem(413, route.too_large)
                    self._memory.hold(body, size)
                    if body.dropped:
                        raise Problem(429, crowded)
        except TimeoutError:
            raise Problem(429, crowded) from None
        finally:
            if not body.whole:
                self._memory.release(body)
        return body.whole

    async def _admit(self, scope: Scope, body: "RequestBody", answer: "Answer") -> None:
        """Run the application when it is the client's turn; what it awaits ends if the client leaves."""
        caller = CALLER.get()
        watch = asyncio.create_task(_watch(body, caller))
        try:
            answer.before = await self._turns.take(1 + body.size // BYTES_OF_A_REQUEST)
            await self._app(scope, body.receive, answer.send)
        except asyncio.CancelledError:
            if not caller.has_left:
                raise
        finally:
            answer.end_turn()
            watch.cancel()


async def _watch(body: "RequestBody", caller: Caller) -> None:
    """Cancel what a client waits for as soon as it has left."""
    await body.left()
    caller.leave()


class BodyMemory:
    """Bytes of all bodies. At the bound, the client that holds most loses a body that it has not sent to its end."""

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self._held: Counter[Hashable] = Counter()
        self._bodies: dict[RequestBody, None] = {}

    def hold(self, body: "RequestBody", size: int) -> None:
        """Count some bytes of a body that have arrived."""
        self._bodies[body] = None
        self._held[body.client] += size
        body.held += size
        while self._held.total() > self.bound:
            # Of those that still arrive; the body itself is one.
            dropped = max((one for one in self._bodies if not one.whole or one is body), key=self._rank)
            self.release(dropped)
            dropped.drop()

    def _rank(self, body: "RequestBody") -> tuple[int, int]:
        return self._held[body.client], body.size

    def release(self, body: "RequestBody") -> None:
        """Forget a body."""
        self._bodies.pop(body, None)
        self._held[body.client] -= body.held
        body.held = 0
        if not self._held[body.client]:
            del self._held[body.client]


class Answer:
    """What is sent, with the headers that everything has."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False
        self.before: Callable[[], None] | None = None
        """Ends the turn in which the response was computed."""

    def end_turn(self) -> None:
        """End the turn in which the response was computed, if that has not been done."""
        end, self.before = self.before, None
        if end is not None:
            end()

    async def send(self, message: Message) -> None:
        """Send a part, the headers added to the first."""
        self.end_turn()
        if message["type"] == "http.response.start":
            self.begun = True
            there = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(one for one in HEADERS if one[0] not in there)]
        await self._send(message)


class RequestBody:
    """Body of a request, which is read as it arrives and then passed on at once."""

    reading: asyncio.Timeout
    """Ends the reading, if there is no memory for the body."""

    def __init__(self, receive: Receive, client: Hashable) -> None:
        self.client = client
        self._receive = receive
        self._parts: list[bytes] = []
        self._given = False
        self.size = self.held = 0
        self.whole = self.dropped = False
        self._left = asyncio.Event()

    def drop(self) -> None:
        """Stop reading, and free what has arrived."""
        self._parts.clear()
        self.dropped, self.whole = True, False
        self.reading.reschedule(0)

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
        """Return the whole of it, and after that the client's leaving."""
        if self._given:
            await self._left.wait()
            return {"type": "http.disconnect"}
        self._given = True
        body = b"".join(self._parts)
        self._parts.clear()
        return {"type": "http.request", "body": body, "more_body": False}

    async def left(self) -> None:
        """Wait until the client has left, or has its response."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._left.set()


def promised(scope: MutableMapping[str, Any]) -> int:
    """Say how long a body is by its own word, before any of it is read."""
    values = [value for name, value in scope["headers"] if name == b"content-length"]
    return max((int(value) for value in values if value.isdigit()), default=0)
