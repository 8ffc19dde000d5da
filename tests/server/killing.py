"""Kill a server at random moments while corrections flow: what it has acknowledged is there, and nothing is twice.

`python -m tests.server.killing --kills 20` does more of them than the tests do, on both stores.
"""

import argparse
import http.client
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from uuid import UUID

from classmark.index import LiveIndex
from classmark.service.storing import IN_AN_INDEX
from classmark.store import Store, StoredDocument
from classmark.store.documents import LABELLED
from tests import postgres
from tests.server.birds import CATEGORIES, Connection, make_index, make_model
from tests.server.running import Server, running

SENDERS = 4
PROJECTS = ("file", "live")


@dataclass(frozen=True)
class Sent:
    """A lesson of several documents, or a verdict on one, and the key that marks it."""

    project: str
    key: str
    names: list[str | None]
    labels: list[str]
    verdict: bool

    @property
    def texts(self) -> list[str]:
        """Texts that nothing else has."""
        return [f"something about {self.key} {place} was seen" for place in range(len(self.names))]

    def send(self, connection: Connection) -> None:
        """Send it, or send it again; a return is the acknowledgement."""
        if self.verdict:
            body = {"document_id": self.names[0], "verdict": "correct", "labels": self.labels, "key": self.key}
            answer = connection.ask("POST", f"/v1/projects/{self.project}/review", body | {"who": "Ada"})
            assert answer.status == 200, answer.content
            return
        documents = [
            {"text": text, "subjects": [{"uri": label}]} | ({} if name is None else {"document_id": name})
            for text, name, label in zip(self.texts, self.names, self.labels, strict=True)
        ]
        headers = {"Idempotency-Key": self.key}
        answer = connection.ask("POST", f"/v1/projects/{self.project}/learn", documents, headers)
        assert answer.status == 204, answer.content


@dataclass
class Record:
    """What was sent in all rounds, and what of it was acknowledged."""

    sent: list[Sent] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)
    kills: int = 0
    cut_off: int = 0
    """How many were under way when the server was killed, and got no answer then."""

    @property
    def unknown(self) -> list[Sent]:
        """What was sent without an answer."""
        return [one for one in self.sent if one.key not in self.acknowledged]


class Sender(Thread):
    """Somebody who sends one correction after the other, until the server is gone or it is enough."""

    def __init__(self, url: str, record: Record, killed: Event, rng: random.Random) -> None:
        super().__init__()
        self._url, self._record, self._killed, self._rng = url, record, killed, rng
        self.complaint: AssertionError | None = None

    def run(self) -> None:
        try:
            with Connection(self._url) as connection:
                while not self._killed.is_set():
                    self._send_one(connection)
        except (OSError, http.client.HTTPException) as error:
            if not self._killed.is_set():
                self.complaint = AssertionError(f"the connection was lost before anything was killed: {error!r}")
        except AssertionError as error:
            self.complaint = error

    def _send_one(self, connection: Connection) -> None:
        one = self._new()
        if one.verdict:
            body = {"documents": [{"document_id": one.names[0], "text": one.texts[0]}], "who": "Ben"}
            answer = connection.ask("POST", f"/v1/projects/{one.project}/review/add", body)
            assert answer.status == 200, answer.content
        self._record.sent.append(one)
        one.send(connection)
        self._record.acknowledged.add(one.key)

    def _new(self) -> Sent:
        key = str(UUID(int=self._rng.getrandbits(128)))
        verdict = self._rng.random() < 0.4
        count = 1 if verdict else self._rng.randrange(1, 4)
        named = [verdict or self._rng.random() < 0.5 for _ in range(count)]
        names = [f"{key}-{place}" if has else None for place, has in enumerate(named)]
        labels = [self._rng.choice(CATEGORIES) for _ in range(count)]
        return Sent(self._rng.choice(PROJECTS), key, names, labels, verdict)


