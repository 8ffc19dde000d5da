"""The pages of a real server: what they load, in which language, for whom, and what stands in them."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from classmark import Hierarchy, TextClassifier
from tests import forking
from tests.server.birds import make_model
from tests.server.running import Server, running

FLOWS = ("try", "browse", "batch", "review", "models")
READ, WRITE = ("r" * 20, "w&=;" * 5)
REPORT = b"<!doctype html><style>p { color: red }</style><p>Well.</p><script>document.title = 'ran'</script>"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("pages")
    make_model(folder / "birds.classmark")
    (folder / "report.html").write_bytes(REPORT)
    models = {"birds": folder / "birds.classmark", "more": folder / "birds.classmark"}
    with running(models, "--report", "birds=report.html", folder=folder) as started:
        yield started


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("guarded")
    make_model(folder / "birds.classmark")
    (folder / "tokens").write_text(f"read {READ} Grace\nwrite {WRITE} Ada\n", "utf-8")
    with running([folder / "birds.classmark"], "--token-file", "tokens", folder=folder) as started:
        yield started


def serve_until_it_ends(folder: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run `classmark serve` where it must end by itself."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with forking.start(["serve", *arguments], cwd=folder, text=True, **pipes) as process:
        out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@pytest.mark.parametrize("flow", FLOWS)
def test_a_page_loads_from_its_own_server_alone(server: Server, flow: str) -> None:
    answer = server.ask("GET", f"/projects/birds/{flow}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    rule = answer.headers.get_list("content-security-policy")
    assert len(rule) == 1
    assert "script-src 'self'" in rule[0]
    assert "unsafe" not in rule[0]
    addresses = re.findall(r'(?:src|href)="([^"]*)"', answer.text)
    assert any(address.startswith("/static/") for address in addresses)
    for address in addresses:
        assert address.startswith(("/", "#", "?", "data:,"))
        if address.startswith("/static/"):
            assert server.ask("GET", address).status_code == 200
    assert not re.search(r"<style|\sstyle=|\son\w+=", answer.text)
    assert not re.search(r"<script(?![^>]*(?:src=|type=\"application/json\"))", answer.text)


def test_the_first_page_leads_to_the_first_project(server: Server) -> None:
    answer = server.ask("GET", "/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/projects/birds/try")
    assert server.ask("GET", "/projects/birds").headers["location"] == "/projects/birds/try"


def test_the_language_is_asked_for_kept_or_the_browsers(server: Server) -> None:
    german = server.ask("GET", "/projects/birds/try?lang=de")
    assert '<html lang="de">' in german.text
    kept = server.ask("GET", "/projects/birds/try", cookies=dict(german.cookies))
    assert '<html lang="de">' in kept.text
    assert '<html lang="de">' in server.ask("GET", "/projects/birds/try", headers={"Accept-Language": "de-AT"}).text
    assert '<html lang="en">' in server.ask("GET", "/projects/birds/try?lang=tlh").text


def test_what_is_not_there_is_said_on_a_page(server: Server) -> None:
    answer = server.ask("GET", "/projects/%3Cscript%3E/try")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "&lt;script&gt;" in answer.text
    assert "<script>" not in answer.text
    assert "/projects/birds/try" in answer.text
    assert server.ask("GET", "/projects/birds/nothing").status_code == 404


def test_a_script_that_the_browser_has_is_not_sent_again(server: Server) -> None:
    first = server.ask("GET", "/static/page.js")
    again = server.ask("GET", "/static/page.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    assert first.headers["cache-control"] == again.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("name", ["", ".", "..%2Fcatalogue.json", "../catalogue.json", "page.py", "page.js%00", "%FF"])
def test_static_unknown_file_returns_404(server: Server, name: str) -> None:
    answer = server.ask("GET", f"/static/{name}")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_static_other_method_returns_405(server: Server) -> None:
    answer = server.ask("POST", "/static/page.js")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


def test_a_report_runs_its_own_scripts_in_a_room_of_its_own(server: Server) -> None:
    answer = server.ask("GET", "/projects/birds/report")
    assert answer.content == REPORT
    rule = answer.headers["content-security-policy"]
    assert rule.count("'sha256-") == 2
    assert rule.endswith("sandbox allow-scripts")
    missing = server.ask("GET", "/projects/more/report")
    assert (missing.status_code, "--report" in missing.text) == (404, True)


def test_who_has_no_token_is_led_to_where_one_signs_in(guarded: Server) -> None:
    answer = guarded.ask("GET", "/projects/birds/review")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/projects/birds/review")
    page = guarded.ask("GET", answer.headers["location"])
    assert page.status_code == 200
    assert 'name="token"' in page.text


def sign_in(server: Server, token: str, following: str = "/projects/birds/try", **headers: str) -> httpx.Response:
    return server.ask("POST", f"/sign-in?next={following}", data={"token": token}, headers=headers)


def test_a_token_is_kept_in_a_cookie_and_lets_its_owner_read_and_write(guarded: Server) -> None:
    answer = sign_in(guarded, WRITE)
    assert (answer.status_code, answer.headers["location"]) == (303, "/projects/birds/try")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert WRITE not in cookie
    kept = dict(answer.cookies)
    page = guarded.ask("GET", "/projects/birds/try", cookies=kept)
    assert '"who":"Ada"' in page.text
    body = {"documents": [{"text": "a wise owl", "document_id": "1"}]}
    added = guarded.ask("POST", "/v1/projects/birds/review/add", json=body, cookies=kept)
    assert added.json()["documents"][0]["by"] == "Ada"
    foreign = {"Origin": "http://elsewhere.example"}
    refused = guarded.ask("POST", "/v1/projects/birds/review/add", json=body, cookies=kept, headers=foreign)
    assert refused.status_code == 403


def test_a_reader_may_not_write_and_a_stranger_not_read(guarded: Server) -> None:
    kept = dict(sign_in(guarded, READ).cookies)
    assert guarded.ask("GET", "/v1/projects", cookies=kept).status_code == 200
    told = guarded.ask("POST", "/v1/projects/birds/retrain", cookies=kept)
    assert (told.status_code, "read, not write" in told.json()["detail"]) == (403, True)
    for value in ("", "!!!", "bm90IGEgdG9rZW4="):
        assert guarded.ask("GET", "/v1/projects", cookies={"classmark-token": value}).status_code == 401


@pytest.mark.parametrize("following", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere", "/docs"])
def test_signing_in_leads_nowhere_else(guarded: Server, following: str) -> None:
    assert sign_in(guarded, WRITE, following).headers["location"] == "/"


def test_a_wrong_token_is_refused_on_the_page_and_a_strange_site_may_not_try(guarded: Server) -> None:
    wrong = sign_in(guarded, "wrong" * 5)
    assert (wrong.status_code, 'role="alert"' in wrong.text, "set-cookie" in wrong.headers) == (401, True, False)
    assert sign_in(guarded, WRITE, Origin="http://elsewhere.example").status_code == 403
    assert sign_in(guarded, "w" * 20_000).status_code == 413


def test_signing_out_forgets_the_token(guarded: Server) -> None:
    answer = guarded.ask("POST", "/sign-out", cookies=dict(sign_in(guarded, WRITE).cookies))
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert "Max-Age=0" in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    ("option", "content", "told"),
    [
        ("--figures", "{}", "these are no figures by category"),
        ("--figures", "\udcff", "these are no figures by category"),
        ("--report", "nothing", "is no page"),
        ("--descriptions", "one column", "1 column(s) instead"),
        ("--train-from", "'", "cannot be taken apart"),
    ],
)
def test_what_is_wrong_beside_a_model_is_said_in_a_line(tmp_path: Path, option: str, content: str, told: str) -> None:
    model = make_model(tmp_path / "birds.classmark")
    file = tmp_path / "file"
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    given = content if option == "--train-from" else str(file)
    ended = serve_until_it_ends(tmp_path, model, option, given, "--port", "0")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), ended.stderr
    assert told in ended.stderr


def test_of_several_models_it_must_be_said_which(tmp_path: Path) -> None:
    model = make_model(tmp_path / "birds.classmark")
    ended = serve_until_it_ends(tmp_path, model, f"other={model}", "--figures", "x.json")
    assert (ended.returncode, ended.stderr) == (
        2,
        "classmark: --figures x.json: say of which model, as in birds=x.json\n",
    )


def test_names_of_categories_are_text(tmp_path: Path) -> None:
    tree = Hierarchy.from_edges([(None, "</div>"), ("</div>", "<script>alert(1)</script>"), ("</div>", "a\u202eb")])
    TextClassifier("nb", hierarchy=tree).fit(["one", "two"], [[tree.names[1]], [tree.names[2]]]).save(
        tmp_path / "m.classmark"
    )
    with running([tmp_path / "m.classmark"], folder=tmp_path) as server:
        for flow in FLOWS:
            assert "<script>alert" not in server.ask("GET", f"/projects/m/{flow}").text
        found = server.ask("GET", "/v1/projects/m/taxonomy", params={"q": "script"}).json()
        assert [one["label"] for one in found["categories"]] == ["<script>alert(1)</script>"]
