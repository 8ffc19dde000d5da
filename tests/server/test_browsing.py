"""What a real server says of a category: its place, words, documents and measured quality."""

import json
from collections.abc import Iterator

import pytest

from tests.server.birds import TEXTS, make_index, make_model
from tests.server.running import Server, running

FIGURES = {
    "documents": 10,
    "hierarchical": {"hf": 0.8},
    "leaves": {"micro_f1": 0.7, "macro_f1": 0.6},
    "categories": [
        {
            **{"category": "owl", "documents": 4, "predicted": 5, "precision": 0.6, "recall": 0.75, "f1": 2 / 3},
            "instead": [{"category": "gull", "documents": 1}, {"category": "no such", "documents": 1}],
        }
    ],
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("browsing")
    models = {"file": make_model(folder / "file.classmark"), "live": make_index(folder / "live")}
    (folder / "figures.json").write_text(json.dumps(FIGURES), "utf-8")
    (folder / "nodes.tsv").write_text("node\tname\tdescription\nkelp\tkelp\tbrown weed of the shore\n", "utf-8")
    options = ("--figures", "file=figures.json", "--descriptions", "file=nodes.tsv")
    with running(models, *options, folder=folder) as started:
        yield started


def test_a_category_its_words_and_its_quality(server: Server) -> None:
    owl = server.ask("GET", "/v1/projects/file/node", params={"uri": "owl", "top": 3}).json()
    assert (owl["label"], owl["children"], owl["learned"]) == ("owl", 0, True)
    assert [one["label"] for one in owl["way"]] == ["birds", "owl"]
    assert "night" in [one["word"] for one in owl["words"]["for"]]
    assert owl["nearest"] == []
    assert owl["figures"] == {
        **{"documents": 4, "predicted": 5, "precision": 0.6, "recall": 0.75, "f1": 2 / 3},
        "instead": [{"uri": "gull", "label": "gull", "documents": 1}],
    }
    assert server.ask("GET", "/v1/projects/file/node", params={"uri": "gull"}).json()["figures"] is None


def test_what_is_no_category_is_not_there(server: Server) -> None:
    told = server.ask("GET", "/v1/projects/file/node", params={"uri": "owls"})
    assert told.status_code == 404
    assert told.json()["detail"].endswith("(did you mean 'owl'?)")
    assert server.ask("GET", "/v1/projects/file/node").status_code == 400


def test_a_category_is_found_by_its_description(server: Server) -> None:
    found = server.ask("GET", "/v1/projects/file/taxonomy", params={"q": "weed brown"}).json()
    assert [one["name"] for one in found["categories"]] == ["kelp"]
    kelp = server.ask("GET", "/v1/projects/file/node", params={"uri": "kelp"}).json()
    assert kelp["description"] == "brown weed of the shore"


def test_the_page_of_siblings_that_a_category_stands_on(server: Server) -> None:
    asked = {"parent": "sea", "around": "kelp", "limit": 1}
    found = server.ask("GET", "/v1/projects/file/taxonomy", params=asked).json()
    assert (found["offset"], [one["name"] for one in found["categories"]]) == (1, ["kelp"])
    assert server.ask("GET", "/v1/projects/file/taxonomy", params={"around": "kelp"}).status_code == 404


def test_its_documents_are_those_of_the_store(server: Server) -> None:
    documents = [
        {"document_id": "right", "text": "the owl hoots at night"},
        {"document_id": "wrong", "text": "the owl hoots at night in the wood"},
        {"document_id": "quoted", "text": "the tide leaves kelp on the rocks"},
    ]
    server.ask("POST", "/v1/projects/file/review/add", json={"documents": documents}).raise_for_status()
    verdict = {"document_id": "wrong", "verdict": "correct", "labels": ["gull"], "who": "Ada"}
    server.ask("POST", "/v1/projects/file/review", json=verdict).raise_for_status()
    owl = server.ask("GET", "/v1/projects/file/node/documents", params={"uri": "owl"}).json()
    assert [(one["document_id"], one["state"]) for one in owl["documents"]] == [("right", "waiting")]
    gull = server.ask("GET", "/v1/projects/file/node/documents", params={"uri": "gull"}).json()
    assert [(one["document_id"], one["state"]) for one in gull["documents"]] == [("wrong", "human")]
    assert (gull["more"], gull["indexed"], gull["indexed_total"]) == (False, [], 0)


def test_its_documents_are_those_of_the_live_index_too(server: Server) -> None:
    asked = {"uri": "owl", "limit": 1}
    first = server.ask("GET", "/v1/projects/live/node/documents", params=asked).json()
    second = server.ask("GET", "/v1/projects/live/node/documents", params={**asked, "offset": 1}).json()
    assert [*first["indexed"], *second["indexed"]] == ["first-0", "first-1"]
    assert first["indexed_total"] == 2
    live = server.ask("GET", "/v1/projects/live/node", params={"uri": "birds"}).json()
    assert live["learned_from"] == len(TEXTS) // 2


def test_what_nearly_made_it(server: Server) -> None:
    asked = {"text": "the owl hoots at night over the harbour", "near": 2}
    found = server.ask("POST", "/v1/projects/file/explain", json=asked).json()
    assert found["explanations"][0]["category"] == "owl"
    assert found["near"][0]["name"] == "gull"
    assert found["near"][0]["path"] == ["birds", "gull"]
    assert found["near"][0]["chance"] >= found["near"][1]["chance"]
    assert server.ask("POST", "/v1/projects/file/explain", json={"text": "an owl"}).json()["near"] == []
