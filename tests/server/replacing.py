"""Replace the store of a server under load: every acknowledged verdict is in the store, or in a copy of what it was.

`python -m tests.server.replacing --replacements 20 --verdicts 1000` does more than the tests do.
"""

import argparse
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from classmark.store import Store
from tests.server.birds import Connection, ask, make_model
from tests.server.running import Server, running

SENDERS = 4
SECONDS_TO_RECOVER = 60
LEARN = "/v1/projects/file/learn"


def move_aside(store: Path, aside: Path) -> None:
    """Move the store's file alone, and put a backup of it in its place."""
    _backup(store, aside.with_suffix(".new"))
    store.rename(aside)
    aside.with_suffix(".new").rename(store)


def rename_over(store: Path, aside: Path) -> None:
    """Rename a backup onto the store, which deletes the file that is open."""
    _backup(store, aside.with_suffix(".new"))
    aside.with_suffix(".new").rename(store)


def delete_and_restore(store: Path, aside: Path) -> None:
    """Delete the store and its log, and put a backup in its place a little later."""
    _backup(store, aside.with_suffix(".new"))
    for path in (store, *store.parent.glob(f"{store.name}-*")):
        path.unlink(missing_ok=True)
    time.sleep(0.2)
    aside.with_suffix(".new").rename(store)


def delete_log(store: Path, aside: Path) -> None:
    """Delete the log beside the store."""
    store.with_name(f"{store.name}-wal").unlink(missing_ok=True)


REPLACEMENTS: tuple[Callable[[Path, Path], None], ...] = (move_aside, rename_over, delete_and_restore, delete_log)


def _backup(store: Path, target: Path) -> None:
    with sqlite3.connect(store) as source, sqlite3.connect(target) as copy:
        source.backup(copy)
    source.close()
    copy.close()


@dataclass
class Replacing:
    """A server whose store is replaced while clients send documents to it."""

    folder: Path
    workers: int = 1
    acknowledged: set[str] = field(default_factory=set)
    rejected: list[str] = field(default_factory=list)
    """Reasons of the requests that were answered by 503."""
    unexpected: list[str] = field(default_factory=list)
    replacements: int = 0

    @property
    def store(self) -> Path:
        return self.folder / "store.sqlite"

    def run(self, replacements: int, verdicts: int) -> None:
        """Replace the store so often, and go on until so many documents are acknowledged."""
        model = make_model(self.folder / "file.classmark")
        options = ("--allow-learn", "--workers", str(self.workers))
        with running({"file": model}, *options, store=self.store, folder=self.folder) as server:
            # A store that is there is opened by every worker at once.
            self._send(server.url, "first")
            enough = threading.Event()
            senders = [
                threading.Thread(target=self._send_all, args=(server.url, sender, enough)) for sender in range(SENDERS)
            ]
            for thread in senders:
                thread.start()
            try:
                for number in range(replacements):
                    self._await_progress(verdicts // replacements)
                    replace = REPLACEMENTS[number % len(REPLACEMENTS)]
                    replace(self.store, self.folder / f"aside-{number}.sqlite")
                    self.replacements += 1
                self._await_progress(verdicts // replacements)
            finally:
                enough.set()
                for thread in senders:
                    thread.join()
            self._await_ready(server)

    def _send_all(self, url: str, sender: int, enough: threading.Event) -> None:
        number = 0
        while not enough.is_set():
            number += 1
            self._send(url, f"{sender}-{number}")

    def _send(self, url: str, name: str) -> None:
        lesson = {"document_id": name, "text": f"owl {name}", "subjects": [{"uri": "owl"}]}
        with Connection(url) as connection:
            answer = connection.ask("POST", LEARN, [lesson])
        if answer.status == 204:
            self.acknowledged.add(name)
        elif answer.status == 503:
            self.rejected.append(answer.json["detail"])
            time.sleep(0.02)
        else:
            self.unexpected.append(f"{answer.status} {answer.content[:300]!r}")

    def _await_progress(self, more: int) -> None:
        """Wait until so many more documents are acknowledged."""
        wanted, end = len(self.acknowledged) + max(1, more), time.monotonic() + SECONDS_TO_RECOVER
        while len(self.acknowledged) < wanted:
            assert time.monotonic() < end, f"the server does not recover: {self.rejected[-1:]} {self.unexpected[-1:]}"
            time.sleep(0.005)

    def _await_ready(self, server: Server) -> None:
        end = time.monotonic() + SECONDS_TO_RECOVER
        while ask(server.url, "GET", "/readyz").status != 200:
            assert time.monotonic() < end, "".join(server.lines)
            time.sleep(0.05)

    def lost(self) -> set[str]:
        """Return the acknowledged documents that are in no file: not the store, none moved aside, none saved."""
        there: set[str] = set()
        for path in [self.store, *self.folder.glob("aside-*.sqlite"), *self.folder.glob("store.sqlite.rescued-*")]:
            # Read from a copy, so that a file without its log is seen as it is.
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(shutil.copy(path, folder))
                if path == self.store and (log := path.with_name(f"{path.name}-wal")).exists():
                    shutil.copy(log, folder)
                with Store.open(copy, create=False) as store:
                    there.update(one.name for one in store.labelled("file"))
        return self.acknowledged - there


def main() -> None:
    """Print how many verdicts were acknowledged, rejected and lost; a lost one is an error."""
    parser = argparse.ArgumentParser(prog="python -m tests.server.replacing", description=__doc__)
    parser.add_argument("--replacements", type=int, default=20)
    parser.add_argument("--verdicts", type=int, default=1000, help="how many are acknowledged at least")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        replacing = Replacing(Path(folder), options.workers)
        replacing.run(options.replacements, options.verdicts)
        lost = replacing.lost()
        print(
            f"{replacing.replacements} replacements: {len(replacing.acknowledged):,} acknowledged, {len(lost):,} lost,"
            f" {len(replacing.rejected):,} answered by 503, {len(replacing.unexpected):,} by anything else"
        )
        for reason in sorted(set(replacing.rejected)):
            print(f"503: {reason}")
        assert not lost, sorted(lost)[:10]
        assert not replacing.unexpected, replacing.unexpected[:3]


if __name__ == "__main__":
    main()
