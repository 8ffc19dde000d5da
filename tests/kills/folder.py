"""A folder with an index and models that commands are run in and killed, and what must hold of it afterwards."""

import json
import random
from pathlib import Path
from typing import Any

import msgspec

from classmark import TextClassifier
from classmark.index import LiveIndex
from classmark.index.manifest import LOCK, NAME
from classmark.persistence import save
from classmark.tuning.problem import Trial

CATEGORIES = ("owl", "gull", "cod", "oak")
DOCUMENTS_IN_A_WRITE = 20
Content = dict[str, tuple[dict[str, float], list[str]]]
"""Documents by their ids: features and labels."""


class Folder:
    """What is there for certain, and the commands that may change it.

    The index is `index`, what was packed `packed.classmark`, and `train` and `tune` write `trained.classmark` and
    `tuned.classmark` from `corpus.jsonl`.
    """

    def __init__(self, place: Path, rng: random.Random) -> None:
        self.place = place
        self.rng = rng
        self.known: Content = {}
        self.fresh = 0
        self.models: dict[str, bytes] = {}
        place.mkdir()
        self._write_documents("corpus.jsonl", self._new_documents(40))

    def _new_documents(self, count: int) -> Content:
        """Give documents that were never there, and some that replace others."""
        names = [f"n{self.fresh + number}" for number in range(count)]
        self.fresh += count
        names += self.rng.sample(sorted(self.known), min(len(self.known), count // 4))
        return {name: (self._features(name), [self.rng.choice(CATEGORIES)]) for name in names}

    def _features(self, name: str) -> dict[str, float]:
        words = self.rng.sample(range(50), 5)
        return {f"w{word}": float(self.rng.randrange(1, 4)) for word in words} | {name: 1.0}

    def _write_documents(self, name: str, documents: Content) -> None:
        lines = [{"id": one, "features": features, "labels": labels} for one, (features, labels) in documents.items()]
        (self.place / name).write_text("".join(json.dumps(line) + "\n" for line in lines))

    # The commands: their arguments, and every state of the index that may be there when they are killed, the last one
    # when they have said that they are done.

    def add(self) -> tuple[list[str], list[Content]]:
        new = self._new_documents(self.rng.randrange(1, 70))
        self._write_documents("new.jsonl", new)
        items = list(new.items())
        stops = range(0, len(items) + DOCUMENTS_IN_A_WRITE, DOCUMENTS_IN_A_WRITE)
        return ["index", "add", "index", "new.jsonl"], [self.known | dict(items[:stop]) for stop in stops]

    def delete(self) -> tuple[list[str], list[Content]]:
        gone = self.rng.sample(sorted(self.known), min(len(self.known), self.rng.randrange(1, 20)))
        (self.place / "gone.txt").write_text("".join(f"{name}\n" for name in gone))
        left = {name: content for name, content in self.known.items() if name not in gone}
        return ["index", "delete", "index", "gone.txt"], [self.known, left]

    def compact(self) -> tuple[list[str], list[Content]]:
        return ["index", "compact", "index"], [self.known]

    def pack(self) -> tuple[list[str], list[Content]]:
        return ["index", "pack", "index", "-o", "packed.classmark"], [self.known]

    def train(self) -> tuple[list[str], list[Content]]:
        method = self.rng.choice(["linear-svm", "nb", "knn-bm25"])
        return ["train", "corpus.jsonl", "-m", method, "-o", "trained.classmark"], [self.known]

    def tune(self) -> tuple[list[str], list[Content]]:
        tried = ["--try", "k=1,3,5", "--validation", "10"]
        return ["tune", "corpus.jsonl", "-m", "knn-bm25", *tried, "-o", "tuned.classmark"], [self.known]

    def check(self, states: list[Content], done: bool) -> None:
        """See that one of the states is there, whole, and the last if the command was done; take it for certain."""
        found = self._documents()
        allowed = states[-1:] if done else states
        assert found in allowed, f"{len(found)} documents, instead of {[len(state) for state in allowed]}"
        self.known = found
        for name in ("packed", "trained", "tuned"):
            path = self.place / f"{name}.classmark"
            if path.exists():
                TextClassifier.load(path).predict([{"w1": 1.0}])
            assert path.exists() >= (path.name in self.models), f"{path.name} is gone"
            self.models |= {path.name: b""} if path.exists() else {}

    def _documents(self) -> Content:
        if not (self.place / "index" / NAME).exists():
            return {}
        index = LiveIndex.open(self.place / "index")
        index.verify()
        return {name: (features, labels) for name, features, labels in index.documents()}

    def check_nothing_is_left(self) -> None:
        """Write once into the index, and beside the models; nothing else may be there then."""
        index = self.place / "index"
        live = LiveIndex.open(index) if (index / NAME).exists() else LiveIndex.create(index)
        live.add(["next"], [{"w1": 1.0}], [["owl"]])
        self.known = self.known | {"next": ({"w1": 1.0}, ["owl"])}
        there = {path.name for path in index.iterdir()}
        assert there == {NAME, LOCK, *live.manifest.files}, f"left in the index: {there}"
        save(self.place / "other.classmark", {})
        expected = {"index", "corpus.jsonl", "new.jsonl", "gone.txt", "other.classmark", "tuned.classmark.trials.jsonl"}
        left = {path.name for path in self.place.iterdir()} - expected - set(self.models)
        assert not left, f"left beside the models: {left}"
        self._check_trials()

    def _check_trials(self) -> None:
        """See that the search can be taken up: whole lines, and perhaps one that was cut off."""
        path = self.place / "tuned.classmark.trials.jsonl"
        lines: list[Any] = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        for line in lines[1:]:
            msgspec.json.decode(line, type=Trial)
