"""Try, in a real browser: a text by mouse, by keyboard alone, by file and by link; where it belongs, and why."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.served import HOSTILE, INVOICE
from tests.server.running import Server

Go = Callable[..., Any]
PAGE = "/projects/tickets/try"


def place(visit: Any) -> str:
    """Give where the text belongs, once that is known."""
    visit.page.wait_for_selector("#belongs")
    return str(visit.text(".places .place"))


def test_a_text_is_put_in_its_place_and_the_words_behind_it_are_marked(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, PAGE)
    visit.page.get_by_label("Text", exact=True).fill(INVOICE)
    visit.page.get_by_role("button", name="Classify").click()
    assert place(visit) == "invoice"
    assert "billing" in visit.text(".places")
    assert visit.page.locator(".places .chance-words").first.inner_text()
    assert visit.page.locator("mark.for.s2").first.inner_text() == "invoice"
    assert "refund" in visit.page.locator("mark.against").all_inner_texts()
    assert visit.text("#live").startswith("It belongs to billing, invoice: ")


def test_text_without_known_terms_gets_a_message_and_no_category(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, PAGE)
    visit.page.fill("#text", "qqqq zzzz")
    visit.page.get_by_role("button", name="Classify").click()
    visit.page.get_by_text("the model knows no word of this text").first.wait_for()
    assert visit.page.locator(".places .place").count() == 0
    assert visit.page.locator("#behind").count() == 0


def test_what_nearly_made_it_and_why_not(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, PAGE)
    visit.page.fill("#text", INVOICE)
    visit.page.get_by_role("button", name="Classify").click()
    near = visit.page.locator(".near > li")
    near.first.wait_for()
    refund = near.filter(has_text="refund")
    refund.locator("summary").click()
    refund.get_by_text("For refund").wait_for()
    sides = refund.locator(".sides > div")
    assert "refund" in sides.nth(0).locator("li").first.inner_text()
    assert "invoice" in sides.nth(1).locator("li").first.inner_text()
    other = near.nth(3)
    other.locator("summary").click()
    other.locator(".sides h4").first.wait_for()


def test_everything_by_keyboard_alone(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, PAGE)
    visit.press("Tab")
    assert visit.focused() == "Skip to the page"
    visit.tab_to("text")
    visit.page.keyboard.type(INVOICE)
    visit.press("Control+Enter")
    assert place(visit) == "invoice"
    visit.page.evaluate("document.querySelector('.near summary').id = 'nearest'")
    visit.tab_to("nearest")
    visit.press("Enter")
    visit.page.locator(".near .sides").wait_for()
    visit.page.focus("#text")
    visit.tab_to("clear")
    visit.press("Enter")
    assert visit.focused() == "text"
    assert visit.page.locator("#results").inner_text() == ""


def test_a_link_carries_the_text_and_no_server_sees_it(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, PAGE)
    text = f"{INVOICE} – ünïcödé 🦉"
    visit.page.fill("#text", text)
    visit.page.get_by_role("button", name="Link to this text").click()
    link = visit.page.get_by_label("The link").input_value()
    assert link.startswith(f"{page_server.url}{PAGE}#text=")
    other = go(page_server.url, link.removeprefix(page_server.url))
    assert place(other) == "invoice"
    assert other.page.input_value("#text") == text
    assert other.requests
    assert all("invoice" not in request and "#" not in request.replace(link, "") for request in other.requests)
    other.page.get_by_role("link", name="DE – Deutsch").click()
    other.page.wait_for_selector("html[lang=de][data-ready] #belongs")
    assert other.page.input_value("#text") == text


def test_a_broken_link_is_said_to_be_one(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, f"{PAGE}#text=%%%")
    assert "the link is broken" in visit.text("[role=alert]")


def test_a_file_is_opened_or_dropped(go: Go, page_server: Server, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text(INVOICE, "utf-8")
    (tmp_path / "picture.txt").write_bytes(b"\xff\xfe\x00\x01")
    visit = go(page_server.url, PAGE)
    visit.page.set_input_files("#file", tmp_path / "letter.txt")
    assert place(visit) == "invoice"
    visit.page.set_input_files("#file", tmp_path / "picture.txt")
    assert "picture.txt” is no text in UTF-8" in visit.text("[role=alert]")
    dropped = visit.page.evaluate_handle(
        "text => { const data = new DataTransfer(); data.items.add(new File([text], 'dropped.txt')); return data; }",
        INVOICE,
    )
    visit.page.dispatch_event("main", "drop", {"dataTransfer": dropped})
    assert place(visit) == "invoice"


def test_a_pasted_text_is_asked_about_at_once(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, PAGE, permissions=["clipboard-read", "clipboard-write"])
    visit.page.evaluate("text => navigator.clipboard.writeText(text)", INVOICE)
    visit.page.focus("#text")
    visit.press("Control+V")
    assert place(visit) == "invoice"


@pytest.mark.parametrize("text", ["", "   \n "])
def test_no_text_is_said_to_be_none(go: Go, page_server: Server, text: str) -> None:
    visit = go(page_server.url, PAGE)
    visit.page.fill("#text", text)
    visit.page.get_by_role("button", name="Classify").click()
    assert visit.text("[role=alert]").startswith("There is no text yet")


def test_texts_and_names_are_never_markup(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, "/projects/hostile/try")
    text = "birch <script>alert(1)</script> \u202e <img src=x onerror=alert(2)> </div>"
    visit.page.fill("#text", text)
    visit.page.get_by_role("button", name="Classify").click()
    assert place(visit) == "right\\u202eto left"
    assert visit.text(".places .step") == HOSTILE[0]
    marked = visit.page.locator("#why .document").inner_text()
    assert "<script>alert(1)</script>" in marked
    assert "\\u202e" in marked
    assert visit.page.locator("main img, main script").count() == 0


def test_a_very_long_text(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, PAGE)
    visit.page.fill("#text", f"{INVOICE} " * 900)
    visit.page.get_by_role("button", name="Classify").click()
    assert place(visit) == "invoice"
    assert "Only the part of the text that says most" in visit.page.locator("#why").inner_text()
    visit.page.fill("#text", "x" * 1_000_001)
    visit.page.get_by_role("button", name="Classify").click()
    assert "1,000,001 characters, more than 1,000,000" in visit.text("[role=alert]")


def test_try_text_too_long_to_explain_is_classified(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, PAGE)
    visit.page.fill("#text", f"{INVOICE} " * 1300)
    visit.page.get_by_role("button", name="Classify").click()
    assert place(visit) == "invoice"
    assert "100,000" in visit.page.locator("#why").inner_text()
    # The browser logs the status of the explanation.
    assert all("413" in complaint for complaint in visit.complaints)
    visit.complaints.clear()


@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (1600, "dark")])
def test_nothing_overlaps_and_a_checker_finds_nothing_serious(
    go: Go, page_server: Server, axe: str, width: int, scheme: str
) -> None:
    visit = go(page_server.url, PAGE, viewport={"width": width, "height": 800}, color_scheme=scheme)
    visit.check_layout()
    visit.page.fill("#text", INVOICE)
    visit.page.get_by_role("button", name="Classify").click()
    assert place(visit) == "invoice"
    visit.page.locator(".near summary").first.click()
    visit.page.locator(".near .sides").first.wait_for()
    visit.check_layout()
    visit.check_accessible(axe)
