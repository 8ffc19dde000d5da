import pytest

from classmark.data.sets import fetch
from tests.data.sets.server import Site, serving


@pytest.fixture
def site(monkeypatch) -> Site:
    """A web server on this machine, and no proxy between us and it."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    for name, value in {"TIMEOUT": 5, "RETRIES": 2, "PAUSE": 0}.items():
        monkeypatch.setattr(fetch, name, value)
    with serving() as site:
        yield site
