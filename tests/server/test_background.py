import asyncio
from contextlib import nullcontext

import pytest

from classmark.server import background
from classmark.server.background import BackgroundLoops
from classmark.server.problems import Problem
from tests import looping


def test_background_loop_after_an_error_is_reported_until_it_succeeds(monkeypatch):
    monkeypatch.setattr(background, "SECONDS_AFTER_AN_ERROR", 0.001)
    events = []

    async def step() -> None:
        events.append(len(events))
        if len(events) in (2, 3):
            raise OSError("the disk is gone")
        with pytest.raises(Problem) if len(events) == 4 else nullcontext():
            loops.check()
        if len(events) == 6:
            finished.set()

    async def run() -> None:
        loops.start()
        await asyncio.wait_for(finished.wait(), 60)
        await asyncio.sleep(0)
        loops.check()
        loops.stop()

    loops, finished = BackgroundLoops(), asyncio.Event()
    loops.add("counting", step, 0.001)
    looping.run(run())
    assert events == list(range(6))
