"""Bars on a terminal, in one style for everything."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from classmark.cli.rates import figures, kind_of
from classmark.progress import listening

SECONDS_BETWEEN_DRAWINGS = 0.05


class Figures(ProgressColumn):
    """How far a bar is, in figures."""

    def render(self, task: Task) -> Text:
        """Write them."""
        return Text(figures(task.completed, task.total, task.elapsed or 0.0, task.fields["before"]))


@contextmanager
def bars() -> Iterator[None]:
    """Show a bar for every kind of loop inside; one that begins anew takes the place of the last."""
    columns = (
        TextColumn("{task.description}", table_column=Column(no_wrap=True)),
        BarColumn(bar_width=20),
        Figures(table_column=Column(no_wrap=True)),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        tasks: dict[str, TaskID] = {}
        drawn: dict[str, float] = {}

        def listen(what: str, done: int, total: int | None) -> None:
            kind, now = kind_of(what), time.monotonic()
            if done not in (0, total) and now - drawn.get(kind, 0.0) < SECONDS_BETWEEN_DRAWINGS:
                return
            drawn[kind] = now
            if kind not in tasks:
                tasks[kind] = shown.add_task(what, total=total, before=done)
            elif done == 0:
                shown.reset(tasks[kind], before=0)
            shown.update(tasks[kind], completed=done, total=total, description=what)

        with listening(listen):
            yield