class Killing:
    """A folder with two models and a store, and a server on them that is killed."""

    def __init__(self, folder: Path, store: str, seed: int) -> None:
        self.models = {"file": make_model(folder / "file.classmark"), "live": make_index(folder / "live")}
        self.folder, self.store = folder, store
        self.rng = random.Random(seed)
        self.record = Record()

    def kill_all(self, kills: int, workers: int) -> None:
        """Kill so often: the whole server, or, where it has several workers, one of them and the server in turn."""
        kinds = iter((("worker", "server") if workers > 1 else ("server",)) * kills)
        last = self.record.kills + kills
        gone = True
        while gone:
            with self._served(workers) as server:
                self._check()
                self._resend(server)
                self._check()
                gone = False
                while self.record.kills < last and not gone:
                    gone = self._kill(server, next(kinds))
                    if not gone:
                        self._resend(server)
                        self._check()
        assert self.record.kills == last

    def _served(self, workers: int) -> AbstractContextManager[Server]:
        options = ("--allow-learn", "--workers", str(workers))
        return running(self.models, *options, store=self.store, folder=self.folder)

    def _kill(self, server: Server, kind: str) -> bool:
        """Let corrections flow, and kill the server, or a worker of it; say whether the server is gone."""
        killed, before = Event(), len(self.record.unknown)
        senders = [Sender(server.url, self.record, killed, random.Random(self.rng.random())) for _ in range(SENDERS)]
        for sender in senders:
            sender.start()
        time.sleep(self.rng.uniform(0.1, 1.2))
        workers = workers_of(server.process.pid)
        killed.set()
        for victim in [self.rng.choice(workers)] if kind == "worker" else [server.process.pid, *workers]:
            os.kill(victim, signal.SIGKILL)
        if kind == "server":
            assert server.process.wait() == -signal.SIGKILL
        for sender in senders:
            sender.join()
            if sender.complaint is not None:
                raise sender.complaint
        self.record.kills += 1
        self.record.cut_off += len(self.record.unknown) - before
        return kind == "server"

    def _resend(self, server: Server) -> None:
        """Send half of what was not answered again, and one more, after which the index must be up to date."""
        with Connection(server.url) as connection:
            last = Sent("live", f"last-{len(self.record.sent)}", [None], ["owl"], verdict=False)
            self.record.sent.append(last)
            for one in self.record.unknown:
                if one is last or self.rng.random() < 0.5:
                    one.send(connection)
                    self.record.acknowledged.add(one.key)

    def _check(self) -> None:
        """See that everything acknowledged is there, all else whole or not at all, and nothing twice."""
        with Store.open(self.store) as store:
            found = {project: list(all_documents(store, project)) for project in PROJECTS}
            for project, documents in found.items():
                texts = Counter(one.text for one in documents)
                assert not texts or max(texts.values()) == 1, f"{project}: a document is there twice"
                by_text = {one.text: one for one in documents}
                for sent in self.record.sent:
                    if sent.project == project:
                        self._check_one(store, sent, by_text)
            self._check_index(found["live"])

    def _check_one(self, store: Store, sent: Sent, by_text: dict[str, StoredDocument]) -> None:
        documents = [by_text[text] for text in sent.texts if text in by_text]
        verdicts = [
            verdict.labels
            for one in documents
            for verdict in store.history(sent.project, one.name)
            if verdict.key == sent.key
        ]
        given = [[label] for label in sent.labels]
        if sent.key in self.record.acknowledged:
            assert verdicts == given, f"{sent} was acknowledged, and there is {verdicts}"
            assert [one.labels for one in documents] == given
        else:
            assert verdicts in ([], given), f"{sent} is there in part: {verdicts}"

    def _check_index(self, documents: list[StoredDocument]) -> None:
        """See that the live index has the documents whose labels hold, each once."""
        index = LiveIndex.open(self.models["live"])
        index.verify()
        expected = {IN_AN_INDEX + one.name: one.labels for one in documents if one.state in LABELLED}
        there = {name: labels for name, _, labels in index.documents() if name.startswith(IN_AN_INDEX)}
        assert there == expected, f"the index has {len(there)} documents, the store {len(expected)}"


def all_documents(store: Store, project: str) -> Iterator[StoredDocument]:
    """Give all documents of a project."""
    offset = 0
    while some := store.documents(project, offset=offset, limit=1000):
        yield from some
        offset += len(some)


def workers_of(process: int) -> list[int]:
    """Give the worker processes of a server."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def main() -> None:
    """Print how many corrections were sent and acknowledged; whatever does not hold is an error."""
    parser = argparse.ArgumentParser(prog="python -m tests.server.killing", description=__doc__)
    parser.add_argument("--kills", type=int, default=20, help="how many, on each store")
    parser.add_argument("--seed", type=int, default=0, help="where the random moments come from")
    given = parser.parse_args()
    with ExitStack() as stack:
        server = stack.enter_context(postgres.running())
        for name in ("SQLite", "PostgreSQL"):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            store = str(folder / "store.sqlite") if name == "SQLite" else server.address(server.create())
            killing = Killing(folder, store, given.seed)
            killing.kill_all(given.kills // 2, workers=1)
            killing.kill_all(given.kills - given.kills // 2, workers=2)
            record = killing.record
            told = f"{record.kills} kills, {record.cut_off} of {len(record.sent)} corrections cut off by them"
            there = f"{len(record.acknowledged)} acknowledged then or when sent again"
            print(f"{name}: {told}; {there}: all of those there, none twice", flush=True)


if __name__ == "__main__":
    main()
