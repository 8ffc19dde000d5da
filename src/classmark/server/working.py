"""Batches are worked off in the background, a piece at a time, by whichever process gets hold of them.

A piece is kept before the next is asked for, so that after any end the first row without an answer is the next one.
"""

import asyncio
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from classmark.errors import InputError
from classmark.server.logging import LOG
from classmark.server.problems import Problem
from classmark.server.projects import Answered, Asked, Project, Projects
from classmark.service.batching import Batch, Batches, Own, Row, RowAnswer, read_upload
from classmark.wording import in_a_line

ROWS_OF_A_PIECE = 256
CHARACTERS_OF_A_PIECE = 2_000_000
"""A piece has no more rows, and not many more characters."""
SECONDS_BETWEEN_LOOKS = 1.0
TOO_MANY = 429


class Work:
    """Works off batches.

    Parameters
    ----------
    batches : Batches
        Where they are.
    projects : Projects
        The models that answer.
    longest : int
        The most characters of a text.
    in_thread : callable
        Calls a function beside the event loop.
    """

    def __init__(self, batches: Batches, projects: Projects, longest: int, in_thread: Callable[..., Any]) -> None:
        self._batches = batches
        self._projects = projects
        self._longest = longest
        self._in_thread = in_thread
        self._is_clean = False

    async def step(self) -> None:
        """Answer the rows of all waiting batches."""
        if not self._is_clean:
            await self._in_thread(self._batches.clean)
            self._is_clean = True
        errors: list[Exception] = []
        for batch in await self._in_thread(self._batches.waiting):
            try:
                await self._take(batch)
            except Exception as error:  # noqa: BLE001 - raised after the other batches
                errors.append(error)
        if errors:
            raise errors[0]

    async def _take(self, batch: Batch) -> None:
        """Answer the rows of a batch unless another process does, and stop it if that fails."""
        held = await self._in_thread(batch.claim)
        if held is None:
            return
        try:
            await self._work(batch)
        except Exception as error:  # noqa: BLE001 - whoever brought it is told
            await self._in_thread(_give_up, batch, error)
        finally:
            held.close()

    async def _work(self, batch: Batch) -> None:
        known = await self._in_thread(batch.facts)
        project = next((one for one in self._projects if one.name == known["project"]), None)
        if project is None:
            return
        rows = islice(
            read_upload(await self._in_thread(batch.upload), known["text_column"], self._longest), known["done"], None
        )
        while piece := await self._in_thread(_piece, rows):
            answers = await self._answers(project, [row for row in piece if row.problem is None])
            given = [None if row.problem else answers[row.number] for row in piece]
            await self._in_thread(batch.answers.add, piece, given)
        await self._in_thread(batch.end, "done")
        LOG.info("%s: batch %s is done", project.name, batch.id)

    async def _answers(self, project: Project, rows: list[Row]) -> dict[int, RowAnswer]:
        """Ask for the answers of some rows, again where others ask too much just now."""
        while True:
            try:
                found = await project.ask(Asked(), [row.text for row in rows])
            except Problem as problem:
                if problem.status_code != TOO_MANY:
                    raise
                await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            else:
                return {row.number: row_answer(one) for row, one in zip(rows, found, strict=True)}


def _piece(rows: Iterator[Row]) -> list[Row]:
    """Take the next rows."""
    taken: list[Row] = []
    characters = 0
    for row in rows:
        taken.append(row)
        characters += len(row.text)
        if len(taken) == ROWS_OF_A_PIECE or characters > CHARACTERS_OF_A_PIECE:
            break
    return taken


def _give_up(batch: Batch, error: Exception) -> None:
    """Keep why a batch stopped; one that was deleted meanwhile is of no interest."""
    if not batch.path.is_dir():
        return
    told = in_a_line(str(error)) if isinstance(error, InputError | OSError | Problem) else "an error that is ours"
    LOG.warning("batch %s stopped: %s", batch.id, told, exc_info=None if isinstance(error, InputError) else error)
    try:
        batch.end("stopped", told)
    except OSError as again:
        LOG.warning("batch %s: that cannot be written down (%s); it is tried again", batch.id, again)


def row_answer(found: Answered) -> RowAnswer:
    """Give an answer as it is kept."""
    answer = found.answer
    own = [Own(one.name, one.category.label, list(one.path), one.chance) for one in answer.own]
    return RowAnswer(list(answer.labels), own, answer.doubt, found.version)
