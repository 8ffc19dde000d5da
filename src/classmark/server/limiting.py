"""What every request goes through: limits on how many, how large and how long, and the headers of every answer."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable, MutableMapping
from typing import Any

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
REQUESTS_PER_CLIENT, BYTES_OF_A_REQUEST = 16, 1 << 17
"""Number of requests of one client that are parsed and computed at a time, while its others wait; one with a body of
twice as many bytes counts twice. All requests in progress share the event loop, so each is as late as they are many
(benchmarks/fairness.py)."""


class LimitsMiddleware:
    """Application whose requests have limits, and whose clients take turns.

    A request is admitted when all of its body is here, so slow senders keep nobody out. Its turn ends when the response
    begins to be sent, so slow readers keep nobody out either.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._memory = BodyMemory(MAX_BODIES * limits.body)
        self._requests = FairShare(limits.requests)
        self._turns = Turns(limits.requests, REQUESTS_PER_CLIENT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response of the application, or the problem that a limit is."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer, body = Answer(send), RequestBody(receive, CALLER.get().client)
        try:
            async with asyncio.timeout(self._limits.seconds):
                if await self._read(scope, body):
                    await self._admit(scope, body, answer)
        except (Problem, TimeoutError) as error:
            if answer.begun:
                raise
            told = f"the request took longer than {self._limits.seconds:g} seconds; send less at a time"
            problem = error if isinstance(error, Problem) else Problem(408, told)
            await problem.response()(scope, receive, answer.send)
        finally:
            self._memory.release(body)

    async def _read(self, scope: Scope, body: "RequestBody") -> bool:
        """Read a whole body, and return False if its sender has left."""
        most = self._limits.body
        told = f"the body is larger than {most:,} bytes; send less at a time"
        if promised(scope) > most:
            raise Problem(413, told)
        crowded = f"too much is being sent: {self._memory.bound:,} bytes are held at a time; retry later"
        try:
            async with asyncio.timeout(None) as body.reading:
                async for size in body.arriving():
                    if body.size > most:
                        raise Problem(413, told)
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
        refusal = f"too many requests: {self._limits.requests} at a time is the limit of all clients; retry later"
        with self._requests.hold(refusal):
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
