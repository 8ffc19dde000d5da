"""Texts that arrive together are answered together.

While one batch is computed in a thread, those that come meanwhile gather for the next: nobody waits for company longer
than the batch before takes, and the event loop never computes. A long request is cut into pieces, so that short ones
get their turn between them.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from classmark.server.problems import Problem
from classmark.service.serving import cut

MOST_TEXTS = 512
"""How many texts are computed at a time."""
PIECE = 64
"""Into pieces of so many texts a long request is cut."""
MOST_WAITING = 20_000
"""When so many texts wait, no more are taken."""


class Piece(NamedTuple):
    """Some texts that are asked the same, and who waits for the answers."""

    kind: Hashable
    texts: Sequence[str]
    answers: "asyncio.Future[Sequence[Any]]"


class Gatherer:
    """Gathers texts for a function that answers many of them at a time.

    Parameters
    ----------
    answer : callable
        Takes what is asked and texts, and gives an answer for each.
    observe : callable
        Is told how many texts each batch has.
    """

    def __init__(
        self, answer: Callable[[Any, Sequence[str]], Sequence[Any]], observe: Callable[[int], None] | None = None
    ) -> None:
        self._answer = answer
        self._observe = observe or (lambda _: None)
        self._pieces: deque[Piece] = deque()
        self._waiting = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="answers")
        self._work: asyncio.Task[None] | None = None

    async def ask(self, kind: Hashable, texts: Sequence[str]) -> list[Any]:
        """Give the answers to some texts."""
        if self._waiting + len(texts) > MOST_WAITING:
            raise Problem(429, f"{self._waiting} texts are waiting already; ask again in a moment")
        loop = asyncio.get_running_loop()
        pieces = [Piece(kind, some, loop.create_future()) for some in cut(texts, PIECE)]
        self._pieces.extend(pieces)
        self._waiting += len(texts)
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._answer_all())
        return [answer for piece in pieces for answer in await piece.answers]

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call something else in the thread, between two batches."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)

    async def _answer_all(self) -> None:
        while self._pieces:
            batch = self._taken()
            try:
                await self._answer_batch(batch)
            except Exception as error:  # noqa: BLE001 - whoever asked is told, and the others still wait
                await self._answer_apart(batch, error)

    def _taken(self) -> list[Piece]:
        """Take the pieces that are asked the same as the first, as many as make a batch; nobody has left."""
        taken: list[Piece] = []
        left: list[Piece] = []
        size = 0
        while self._pieces and size < MOST_TEXTS:
            piece = self._pieces.popleft()
            if piece.answers.cancelled():
                self._waiting -= len(piece.texts)
            elif taken and piece.kind != taken[0].kind:
                left.append(piece)
            else:
                taken.append(piece)
                size += len(piece.texts)
        self._pieces.extendleft(reversed(left))
        self._waiting -= size
        return taken

    async def _answer_batch(self, batch: Sequence[Piece]) -> None:
        if not batch:
            return
        texts = [text for piece in batch for text in piece.texts]
        answers = await self.run(self._answer, batch[0].kind, texts)
        self._observe(len(texts))
        start = 0
        for piece in batch:
            if not piece.answers.done():
                piece.answers.set_result(answers[start : start + len(piece.texts)])
            start += len(piece.texts)

    async def _answer_apart(self, batch: Sequence[Piece], error: Exception) -> None:
        """Let what is wrong with one piece be the trouble of that piece alone."""
        if len(batch) == 1:
            _fail(batch[0], error)
            return
        for piece in batch:
            try:
                await self._answer_batch([piece])
            except Exception as its_own:  # noqa: BLE001 - as above
                _fail(piece, its_own)

    def close(self) -> None:
        """Let the thread end."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _fail(piece: Piece, error: Exception) -> None:
    if not piece.answers.done():
        piece.answers.set_exception(error)
