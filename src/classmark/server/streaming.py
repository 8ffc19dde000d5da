"""Files that come and go in pieces: never held in memory, within limits of their own."""

import asyncio
import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from classmark.server.fairness import FairShare
from classmark.server.limiting import Answer, promised
from classmark.server.problems import Problem
from classmark.server.settings import Limits

MOST_AT_A_TIME = 32
"""So many files come and go at a time, for each worker."""
STREAMED = re.compile(r"/v1/projects/[^/]+/batches(/[^/]+/result)?")
"""Where files come and go."""


class Streamed:
    """An application whose files come and go in pieces.

    Parameters
    ----------
    app : application
        Answers.
    others : application
        The same, within the limits of all other requests.
    limits : Limits
        What files may take: so many bytes, so long all together, and so long without anything moving.
    """

    def __init__(self, app: ASGIApp, others: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._others = others
        self._limits = limits
        self._files = FairShare(MOST_AT_A_TIME)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or not STREAMED.fullmatch(scope["path"]):
            await self._others(scope, receive, send)
            return
        answer = Answer(send)
        try:
            with self._files.hold(f"too many files: {MOST_AT_A_TIME} are sent or received at a time; retry later"):
                await self._within_limits(scope, receive, answer)
        except (Problem, TimeoutError) as error:
            if answer.begun:
                raise
            told = f"the file took longer than {self._limits.upload_seconds:g} seconds; send it again"
            problem = error if isinstance(error, Problem) else Problem(408, told)
            await problem.response()(scope, receive, answer.send)

    async def _within_limits(self, scope: Scope, receive: Receive, answer: Answer) -> None:
        most, left = self._limits.upload, self._limits.upload
        too_large = f"the file is larger than {most:,} bytes; cut it, or start the server with a larger --max-upload"
        if promised(scope) > most:
            raise Problem(413, too_large)

        async def arriving() -> Message:
            nonlocal left
            try:
                async with asyncio.timeout(self._limits.seconds):
                    message = await receive()
            except TimeoutError:
                raise Problem(408, f"nothing has come for {self._limits.seconds:g} seconds; send it again") from None
            left -= len(message.get("body", b""))
            if left < 0:
                raise Problem(413, too_large)
            return message

        async def leaving(message: Message) -> None:
            async with asyncio.timeout(self._limits.seconds):
                await answer.send(message)

        async with asyncio.timeout(self._limits.upload_seconds):
            await self._app(scope, arriving, leaving)
