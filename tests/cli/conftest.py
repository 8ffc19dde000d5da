"""Commands run in this process, which takes milliseconds, or in one of their own, and a small corpus for them."""

import io
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from classmark.cli import main
from classmark.compilation import ONCE
from tests import forking

EDGES = "ROOT animal, ROOT plant, animal bird, animal fish, bird owl, bird gull, fish cod, plant oak"
HIERARCHY = "".join(edge.replace(" ", "\t") + "\n" for edge in EDGES.split(", "))

TRAIN = [
    ("hoots at night in the barn", ["owl"]),
    ("silent wings at night", ["owl"]),
    ("cries over the sea", ["gull"]),
    ("white wings above the harbour and the sea", ["gull"]),
    ("swims in cold deep water", ["cod"]),
    ("a grey fish of the cold sea", ["cod"]),
    ("grows acorns in the forest", ["oak"]),
    ("a tall tree of the forest", ["oak"]),
    ("an owl sits in the tall tree at night", ["owl", "oak"]),
]
# Some of these no model gets right, so that two evaluations that agree say something.
TEST = [
    ("who hoots at night?", ["owl"]),
    ("wings over the harbour", ["gull"]),
    ("cold water fish", ["cod"]),
    ("an owl in the tree of the forest", ["owl", "oak"]),
    ("acorns fall into the cold sea", ["oak"]),
    ("nothing that anyone has heard of", ["gull"]),
]
DOCUMENTS = [
    {"id": f"{split}{number}", "text": text, "labels": labels, "split": split}
    for split, documents in (("train", TRAIN), ("test", TEST))
    for number, (text, labels) in enumerate(documents, 1)
]


@dataclass(frozen=True)
class Result:
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def answers(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


def run_here(*arguments: object, stdin: bytes = b"", program: Callable[[], None] = main) -> Result:
    """Run a command as the installed script does, or a program like it, but in this process."""
    given, out, err = (io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (stdin, b"", b""))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        # A process prints the warnings that are meant for users; the tests' own filter makes errors of them.
        warnings.simplefilter("default", UserWarning)
        patch.setattr(sys, "argv", ["classmark", *map(str, arguments)])
        for name, stream in (("stdin", given), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, stream)
        with pytest.raises(SystemExit) as stopped:
            program()
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    # Whichever test is the first on a machine to use a kernel sees this line.
    texts[1] = texts[1].replace(f"classmark: {ONCE}\n", "")
    return Result(int(stopped.value.code or 0), *texts)


def contents(folder: Path) -> dict[Path, bytes]:
    """Give every file below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write_documents(file: Path, documents: Sequence[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test works in a folder of its own, where names are short."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run() -> Callable[..., Result]:
    """Run a command that succeeds, and give what it printed."""

    def succeed(*arguments: object, stdin: bytes = b"") -> Result:
        result = run_here(*arguments, stdin=stdin)
        assert result.code == 0, result.err
        return result

    return succeed


@pytest.fixture
def refused(inside: Path) -> Callable[..., str]:
    """Run a command that fails as commands should: an exit code, one line that says why, and nothing written."""

    def fail(*arguments: object, code: int = 2, stdin: bytes = b"") -> str:
        before = contents(inside)
        result = run_here(*arguments, stdin=stdin)
        assert (result.code, result.out) == (code, "")
        assert result.err.startswith("classmark: ")
        assert result.err.endswith("\n")
        assert result.err.count("\n") == 1
        assert contents(inside) == before
        return result.err

    return fail


@pytest.fixture
def start() -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    """Start a command as a process; `before` is Python to run first, in the same process.

    The process is forked from one that has imported everything; with `new` it starts as a user's does.
    """
    started: list[subprocess.Popen[bytes]] = []

    def begin(*arguments: object, before: str = "", new: bool = False, **options: Any) -> "subprocess.Popen[bytes]":
        program = f"{before}\n{forking.COMMAND}"
        # Whoever runs the tests may have unbuffered output, which hides what happens when it is flushed.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        options = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE) | options
        options["env"] = environment | {"TERM": "xterm", "COLUMNS": "80"}
        if new:
            started.append(subprocess.Popen([sys.executable, "-c", program, *map(str, arguments)], **options))
        else:
            started.append(forking.start(arguments, program, **options))
        return started[-1]

    yield begin
    for process in started:
        process.kill()  # does nothing to one that has ended
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        process.wait()


@pytest.fixture
def folder(inside: Path) -> Callable[..., str]:
    """Write a dataset folder and give its name; documents may be bytes, for what JSON cannot hold."""

    def write(name: str, documents: Sequence[dict[str, Any]] | bytes, hierarchy: str | None = HIERARCHY) -> str:
        (inside / name).mkdir(exist_ok=True)
        if isinstance(documents, bytes):
            (inside / name / "docs.jsonl").write_bytes(documents)
        else:
            write_documents(inside / name / "docs.jsonl", documents)
        if hierarchy is not None:
            (inside / name / "hierarchy.tsv").write_text(hierarchy, encoding="utf-8")
        return name

    return write


@pytest.fixture
def documents() -> list[dict[str, Any]]:
    """Nine documents to train on and six to test, a path each, two of them two."""
    return deepcopy(DOCUMENTS)


@pytest.fixture
def hierarchy() -> str:
    """The categories of the documents, as `hierarchy.tsv` has them."""
    return HIERARCHY


@pytest.fixture
def animals(folder: Callable[..., str]) -> str:
    """The documents as a dataset folder."""
    return folder("animals", DOCUMENTS)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A model file of the documents, made once."""
    place = tmp_path_factory.mktemp("trained")
    write_documents(place / "docs.jsonl", DOCUMENTS)
    (place / "hierarchy.tsv").write_text(HIERARCHY, encoding="utf-8")
    assert run_here("train", place, "-o", place / "model.classmark").code == 0
    return (place / "model.classmark").read_bytes()


@pytest.fixture
def model(inside: Path, trained: bytes) -> str:
    """A model of the documents, in the test's folder."""
    (inside / "model.classmark").write_bytes(trained)
    return "model.classmark"
