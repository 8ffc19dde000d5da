import pytest

from tests.data.sets.server import Site, serving


@pytest.fixture
def site(monkeypatch) -> Site:
    """A web server on this machine, and no proxy between us and it."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving() as site:
        yield site
