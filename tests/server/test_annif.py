"""Annif's interface, asked by the client that its users have, against a running server."""

import io
import shutil

import httpx
import numpy as np
import pytest
from annif_client import AnnifClient

from classmark import TextClassifier
from classmark.index import LiveIndex
from classmark.service.answering import Question, classify
from classmark.store import Store
from tests.server.birds import CATEGORIES, LABELS, TEXTS, TREE
from tests.server.running import running

NIGHT = "who hunts at night in the wood?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("annif")
    given = {"titles": {"owl": "Owls"}, "uris": {"owl": "http://example.org/owl"}, "notations": {"owl": "598.97"}}
    TextClassifier("nb", hierarchy=TREE, **given).fit(TEXTS, LABELS).save(folder / "birds.classmark")
    TextClassifier("linear-svm", hierarchy=TREE).fit(TEXTS, LABELS).save(folder / "margins.classmark")
    index = LiveIndex.create(folder / "live", hierarchy=TREE)
    index.add([str(at) for at in range(len(TEXTS))], list(TEXTS), [[label] for label in LABELS])
    return folder


@pytest.fixture(scope="module")
def server(folder):
    models = {name: folder / path for name, path in _paths().items()}
    with running(models, "--allow-learn", store=folder / "store.sqlite") as server:
        yield server


def _paths():
    return {"birds": "birds.classmark", "margins": "margins.classmark", "live": "live"}


@pytest.fixture
def client(server):
    return AnnifClient(f"{server.url}/v1/")


def test_what_answers(client):
    assert client.api_info["title"] == "classmark"


def test_projects(client):
    assert [project["project_id"] for project in client.projects] == ["birds", "margins", "live"]
    project = client.get_project("birds")
    assert (project["language"], project["is_trained"]) == ("en", True)
    assert (project["backend"]["backend_id"], project["vocab"]["size"]) == ("nb", len(TREE))
    assert project["modification_time"].endswith("Z")
    assert [client.get_project(name)["chances"] for name in _paths()] == ["own", "squashed", "squashed"]
    assert [client.get_project(name)["learning"] for name in ("birds", "live")] == ["with the next training", "at once"]
    with pytest.raises(ValueError, match="Project 'nothing' not found"):
        client.get_project("nothing")


def test_vocabularies(server):
    vocabularies = server.ask("GET", "/v1/vocabs").json()["vocabs"]
    assert [one["vocab_id"] for one in vocabularies] == list(_paths())


def test_suggestions(client):
    best, *others = client.suggest("birds", NIGHT)
    assert {name: best[name] for name in ("uri", "label", "notation")} == {
        "uri": "http://example.org/owl",
        "label": "Owls",
        "notation": "598.97",
    }
    assert sorted(one["uri"] for one in others) == sorted(set(CATEGORIES) - {"owl"})
    assert all(0 <= one["score"] <= 1 for one in others)
    assert client.suggest("birds", io.StringIO(NIGHT), limit=1) == [best]
    assert client.suggest("birds", NIGHT, limit=0) == []
    assert [one["uri"] for one in client.suggest("birds", NIGHT, threshold=0.5)] == ["http://example.org/owl"]
    with pytest.raises(ValueError, match="not found"):
        client.suggest("nothing", NIGHT)


@pytest.mark.parametrize("project", ["birds", "margins", "live"])
def test_suggestions_are_what_predict_ranks(client, folder, project):
    model = TextClassifier.load(folder / _paths()[project])
    ranked = next(answer.labels for answer in classify(model, [("1", NIGHT)], Question(top=3)))
    named = [one["uri"].rpartition("/")[2] for one in client.suggest(project, NIGHT, limit=3)]
    assert named == ranked[: len(named)]
    assert named


def test_a_batch_scores_as_one_text_does(client):
    documents = [{"document_id": str(at), "text": text} for at, text in enumerate([*TEXTS, ""])]
    found = client.suggest_batch("margins", documents, limit=4)
    assert [one["document_id"] for one in found] == [document["document_id"] for document in documents]
    for one, document in zip(found, documents, strict=True):
        alone = client.suggest("margins", document["text"], limit=4)
        assert [each["uri"] for each in alone] == [each["uri"] for each in one["results"]]
        scores = [[each["score"] for each in results] for results in (alone, one["results"])]
        np.testing.assert_allclose(*scores, atol=1e-5)


def test_no_more_than_32(client):
    with pytest.raises(Exception, match="400 Client Error"):
        client.suggest_batch("birds", [{"text": "owl"}] * 33)


def test_languages(client):
    found = client.detect_language("Vem har druckit vinet? Det är inte vägen hem.", ["en", "fi", "sv"])["results"]
    assert (found[0]["language"], found[-1]["language"]) == ("sv", None)
    assert sum(one["score"] for one in found) == pytest.approx(1)
    with pytest.raises(Exception, match="400 Client Error"):
        client.detect_language("hello", ["xx"])


