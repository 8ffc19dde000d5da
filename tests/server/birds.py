"""Two small models, a file and a live index, and what is asked of them."""

import http.client
import json
import socket
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from classmark import Hierarchy, TextClassifier
from classmark.index import LiveIndex
from tests.server.running import Server

TREE = Hierarchy.from_edges([("birds", "owl"), ("birds", "gull"), ("sea", "cod"), ("sea", "kelp")])
CATEGORIES = ("owl", "gull", "cod", "kelp")
TEXTS = (
    *("the owl hoots at night in the wood", "a barn owl hunts mice at night"),
    *("a gull cries over the harbour", "gulls follow the boats to the harbour"),
    *("cod swims in the cold deep", "the cod is a fish of the cold deep"),
    *("kelp sways in the tide", "the tide leaves kelp on the rocks"),
)
LABELS = tuple(category for category in CATEGORIES for _ in range(2))
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}


def make_model(path: Path, n_texts: int = len(TEXTS)) -> Path:
    """Write a model file; of fewer texts, another model."""
    TextClassifier("nb", hierarchy=TREE).fit(TEXTS[-n_texts:], LABELS[-n_texts:]).save(path)
    return path


def make_index(path: Path) -> Path:
    """Write a live index."""
    index = LiveIndex.create(path, hierarchy=TREE)
    index.add([f"first-{place}" for place in range(len(TEXTS))], TEXTS, [[label] for label in LABELS])
    return path


class Answer(NamedTuple):
    """What a server has answered."""

    status: int
    headers: http.client.HTTPMessage
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    def problem(self, status: int) -> str:
        """Give what is said to be wrong, where it is told as every problem is."""
        assert self.status == status, (self.status, self.content[:300])
        assert self.headers["content-type"] == "application/problem+json", self.content[:300]
        assert self.json["status"] == status
        told: str = self.json["detail"]
        assert told
        return told


class Connection:
    """A connection to a server that is kept for several questions, which is faster than a new one each time."""

    def __init__(self, url: str, timeout: float = 60) -> None:
        place = urlsplit(url)
        assert place.hostname is not None
        self._connection = http.client.HTTPConnection(place.hostname, place.port, timeout=timeout)

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        """Ask something; what is neither bytes nor an iterator of them is sent as JSON."""
        sent = body if body is None or isinstance(body, bytes) or hasattr(body, "__next__") else json.dumps(body)
        kind = JSON if sent is not body else {}
        self._connection.request(method, path, sent, {**kind, **(headers or {})})
        answer = self._connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())


def ask(url: str, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
    """Ask something once."""
    with Connection(url) as connection:
        return connection.ask(method, path, body, headers)


def answer_on(client: socket.socket) -> Answer:
    """Read the answer that comes on a connection on which something was sent by hand."""
    answer = http.client.HTTPResponse(client)
    answer.begin()
    return Answer(answer.status, answer.headers, answer.read())


def suggest(url: str, text: str = "the owl hoots", project: str = "file") -> Answer:
    """Ask what anybody asks."""
    return ask(url, "POST", f"/v1/projects/{project}/suggest", urlencode({"text": text}).encode(), FORM)


def still_well(server: Server) -> None:
    """See that the server is there and answers."""
    assert server.process.poll() is None, "".join(server.lines)
    answer = suggest(server.url)
    assert answer.status == 200
    assert answer.json["results"][0]["uri"] == "owl"
