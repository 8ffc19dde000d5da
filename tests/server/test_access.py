"""Who may do what at a real server: tokens, open reading, pages of other sites, names that are not this machine's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from classmark.server.access import read_tokens
from classmark.server.settings import ServerSettings
from tests.server.birds import FORM, Answer, ask, make_model
from tests.server.running import Server, running

READ, WRITE, OTHER = (letter * 20 for letter in "rwo")
SUGGEST, LEARN = "/v1/projects/file/suggest", "/v1/projects/file/learn"
LESSON = [{"text": "the owl is back", "subjects": [{"uri": "owl"}]}]
DOCUMENTS = "/v1/projects/file/review/documents"
PROXY = "127.0.0.2"
REFUSED = "a page of another site may not write here"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("access")
    (folder / "tokens").write_text(f"# people\n\nread {READ}\nwrite {WRITE} Ada of the library\n")
    return make_model(folder / "file.classmark")


@pytest.fixture(scope="module")
def guarded(model: Path) -> Iterator[Server]:
    """A server with tokens, at every address of this machine."""
    options = ("--token-file", "tokens", "--host", "0.0.0.0", "--allow-learn", "--trusted-proxy", PROXY)
    with running({"file": model}, *options, folder=model.parent) as server:
        server.url = server.url.replace("0.0.0.0", "127.0.0.1")
        yield server


@pytest.fixture(scope="module")
def opened(model: Path) -> Iterator[Server]:
    """A server with tokens for writing alone."""
    options = ("--token-file", "tokens", "--open-reading", "--allow-learn")
    with running({"file": model}, *options, store=model.parent / "opened.sqlite", folder=model.parent) as server:
        yield server


@pytest.fixture(scope="module")
def local(model: Path) -> Iterator[Server]:
    """A server without tokens, for this machine alone."""
    options = ("--allow-learn",)
    with running({"file": model}, *options, store=model.parent / "local.sqlite", folder=model.parent) as server:
        yield server


def read(server: Server, **headers: str) -> Answer:
    return ask(server.url, "POST", SUGGEST, b"text=owl", FORM | named(headers))


def write(server: Server, **headers: str) -> Answer:
    return ask(server.url, "POST", LEARN, LESSON, named(headers))


def named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_a_token_that_may_read(guarded):
    assert read(guarded, **bearer(READ)).status == 200
    assert "this token may read, not write" in write(guarded, **bearer(READ)).problem(403)
    # Texts of documents are for those who may correct them.
    assert "not write" in ask(guarded.url, "GET", DOCUMENTS, headers=bearer(READ)).problem(403)


def test_a_token_that_may_write(guarded):
    assert read(guarded, **bearer(WRITE)).status == 200
    assert write(guarded, **bearer(WRITE)).status == 204
    (document,) = ask(guarded.url, "GET", DOCUMENTS, headers=bearer(WRITE)).json["documents"]
    assert document["by"] == "Ada of the library"


@pytest.mark.parametrize(
    "header",
    [
        *(f"Bearer {token}" for token in (OTHER, "", READ[:-1], READ + "r", f"{READ} {WRITE}", "\xe9" * 20)),
        *(f"Basic {WRITE}", WRITE, "Bearer"),
    ],
)
def test_tokens_that_are_none(guarded, header):
    for answer in (read(guarded, Authorization=header), write(guarded, Authorization=header)):
        assert "token" in answer.problem(401)
        assert answer.headers["www-authenticate"] == "Bearer"
        assert READ not in answer.content.decode()


def test_no_token(guarded):
    assert "this needs a token that may read" in read(guarded).problem(401)
    assert "this needs a token that may write" in write(guarded).problem(401)
    for path in ("/v1/", "/v1/projects", "/metrics"):
        ask(guarded.url, "GET", path).problem(401)
    assert ask(guarded.url, "GET", "/healthz").status == 200


def test_how_a_token_is_written(guarded):
    assert read(guarded, Authorization=f"bearer  {READ} ").status == 200


def test_open_reading(opened):
    assert read(opened).status == 200
    assert "may write" in write(opened).problem(401)
    assert "may write" in ask(opened.url, "GET", DOCUMENTS).problem(401)
    assert write(opened, **bearer(WRITE)).status == 204
    # A name that is not this machine's is what a client from elsewhere uses.
    assert read(opened, Host="classify.example.org").status == 200


NAMES_OF_REVIEWERS = [
    *("/v1/projects/file/review/progress", "/v1/projects/file/retrain", "/metrics"),
    "/v1/projects/file/review/history?document_id=d",
]


@pytest.mark.parametrize("path", NAMES_OF_REVIEWERS)
def test_open_reading_without_a_token_hides_reviewers_and_counts(opened, path):
    document = {"document_id": "d", "text": "an owl"}
    ask(opened.url, "POST", "/v1/projects/file/review/add", {"documents": [document]}, bearer(WRITE))
    verdict = {"document_id": "d", "verdict": "accept"}
    ask(opened.url, "POST", "/v1/projects/file/review", verdict, bearer(WRITE))
    assert "token" in ask(opened.url, "GET", path).problem(401)
    assert ask(opened.url, "GET", path, headers=bearer(WRITE)).status == 200


def test_open_reading_without_a_token_leads_from_review_to_sign_in(opened):
    answer = ask(opened.url, "GET", "/projects/file/review")
    assert (answer.status, answer.headers["location"]) == (303, "/sign-in?next=/projects/file/review")
    assert ask(opened.url, "GET", "/projects/file/try").status == 200


def test_first_page_without_a_token_names_no_project(guarded, opened):
    answer = ask(guarded.url, "GET", "/")
    assert (answer.status, answer.headers["location"]) == (303, "/sign-in?next=/")
    assert ask(guarded.url, "GET", "/", headers=bearer(READ)).headers["location"] == "/projects/file/try"
    # The right to read includes the list of projects.
    assert ask(opened.url, "GET", "/").headers["location"] == "/projects/file/try"


def test_a_token_that_is_wrong_is_not_open_reading(opened):
    assert "not known" in read(opened, **bearer(OTHER)).problem(401)


FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "http://127.0.0.1.evil.example"},
    {"Origin": ""},
    {"Origin": "http://["},
    {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_pages_of_other_sites_cannot_write(local, opened, headers):
    assert write(local, **headers).problem(403) == REFUSED
    assert write(opened, **bearer(WRITE), **headers).problem(403) == REFUSED


def test_a_page_of_our_own_may_write(local):
    assert write(local, Origin=local.url, Sec_Fetch_Site="same-origin").status == 204
    assert write(local, Sec_Fetch_Site="none").status == 204


def test_no_form_of_another_site_is_read_as_json(local):
    """A page can send this kind without asking, so nothing that is written may be taken of it."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = ask(local.url, "POST", LEARN, b'[{"text": "owl", "subjects": []}]', {"Content-Type": kind})
        assert answer.status in (400, 415), kind


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "10.0.0.1", "", "[", "a b"])
def test_names_that_are_not_this_machine_s(local, host):
    """A stranger's name may be pointed at this machine, and a browser would take the stranger's page for ours."""
    for answer in (read(local, Host=host), write(local, Host=host)):
        assert "this server is for its own machine" in answer.problem(403)


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8000", "127.0.0.1", "127.1.2.3:80", "[::1]:8000", "LOCALHOST"]
)
def test_names_of_this_machine(local, host):
    assert read(local, Host=host).status == 200


