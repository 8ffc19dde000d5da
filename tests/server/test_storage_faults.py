"""What is wrong with files, or kills the process, at a real server: it stays up, and loses nothing acknowledged."""

import os
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from classmark.store import Store
from tests.server.birds import FORM, Connection, ask, make_index, make_model, still_well, suggest
from tests.server.disks import fill, small_disk
from tests.server.killing import Killing
from tests.server.running import Server, running

LEARN, SUGGEST, REVIEW = (f"/v1/projects/file/{name}" for name in ("learn", "suggest", "review"))
OWL = {"text": "the owl is back", "subjects": [{"uri": "owl"}]}


def test_kills_under_load_lose_nothing_acknowledged(tmp_path):
    killing = Killing(tmp_path, str(tmp_path / "store.sqlite"), seed=1)
    killing.kill_all(3, workers=1)
    assert killing.record.kills == 3
    assert killing.record.acknowledged


def test_kills_under_load_on_postgresql(tmp_path, postgres_address):
    killing = Killing(tmp_path, postgres_address, seed=3)
    killing.kill_all(3, workers=2)
    assert killing.record.kills == 3
    assert killing.record.acknowledged


def test_a_model_is_replaced_under_load_and_put_back(tmp_path):
    """No request is dropped, the version changes, a broken file is refused, and the one before can be put back."""
    model = make_model(tmp_path / "file.classmark")
    other = make_model(tmp_path / "other.classmark", n_texts=6).read_bytes()
    with running({"file": model}, folder=tmp_path) as server, Load(server.url) as load:
        first = project(server)["version"]
        replace(model, other)
        second = wait_until(lambda: changed(server, first))
        replace(model, b"not a model")
        problem = wait_until(lambda: project(server)["problem"])
        assert "file.classmark" in problem
        assert project(server)["version"] == second
        restored = ask(server.url, "POST", "/v1/projects/file/back").json
        assert (restored["version"], restored["problem"], restored["previous"]) == (second, None, first)
        assert ask(server.url, "POST", "/v1/projects/file/back").json["version"] == first
        assert ask(server.url, "POST", "/v1/projects/file/back").json["version"] == second
        replace(model, other[:-100])
        wait_until(lambda: project(server)["problem"])
    assert load.statuses == {200}
    assert load.versions == {first, second}
    assert load.answers > 100


class Load:
    """Clients that ask all the time; `statuses` and `versions` are what they were answered."""

    def __init__(self, url: str) -> None:
        self.statuses: set[int] = set()
        self.versions: set[str] = set()
        self.answers = 0
        self._url, self._enough = url, threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(4)]

    def _ask(self) -> None:
        with Connection(self._url) as connection:
            while not self._enough.is_set():
                try:
                    answer = connection.ask("POST", SUGGEST, b"text=owl", FORM)
                except OSError:
                    self.statuses.add(0)
                    return
                self.statuses.add(answer.status)
                self.versions.add(answer.headers["x-classmark-version"])
                self.answers += 1

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._enough.set()
        for thread in self._threads:
            thread.join()


def project(server: Server) -> dict[str, str]:
    return ask(server.url, "GET", "/v1/projects/file").json


def changed(server: Server, version: str) -> str | None:
    now = project(server)["version"]
    return None if now == version else now


def replace(path: Path, content: bytes) -> None:
    """Put a file in the place of another, as `classmark train -o` does."""
    beside = path.with_name("beside")
    beside.write_bytes(content)
    beside.replace(path)


