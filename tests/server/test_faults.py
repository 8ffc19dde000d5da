"""What is wrong with requests and clients, at a real server: it stays up, says why, and answers the next request."""

import json
import resource
import select
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode, urlsplit

import pytest

from tests.server.birds import FORM, JSON, TEXTS, Answer, answer_on, ask, make_index, make_model, still_well, suggest
from tests.server.running import Server, running

LEARN, SUGGEST, REVIEW = (f"/v1/projects/file/{name}" for name in ("learn", "suggest", "review"))
OWL = {"text": "the owl is back", "subjects": [{"uri": "owl"}]}
LIMITS = ("--max-body", "1000000", "--max-texts", "50", "--max-length", "5000", "--max-seconds", "20")
GIGABYTE = 1 << 30


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all faults that leave files alone; it must have complained of none of them as its own."""
    folder = tmp_path_factory.mktemp("server")
    models = {"file": make_model(folder / "file.classmark"), "live": make_index(folder / "live")}
    with running(models, "--allow-learn", *LIMITS, folder=folder) as started:
        yield started
        still_well(started)
    assert not [line for line in started.lines if "Traceback" in line or "ours" in line], "".join(started.lines)


# Bodies.


def stream(size: int) -> Iterator[bytes]:
    """Give as many bytes, some at a time."""
    part = b"[" * (1 << 20)
    for _ in range(size // len(part)):
        yield part


def test_a_body_of_a_gigabyte_by_its_own_word(server):
    answer = _stubborn(server.url, f"Content-Length: {GIGABYTE}", stream(GIGABYTE))
    assert "1,000,000 bytes" in answer.problem(413)
    still_well(server)


def test_a_body_of_a_gigabyte_in_chunks(server):
    chunks = (b"%x\r\n%b\r\n" % (len(part), part) for part in stream(GIGABYTE))
    answer = _stubborn(server.url, "Transfer-Encoding: chunked", chunks)
    assert "1,000,000 bytes" in answer.problem(413)
    still_well(server)


def _stubborn(url: str, header: str, parts: Iterator[bytes]) -> Answer:
    """Send on whatever is answered, as long as anybody listens, and give the answer."""
    with _connected(url) as client:
        client.sendall(f"POST {LEARN} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode())
        client.sendall(f"{header}\r\n\r\n".encode())
        try:
            for part in parts:
                client.sendall(part)
        except (ConnectionError, TimeoutError):
            pass
        return answer_on(client)


def _connected(url: str, timeout: float = 30) -> socket.socket:
    place = urlsplit(url)
    return socket.create_connection((place.hostname, place.port), timeout=timeout)


DEEP = 100_000
BODIES: dict[str, tuple[str, bytes, dict[str, str], str]] = {
    "deep JSON": (LEARN, b"[" * DEEP + b"]" * DEEP, JSON, ""),
    "deep JSON, not closed": (LEARN, b'{"a":' * DEEP, JSON, ""),
    "JSON that is not UTF-8": (LEARN, b'[{"text": "\xff\xfe", "subjects": []}]', JSON, ""),
    "halves of characters": (LEARN, b'[{"text": "\\ud83d", "subjects": []}]', JSON, "surrogates"),
    "no JSON": (LEARN, b"owl", JSON, ""),
    "nothing": (LEARN, b"", JSON, ""),
    "a number of many digits": (LEARN, b"[" + b"9" * 100_000 + b"]", JSON, ""),
    "a form that is not UTF-8": (SUGGEST, b"text=%FF%FE", FORM, "UTF-8"),
    "a form of plain bytes": (SUGGEST, b"text=\xff\xfe", FORM, "UTF-8"),
    "a form of many fields": (SUGGEST, b"&".join([b"a=b"] * 5000), FORM, "form"),
    "a form without a text": (SUGGEST, b"limit=3", FORM, "text"),
    "a limit that is none": (SUGGEST, b"text=owl&limit=ten", FORM, "limit"),
    "a NUL in what is to be kept": (LEARN, json.dumps([{**OWL, "text": "ow\0l"}]).encode(), JSON, "U+0000"),
    "a number that is none": ("/v1/projects/file/explain", b'{"text": "owl", "top": true}', JSON, "top"),
    "a number in quotes": ("/v1/projects/file/explain", b'{"text": "owl", "top": "5"}', JSON, "top"),
    "a NUL in a name": (LEARN, json.dumps([{**OWL, "document_id": "a\0b"}]).encode(), JSON, "document_id"),
    "a category that is not there": (LEARN, json.dumps([{**OWL, "subjects": [{"uri": "elf"}]}]).encode(), JSON, "elf"),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_cannot_be_read(server, name):
    path, body, headers, reason = BODIES[name]
    assert reason in ask(server.url, "POST", path, body, headers).problem(400)
    still_well(server)


def test_bytes_that_are_no_request(server):
    for sent in (b"\0" * 1000, b"GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n", b"\xff" * 100_000, b"GET /\0 HTTP/1.1\r\n\r\n"):
        with _connected(server.url) as client:
            client.sendall(sent)
            assert client.recv(12) in (b"HTTP/1.1 400", b"")
    still_well(server)


def test_a_nul_in_a_text_and_in_an_address(server):
    assert suggest(server.url, "an owl\0hoots").status == 200
    assert "not found" in ask(server.url, "GET", "/v1/projects/%00").problem(404)
    assert ask(server.url, "GET", "/v1/projects/..%2f..%2fetc%2fpasswd").status == 404
    still_well(server)


# Limits.


def test_too_much_of_one_thing(server):
    assert "more than 5,000" in ask(
        server.url, "POST", SUGGEST, urlencode({"text": "a" * 5001}).encode(), FORM
    ).problem(413)
    many = {"documents": [{"text": "owl"}] * 51}
    assert "51 texts are more than 50" in ask(server.url, "POST", "/v1/projects/file/classify", many).problem(413)
    assert "send a form" in ask(server.url, "POST", SUGGEST, {"text": "owl"}).problem(415)
    still_well(server)


def test_too_many_requests_at_a_time(tmp_path):
    model = make_model(tmp_path / "file.classmark")
    body = {"documents": [{"text": " ".join(TEXTS) * 20}] * 300}
    with running({"file": model}, "--max-requests", "1", folder=tmp_path) as server:
        with ThreadPoolExecutor(16) as pool:
            path = "/v1/projects/file/classify"
            answers = list(pool.map(lambda _: ask(server.url, "POST", path, body), range(32)))
        refused = [answer for answer in answers if answer.status != 200]
        assert refused
        assert len(refused) < len(answers)
        for answer in refused:
            assert "too many requests: 1 at a time" in answer.problem(429)
            assert answer.headers["retry-after"] == "1"
        still_well(server)


def test_what_takes_too_long(tmp_path):
    model = make_model(tmp_path / "file.classmark")
    with running({"file": model}, "--max-seconds", "0.3", folder=tmp_path) as server:
        with _connected(server.url) as client:
            client.sendall(f"POST {LEARN} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n[".encode())
            assert "the request took longer than 0.3 seconds" in answer_on(client).problem(408)
        still_well(server)


# Clients.


@pytest.fixture
def many_files() -> Iterator[None]:
    """Let this process have as many connections as it may."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("many_files")
