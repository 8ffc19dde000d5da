"""The queue of reviewing over the network: progress, history, likeness, the same for several, disagreement."""

import pytest

from classmark import TextClassifier
from classmark.server import queue_schemas
from tests.server.birds import LABELS, TEXTS, TREE, make_model
from tests.server.running import running

REVIEW = "/v1/projects/birds/review"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("queueing")
    make_model(folder / "birds.classmark")
    turned = [*LABELS[4:], *LABELS[:4]]
    TextClassifier("nb", hierarchy=TREE).fit(TEXTS, turned).save(folder / "turned.classmark")
    TextClassifier("nb").fit(["a b", "c d"], ["x", "y"]).save(folder / "other.classmark")
    return folder


@pytest.fixture
def server(folder, tmp_path):
    models = [folder / "birds.classmark", folder / "turned.classmark", folder / "other.classmark"]
    with running(models, store=tmp_path / "store.sqlite") as server:
        texts = [*TEXTS, "the owl hoots at night in the old wood", "an owl hoots in the wood by night"]
        documents = [{"document_id": f"d{at}", "text": text} for at, text in enumerate(texts)]
        assert server.ask("POST", f"{REVIEW}/add", json={"documents": documents, "who": "Ann"}).status_code == 200
        yield server


def test_reviewing(server):
    """One server for all of it: starting one takes longer than everything that it is asked here."""
    claimed_documents_say_where_their_categories_are(server)
    likeness_and_the_same_for_several(server)
    somebody_else_was_faster(server)
    history_says_who_and_when(server)
    progress_says_how_far_it_is(server)
    disagreement_with_another_model(server)
    answers_are_as_they_are_described(server)
    what_does_not_fit_is_refused(server)


def claimed_documents_say_where_their_categories_are(server):
    (document,) = server.ask("POST", f"{REVIEW}/claim", json={"who": "Ben", "order": "random"}).json()["documents"]
    (label,) = document["said"]["labels"]
    assert document["places"][label] == {"label": label, "path": list(TREE.path(label))}
    assert server.ask("POST", f"{REVIEW}/release", json={"who": "Ben"}).json() == {"released": 1}
    same = server.ask("GET", f"{REVIEW}/document", params={"document_id": document["document_id"]}).json()
    assert same == document


def likeness_and_the_same_for_several(server):
    found = server.ask("GET", f"{REVIEW}/like", params={"document_id": "d0", "who": "Ben"}).json()["documents"]
    assert [one["document_id"] for one in found][:2] == ["d8", "d9"]
    assert [one["likeness"] for one in found] == sorted((one["likeness"] for one in found), reverse=True)
    assert all(0.3 <= one["likeness"] <= 1 for one in found)
    one = server.ask("GET", f"{REVIEW}/like", params={"document_id": "d0", "limit": 1}).json()["documents"]
    assert [found["document_id"] for found in one] == ["d8"]
    few = server.ask("GET", f"{REVIEW}/like", params={"document_id": "d4", "least": 0.999}).json()["documents"]
    assert few == []
    several = [{"document_id": one["document_id"], "revision": one["revision"]} for one in found[:2]]
    body = {"documents": several, "verdict": "correct", "labels": ["gull"], "who": "Ben", "key": "one"}
    done = server.ask("POST", f"{REVIEW}/same", json=body).json()
    assert [(one["document_id"], one["labels"], one["state"]) for one in done["kept"]] == [
        ("d8", ["gull"], "human"),
        ("d9", ["gull"], "human"),
    ]
    assert server.ask("POST", f"{REVIEW}/same", json=body).json() == done
    undone = server.ask("POST", f"{REVIEW}/same", json={"documents": several, "verdict": "undo", "who": "Ben"}).json()
    assert [one["state"] for one in undone["kept"]] == ["waiting", "waiting"]


def somebody_else_was_faster(server):
    seen = server.ask("GET", f"{REVIEW}/document", params={"document_id": "d8"}).json()
    body = {"document_id": "d8", "verdict": "accept", "who": "Ben", "revision": seen["revision"]}
    assert server.ask("POST", REVIEW, json=body).status_code == 200
    told = server.ask("POST", REVIEW, json=body | {"who": "Eve"})
    assert told.status_code == 409
    assert "was accepted by Ben at 20" in told.json()["detail"]
    several = [{"document_id": "d8", "revision": seen["revision"]}, {"document_id": "d7"}, {"document_id": "d99"}]
    done = server.ask("POST", f"{REVIEW}/same", json={"documents": several, "verdict": "reject", "who": "Eve"}).json()
    assert [one["document_id"] for one in done["kept"]] == ["d7"]
    assert [one["document_id"] for one in done["conflicts"]] == ["d8", "d99"]
    assert "accepted by Ben" in done["conflicts"][0]["detail"]


