"""Batches over the network: brought, answered, looked at, given back, reviewed, deleted."""

import csv
import json
import re
import time
from contextlib import closing
from http.client import HTTPConnection
from io import StringIO
from pathlib import Path

import httpx
import pytest

from classmark import TextClassifier
from classmark.server import batch_schemas
from classmark.service.answering import Question, classify
from tests.server.birds import TEXTS, make_index, make_model
from tests.server.running import Server, running

ROWS = [*TEXTS, "", "<script>alert(1)</script>", "\u202eturned", "owl " * 20_000]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("batching")
    make_model(folder / "birds.classmark")
    make_index(folder / "live")
    return folder


@pytest.fixture(scope="module")
def server(folder):
    models = {"birds": folder / "birds.classmark", "live": folder / "live"}
    with running(models, "--max-upload", "300000", store=folder / "store.sqlite") as server:
        yield server


def table(rows=ROWS) -> bytes:
    stream = StringIO()
    csv.writer(stream, lineterminator="\r\n").writerows([["no", "body"], *enumerate(rows)])
    return stream.getvalue().encode()


def bring(server: Server, content: bytes, name="birds.csv", project="birds", who="Ada") -> httpx.Response:
    return server.ask("POST", f"/v1/projects/{project}/batches", params={"name": name, "who": who}, content=content)


def done(server: Server, batch: str, project="birds", column="body") -> dict:
    path = f"/v1/projects/{project}/batches/{batch}"
    assert server.ask("POST", f"{path}/start", json={"text_column": column}).status_code == 200
    return ended(server, path)


def ended(server: Server, path: str) -> dict:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = server.ask("GET", path).json()
        if found["state"] not in ("running", "uploaded"):
            return found
        time.sleep(0.05)
    raise AssertionError(found)


@pytest.fixture(scope="module")
def batch(server):
    brought = bring(server, table())
    assert brought.status_code == 201
    found = brought.json()
    assert (found["state"], found["rows"], found["columns"], found["text_column"]) == (
        "uploaded",
        12,
        ["no", "body"],
        "body",
    )
    assert found["sample"][0] == ["0", TEXTS[0]]
    found = done(server, found["batch_id"])
    assert (found["state"], found["done"], found["problems"]) == ("done", 12, 0)
    return f"/v1/projects/birds/batches/{found['batch_id']}"


def test_answers_are_those_of_classify(server, batch):
    asked = {"documents": [{"text": text} for text in ROWS]}
    expected = server.ask("POST", "/v1/projects/birds/classify", json=asked).json()["documents"]
    rows = server.ask("GET", f"{batch}/rows", params={"order": "file"}).json()["rows"]
    assert [row["labels"] for row in rows] == [one["labels"] for one in expected]
    assert [row["doubt"] for row in rows] == pytest.approx([one["doubt"] for one in expected], abs=1e-6)
    assert [[own["path"] for own in row["own"]] for row in rows] == [
        [own["path"] for own in one["own"]] for one in expected
    ]
    assert rows[8]["text"] == ""
    assert len(rows[11]["text"]) == 600


def test_the_doubtful_come_first_and_branches_filter(server, batch):
    rows = server.ask("GET", f"{batch}/rows").json()["rows"]
    assert [row["doubt"] for row in rows] == sorted((row["doubt"] for row in rows), reverse=True)
    birds = server.ask("GET", f"{batch}/rows", params={"category": "birds"}).json()["rows"]
    assert {row["number"] for row in birds} == {row["number"] for row in rows if "birds" in row["labels"]}
    found = server.ask("GET", f"{batch}/branches").json()["branches"]
    assert {one["name"]: one["documents"] for one in found}["birds"] == len(birds)
    below = server.ask("GET", f"{batch}/branches", params={"parent": "birds"}).json()["branches"]
    assert {one["name"] for one in below} <= {"owl", "gull"}
    assert server.ask("GET", f"{batch}/branches", params={"parent": "nothing"}).status_code == 404


def test_the_result_is_the_table_with_columns_added(server, batch):
    answer = server.ask("GET", f"{batch}/result")
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''birds-classmark.csv"
    lines = answer.content.split(b"\r\n")
    assert [line[: len(own)] for line, own in zip(lines, table().split(b"\r\n"), strict=True)] == table().split(b"\r\n")
    found = list(csv.DictReader(StringIO(answer.text, newline="")))
    rows = server.ask("GET", f"{batch}/rows", params={"order": "file"}).json()["rows"]
    assert [row["classmark_labels"].split("|") if row["classmark_labels"] else [] for row in found] == [
        row["labels"] for row in rows
    ]
    assert {row["classmark_by"] for row in found} == {"model"}