def test_a_thousand_slow_clients(server):
    """Half of them send the head of a request a byte at a time, the others the body."""
    head = f"POST {SUGGEST} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {FORM['Content-Type']}\r\n"
    clients = [_connected(server.url) for _ in range(1000)]
    try:
        for number, client in enumerate(clients):
            client.sendall(head.encode() + (b"Content-Length: 1000\r\n\r\ntext=" if number % 2 else b"X-Slow: "))
        for _ in range(3):
            for client in clients:
                client.sendall(b"a")
            still_well(server)
        with ThreadPoolExecutor(16) as pool:
            assert {answer.status for answer in pool.map(lambda _: suggest(server.url), range(200))} == {200}
    finally:
        for client in clients:
            client.close()
    still_well(server)


def test_held_bodies_that_fill_the_memory_keep_no_post_out(server):
    """A client whose half-sent bodies leave no byte for others loses one of them, and others are answered."""
    head = f"POST {LEARN} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n".encode()
    clients = [_connected(server.url) for _ in range(16)]
    try:
        for client in clients:
            client.sendall(head + b"[" * 999_999)
        dropped = []
        while not dropped:
            still_well(server)
            dropped = select.select(clients, [], [], 0)[0]
        still_well(server)
        assert "too much is being sent" in answer_on(dropped[0]).problem(429)
    finally:
        for client in clients:
            client.close()
    still_well(server)


def test_clients_that_leave(server):
    form = urlencode({"text": " ".join(TEXTS) * 10}).encode()
    whole = f"POST {SUGGEST} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {FORM['Content-Type']}\r\n"
    request = whole.encode() + b"Content-Length: %d\r\n\r\n" % len(form) + form
    for length in [*range(1, len(request), len(request) // 40), len(request)]:
        with _connected(server.url) as client:
            # Nothing is sent after this, and what is answered is not taken: the connection is reset.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.sendall(request[:length])
    still_well(server)


def test_two_people_and_one_document(server):
    added = ask(server.url, "POST", f"{REVIEW}/add", {"documents": [{"document_id": "d", "text": "an owl"}]})
    (document,) = added.json["documents"]
    verdict = {"document_id": "d", "verdict": "correct", "revision": document["revision"]}
    first = ask(server.url, "POST", REVIEW, verdict | {"labels": ["owl"], "who": "Ada"})
    assert first.status == 200
    second = ask(server.url, "POST", REVIEW, verdict | {"labels": ["gull"], "who": "Ben"})
    told = second.problem(409)
    assert "was corrected by Ada at " in told
    assert first.json["at"][:16] in told
    still_well(server)


def test_two_who_correct_at_once(server):
    """Of several at the same moment exactly one is first, and the others are told."""
    ask(server.url, "POST", f"{REVIEW}/add", {"documents": [{"document_id": "e", "text": "a gull"}]})

    def correct(number: int) -> int:
        body = {"document_id": "e", "verdict": "correct", "labels": ["gull"], "revision": 0, "who": f"person {number}"}
        return ask(server.url, "POST", REVIEW, body).status

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(correct, range(8))) == [200] + [409] * 7
