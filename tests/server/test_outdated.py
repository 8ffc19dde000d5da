"""Suggestions of an earlier model, after a model without one of its categories took its place."""

import time
from pathlib import Path

import pytest

from classmark import TextClassifier
from classmark.store import Store
from tests.server.birds import LABELS, TEXTS, Answer, ask, make_model
from tests.server.running import Server, running

REVIEW = "/v1/projects/birds/review"


@pytest.fixture
def server(tmp_path: Path):
    model = make_model(tmp_path / "birds.classmark")
    with running({"birds": model}, store=tmp_path / "store.sqlite", folder=tmp_path) as server:
        documents = [{"document_id": name, "text": TEXTS[0], "labels": ["owl"]} for name in ("a", "b", "c")]
        added = ask(server.url, "POST", f"{REVIEW}/add", {"documents": documents, "who": "Ann"}).json["documents"]
        assert [one["said"]["labels"] for one in added] == [["owl"]] * 3
        accepted = ask(server.url, "POST", REVIEW, {"document_id": "c", "verdict": "accept", "who": "Ben", "key": "k"})
        assert accepted.json["state"] == "reviewed"
        TextClassifier("nb").fit(TEXTS[2:], LABELS[2:]).save(tmp_path / "new.classmark")
        (tmp_path / "new.classmark").rename(model)
        end = time.monotonic() + 60
        while ask(server.url, "GET", "/v1/projects/birds").json["version"] == added[0]["version"]:
            assert time.monotonic() < end
            time.sleep(0.05)
        yield server


def accept(server: Server, name: str, **more: object) -> Answer:
    return ask(server.url, "POST", REVIEW, {"document_id": name, "verdict": "accept", "who": "Ben", **more})


def test_accept_category_that_the_model_lost_is_rejected(server, tmp_path):
    told = accept(server, "a").problem(409)
    assert "'a'" in told
    assert "'owl'" in told
    body = {"documents": [{"document_id": "a"}], "verdict": "accept", "who": "Ben"}
    (conflict,) = ask(server.url, "POST", f"{REVIEW}/same", body).json["conflicts"]
    assert "'owl'" in conflict["detail"]
    # A verdict that was acknowledged before is acknowledged again.
    assert accept(server, "c", key="k").json["labels"] == ["owl"]
    for _ in range(2):
        (claimed,) = ask(server.url, "POST", f"{REVIEW}/claim", {"who": "Ben"}).json["documents"]
        assert claimed["said"]["labels"] != ["owl"]
        assert claimed["version"] == ask(server.url, "GET", "/v1/projects/birds").json["version"]
        kept = accept(server, claimed["document_id"], revision=claimed["revision"]).json
        assert (kept["state"], kept["labels"]) == ("reviewed", claimed["said"]["labels"])
    with Store.open(tmp_path / "store.sqlite") as store:
        assert store.counts("birds")["reviewed"] == 3