def test_answers_are_as_they_are_described(server, batch):
    described = {
        "": batch_schemas.BatchOut,
        "/rows": batch_schemas.BatchRows,
        "/rows?category=birds&order=file": batch_schemas.BatchRows,
        "/branches": batch_schemas.BranchList,
    }
    for path, schema in described.items():
        found = server.ask("GET", batch + path).json()
        assert schema.model_validate(found).model_dump(mode="json") == found | _moments(schema, found)
    found = server.ask("GET", batch.rpartition("/")[0]).json()
    assert batch_schemas.BatchList.model_validate(found).batches


def _moments(schema, found):
    """Give what a model writes differently: times."""
    return {"added": schema.model_validate(found).model_dump(mode="json")["added"]} if "added" in found else {}


def test_lines_without_a_text_are_shown_and_nothing_is_lost(server):
    content = b'{"body": "an owl"}\n{"body": 7}\n{"text": "a gull"}\n'
    found = done(server, bring(server, content, "birds.jsonl").json()["batch_id"])
    assert (found["state"], found["done"], found["problems"]) == ("done", 3, 2)
    path = f"/v1/projects/birds/batches/{found['batch_id']}"
    told = [row["problem"] for row in server.ask("GET", f"{path}/rows", params={"unread": True}).json()["rows"]]
    assert told == ["'body' is a number, not a text", "has nothing in 'body'"]
    first, second, third = server.ask("GET", f"{path}/result").content.splitlines()
    assert json.loads(first)["classmark_by"] == "model"
    assert json.loads(second) == {"body": 7, **{name: None for name in json.loads(first) if name != "body"}}
    assert third.startswith(b'{"text": "a gull", ')


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("birds.csv", b"a,b\n1,2\n1,2,3\n", r"birds\.csv:3: 3 cell\(s\) for 2 columns"),
        ("birds.csv", b'a,b\n1,"2\n', r"birds\.csv:2: not a valid"),
        ("birds.csv", b"\xff\xd8\xff\xe0", r"birds\.csv:1: not UTF-8"),
        ("birds.jsonl", b'{"a": 1}\nnull\n', r"birds\.jsonl:2: null.*an object"),
        ("birds.xlsx", b"PK", r"birds\.xlsx: neither CSV, TSV"),
        ("birds", b"a\n1\n", "birds: neither CSV, TSV"),
        ("birds.csv", b"", r"birds\.csv: has no documents"),
        ("../../<b>.csv", b"", r"<b>\.csv: has no documents"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(server, folder, name, content, told):
    before = sorted((folder / "store.sqlite.batches").iterdir()) if (folder / "store.sqlite.batches").exists() else []
    answer = bring(server, content, name)
    assert answer.status_code == 400
    assert re.match(told, answer.json()["detail"])
    assert sorted((folder / "store.sqlite.batches").iterdir()) == before


@pytest.mark.parametrize(
    ("header", "sent"),
    [
        (("Content-Length", "400000"), b""),
        (("Transfer-Encoding", "chunked"), b"%x\r\n%b" % (300_001, b"1" * 300_001)),
    ],
    ids=["length", "content"],
)
def test_upload_too_large_answers_413(server, header, sent):
    """The client sends nothing past the byte that is one too many, so the connection ends after the response."""
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    with closing(connection):
        connection.putrequest("POST", "/v1/projects/birds/batches?name=birds.csv")
        connection.putheader(*header)
        connection.endheaders(sent)
        answer = connection.getresponse()
        assert (answer.status, "300,000 bytes" in json.load(answer)["detail"]) == (413, True)
    assert server.ask("GET", "/healthz").status_code == 200


def test_what_is_not_there_is_missing(server, batch):
    for path in ("0" * 16, "..%2f..%2fstore", "x"):
        assert server.ask("GET", f"/v1/projects/birds/batches/{path}").status_code == 404
    assert server.ask("GET", batch.replace("/birds/", "/live/")).status_code == 404
    assert server.ask("POST", "/v1/projects/nothing/batches?name=a.csv", content=b"a\n1\n").status_code == 404


def test_a_column_must_be_there_and_stays(server, batch):
    waiting = bring(server, table()).json()["batch_id"]
    path = f"/v1/projects/birds/batches/{waiting}"
    told = server.ask("POST", f"{path}/start", json={"text_column": "bodi"})
    assert (told.status_code, "did you mean 'body'" in told.json()["detail"]) == (400, True)
    assert server.ask("GET", f"{path}/result").status_code == 409
    assert server.ask("POST", f"{batch}/start", json={"text_column": "no"}).json()["text_column"] == "body"


def test_doubtful_rows_are_reviewed_and_the_result_says_so(server):
    found = done(server, bring(server, table(), who="Ben").json()["batch_id"])
    path = f"/v1/projects/birds/batches/{found['batch_id']}"
    assert server.ask("POST", f"{path}/review", json={"count": 3, "who": "Ben"}).json() == {"added": 3}
    review = "/v1/projects/birds/review"
    documents = server.ask("POST", f"{review}/claim", json={"who": "Ben", "count": 3}).json()["documents"]
    rows = server.ask("GET", f"{path}/rows").json()["rows"]
    assert [one["text"][:600] for one in documents] == [row["text"] for row in rows[:3]]
    for one, said in zip(
        documents,
        ({"verdict": "accept"}, {"verdict": "correct", "labels": ["kelp"]}, {"verdict": "reject"}),
        strict=True,
    ):
        body = {"document_id": one["document_id"], "who": "Ben", "revision": one["revision"], **said}
        assert server.ask("POST", review, json=body).status_code == 200
    by = {row["number"]: row["by"] for row in server.ask("GET", f"{path}/rows").json()["rows"]}
    assert [by[row["number"]] for row in rows[:4]] == ["accepted", "corrected", "rejected", "model"]
    result = {row["no"]: row for row in csv.DictReader(StringIO(server.ask("GET", f"{path}/result").text, newline=""))}
    corrected = result[str(rows[1]["number"] - 1)]
    assert (corrected["classmark_own"], corrected["classmark_labels"], corrected["classmark_by"]) == (
        "kelp",
        "sea|kelp",
        "corrected",
    )
    assert result[str(rows[2]["number"] - 1)]["classmark_labels"] == ""
    # What was judged stays where that is asked for, and goes otherwise.
    assert server.ask("DELETE", path, params={"keep_judged": True}).json() == {"forgotten": 0}
    assert server.ask("GET", path).status_code == 404
    assert server.ask("GET", f"{review}/progress").json()["human"] == 1


def test_a_deleted_batch_leaves_no_trace(server, folder):
    secret = "a secret about Mrs Miller"
    found = done(server, bring(server, table([secret]), project="live").json()["batch_id"], "live")
    path = f"/v1/projects/live/batches/{found['batch_id']}"
    server.ask("POST", f"{path}/review", json={"who": "Ada"})
    (document,) = server.ask("POST", "/v1/projects/live/review/claim", json={"who": "Ada"}).json()["documents"]
    body = {"document_id": document["document_id"], "verdict": "correct", "labels": ["owl"], "who": "Ada"}
    assert server.ask("POST", "/v1/projects/live/review", json=body).status_code == 200
    assert traces(folder, secret)
    assert server.ask("DELETE", path).json() == {"forgotten": 1}
    assert traces(folder, secret) == []


def test_forgetting_a_person_deletes_what_they_brought(server, folder):
    secret = "something that only Eve knows"
    batch = bring(server, table([secret]), who="Eve").json()["batch_id"]
    assert traces(folder, secret)
    assert server.ask("DELETE", "/v1/projects/birds/review/documents", params={"person": "Eve"}).status_code == 200
    assert server.ask("GET", f"/v1/projects/birds/batches/{batch}").status_code == 404
    assert traces(folder, secret) == []


def traces(folder: Path, secret: str) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path) for path in files if secret.encode() in path.read_bytes()]