def wait_until(happened: Callable[[], str | None]) -> str:
    """Wait for something, and give it."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if (found := happened()) is not None:
            return found
        time.sleep(0.05)
    raise AssertionError("it does not happen")


# Disk and store.


def test_a_full_disk(tmp_path):
    """A small file system is filled where this user may mount one; otherwise the server's files may not grow."""
    model = make_model(tmp_path / "file.classmark")
    with small_disk(tmp_path / "disk") as mounted:
        store = tmp_path / "disk" / "store.sqlite"
        with running({"file": model}, "--allow-learn", store=store, folder=tmp_path) as server:
            assert ask(server.url, "POST", LEARN, [OWL]).status == 204
            free = _fill_disk(tmp_path / "disk") if mounted else _limit_files(server)
            kept, told = 1, ""
            for number in range(200):
                answer = ask(server.url, "POST", LEARN, [{**OWL, "text": f"{number} " + "owl " * 1000}])
                if answer.status != 204:
                    told = answer.problem(503)
                    break
                kept += 1
            assert "full" in told
            still_well(server)
            free()
            assert ask(server.url, "POST", LEARN, [OWL]).status == 204
        with Store.open(store) as opened:
            assert opened.counts("file")["human"] == kept + 1


def _fill_disk(folder: Path) -> Callable[[], None]:
    return fill(folder).unlink


def _limit_files(server: Server) -> Callable[[], None]:
    """Let no file of a running server grow beyond what the store's log has now."""
    before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (100_000, before[1]))

    def free() -> None:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)

    return free


def test_a_live_index_on_a_full_disk(tmp_path):
    """What is learned is kept in the store, acknowledged, and counts when there is room again."""
    with small_disk(tmp_path / "disk") as mounted:
        if not mounted:
            pytest.skip("needs the right to mount a small file system")
        index = make_index(tmp_path / "disk" / "live")
        with running({"live": index}, "--allow-learn", store=tmp_path / "store.sqlite", folder=tmp_path) as server:
            filling = fill(tmp_path / "disk")
            lesson = {"text": "a nightjar churrs", "subjects": [{"uri": "owl"}]}
            assert ask(server.url, "POST", "/v1/projects/live/learn", [lesson]).status == 204
            assert not suggest(server.url, "nightjar churrs", "live").json["results"]
            filling.unlink()
            wait_until(lambda: suggest(server.url, "nightjar churrs", "live").json["results"] or None)


def test_a_store_that_is_damaged_while_it_is_used(tmp_path):
    """What is not in memory any more cannot be read: that is said, and suggestions go on."""
    model, store = make_model(tmp_path / "file.classmark"), tmp_path / "store.sqlite"
    with running({"file": model}, "--allow-learn", store=store, folder=tmp_path) as server:
        for number in range(60):
            lesson = [{**OWL, "document_id": str(number), "text": f"{number} " + "owl " * 25_000}]
            assert ask(server.url, "POST", LEARN, lesson).status == 204
        for path in (store, store.with_name(f"{store.name}-wal")):
            overwrite(path, path.stat().st_size // 10, path.stat().st_size)
        assert "damaged" in ask(server.url, "GET", f"{REVIEW}/documents").problem(503)
        still_well(server)
        assert ask(server.url, "GET", "/healthz").status == 200
        assert ask(server.url, "POST", LEARN, [OWL]).status in (204, 503)
        still_well(server)


@pytest.mark.parametrize(("start", "stop"), [(0, 100), (4096, None)], ids=["its beginning", "all but its beginning"])
def test_a_store_that_is_damaged_before_the_start(tmp_path, start, stop):
    model, store = make_model(tmp_path / "file.classmark"), tmp_path / "store.sqlite"
    with Store.open(store) as opened:
        opened.learn("file", [(None, "an owl " * 1000, ["owl"])], who="Ada")
    overwrite(store, start, stop or store.stat().st_size)
    told = r"has not started: classmark: .*store\.sqlite.*damaged"
    with pytest.raises(AssertionError, match=told), running({"file": model}, store=store, folder=tmp_path):
        pass


def overwrite(path: Path, start: int, stop: int) -> None:
    """Put noise in the place of a part of a file."""
    with path.open("r+b") as file:
        file.seek(start)
        file.write(os.urandom(stop - start))
