"""Ten people review at once, and in the middle the server is killed and started again: nothing is lost, or shown twice.

    python benchmarks/reviewers.py [--people 10] [--seconds 60] [--documents 30000] [--kills 1] [--store URL]

What the store has in the end is compared with what every one of them was shown and was told to be kept.
"""

import argparse
import http.client
import json
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.request import urlopen
from uuid import UUID

from classmark import Hierarchy, TextClassifier
from classmark.store import NewDocument, Store

PROJECT = "birds"
TREE = Hierarchy.from_nested({"bird": ["owl", "gull"], "sea": ["cod", "kelp"]})
TEXTS = ["hoots at night", "cries over the harbour", "swims in the deep", "sways in the tide"]
LABELS = ["owl", "gull", "cod", "kelp"]
ORDERS = ("doubt", "random", "disagreement", "suspicion")
KINDS = ("accept", "accept", "correct", "reject", "skip")
UNDONE = 0.05
"""The share of verdicts that people take back."""
PATIENCE = 60.0
"""So many seconds somebody tries again whom nobody answers."""


@dataclass
class Ledger:
    """What all were shown, and what they were told to be kept."""

    shown: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    kept: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """Document, kind and person by the key of a verdict."""
    undone: set[str] = field(default_factory=set)
    skipped: set[str] = field(default_factory=set)
    tries: int = 0
    lock: Lock = field(default_factory=Lock)


