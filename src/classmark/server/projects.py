"""The projects of a server: a model each, taken up again when it changes, and who asks it."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from classmark.errors import InputError
from classmark.index import LiveIndex
from classmark.persistence import is_index
from classmark.server.gathering import Gatherer, cost_of
from classmark.server.logging import LOG
from classmark.server.problems import Problem
from classmark.server.versions import (
    Mark,
    Served,
    keep_previous,
    marked_file,
    previous_version,
    put_back,
    take_up,
)
from classmark.service.answering import Question
from classmark.service.serving import Responder
from classmark.store.file import FileIdentity, locked_folder
from classmark.wording import in_a_line

LONG_TEXT = 20_000
"""Number of characters from which texts are computed in a thread of their own: nothing divides a text into turns."""
PATIENCE = 10.0
"""For so many seconds a command that writes to a live index is waited for."""


class Asked(NamedTuple):
    """What is asked about texts: how many suggestions, or else their labels."""

    limit: int | None = None
    min_precision: float | None = None
    judged: bool = False
    """Whether texts come in pairs with the labels that they have, for `Responder.judge`."""


class Answered(NamedTuple):
    """An answer, and the version of the model that gave it."""

    version: str
    answer: Any


class Project:
    """A model under a name.

    Attributes
    ----------
    name : str
        The project's id.
    path : Path
        The model file, or the folder of a live index.
    served : Served
        What answers now.
    problem : str or None
        Why what lies at the path is not what answers.
    n_replaced : int
        Number of times that the folder of a live index was replaced.
    n_caught_up : int
        Value of `n_replaced` up to which the index has got again what the store has.
    """

    def __init__(self, name: str, path: str | Path, observe: Callable[[int], None] | None = None) -> None:
        self.name, self.path = name, Path(path)
        self.live = is_index(self.path)
        self.served: Served = take_up(self.path)
        self.problem: str | None = None
        self.n_replaced = self.n_caught_up = 0
        self._folder = FileIdentity.from_path(self.path)
        self._last_mark: Mark | None = self.served.mark
        self._lock = threading.Lock()
        self._learning = threading.Lock()
        self._short = Gatherer(self._answer, observe)
        self._long = Gatherer(self._answer, observe)

    @property
    def responder(self) -> Responder:
        """What answers now."""
        return self.served.responder

    @property
    def replaced(self) -> bool:
        """Whether the folder of a live index was replaced, so that it may lack what the store has."""
        return self.n_replaced != self.n_caught_up

    @property
    def previous(self) -> str | None:
        """The version before, where it can be put back."""
        return None if self.live else previous_version(self.path)

    def look(self) -> None:
        """Take the model up where it has changed; what is broken is refused, and the one before goes on."""
        mark = Mark.of(marked_file(self.path))
        moved = self.live and FileIdentity.from_path(self.path) not in (None, self._folder)
        if mark == self._last_mark and not moved:
            return
        with self._lock:
            self._take_up_changed()

    def _take_up_changed(self) -> None:
        folder = FileIdentity.from_path(self.path)
        mark = Mark.of(marked_file(self.path))
        if self.live and folder not in (None, self._folder):
            LOG.warning("%s: the folder of the live index was replaced", self.name)
            self.n_replaced += 1
        self._folder = folder or self._folder
        if mark == self.served.mark:
            self.problem, self._last_mark = None, mark
            return
        try:
            found = take_up(self.path)
            if not self.live and found.version != self.served.version:
                keep_previous(self.path, self.served)
        except (ValueError, OSError, MemoryError) as error:
            self._last_mark, self.problem = mark, in_a_line(str(error))
            LOG.warning("%s: %s; version %s goes on", self.name, self.problem, self.served.version)
            return
        if self.live and found.n_writes < self.served.n_writes:
            LOG.warning("%s: the live index is an earlier one than before", self.name)
            self.n_replaced += 1
        self.served, self.problem, self._last_mark = found, None, found.mark
        LOG.info("%s: version %s is taken up", self.name, found.version)

    def go_back(self) -> None:
        """Put the version before in the place of this one; where a broken file lies there, the one that answers."""
        if self.live:
            raise Problem(409, f"{self.name} is a live index: it has no version before; delete documents instead")
        try:
            if self.problem is not None:
                self.served.responder.model.save(self.path)
            else:
                put_back(self.path)
        except InputError as error:
            raise Problem(409, str(error)) from None
        self.look()

    @contextmanager
    def learning(self) -> Iterator[None]:
        """Let nobody else, in this worker or another, bring the live index up to date meanwhile.

        Otherwise what one has read from the store a moment ago could replace what another has read since.
        """
        with self._learning, locked_folder(self.path):
            yield

    def learn(self, names: Sequence[str], texts: Sequence[str], labels: Sequence[Sequence[str]]) -> None:
        """Add documents to the live index, or replace those with the same names; they count at once."""
        self._write(lambda index: index.add(list(names), list(texts), [list(own) for own in labels]))

    def labels(self) -> dict[str, list[str]]:
        """Return the labels of all documents of the live index, by their ids."""
        return LiveIndex.open(self.path).labels

    def unlearn(self, names: Sequence[str]) -> None:
        """Take documents out of the live index."""
        self._write(lambda index: index.delete(there) if (there := set(index.ids) & set(names)) else None)

    def compact(self) -> None:
        """Let nothing of deleted documents stay in the files of the live index."""
        self._write(lambda index: index.compact())

    def _write(self, change: Callable[[LiveIndex], object]) -> None:
        """Change the live index; where a command is writing to it, wait for that a while."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                change(LiveIndex.open(self.path))
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        self.look()

    async def ask(self, asked: Asked, texts: Sequence[Any]) -> list[Answered]:
        """Return the answers to some texts, computed together with others that are asked the same."""
        long = any(cost_of(text) > LONG_TEXT for text in texts)
        return await (self._long if long else self._short).ask(asked, texts)

    def _answer(self, asked: Asked, texts: Sequence[Any]) -> list[Answered]:
        if self.live:
            # What another worker has added counts for whoever asks after that.
            self.look()
        served = self.served
        answers: Sequence[Any]
        if asked.judged:
            answers = served.responder.judge([text for text, _ in texts], [labels for _, labels in texts])
        elif asked.limit is not None:
            answers = served.responder.suggest(texts, asked.limit)
        else:
            answers = served.responder.classify(texts, Question(min_precision=asked.min_precision))
        return [Answered(served.version, answer) for answer in answers]

    def close(self) -> None:
        """Let go of the model."""
        self._short.close()
        self._long.close()


class Projects:
    """All projects, by their names."""

    def __init__(self, models: Mapping[str, str], observe: Callable[[str], Callable[[int], None]]) -> None:
        self._projects = {name: Project(name, path, observe(name)) for name, path in models.items()}

    def __iter__(self) -> Iterator[Project]:
        return iter(self._projects.values())

    def __getitem__(self, name: str) -> Project:
        try:
            return self._projects[name]
        except KeyError:
            raise Problem(404, f"Project '{in_a_line(name)[:100]}' not found") from None

    def look(self) -> None:
        """Take up whatever has changed."""
        for project in self:
            project.look()

    def close(self) -> None:
        """Let go of all models."""
        for project in self:
            project.close()
