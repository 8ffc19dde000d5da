"""Signing in, in a real browser: by keyboard alone, a wrong token first, and the text of a link kept on the way."""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser import served
from tests.server.running import Server, running

TOKEN = "a-token-of-the-library"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "tokens").write_text(f"write {TOKEN} Ada Lovelace\n", "utf-8")
    with running([served.hostile(folder)], "--token-file", "tokens", folder=folder) as started:
        yield started


def test_a_link_leads_past_signing_in_with_its_text(go: Callable[..., Any], server: Server, axe: str) -> None:
    text = urlsafe_b64encode(b"birch birch").decode().rstrip("=")
    visit = go(server.url, f"/projects/hostile/try#text={text}", viewport={"width": 400, "height": 800})
    visit.check_layout()
    visit.check_accessible(axe)
    assert visit.focused() == "token"
    visit.page.keyboard.type("wrong")
    visit.press("Enter")
    assert "This token is not known here" in visit.text("[role=alert]")
    # The browser itself writes down that it was refused.
    assert len(visit.complaints) == 1
    visit.complaints.clear()
    visit.page.wait_for_selector("html[data-ready]")
    visit.page.fill("#token", TOKEN)
    visit.press("Enter")
    visit.page.wait_for_selector("#belongs")
    assert visit.page.input_value("#text") == "birch birch"
    assert "Ada Lovelace" in visit.text(".aside")
    assert TOKEN not in visit.page.evaluate("document.cookie")
    visit.page.get_by_role("button", name="Sign out").click()
    visit.page.wait_for_selector("#token")
