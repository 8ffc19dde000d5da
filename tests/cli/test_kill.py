"""`kill -9` in the middle of a command, and the same command again: the same bits as if nothing had happened."""

import json
import re
import shutil
import signal
from pathlib import Path

import pytest

from classmark import checkpoints
from classmark.progress import listening
from tests.cli.conftest import run_here
from tests.stopping import KILLED


@pytest.fixture
def many(folder, documents):
    """Documents enough for several writes, some without an id."""
    numbered = [
        {**documents[number % len(documents)], "id": str(number) if number % 3 else None} for number in range(90)
    ]
    return folder("many", [{name: value for name, value in one.items() if value is not None} for one in numbered])


def killed(start, what: str, done: int, *arguments: object) -> None:
    process = start(*arguments, before=KILLED.format(what=what, done=done))
    said, complaint = process.communicate()
    assert process.returncode == -signal.SIGKILL, complaint.decode()
    assert said == b""


@pytest.mark.parametrize(
    ("method", "what", "done", "given"),
    [
        ("adaboost-mh", "rounds", 200, ["--set", "n_estimators=400"]),
        ("mp-boost", "rounds", 20, ["--set", "n_estimators=30"]),
        ("pcem", "iterations", 20, ["--set", "max_iter=30", "--set", "tol=0", "--label-rate", "0.5"]),
    ],
)
def test_training_goes_on(run, start, refused, animals, method, what, done, given):
    train = ["train", animals, "-m", method, *given]
    run(*train, "-o", "whole")
    killed(start, what, done, *train, "-o", "cut")
    assert sorted(path.name for path in Path.cwd().glob("cut*")) == ["cut.checkpoint"]
    assert re.search(r"cut\.checkpoint:.*was stopped", refused(*train, "-o", "cut"))
    other = [*train, "-o", "cut", "--resume", "--seed", 7, "--set", "smoothing=0.5"]
    assert "cut.checkpoint: of another run (other " in (said := refused(*other))
    assert "smoothing" in said
    run(*train, "-o", "cut", "--resume")
    assert Path("cut").read_bytes() == Path("whole").read_bytes()
    assert not Path("cut.checkpoint").exists()


def test_an_index_goes_on_after_what_is_in(run, start, refused, many, animals):
    add = ["index", "add", "cut", many]
    killed(start, "adding", 65, *add)
    found = run("index", "info", "cut", "--check", "--json").json
    assert (found["documents"], found["unfinished"]) == (60, 60)
    other = refused("index", "add", "cut", animals, "--resume")
    assert "its first 60 documents are not those that were added to cut" in other
    shutil.copytree("cut", "again")
    assert "an addition was stopped after 60 documents" in run("index", "add", "again", many).err
    assert "unfinished" not in run("index", "info", "again", "--json").json
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("classmark.service.indexing.DOCUMENTS_IN_A_WRITE", 20)
        assert run(*add, "--resume", "--json").json["added"] == 30
        run("index", "add", "whole", many)
    files = {path.name: path.read_bytes() for path in Path("whole").iterdir()}
    assert {path.name: path.read_bytes() for path in Path("cut").iterdir()} == files
    assert "no addition was stopped here" in refused(*add, "--resume")
    assert "no index" in refused("index", "add", "none", many, "--resume")


def test_tuning_goes_on_with_the_trials_that_are_done(run, start, refused, animals):
    tune = ["tune", animals, "-m", "nb", "--try", "smoothing=0.1,0.5,1,2", "--validation", 3]
    assert re.search(r"cut\.trials\.jsonl:.*no trials", refused(*tune, "-o", "cut", "--resume"))
    killed(start, "trials", 3, *tune, "-o", "cut")
    before = Path("cut.trials.jsonl").read_bytes()
    assert before.count(b"\n") == 4
    run(*tune, "-o", "cut", "--resume")
    run(*tune, "-o", "whole")
    assert Path("cut.trials.jsonl").read_bytes().startswith(before)
    assert Path("cut").read_bytes() == Path("whole").read_bytes()
    assert [_tried(name) for name in ("cut", "whole")] == [_tried("whole")] * 2


def _tried(name: str) -> list[object]:
    """Give the settings and scores of the trials of a search."""
    lines = Path(f"{name}.trials.jsonl").read_text().splitlines()[1:]
    return [(trial["settings"], trial["score"]) for trial in map(json.loads, lines)]


def test_an_interruption_says_that_it_goes_on(run, animals):
    """Ctrl-C during EM: no model is worth keeping, and the checkpoint is named."""

    def listen(what: str, done: int, total: int | None) -> None:
        if (what, done) == ("iterations", 3):
            raise KeyboardInterrupt

    train = ["train", animals, "-m", "em", "--label-rate", "0.5", "--set", "tol=0", "--set", "max_iter=6"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "SECONDS_BETWEEN", 0.0)
        patch.setattr(checkpoints, "TIMES_AS_LONG", 0.0)
        with listening(listen):
            cut = run_here(*train, "-o", "cut")
    assert cut.code == 1
    assert "interrupted; cut.checkpoint has what was learned, and --resume goes on from it" in cut.err
    assert not Path("cut").exists()
    run(*train, "-o", "cut", "--resume")
    run(*train, "-o", "whole")
    assert Path("cut").read_bytes() == Path("whole").read_bytes()
