"""Past Annif: label sets, reasons, categories, versions, and what is told of the server."""

import shutil
import time

import pytest

from classmark import TextClassifier
from classmark.service.answering import Question, classify
from tests.server.birds import TEXTS, TREE, make_model
from tests.server.running import running

QUESTIONS = ["a wise owl", "the cold deep sea", "", "kelp and gulls at the harbour", "<script>alert(1)</script>"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("classifying")
    make_model(folder / "birds.classmark")
    several = [["owl", "cod"] if at % 3 == 0 else ["gull"] for at in range(len(TEXTS))]
    TextClassifier("linear-svm", hierarchy=TREE).fit(TEXTS, several).save(folder / "several.classmark")
    return folder


@pytest.fixture(scope="module")
def server(folder):
    models = [folder / "birds.classmark", folder / "several.classmark"]
    with running(models, store=folder / "store.sqlite") as server:
        yield server


@pytest.mark.parametrize("project", ["birds", "several"])
def test_label_sets_are_those_of_predict(server, folder, project):
    model = TextClassifier.load(folder / f"{project}.classmark")
    body = {"documents": [{"document_id": str(at), "text": text} for at, text in enumerate(QUESTIONS)]}
    answer = server.ask("POST", f"/v1/projects/{project}/classify", json=body)
    expected = classify(model, [(str(at), text) for at, text in enumerate(QUESTIONS)], Question())
    found = answer.json()["documents"]
    assert [(one["document_id"], one["labels"]) for one in found] == [(one.id, list(one.labels)) for one in expected]
    assert answer.headers["x-classmark-version"] == answer.json()["version"]
    for one in found:
        own = TREE.own(TREE.close(_indicator(one["labels"])))
        assert {placed["name"] for placed in one["own"]} == {TREE.names[node] for node in own.indices}
        assert all(placed["path"] == list(TREE.path(placed["name"])) for placed in one["own"])
        least = min((placed["chance"] for placed in one["own"]), default=0.0)
        assert one["doubt"] == pytest.approx(1 - least)


def _indicator(labels):
    from scipy.sparse import csr_array

    return csr_array([[name in labels for name in TREE.names]])


def test_answers_that_are_sure_enough(server):
    ask = {"documents": [{"text": "a wise owl"}], "min_precision": 0.9}
    assert server.ask("POST", "/v1/projects/birds/classify", json=ask).status_code == 200
    told = server.ask("POST", "/v1/projects/several/classify", json=ask)
    assert (told.status_code, "no probabilities" in told.json()["detail"]) == (400, True)


@pytest.mark.parametrize("text", ["", "qqqq zzzz"])
def test_classify_suggest_and_explain_text_without_known_terms_return_nothing_and_a_flag(server, text):
    documents = {"documents": [{"text": text}, {"text": "a wise owl"}]}
    unknown, known = server.ask("POST", "/v1/projects/birds/classify", json=documents).json()["documents"]
    assert (unknown["no_known_terms"], unknown["labels"], unknown["own"], unknown["doubt"]) == (True, [], [], 1.0)
    assert not known["no_known_terms"]
    assert known["labels"]
    answer = server.ask("POST", "/v1/projects/birds/suggest", data={"text": text}).json()
    assert answer == {"results": [], "no_known_terms": True}
    batch = server.ask("POST", "/v1/projects/birds/suggest-batch", json=documents).json()
    assert [one["no_known_terms"] for one in batch] == [True, False]
    explained = server.ask("POST", "/v1/projects/birds/explain", json={"text": text, "near": 3}).json()
    assert explained["near"] == []
    assert not any(one["accepted"] for one in explained["explanations"])


def test_reasons(server):
    ask = {"text": "a wise owl", "why_not": True, "marked": True, "along": True}
    answer = server.ask("POST", "/v1/projects/birds/explain", json=ask).json()
    (why,) = answer["explanations"]
    assert (why["category"], why["path"]) == ("owl", ["birds", "owl"])
    assert "owl" in [term["term"] for term in why["terms"]]
    assert why["why_not"]["category"] in TREE.names
    told = server.ask("POST", "/v1/projects/birds/explain", json={"text": "owl", "categories": ["kelpp"]})
    assert (told.status_code, "did you mean 'kelp'" in told.json()["detail"]) == (400, True)


def test_categories(server):
    tops = server.ask("GET", "/v1/projects/birds/taxonomy").json()
    assert [(one["name"], one["children"], one["below"]) for one in tops["categories"]] == [
        ("birds", 2, 2),
        ("sea", 2, 2),
    ]
    below = server.ask("GET", "/v1/projects/birds/taxonomy?parent=birds&limit=1&offset=1").json()
    assert ([one["name"] for one in below["categories"]], below["total"]) == (["owl"], 2)
    found = server.ask("GET", "/v1/projects/birds/taxonomy?q=ELP").json()["categories"]
    assert [(one["name"], one["path"]) for one in found] == [("kelp", ["sea"])]
    assert server.ask("GET", "/v1/projects/birds/taxonomy?parent=fish").status_code == 404
    assert server.ask("GET", "/v1/projects/birds/taxonomy?parent=birds&q=x").status_code == 400


def test_state(server):
    assert server.ask("GET", "/healthz").json() == server.ask("GET", "/readyz").json() == {"status": "ok"}
    server.ask("POST", "/v1/projects/birds/suggest", data={"text": "owl"})
    numbers = server.ask("GET", "/metrics").text
    route = "/v1/projects/{project_id}/suggest"
    assert f'classmark_requests_total{{method="POST",route="{route}",status="200"}}' in numbers
    assert 'classmark_batch_texts_count{project="birds"}' in numbers
    assert 'classmark_confidence_count{project="birds"}' in numbers


def test_the_description_loads_nothing_from_elsewhere(server):
    page = server.ask("GET", "/docs")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert page.text.count("://") == page.text.count("http://example.org")
    assert "/v1/projects/{project_id}/suggest" in page.text
    described = server.ask("GET", "/openapi.json").json()
    assert {"/v1/projects/{project_id}/classify", "/v1/detect-language"} <= described["paths"].keys()


def test_headers(server):
    answer = server.ask("GET", "/v1/")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "server" not in answer.headers


def test_a_replaced_model_is_taken_up_and_the_one_before_put_back(tmp_path):
    path = make_model(tmp_path / "birds.classmark")
    with running([path], store=tmp_path / "store.sqlite") as server:
        first = _version(server)
        make_model(tmp_path / "other.classmark", 4)
        shutil.move(tmp_path / "other.classmark", path)
        second = _until(server, lambda version: version != first)
        assert server.ask("GET", "/v1/projects/birds").json()["previous"] == first
        back = server.ask("POST", "/v1/projects/birds/back").json()
        assert (back["version"], back["previous"]) == (first, second)
        assert server.ask("POST", "/v1/projects/birds/back").json()["version"] == second

        path.write_bytes(b"no model")
        _until(server, lambda _: server.ask("GET", "/v1/projects/birds").json()["problem"] is not None)
        assert _version(server) == second
        assert server.ask("POST", "/v1/projects/birds/back").json()["problem"] is None
        TextClassifier.load(path)


def test_there_is_nothing_to_go_back_to(server):
    answer = server.ask("POST", "/v1/projects/birds/back")
    assert (answer.status_code, "no version before" in answer.json()["detail"]) == (409, True)


def _version(server):
    return server.ask("POST", "/v1/projects/birds/suggest", data={"text": "owl"}).headers["x-classmark-version"]


def _until(server, holds):
    for _ in range(300):
        version = _version(server)
        if holds(version):
            return version
        time.sleep(0.05)
    raise AssertionError(f"still {version}: {server.lines}")
