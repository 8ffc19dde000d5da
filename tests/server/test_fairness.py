"""No client can take so much of a server that others are kept out."""

import asyncio
import socket
import threading
import time

import pytest

pytest.importorskip("fastapi", reason="the extra serve is not installed")

import httpx
import uvicorn

from classmark.server import running, settings
from classmark.server.application import create_app
from classmark.server.fairness import CALLER, Caller, FairPool, FairShare, Turns
from classmark.server.gathering import Gatherer
from classmark.server.limiting import LimitsMiddleware
from classmark.server.problems import Problem
from classmark.server.routes import classifying
from tests.looping import run
from tests.server.birds import make_model

EXPLAIN = "/v1/projects/file/explain"


@pytest.mark.parametrize(("bound", "alone"), [(1, 1), (2, 1), (9, 8), (32, 28), (512, 455)])
def test_fair_share_one_client_leaves_some_for_another(bound, alone):
    share = FairShare(bound)
    assert sum(share.take("heavy") for _ in range(2 * bound)) == alone
    assert share.take("light") is (bound > 1)
    share.give_back("heavy", alone)
    assert share.take("other", bound - (bound > 1))


def test_fair_share_hold_refuses_and_gives_back():
    share = FairShare(1)
    with share.hold("too many"), pytest.raises(Problem, match="too many"), share.hold("too many"):
        pass
    with share.hold("too many"):
        pass


def test_fair_pool_blocked_by_one_client_runs_calls_of_another():
    async def use():
        pool, blocked = FairPool("test", 2), threading.Event()
        CALLER.set(Caller("heavy"))
        heavy = [asyncio.create_task(pool.run(blocked.wait, 60)) for _ in range(10)]
        await asyncio.sleep(0)
        CALLER.set(Caller("light"))
        assert await pool.run(int, "7") == 7
        assert not any(one.done() for one in heavy)
        heavy[-1].cancel()
        blocked.set()
        assert await asyncio.gather(*heavy[:-1]) == [True] * 9
        pool.close()

    run(use())


def test_turns_cancelled_while_waiting_are_passed_on():
    async def use():
        turns = Turns(1, 1)
        end = await turns.take()
        waiting = [asyncio.create_task(turns.take()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        end()
        waiting[1].cancel()
        (await waiting[2])()
        (await turns.take())()

    run(use())


def test_turns_a_weight_above_the_bound_runs_alone():
    async def use():
        turns = Turns(9, 4)
        end = await turns.take(100)
        small = asyncio.create_task(turns.take(1))
        await asyncio.sleep(0)
        assert not small.done()
        end()
        await small

    run(use())


def test_request_whose_client_leaves_is_not_computed_further():
    computed, begun = [], threading.Event()
    free = threading.Event()

    def answer(_, texts):
        computed.append(len(texts))
        begun.set()
        free.wait(60)
        return texts

    async def leave():
        gatherer, left, sent = Gatherer(answer), asyncio.Event(), []
        messages = [{"type": "http.request", "body": b"", "more_body": False}]

        async def app(scope, receive, send):
            await receive()
            await gatherer.ask("same", ["x"] * 10_000)

        async def receive():
            if messages:
                return messages.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "path": "/", "method": "POST", "headers": []}
        asked = asyncio.create_task(
            LimitsMiddleware(app, settings.Limits(), lambda scope: "heavy")(scope, receive, send)
        )
        while not begun.is_set():
            await asyncio.sleep(0.001)
        left.set()
        await asked
        free.set()
        assert await gatherer.ask("same", ["y"]) == ["y"]
        gatherer.close()
        return sent

    assert run(leave()) == []
    assert sum(computed) < 1000


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """An application in this process, with a model."""
    folder = tmp_path_factory.mktemp("app")
    model = make_model(folder / "file.classmark")
    return create_app(settings.ServerSettings(models={"file": str(model)}, store=str(folder / "store.sqlite")))


def test_explanations_that_take_long_keep_nothing_else_out(app, monkeypatch):
    free = threading.Event()
    explain = classifying.explain_text

    def explain_late(*arguments):
        free.wait(60)
        return explain(*arguments)

    monkeypatch.setattr(classifying, "explain_text", explain_late)

    async def ask():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60) as client:
            body = {"text": "the owl hoots", "categories": ["owl", "gull"], "marked": True}
            explained = [asyncio.create_task(client.post(EXPLAIN, json=body)) for _ in range(40)]
            assert (await client.get("/readyz")).status_code == 200
            added = await client.post("/v1/projects/file/review/add", json={"documents": [{"text": "an owl"}]})
            assert added.status_code == 200
            assert (await client.post("/v1/projects/file/classify", json={"documents": [{"text": "a"}]})).is_success
            while not any(one.done() for one in explained):
                await asyncio.sleep(0.001)
            free.set()
            return [(await one) for one in explained]

    answers = run(ask())
    refused = [one for one in answers if one.status_code == 429]
    assert refused
    assert "too many explanations" in refused[0].json()["detail"]
    explained = [one for one in answers if one.status_code == 200]
    assert len(explained) + len(refused) == len(answers)
    assert [one["category"] for one in explained[0].json()["explanations"]] == ["owl", "gull"]


def test_explain_text_beyond_the_limit_is_refused_with_both_numbers(app):
    async def ask():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60) as client:
            return await client.post(EXPLAIN, json={"text": "owl " * 30_000})

    answer = run(ask())
    assert answer.status_code == 413
    assert "120,000" in answer.json()["detail"]
    assert "100,000" in answer.json()["detail"]


def test_response_that_is_not_read_is_given_up(monkeypatch):
    monkeypatch.setattr(running, "SECONDS_TO_READ", 0.1)

    async def large(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * (64 << 20)})

    config = uvicorn.Config(large, port=0, http=running.Hurried, lifespan="off", ws="none", log_level="error")
    server = uvicorn.Server(config)
    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        with socket.create_connection(listening.getsockname(), timeout=60) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert client.recv(1)
            end = time.monotonic() + 60
            while server.server_state.connections and time.monotonic() < end:
                time.sleep(0.01)
            assert not server.server_state.connections
    finally:
        server.should_exit = True
        thread.join(60)
