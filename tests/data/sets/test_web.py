"""Addresses that are asked, and what becomes of answers."""

import pytest

from classmark.data.sets.web import BrokenError, RefusedError, Version, ask, check_address, read
from tests.data.sets.server import Site, free_port, serving


@pytest.fixture
def site(monkeypatch) -> Site:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving() as site:
        site.files["owls"] = b"0123456789"
        site.tags["owls"] = '"v1"'
        yield site


@pytest.mark.parametrize("address", ["http://host", "https://host:8080/a%20b?c=d"])
def test_web_addresses(address):
    check_address(address)


@pytest.mark.parametrize(
    "address",
    ["", "host/file", "ftp://host/file", "http://", "http://host:0/", "http://host:x/", "http://h/a b", "http://h/é"],
)
def test_other_addresses_are_refused(address):
    with pytest.raises(ValueError, match="not a web"):
        check_address(address)


def test_the_whole_and_the_rest(site):
    whole = ask(f"{site.url}/owls", 5)
    assert (whole.start, whole.version, read(whole.body, 99)) == (0, Version(10, '"v1"'), b"0123456789")
    rest = ask(f"{site.url}/owls", 5, 4, whole.version)
    assert (rest.start, rest.version, read(rest.body, 99)) == (4, whole.version, b"456789")
    assert ask(f"{site.url}/owls", 5, 11, whole.version) is None


def test_what_may_help_to_ask_again_and_what_not(site):
    with pytest.raises(RefusedError, match="the server answers 404"):
        ask(f"{site.url}/gulls", 5)
    site.statuses.append(503)
    with pytest.raises(BrokenError, match="the server answers 503"):
        ask(f"{site.url}/owls", 5)
    with pytest.raises(RefusedError, match="cannot be reached"):
        ask(f"http://127.0.0.1:{free_port()}/owls", 5)
