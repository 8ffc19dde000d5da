"""A PostgreSQL server of the tests' own, started as its own user where the tests run as root; without one they skip.

It listens on a socket in its folder and on no port. Every test that asks gets a new database.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

USER = "postgres"
PLACES = Path("/usr/lib/postgresql")
"""Where Debian has the programs, by version; they are not on the path."""
SETTINGS = (
    *("-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off"),
    *("-c", "shared_buffers=16MB", "-c", "max_connections=60", "-c", "log_min_messages=fatal"),
)
PATIENCE = 60


class Server:
    """A server that runs: it makes databases, and is known by its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers = count(1)

    def address(self, database: str) -> str:
        return f"postgresql:///{database}?host={self.folder}&user={USER}"

    def connect(self, database: str = "postgres") -> Any:
        import psycopg

        return psycopg.connect(host=str(self.folder), user=USER, dbname=database, autocommit=True)

    def create(self, encoding: str = "UTF8") -> str:
        """Make a new database, and give its name."""
        name = f"test_{next(self._numbers)}"
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0 LOCALE 'C'")
        return name


def programs() -> Path:
    """Give the folder of the newest server's programs, or skip the test."""
    pytest.importorskip("psycopg", reason="needs psycopg: pip install 'psycopg[binary]'")
    found = sorted(PLACES.glob("*/bin/initdb"), key=lambda path: float(path.parent.parent.name))
    program = str(found[-1]) if found else shutil.which("initdb")
    if program is None:
        pytest.skip("needs a PostgreSQL server: apt-get install postgresql")
    return Path(program).resolve().parent


def identity() -> dict[str, Any]:
    """Give what starts a process as the server's own user: it refuses to run as root."""
    import pwd

    if os.getuid() != 0:
        return {}
    try:
        known = pwd.getpwnam(USER)
    except KeyError:
        pytest.skip(f"PostgreSQL does not run as root, and there is no user {USER}")
    return {"user": known.pw_uid, "group": known.pw_gid, "extra_groups": []}


@contextmanager
def running() -> Iterator[Server]:
    """Run a server in a folder of its own, and stop it at the end."""
    found, who = programs(), identity()
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # short, for the name of a socket has 100 characters at most
    try:
        if who:
            os.chown(folder, who["user"], who["group"])
        data = folder / "data"
        initdb = [found / "initdb", "-D", data, "-U", USER, "-A", "trust", "-N", "--locale=C", "-E", "UTF8"]
        subprocess.run(initdb, check=True, capture_output=True, cwd=folder, **who)
        with (folder / "log").open("wb") as log:
            command = [found / "postgres", "-D", data, "-k", folder, *SETTINGS]
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **who)
        try:
            server = Server(folder)
            wait_for(server, process)
            yield server
        finally:
            process.send_signal(signal.SIGQUIT)
            process.wait(PATIENCE)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(server: Server, process: subprocess.Popen[bytes]) -> None:
    import psycopg

    end = time.monotonic() + PATIENCE
    while True:
        try:
            server.connect().close()
            return
        except psycopg.OperationalError:
            assert process.poll() is None, (server.folder / "log").read_text()
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.05)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server for all tests of a process."""
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_database(postgres: Server) -> str:
    """The name of a database that is emptied for every test, which takes a tenth of the time of making one."""
    return postgres.create()


@pytest.fixture
def postgres_address(postgres: Server, postgres_database: str) -> str:
    """The address of an empty database."""
    with postgres.connect(postgres_database) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return postgres.address(postgres_database)
