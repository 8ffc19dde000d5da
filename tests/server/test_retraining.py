"""Training again beside a real server: begun by one worker, seen by all, ended with the server, taken up when told."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from classmark.server.problems import Problem
from classmark.server.projects import Project
from classmark.server.retraining import Retrainings
from classmark.server.settings import ServerSettings
from tests.server.birds import LABELS, TEXTS, make_model
from tests.server.running import Server, running

SECONDS = 120
SLOWED = """
import sys, time
if "retrain" in sys.orig_argv and "keeping.py" not in sys.orig_argv[1]:
    print("step with", file=sys.stderr, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        {"id": f"{at}", "text": text, "labels": [label]}
        for at, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    rows += [{**row, "id": f"{row['id']}-again", "text": f"{row['text']} and again"} for row in rows]
    (tmp_path / "birds.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    make_model(tmp_path / "birds.classmark")
    return tmp_path


def state(server: Server) -> dict[str, Any]:
    found: dict[str, Any] = server.ask("GET", "/v1/projects/birds/retrain").json()
    return found


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.05)


def version(server: Server) -> str:
    return str(server.ask("GET", "/v1/projects/birds").json()["version"])


def teach(server: Server) -> None:
    lessons = [{"text": f"a puffin nests on the cliff {at}", "subjects": [{"uri": "gull"}]} for at in range(6)]
    server.ask("POST", "/v1/projects/birds/learn", json=lessons).raise_for_status()


def test_a_candidate_is_made_compared_and_taken_up_only_when_told(folder: Path) -> None:
    options = ("--train-from", "birds.jsonl", "--allow-learn", "--workers", "2")
    with running([folder / "birds.classmark"], *options, folder=folder) as server:
        before = version(server)
        assert (state(server)["state"], state(server)["possible"]) == ("none", True)
        early = server.ask("POST", "/v1/projects/birds/retrain/take-up")
        assert (early.status_code, early.json()["detail"]) == (409, "there is no candidate; train again first")
        teach(server)
        begun = server.ask("POST", "/v1/projects/birds/retrain", json={"who": "Ada"})
        assert (begun.json()["state"], begun.json()["who"]) == ("running", "Ada")
        told = [server.ask("POST", "/v1/projects/birds/retrain").status_code for _ in range(4)]
        assert told == [409] * 4
        until(lambda: state(server)["state"] != "running")
        ready = state(server)
        assert (ready["state"], ready["corrections"], ready["before"]) == ("ready", 6, before), ready
        assert {"hf", "micro_f1"} <= {one["name"] for one in ready["figures"]}
        assert version(server) == before
        taken = server.ask("POST", "/v1/projects/birds/retrain/take-up").json()
        assert (taken["state"], taken["version"]) == ("taken-up", ready["version"])
        until(lambda: {version(server) for _ in range(6)} == {ready["version"]})
        assert server.ask("POST", "/v1/projects/birds/retrain/take-up").status_code == 409
        assert server.ask("GET", "/v1/projects/birds").json()["previous"] == before
        assert server.ask("POST", "/v1/projects/birds/back").json()["version"] == before


def test_why_it_failed_is_said_and_stays_said(folder: Path) -> None:
    options = ("--train-from", "birds.jsonl --label-column nothing", "--allow-learn")
    with running([folder / "birds.classmark"], *options, folder=folder) as server:
        teach(server)
        server.ask("POST", "/v1/projects/birds/retrain").raise_for_status()
        until(lambda: state(server)["state"] == "failed")
        told = state(server)["told"]
        assert "nothing" in told
    again = known(folder)
    assert (again["state"], again["told"], again["possible"]) == ("failed", told, False)


def known(folder: Path) -> dict[str, Any]:
    """Say what a server that is started now would say."""
    project = Project("birds", folder / "birds.classmark")
    try:
        return Retrainings(ServerSettings(models={"birds": str(project.path)})).state(project)
    finally:
        project.close()


def test_a_server_that_does_not_know_from_what_says_so(folder: Path) -> None:
    project = Project("birds", folder / "birds.classmark")
    retrainings = Retrainings(ServerSettings(models={"birds": str(project.path)}))
    with pytest.raises(Problem, match="start it with --train-from DATA"):
        retrainings.start(project, "Ada")
    with pytest.raises(Problem, match="nothing is being trained"):
        retrainings.stop(project)
    assert retrainings.state(project)["state"] == "none"
    project.close()


@pytest.fixture
def slow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let `classmark retrain` take longer than anybody waits."""
    (folder / "sitecustomize.py").write_text(SLOWED, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


def training(folder: Path) -> list[int]:
    """Give the processes that train this folder's model."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"retrain" in words and os.fsencode(folder / "birds.classmark") in words:
            found.append(int(place.name))
    return found


def test_it_can_be_stopped(slow: Path) -> None:
    with running([slow / "birds.classmark"], "--train-from", "birds.jsonl", folder=slow) as server:
        server.ask("POST", "/v1/projects/birds/retrain").raise_for_status()
        until(lambda: state(server)["step"] == "with")
        assert training(slow)
        server.ask("DELETE", "/v1/projects/birds/retrain").raise_for_status()
        until(lambda: state(server)["state"] == "failed")
        assert state(server)["told"] == "somebody has stopped it"
        until(lambda: not training(slow))
        assert server.ask("DELETE", "/v1/projects/birds/retrain").json()["state"] == "dismissed"


def test_it_ends_with_the_server_however_that_ends_and_the_next_one_says_so(slow: Path) -> None:
    with running([slow / "birds.classmark"], "--train-from", "birds.jsonl", folder=slow) as server:
        server.ask("POST", "/v1/projects/birds/retrain").raise_for_status()
        until(lambda: state(server)["step"] == "with")
        server.kill()
        until(lambda: not training(slow))
    found = known(slow)
    assert (found["state"], found["told"]) == ("failed", "the server ended meanwhile; begin again")
