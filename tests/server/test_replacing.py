"""The store, or the folder of a live index, is deleted or replaced while a server runs."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from classmark.index import LiveIndex
from classmark.store import Store
from tests.server.birds import ask, make_index, make_model, suggest
from tests.server.replacing import REPLACEMENTS, Replacing
from tests.server.running import Server, running

SECONDS = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("replacing")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    models = {"file": make_model(folder / "file.classmark"), "live": make_index(folder / "live")}
    with running(models, "--allow-learn", store=folder / "store.sqlite", folder=folder) as started:
        yield started


def learn(server: Server, project: str, text: str) -> int:
    lesson = {"text": text, "subjects": [{"uri": "owl"}]}
    return ask(server.url, "POST", f"/v1/projects/{project}/learn", [lesson]).status


def await_true(condition: Callable[[], object]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_server_store_replaced_under_load_loses_no_acknowledged_write(tmp_path):
    replacing = Replacing(tmp_path)
    replacing.run(len(REPLACEMENTS), 100)
    assert replacing.replacements == len(REPLACEMENTS)
    assert len(replacing.acknowledged) >= 100
    assert replacing.rejected
    assert replacing.unexpected == []
    assert replacing.lost() == set()


def test_server_store_deleted_is_not_ready_until_a_store_is_there(server, folder):
    store = folder / "store.sqlite"
    assert learn(server, "file", "an owl at dawn") == 204
    for path in folder.glob("store.sqlite*"):
        path.unlink()
    told = ask(server.url, "GET", "/readyz").problem(503)
    assert "store.sqlite" in told
    assert "deleted" in told
    assert learn(server, "file", "lost") == 503
    await_true(lambda: list(folder.glob("store.sqlite.rescued-*")))
    (saved,) = folder.glob("store.sqlite.rescued-*")
    await_true(lambda: any(saved.name in line for line in server.lines))
    assert saved.stat().st_mode & 0o777 == 0o600
    assert suggest(server.url).status == 200
    store.write_text("not a store")
    await_true(lambda: "not a SQLite" in ask(server.url, "GET", "/readyz").problem(503))
    shutil.copy(saved, store.with_name("copy"))
    store.with_name("copy").rename(store)
    await_true(lambda: ask(server.url, "GET", "/readyz").status == 200)
    assert learn(server, "file", "kept") == 204
    with Store.open(store, create=False) as opened:
        assert [one.text for one in opened.labelled("file")] == ["an owl at dawn", "kept"]


def test_server_live_index_replaced_gets_the_corrections_again(server, folder):
    index = folder / "live"
    shutil.copytree(index, folder / "earlier")
    assert learn(server, "live", "a nightjar churrs") == 204
    assert suggest(server.url, "nightjar churrs", "live").json["results"]
    index.rename(folder / "aside")
    await_true(lambda: ask(server.url, "GET", "/readyz").status == 503)
    assert learn(server, "live", "a corncrake rasps") == 204
    (folder / "earlier").rename(index)
    await_true(lambda: ask(server.url, "GET", "/readyz").status == 200)
    for text in ("nightjar churrs", "corncrake rasps"):
        assert suggest(server.url, text, "live").json["results"], text
    opened = LiveIndex.open(index)
    opened.verify()
    assert sum(name.startswith("review:") for name in opened.ids) == 2
    assert any("folder of the live index was replaced" in line for line in server.lines)