def test_a_batch_goes_on_after_the_server_was_killed(folder, tmp_path):
    texts = [f"{TEXTS[at % 8]} {at % 50}" for at in range(15_000)]
    content = "".join(json.dumps({"id": at, "text": text}) + "\n" for at, text in enumerate(texts)).encode()
    models = {"birds": folder / "birds.classmark"}
    with running(models, store=tmp_path / "store.sqlite") as server:
        batch = bring(server, content, "many.jsonl").json()["batch_id"]
        path = f"/v1/projects/birds/batches/{batch}"
        server.ask("POST", f"{path}/start", json={"text_column": "text"})
        while not (found := server.ask("GET", path).json())["done"]:
            pass
        assert found["state"] == "running"
        server.kill()
    with running(models, store=tmp_path / "store.sqlite") as server:
        found = ended(server, path)
        assert (found["state"], found["done"], found["rows"]) == ("done", 15_000, 15_000)
        result = server.ask("GET", f"{path}/result").content
    rows = [json.loads(line) for line in result.splitlines()]
    assert [row["id"] for row in rows] == list(range(15_000))
    assert [row["text"] for row in rows] == texts
    model = TextClassifier.load(folder / "birds.classmark")
    known = {one.id: list(one.labels) for one in classify(model, [(text, text) for text in set(texts)], Question())}
    assert [row["classmark_labels"] for row in rows] == [known[text] for text in texts]