def history_says_who_and_when(server):
    verdicts = server.ask("GET", f"{REVIEW}/history", params={"document_id": "d8"}).json()["verdicts"]
    assert [(one["verdict"], one["who"], one["undone"]) for one in verdicts] == [
        ("correct", "Ben", True),
        ("undo", "Ben", False),
        ("accept", "Ben", False),
    ]
    assert verdicts[2]["said"] == ["owl"]


def progress_says_how_far_it_is(server):
    before = server.ask("GET", f"{REVIEW}/progress").json()
    assert (before["documents"], before["waiting"], before["reviewed"], before["rejected"]) == (10, 8, 1, 1)
    assert before["share"] == {"accepted": 0, "of": 0, "share": 0, "low": 0, "high": 1}
    assert {one["name"] for one in before["branches"]} == {"birds", "sea"}
    assert sum(one["waiting"] for one in before["branches"]) == 8
    server.ask("POST", f"{REVIEW}/release", json={"who": "Ben"})
    for verdict in ("accept", "reject"):
        (one,) = server.ask("POST", f"{REVIEW}/claim", json={"who": "Eve", "order": "random"}).json()["documents"]
        body = {"document_id": one["document_id"], "verdict": verdict, "who": "Eve"}
        assert server.ask("POST", REVIEW, json=body).status_code == 200
    after = server.ask("GET", f"{REVIEW}/progress").json()
    assert (after["share"]["accepted"], after["share"]["of"]) == (1, 2)
    assert round(after["share"]["low"], 3) == 0.095  # Wilson's, 1 of 2
    assert after["enough"] is None
    assert after["others"] == ["turned"]


def disagreement_with_another_model(server):
    done = server.ask("POST", f"{REVIEW}/compare", json={"other": "turned"}).json()
    assert (done["compared"], done["more"]) == (6, False)
    assert done["differing"] == 6
    (one,) = server.ask("POST", f"{REVIEW}/claim", json={"who": "Kim", "order": "disagreement"}).json()["documents"]
    assert one["disagreement"] == 1
    assert one["said"]["other"]["project"] == "turned"
    assert set(one["said"]["other"]["labels"]) <= set(one["places"])
    again = server.ask("POST", f"{REVIEW}/compare", json={"other": "turned", "after": done["after"]}).json()
    assert again == {"compared": 0, "differing": 0, "after": done["after"], "more": False}


def answers_are_as_they_are_described(server):
    for path, schema in (
        ("document?document_id=d8", queue_schemas.QueuedDocument),
        ("history?document_id=d8", queue_schemas.History),
        ("like?document_id=d8&least=0", queue_schemas.LikeList),
        ("progress", queue_schemas.Progress),
    ):
        found = server.ask("GET", f"{REVIEW}/{path}").json()
        assert _keys(schema.model_validate(found).model_dump(mode="json")) == _keys(found)


def _keys(value):
    """Give the names of all members, however deep inside."""
    if isinstance(value, dict):
        return {name: _keys(inside) for name, inside in value.items()}
    return [_keys(one) for one in value] if isinstance(value, list) else None


def what_does_not_fit_is_refused(server):
    for path, body, status in (
        ("compare", {"other": "other"}, 400),
        ("compare", {"other": "birds"}, 400),
        ("compare", {"other": "nothing"}, 404),
        ("same", {"documents": [{"document_id": "d1"}], "verdict": "correct"}, 400),
        ("same", {"documents": [], "verdict": "reject"}, 400),
        ("same", {"documents": [{"document_id": "d1"}], "verdict": "correct", "labels": ["?"]}, 400),
    ):
        assert server.ask("POST", f"{REVIEW}/{path}", json=body).status_code == status, (path, body)
    for path in ("claim", "release"):
        refused = server.ask("POST", f"{REVIEW}/{path}", json={"who": "Ben", "document_id": "d1"})
        assert refused.status_code == 400, path
        assert refused.json()["detail"].startswith("document_id: ")
    assert server.ask("GET", f"{REVIEW}/like", params={"document_id": "?"}).status_code == 404
    assert server.ask("GET", f"{REVIEW}/history", params={"document_id": "?"}).status_code == 404
