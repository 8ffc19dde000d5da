import pytest

from reproductions import Cache, Surroundings, parse_table
from tests.reproductions.toys import TABLE, write_corpus


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch, tmp_path):
    """Only the corpora of the test are there."""
    monkeypatch.setenv("CLASSMARK_DATA", str(tmp_path / "installed"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def data(tmp_path):
    """A folder of datasets that holds the animals."""
    write_corpus(tmp_path / "data" / "animals")
    return tmp_path / "data"


@pytest.fixture
def table():
    return parse_table(TABLE)


@pytest.fixture
def surroundings(data):
    return Surroundings(data)


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "measured")