class Reviewer(Thread):
    """Somebody who gives one verdict after the other."""

    def __init__(self, name: str, port: int, ledger: Ledger, end: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.person, self._port, self._ledger, self._end = name, port, ledger, end
        self._random = random.Random(seed)
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.error: BaseException | None = None

    def run(self) -> None:
        """Review until the end, or until nothing waits."""
        try:
            while time.monotonic() < self._end and self._review():
                pass
        except BaseException as error:  # noqa: BLE001 - told to whoever waits for the thread
            self.error = error
        finally:
            self._connection.close()

    def _review(self) -> bool:
        order = self._random.choice(ORDERS)
        documents = self._ask("review/claim", {"who": self.person, "order": order})["documents"]
        if not documents:
            return False
        (document,) = documents
        name, key = document["document_id"], self._key()
        with self._ledger.lock:
            self._ledger.shown[name].add(self.person)
        kind = self._random.choice(KINDS)
        body = {"document_id": name, "verdict": kind, "revision": document["revision"], "key": key, "who": self.person}
        labels = {"labels": [self._random.choice(LABELS)]} if kind == "correct" else {}
        if kind == "skip":
            with self._ledger.lock:
                # From here on others may be shown it.
                self._ledger.skipped.add(name)
        self._ask("review", body | labels)
        with self._ledger.lock:
            self._ledger.kept[key] = (name, kind, self.person)
        if kind != "skip" and self._random.random() < UNDONE:
            self._ask("review", {"document_id": name, "verdict": "undo", "key": self._key(), "who": self.person})
            with self._ledger.lock:
                self._ledger.undone.add(key)
        return True

    def _key(self) -> str:
        return str(UUID(int=self._random.getrandbits(128)))

    def _ask(self, path: str, body: dict[str, Any]) -> Any:
        """Ask, and ask again with the same key as long as nobody answers."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self._connection.request(
                    "POST", f"/v1/projects/{PROJECT}/{path}", json.dumps(body), {"Content-Type": "application/json"}
                )
                answer = self._connection.getresponse()
                content = answer.read()
            except (OSError, http.client.HTTPException):
                self._connection.close()
                if time.monotonic() > end:
                    raise
                with self._ledger.lock:
                    self._ledger.tries += 1
                time.sleep(0.05)
                continue
            if answer.status != http.client.OK:
                raise RuntimeError(f"{self.person} was told: {content.decode()}")
            return json.loads(content)


class Server:
    """A server that can be killed and started again at the same port."""

    def __init__(self, model: Path, store: str, port: int) -> None:
        named = [f"{PROJECT}={model}", "--port", str(port), "--store", store]
        self._command = [sys.executable, "-m", "classmark", "serve", *named]
        self._port = port
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._process = subprocess.Popen(self._command, stderr=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                urlopen(f"http://127.0.0.1:{self._port}/readyz", timeout=5).read()
                return
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def kill(self) -> None:
        """End it as a failure of the machine would."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it in good order."""
        self._process.terminate()
        self._process.wait()


def fill(store: str, documents: int) -> None:
    """Let documents wait."""
    with Store.open(store) as opened:
        for start in range(0, documents, 1000):
            some = [_document(number) for number in range(start, min(start + 1000, documents))]
            opened.add(PROJECT, some, who="a file")


def _document(number: int) -> NewDocument:
    said = {"labels": [LABELS[number % 4]], "chances": [0.5]}
    text = f"{TEXTS[number % 4]} {number}"
    return NewDocument(
        name=str(number), text=text, said=said, version="1", doubt=number % 97 / 97, suspicion=number % 89 / 89
    )


def free_port() -> int:
    """Give a port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def simulate(folder: Path, store: str, people: int, seconds: float, documents: int, kills: int) -> Ledger:
    """Let people review for some seconds, the server killed some times meanwhile."""
    model = folder / "birds.classmark"
    TextClassifier("nb", hierarchy=TREE).fit(TEXTS, LABELS).save(model)
    fill(store, documents)
    ledger, port = Ledger(), free_port()
    server = Server(model, store, port)
    end = time.monotonic() + seconds
    try:
        reviewers = [Reviewer(f"person {number}", port, ledger, end, number) for number in range(people)]
        for one in reviewers:
            one.start()
        for _ in range(kills):
            time.sleep(seconds / (kills + 1))
            server.kill()
            before, patience = ledger.tries, time.monotonic() + PATIENCE
            while ledger.tries == before and time.monotonic() < patience:
                time.sleep(0.01)
            server.start()
        for one in reviewers:
            one.join(seconds + 2 * PATIENCE)
            if one.error is not None:
                raise one.error
    finally:
        server.stop()
    return ledger


def faults(ledger: Ledger, store: str, documents: int) -> list[str]:
    """Compare what the store has with what people were told; nothing where all is well."""
    shown = {name: people for name, people in ledger.shown.items() if name not in ledger.skipped}
    found = [f"{name} was shown to {sorted(people)}" for name, people in shown.items() if len(people) > 1]
    with Store.open(store) as opened:
        found += _lost(ledger, opened)
        counts = opened.counts(PROJECT)
    states = {state: counts[state] for state in ("waiting", "reviewed", "human", "rejected")}
    if counts["documents"] != documents or sum(states.values()) != documents:
        found.append(f"{documents} documents are {counts['documents']}, in states {states}")
    held = [one for key, one in ledger.kept.items() if key not in ledger.undone]
    judged = Counter(kind for _, kind, _ in held)
    expected = {"reviewed": judged["accept"], "human": judged["correct"], "rejected": judged["reject"]}
    if expected != {state: states[state] for state in expected}:
        found.append(f"people were told {expected}, the store counts {states}")
    by_person: dict[str, Counter[str]] = defaultdict(Counter)
    for _, kind, person in held:
        by_person[person][kind] += 1
    if {person: dict(kinds) for person, kinds in by_person.items()} != counts["people"]:
        found.append(f"people were told {dict(by_person)}, the store counts {counts['people']}")
    return found


def _lost(ledger: Ledger, store: Store) -> list[str]:
    """Look for verdicts that are missing, are twice, or nobody has given."""
    by_name: dict[str, dict[str, tuple[str, str, str]]] = defaultdict(dict)
    for key, one in ledger.kept.items():
        by_name[one[0]][key] = one
    found = []
    for name, kept in by_name.items():
        there = [one for one in store.history(PROJECT, name) if one.kind != "undo"]
        expected = {key: (kind, person, key in ledger.undone) for key, (_, kind, person) in kept.items()}
        if len(there) != len(expected) or {one.key: (one.kind, one.who, one.undone) for one in there} != expected:
            found.append(f"{name}: people were told {expected}, the store has {there}")
    return found


def main(given: Sequence[str] | None = None) -> None:
    """Print what came out; the exit status says whether all was well."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--documents", type=int, default=30_000)
    parser.add_argument("--kills", type=int, default=1)
    parser.add_argument("--store", help="the address of an empty store; by default a SQLite file")
    asked = parser.parse_args(given)
    with tempfile.TemporaryDirectory() as folder:
        store = asked.store or f"{folder}/store.sqlite"
        ledger = simulate(Path(folder), store, asked.people, asked.seconds, asked.documents, asked.kills)
        wrong = faults(ledger, store, asked.documents)
    verdicts = len(ledger.kept)
    told = f"{asked.people} people, {asked.seconds:g} seconds, {asked.kills} kill(s)"
    print(f"{told}: {len(ledger.shown):,} documents shown")
    print(f"{verdicts:,} verdicts kept ({verdicts / asked.seconds:,.0f} a second), {len(ledger.undone):,} taken back")
    print(f"{ledger.tries:,} questions were asked again because nobody answered")
    print("\n".join(wrong) if wrong else "no document was shown to two, no verdict is lost or twice, the counts add up")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
