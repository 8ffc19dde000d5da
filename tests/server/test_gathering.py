"""Texts that arrive together are answered together, each with its own answer."""

import asyncio
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classmark.server.fairness import CALLER, Caller
from classmark.server.gathering import MAX_WAITING, SLICE_TEXTS, Gatherer
from classmark.server.problems import Problem
from tests.looping import run

REQUESTS = st.lists(
    st.tuples(st.sampled_from(["upper", "title"]), st.lists(st.sampled_from(["owl", "gull", "bad", ""]), max_size=5)),
    max_size=12,
)


def _answer(kind, texts):
    if "bad" in texts:
        raise ValueError("bad text")
    return [getattr(text, kind)() for text in texts]


@settings(max_examples=50, deadline=None)
@given(REQUESTS)
def test_everybody_gets_their_own_answers(requests):
    async def ask_all():
        gatherer = Gatherer(_answer)
        asked = (gatherer.ask(kind, texts) for kind, texts in requests)
        found = await asyncio.gather(*asked, return_exceptions=True)
        gatherer.close()
        return found

    for (kind, texts), found in zip(requests, run(ask_all()), strict=True):
        if "bad" in texts:
            assert isinstance(found, ValueError)
        else:
            assert found == [getattr(text, kind)() for text in texts]


class Turns:
    """What a gatherer computes: the texts of each turn, the first of which waits until it is let go."""

    def __init__(self):
        self.texts = []
        self.free = threading.Event()

    def answer(self, _, texts):
        self.texts.append(list(texts))
        self.free.wait(60)
        return texts

    async def begin(self, gatherer, texts, client="heavy"):
        """Ask for texts of which the first turn has begun when this returns."""
        asked = await self.ask(gatherer, texts, client)
        while not self.texts:
            await asyncio.sleep(0.001)
        return asked

    async def ask(self, gatherer, texts, client):
        """Ask for texts that are queued when this returns."""
        CALLER.set(Caller(client))
        asked = asyncio.create_task(gatherer.ask("same", texts))
        await asyncio.sleep(0)
        return asked


def test_gatherer_texts_arriving_during_a_turn_share_the_next():
    turns = Turns()

    async def ask_all():
        gatherer = Gatherer(turns.answer)
        first = await turns.begin(gatherer, ["first"])
        others = [await turns.ask(gatherer, [str(at)], "heavy") for at in range(20)]
        turns.free.set()
        assert [await one for one in (first, *others)] == [["first"], *([str(at)] for at in range(20))]
        gatherer.close()

    run(ask_all())
    assert turns.texts == [["first"], [str(at) for at in range(20)]]


@pytest.mark.parametrize(("client", "last"), [("light", 1), ("heavy", 3)])
def test_gatherer_single_text_beside_long_requests_is_in_one_of_the_next_turns(client, last):
    """Another client's text is in the next turn; one of the same client when each of its requests had a slice."""
    turns = Turns()

    async def ask_all():
        gatherer = Gatherer(turns.answer)
        first = await turns.begin(gatherer, ["x"] * 1000)
        others = [await turns.ask(gatherer, ["x"] * 1000, "heavy") for _ in range(7)]
        single = await turns.ask(gatherer, ["single"], client)
        turns.free.set()
        assert await single == ["single"]
        assert {len(one) for one in await asyncio.gather(first, *others)} == {1000}
        gatherer.close()

    run(ask_all())
    assert any("single" in texts for texts in turns.texts[1 : last + 1])
    assert sum(map(len, turns.texts)) == 8001


def test_gatherer_long_requests_of_one_client_leave_the_other_half_of_a_turn():
    turns = Turns()

    async def ask_all():
        gatherer = Gatherer(turns.answer)
        heavy = [await turns.begin(gatherer, ["heavy"] * 500)]
        heavy += [await turns.ask(gatherer, ["heavy"] * 500, "heavy") for _ in range(7)]
        light = await turns.ask(gatherer, ["light"] * 500, "light")
        turns.free.set()
        await asyncio.gather(*heavy, light)
        gatherer.close()

    run(ask_all())
    # In the last turn of the light request, the heavy ones have what it leaves.
    *both, _ = [texts for texts in turns.texts if "light" in texts]
    assert both
    assert all(texts.count("heavy") <= texts.count("light") + SLICE_TEXTS for texts in both)


@pytest.mark.parametrize("leaves", [True, False])
def test_gatherer_abandoned_request_is_not_computed_further(leaves):
    turns = Turns()

    async def ask_all():
        gatherer = Gatherer(turns.answer)
        asked = await turns.begin(gatherer, ["x"] * 10_000)
        caller = Caller("heavy")
        CALLER.set(caller)
        queued = asyncio.create_task(gatherer.ask("same", ["y"] * 5_000))
        await asyncio.sleep(0)
        asked.cancel()
        caller.leave() if leaves else queued.cancel()
        assert [type(one) for one in await asyncio.gather(asked, queued, return_exceptions=True)] == [
            asyncio.CancelledError
        ] * 2
        turns.free.set()
        # All that was queued is free for others again.
        assert len(await gatherer.ask("same", ["z"] * MAX_WAITING)) == MAX_WAITING
        gatherer.close()

    run(ask_all())
    assert "y" not in {text for texts in turns.texts for text in texts}
    assert sum(texts.count("x") for texts in turns.texts) == len(turns.texts[0]) < 1000


def test_the_loop_never_computes():
    threads = set()

    def answer(_, texts):
        threads.add(threading.current_thread())
        return texts

    async def ask():
        gatherer = Gatherer(answer)
        await gatherer.ask("same", ["x"])
        gatherer.close()

    run(ask())
    assert threading.main_thread() not in threads


def test_too_many_wait():
    async def ask():
        gatherer = Gatherer(_answer)
        with pytest.raises(Problem, match="too many texts"):
            await gatherer.ask("upper", [""] * 100_000)
        gatherer.close()

    run(ask())
