"""How far something is, in the words of all progress: how much is done of how much, how fast, how long it still takes.

Where standard error is no terminal but a log, say, a line a minute tells it of what takes longer than that.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from classmark.progress import is_heard, listening

SECONDS_BETWEEN_DRAWINGS = 0.05
SECONDS_BETWEEN_LINES = 60.0
MIN_SECONDS = 0.5
"""Seconds of a loop from which on its rate is shown."""


def kind_of(what: str) -> str:
    """Give the name of a bar, without what its words say in parentheses, which changes.

    >>> kind_of("steps (epoch 2, loss 0.1)")
    'steps'
    """
    return what.partition(" (")[0]


def figures(done: float, total: float | None, elapsed: float, before: float = 0) -> str:
    """Format how much is done, the mean rate and the time left; `before` was done when the time began.

    A rate of less than half a second is noise, and is not shown.

    >>> figures(1200, 10000, 60.0)
    '1,200 of 10,000, 20/s, 7:20 left'
    >>> figures(2, 5, 60.0), figures(12000, None, 4.0)
    ('2 of 5, 30 s each, 1:30 left', '12,000, 3,000/s, 0:04 so far')
    >>> figures(0, 5, 3.0), figures(5, 5, 1e-6)
    ('0 of 5', '5 of 5')
    """
    counted = f"{done:,.0f}" if total is None else f"{done:,.0f} of {total:,.0f}"
    if elapsed < MIN_SECONDS or done <= before:
        return counted
    rate = (done - before) / elapsed
    if total is None:
        return f"{counted}, {_rate(rate)}, {clock(elapsed)} so far"
    return f"{counted}, {_rate(rate)}, {clock(max(0.0, total - done) / rate)} left"


def _rate(rate: float) -> str:
    if rate < 1:
        return f"{1 / rate:.3g} s each"
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.2g}/s"


def clock(seconds: float) -> str:
    """Write a time as clocks do.

    >>> clock(7.6), clock(3723.0)
    ('0:08', '1:02:03')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def lines(now: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Print a line a minute for what takes longer, unless somebody else listens already."""
    if is_heard():
        yield
        return
    begun: dict[str, tuple[float, int]] = {}
    last = now()

    def listen(what: str, done: int, total: int | None) -> None:
        nonlocal last
        kind, at = kind_of(what), now()
        if done == 0 or kind not in begun:
            begun[kind] = at, done
        if at - last >= SECONDS_BETWEEN_LINES:
            last = at
            # Items done before the first call, by a run that is resumed, took no time of this one.
            start, before = begun[kind]
            print(f"classmark: {what}: {figures(done, total, at - start, before)}", file=sys.stderr)  # noqa: T201

    with listening(listen):
        yield


@contextmanager
def bars() -> Iterator[None]:
    """Show a bar for every kind of loop inside; a loop that begins again replaces its last bar."""
    # rich takes a tenth of a second to import.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
    from rich.table import Column
    from rich.text import Text

    class Figures(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(figures(task.completed, task.total, task.elapsed or 0.0, task.fields["before"]))

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
