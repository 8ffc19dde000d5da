"""Files that come and go in pieces, within limits of their own: the middle layer alone, asked as a server asks it."""

import asyncio
import json

import pytest

pytest.importorskip("fastapi", reason="the extra serve is not installed")

from classmark.server.limiting import LimitsMiddleware
from classmark.server.settings import Limits
from tests.looping import run

LIMITS = Limits(body=5, upload=10, seconds=0.1, upload_seconds=0.5)
PATH = "/v1/projects/birds/batches"


async def whole(scope, receive, send):
    """Read all of a body, and say how much it was."""
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message["body"]), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def asked(parts, path=PATH, headers=(), app=whole, pause=0.0, limits=LIMITS):
    """Give status and body of the answer to a request that comes in parts."""
    sent, pending = [], list(parts)

    async def receive():
        await asyncio.sleep(pause)
        part = pending.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(pending)}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "path": path, "method": "POST", "headers": list(headers)}
    run(LimitsMiddleware(app, limits, lambda scope: "client")(scope, receive, send))
    return sent[0]["status"], b"".join(one.get("body", b"") for one in sent[1:]), dict(sent[0]["headers"])


def test_a_file_goes_through_in_pieces():
    status, body, headers = asked([b"12345", b"67890"])
    assert (status, body) == (200, b"10")
    assert headers[b"x-content-type-options"] == b"nosniff"


def test_other_requests_have_the_limit_of_bodies():
    for path in ("/v1/projects/birds/classify", f"{PATH}/1", f"{PATH}/1/rows", "/v1/projects/a/b/batches"):
        assert asked([b"123", b"456"], path)[0] == 413
    assert asked([b"123", b"456"], f"{PATH}/1/result")[0] == 200


@pytest.mark.parametrize("headers", [(), ((b"content-length", b"11"),)])
def test_too_much_is_refused(headers):
    status, body, _ = asked([b"12345", b"67890", b"1"], headers=headers)
    assert status == 413
    assert json.loads(body)["detail"].startswith("the file is larger than 10 bytes")


def test_what_does_not_move_is_given_up():
    status, body, _ = asked([b"1"], pause=0.3)
    assert (status, "nothing has come for 0.1 seconds" in json.loads(body)["detail"]) == (408, True)


def test_what_takes_too_long_is_given_up():
    # A part comes soon enough however slow the machine is, and all of them do not.
    limits = Limits(upload=10, seconds=60, upload_seconds=0.5)
    status, body, _ = asked([b""] * 1000, pause=0.05, limits=limits)
    assert (status, "longer than 0.5 seconds" in json.loads(body)["detail"]) == (408, True)