HTTPS = {"X-Forwarded-Proto": "https"}
PUBLIC = {"Host": "classify.example.org"}


def from_address(server: Server, address: str, method: str, path: str, **named: Any) -> httpx.Response:
    """Send a request from an address of this machine."""
    with httpx.Client(transport=httpx.HTTPTransport(local_address=address), timeout=60) as client:
        return client.request(method, server.url + path, **named)


@pytest.mark.parametrize(
    ("address", "headers", "secure"),
    [
        (PROXY, HTTPS, True),
        (PROXY, {"X-Forwarded-Proto": "http"}, False),
        (PROXY, {}, False),
        ("127.0.0.1", HTTPS, False),
    ],
)
def test_sign_in_cookie_is_secure_if_a_trusted_proxy_says_https(guarded, address, headers, secure):
    answer = from_address(guarded, address, "POST", "/sign-in", data={"token": READ}, headers=headers)
    assert answer.status_code == 303
    words = answer.headers["set-cookie"].lower().split("; ")
    assert ("secure" in words) is secure
    assert {"httponly", "samesite=strict"} <= set(words)


@pytest.mark.parametrize(
    ("address", "headers", "warning"),
    [
        ("127.0.0.1", {}, None),
        ("127.0.0.1", {"Host": "localhost:8000"}, None),
        ("127.0.0.1", PUBLIC, "not encrypted"),
        ("127.0.0.1", PUBLIC | HTTPS, "--trusted-proxy"),
        (PROXY, PUBLIC | HTTPS, None),
        (PROXY, PUBLIC | {"X-Forwarded-Proto": "http"}, "not encrypted"),
    ],
)
def test_sign_in_page_warns_of_plain_http_beyond_loopback(guarded, address, headers, warning):
    page = from_address(guarded, address, "GET", "/sign-in", headers=headers).text
    assert ('id="warning"' in page) is (warning is not None)
    assert (warning or "") in page


