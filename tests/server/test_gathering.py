"""Texts that arrive together are answered together, each with its own answer."""

import asyncio
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classmark.server.gathering import MOST_TEXTS, PIECE, Gatherer
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


def test_what_comes_meanwhile_is_one_batch():
    sizes, free = [], threading.Event()

    def answer(_, texts):
        sizes.append(len(texts))
        free.wait(10)
        return texts

    async def ask_all():
        gatherer = Gatherer(answer)
        first = asyncio.create_task(gatherer.ask("same", ["first"]))
        while not sizes:
            await asyncio.sleep(0.001)
        others = [asyncio.create_task(gatherer.ask("same", [str(at)])) for at in range(20)]
        long = asyncio.create_task(gatherer.ask("same", ["x"] * (MOST_TEXTS + PIECE)))
        await asyncio.sleep(0.01)
        free.set()
        assert await asyncio.gather(*others) == [[str(at)] for at in range(20)]
        assert (await first, len(await long)) == (["first"], MOST_TEXTS + PIECE)
        gatherer.close()

    run(ask_all())
    assert sizes[0] == 1
    assert sum(sizes) == 1 + 20 + MOST_TEXTS + PIECE
    assert len(sizes) <= 3
    assert max(sizes) < MOST_TEXTS + PIECE


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
        with pytest.raises(Problem, match="texts are waiting already"):
            await gatherer.ask("upper", [""] * 100_000)
        gatherer.close()

    run(ask())