def test_labels_have_one_language(server):
    answer = server.ask("POST", "/v1/projects/birds/suggest", data={"text": NIGHT, "language": "fi"})
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"] == 'language "fi" not supported by vocabulary; it is en'


def test_learning_is_kept(client, folder):
    lesson = {"text": "tawny", "subjects": [{"uri": "http://example.org/owl", "label": "Owls"}, {"uri": "gull"}]}
    assert client.learn("birds", [lesson]).status_code == 204
    with Store.open(folder / "store.sqlite") as store:
        kept = [one for one in store.labelled("birds") if one.text == "tawny"]
    assert [(one.state, sorted(one.labels)) for one in kept] == [("human", ["gull", "owl"])]


def test_a_live_index_has_learned_when_it_answers(client):
    assert "kelp" not in [one["uri"] for one in client.suggest("live", "bladderwrack", threshold=0.01)]
    client.learn("live", [{"text": "bladderwrack on the rocks", "subjects": [{"uri": "kelp"}]}])
    assert client.suggest("live", "bladderwrack")[0]["uri"] == "kelp"


def test_a_category_that_there_is_not(server):
    lesson = [{"text": "x", "subjects": [{"uri": "olw"}]}]
    answer = server.ask("POST", "/v1/projects/birds/learn", json=lesson)
    assert (answer.status_code, "document 0: 'olw' is neither" in answer.json()["detail"]) == (400, True)


def test_learning_must_be_allowed(folder):
    with running({"birds": folder / "birds.classmark"}, store=folder / "none.sqlite") as server:
        answer = server.ask("POST", "/v1/projects/birds/learn", json=[])
        assert answer.status_code == 403
        assert "not configured to allow learning via API" in answer.json()["detail"]
        assert server.ask("GET", "/v1/projects/birds").json()["learning"] == "no"
    assert not (folder / "none.sqlite").exists()


def test_metadata_and_unknown_fields_are_passed_over(server):
    form = {"text": NIGHT, "project": "x", "metadata_title": "y", "limit": "1"}
    assert len(server.ask("POST", "/v1/projects/birds/suggest", data=form).json()["results"]) == 1


@pytest.mark.parametrize(
    ("body", "kind", "status", "told"),
    [
        (b"limit=3", "application/x-www-form-urlencoded", 400, "text: field required"),
        (b"text=x&limit=many", "application/x-www-form-urlencoded", 400, "limit: input should be a valid integer"),
        (b"text=x&threshold=2", "application/x-www-form-urlencoded", 400, "threshold: input should be less than"),
        (b"text=%ff", "application/x-www-form-urlencoded", 400, "the form cannot be read"),
        (b'{"text": "x"}', "application/json", 415, "send a form"),
    ],
)
def test_forms_that_are_wrong(server, body, kind, status, told):
    answer = server.ask("POST", "/v1/projects/birds/suggest", content=body, headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["status"]) == (status, status)
    assert told in answer.json()["detail"]


def test_several_workers_learn_from_each_other(folder, tmp_path):
    index = LiveIndex.create(tmp_path / "live", hierarchy=TREE)
    index.add([str(at) for at in range(len(TEXTS))], list(TEXTS), [[label] for label in LABELS])
    options = ("--workers", "2", "--allow-learn")
    with running({"live": tmp_path / "live"}, *options, store=tmp_path / "store.sqlite") as server:
        for word in ("bladderwrack", "dulse", "wakame"):
            lesson = [{"text": word, "subjects": [{"uri": "kelp"}]}]
            assert server.ask("POST", "/v1/projects/live/learn", json=lesson).status_code == 204
            # Each is a connection of its own, which either worker may take.
            for _ in range(6):
                found = httpx.post(f"{server.url}/v1/projects/live/suggest", data={"text": word}, timeout=60).json()
                assert found["results"][0]["uri"] == "kelp"
        assert "classmark_texts_total" in server.ask("GET", "/metrics").text


def test_an_index_that_is_built_anew_learns_what_the_store_has(tmp_path):
    for word in ("bladderwrack", None):
        index = LiveIndex.create(tmp_path / "live", hierarchy=TREE)
        index.add([str(at) for at in range(len(TEXTS))], list(TEXTS), [[label] for label in LABELS])
        with running({"live": tmp_path / "live"}, "--allow-learn", store=tmp_path / "store.sqlite") as server:
            client = AnnifClient(f"{server.url}/v1/")
            if word is not None:
                client.learn("live", [{"text": word, "subjects": [{"uri": "kelp"}]}])
            assert client.suggest("live", "bladderwrack")[0]["uri"] == "kelp"
        shutil.rmtree(tmp_path / "live")