def test_trusted_proxy_that_is_no_address_is_refused():
    with pytest.raises(ValueError, match=r"--trusted-proxy 'proxy\.example': must be an IP address or a network"):
        ServerSettings(models={"file": "file.classmark"}, trusted_proxies=("10.0.0.0/8", "proxy.example")).check()


def test_headers_of_every_answer(local):
    for answer in (read(local), ask(local.url, "GET", "/nothing"), read(local, Host="evil.example")):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers


TOKEN_FILES = {
    "admin " + WRITE: r"tokens:1: not a token; write 'read TOKEN'",
    "read": r"tokens:1: not a token",
    "# nothing\n\nread short": r"tokens:3: the token must have 16 plain characters or more; python3 -c",
    "write " + "é" * 20: r"tokens:1: the token must have 16 plain characters",
    "# nobody": r"tokens: has no token",
    "": r"tokens: has no token",
}


@pytest.mark.parametrize("content", TOKEN_FILES, ids=list(TOKEN_FILES.values()))
def test_token_files_that_are_wrong(tmp_path, content):
    (tmp_path / "tokens").write_text(content)
    with pytest.raises(ValueError, match=TOKEN_FILES[content]):
        read_tokens(str(tmp_path / "tokens"))


def test_a_server_with_such_a_file_does_not_start(model, tmp_path):
    (tmp_path / "tokens").write_bytes(b"read \xff\xfe" + b"r" * 20)
    assert_refused(model, "tokens: not a text in UTF-8", "--token-file", str(tmp_path / "tokens"))


def test_a_server_without_its_file_does_not_start(model):
    assert_refused(model, "nowhere", "--token-file", "nowhere")


def test_other_machines_need_a_token(model):
    told = r"--host 0\.0\.0\.0 .*--token-file"
    assert_refused(model, told, "--host", "0.0.0.0")


@pytest.mark.parametrize("host", ["::", "example.org", "192.168.1.1", "localhost.example.org"])
def test_addresses_that_others_reach(host):
    with pytest.raises(ValueError, match="reached from other"):
        ServerSettings(models={"file": "file.classmark"}, host=host).check()


def test_learning_is_off_unless_it_is_asked_for(model, tmp_path):
    with running({"file": model}, folder=tmp_path) as server:
        assert "--allow-learn" in write(server).problem(403)


def assert_refused(model: Path, told: str, *options: str) -> None:
    """See that the server says so in one line, and does not start."""
    refused = pytest.raises(AssertionError, match=f"has not started: classmark: .*{told}")
    with refused as caught, running({"file": model}, *options, folder=model.parent):
        pass
    assert str(caught.value).count("\n") == 1