def test_what_stops_says_why_and_goes_on_when_told(server, folder):
    rows = [f"an owl {at}" for at in range(600)]
    batch = bring(server, table(rows)).json()["batch_id"]
    upload = folder / "store.sqlite.batches" / batch / "upload"
    whole = upload.read_bytes()
    lines = whole.split(b"\r\n")
    upload.write_bytes(b"\r\n".join([*lines[:400], b"a,b,c", *lines[401:]]))  # a disk that fails
    found = done(server, batch)
    assert (found["state"], found["problem"][:26]) == ("stopped", "birds.csv:401: 3 cell(s) f")
    assert 0 <= found["done"] < 400
    upload.write_bytes(whole)
    found = done(server, batch)
    assert (found["state"], found["done"], found["problem"]) == ("done", 600, None)
    rows_again = server.ask("GET", f"/v1/projects/birds/batches/{batch}/rows?order=file&limit=500").json()["rows"]
    assert [row["text"] for row in rows_again] == rows[:500]


def test_a_batch_may_be_deleted_while_it_is_worked_off(server, folder):
    batch = bring(server, table(["an owl at night"] * 9_000)).json()["batch_id"]
    path = f"/v1/projects/birds/batches/{batch}"
    server.ask("POST", f"{path}/start", json={"text_column": "body"})
    assert server.ask("DELETE", path).status_code == 200
    assert server.ask("GET", path).status_code == 404
    after = done(server, bring(server, table()).json()["batch_id"])
    assert after["state"] == "done"
    assert not (folder / "store.sqlite.batches" / batch).exists()
    assert not [line for line in server.lines if "Traceback" in line or "ours" in line]


def test_a_large_file_is_never_in_the_memory_of_the_server(folder, tmp_path):
    line = b"1," + b"an owl in a wood " * 60 + b"\n"
    models = {"birds": folder / "birds.classmark"}
    with running(models, store=tmp_path / "store.sqlite") as server:
        before = peak(server)
        brought = bring(server, b"no,text\n" + line * (60_000_000 // len(line)), "large.csv")
        assert brought.status_code == 201
        assert peak(server) - before < 15_000_000
        path = f"/v1/projects/birds/batches/{brought.json()['batch_id']}"
        assert server.ask("DELETE", path).status_code == 200


def peak(server: Server) -> int:
    """Give the most bytes of memory that the process has had."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def test_batch_loop_after_an_error_continues_and_readyz_reports_it(server, folder):
    batches, aside = folder / "store.sqlite.batches", folder / "aside"
    batch = bring(server, table()).json()["batch_id"]
    assert server.ask("GET", "/readyz").status_code == 200
    batches.rename(aside)
    batches.write_text("not a folder")
    ready = _await_ready(server, 503)
    assert "batches" in ready.json()["detail"]
    assert any("'batches' failed" in line for line in server.lines)
    batches.unlink()
    aside.rename(batches)
    _await_ready(server, 200)
    assert done(server, batch)["state"] == "done"


def _await_ready(server: Server, status: int) -> httpx.Response:
    end = time.monotonic() + 60
    while (ready := server.ask("GET", "/readyz")).status_code != status:
        assert time.monotonic() < end
        time.sleep(0.05)
    return ready
