"""Batch in a real browser: a table is brought, watched, filtered, downloaded, sent to review and deleted."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra serve is not installed")

from tests.browser.served import HOSTILE, TICKETS, hostile, tickets
from tests.server.running import Server, running

Go = Callable[..., Any]
BATCH = "/projects/tickets/batch"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("batch-page")
    models = {"tickets": tickets(folder), "hostile": hostile(folder)}
    with running(models, "--max-upload", "400000", store=folder / "store.sqlite") as started:
        yield started


def brought(visit: Any, path: Path | dict[str, Any] = TICKETS, column: str | None = None) -> Any:
    """Bring a file, and wait until all of it is answered."""
    visit.page.set_input_files("#file", path)
    visit.page.wait_for_selector("#column")
    if column:
        visit.page.select_option("#column", column)
    visit.page.get_by_role("button", name="Start").click()
    visit.page.wait_for_selector("#download")
    visit.page.wait_for_selector("#row-list li")
    return visit


def a_file(name: str, content: str | bytes) -> dict[str, Any]:
    encoded = content.encode() if isinstance(content, str) else content
    return {"name": name, "mimeType": "application/octet-stream", "buffer": encoded}


def test_a_table_by_mouse(server: Server, go: Go, axe: str) -> None:
    visit = go(server.url, BATCH)
    visit.check_accessible(axe)
    visit.page.set_input_files("#file", TICKETS)
    visit.page.wait_for_selector("#column")
    assert visit.page.input_value("#column") == "body"
    assert visit.text(".preview th.chosen") == "body"
    visit.page.select_option("#column", "subject")
    assert visit.text(".preview th.chosen") == "subject"
    visit.page.select_option("#column", "body")
    visit.check_accessible(axe)
    visit.page.get_by_role("button", name="Start").click()
    visit.page.wait_for_selector("#download")
    assert "All 251 rows are done." in visit.text("#batch")
    visit.page.wait_for_selector("#row-list li")
    visit.check_accessible(axe)
    visit.page.locator(".branches button", has_text="billing").click()
    visit.page.wait_for_selector(".branches ul button")
    visit.page.wait_for_function(
        "() => [...document.querySelectorAll('#row-list .path')].every((one) => one.textContent.startsWith('billing'))"
    )
    visit.page.locator(".branches button", has_text="refund").click()
    visit.page.wait_for_function(
        "() => [...document.querySelectorAll('#row-list .path')].every((one) => one.textContent.includes('refund'))"
    )
    with visit.page.expect_download() as waiting:
        visit.page.click("#download")
    assert waiting.value.suggested_filename == "tickets-classmark.csv"
    with Path(waiting.value.path()).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 251
    assert rows[0]["ticket_id"] == "T-1001"
    assert rows[0]["classmark_paths"].startswith("billing > ")
    visit.page.fill("#review-count", "7")
    visit.page.click("#review")
    visit.page.get_by_role("link", name="Review them").wait_for()
    assert "7 rows of it now wait" in visit.text("#batch")
    visit.page.get_by_role("button", name="Delete …").click()
    visit.check_accessible(axe)
    visit.page.get_by_role("button", name="Keep it").click()
    assert visit.page.locator("#download").is_visible()
    visit.page.get_by_role("button", name="Delete …").click()
    visit.page.get_by_role("button", name="Delete", exact=True).click()
    visit.page.get_by_text("tickets.csv is deleted.").first.wait_for()
    assert visit.page.locator("#download").count() == 0
    assert server.ask("GET", "/v1/projects/tickets/review/progress").json()["documents"] == 0


def test_a_table_by_keyboard_alone(server: Server, go: Go) -> None:
    visit = go(server.url, BATCH)
    visit.tab_to("file")
    visit.page.set_input_files("#file", TICKETS)  # the dialog of files is the browser's own
    visit.page.wait_for_selector("#column")
    visit.tab_to("column")
    visit.tab_to("Start")
    visit.press("Enter")
    visit.page.wait_for_selector("#download")
    visit.tab_to("download")
    with visit.page.expect_download() as waiting:
        visit.press("Enter")
    assert waiting.value.suggested_filename == "tickets-classmark.csv"
    visit.tab_to("review-count")
    visit.tab_to("review")
    visit.press("Enter")
    visit.page.get_by_role("link", name="Review them").wait_for()
    visit.tab_to("order")
    visit.page.keyboard.press("a")  # as in the file
    visit.page.wait_for_function("() => document.querySelector('#row-list .where').textContent.startsWith('Line 2')")
    visit.page.keyboard.press("Shift+Tab")
    visit.press("Enter")
    assert visit.page.locator(".branches [aria-pressed=true]").count() == 1


def test_a_file_that_is_dropped(server: Server, go: Go) -> None:
    visit = go(server.url, BATCH)
    visit.page.evaluate(
        """(text) => {
          const carried = new DataTransfer();
          carried.items.add(new File([text], "few.tsv"));
          const options = { dataTransfer: carried, bubbles: true, cancelable: true };
          document.body.dispatchEvent(new DragEvent("drop", options));
        }""",
        "id\tletter\n1\tmy card is declined\n",
    )
    visit.page.wait_for_selector("#column")
    assert visit.page.input_value("#column") == "letter"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("broken.csv", "id,text\n1,a\n2,b,c\n", r"broken\.csv:3: 3 cell\(s\) for 2 columns"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n", r"picture\.csv:1: not UTF-8"),
        ("table.xlsx", b"PK\x03\x04", r"table\.xlsx: neither CSV, TSV"),
        ("<b>bold</b>.jsonl", "[1]\n", r"b>\.jsonl:1: a list.*an object"),
        ("large.csv", b"a,b\n" + b"1,2\n" * 120_000, r"the file has 0\.5 MB, more than 0\.4 MB"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(server: Server, go: Go, name: str, content: Any, told: str) -> None:
    visit = go(server.url, BATCH)
    visit.page.set_input_files("#file", a_file(name, content))
    visit.page.wait_for_selector("#told .bad")
    assert re.search(told, visit.text("#told .bad"))
    assert visit.page.locator("#told b").count() == 0
    # The browser itself writes down what the server has refused.
    assert all("Failed to load resource" in one for one in visit.complaints)
    visit.complaints.clear()


def test_texts_and_names_are_never_markup(server: Server, go: Go) -> None:
    texts = [
        "alder <script>alert(1)</script>",
        "birch \u202eturned \u2066",
        "cedar </div></body>",
        "",
        "elder " + "y" * 100_000,
    ]
    lines = "".join(json.dumps({"<img src=x onerror=alert(1)>": text, "n": 7}) + "\n" for text in texts)
    visit = brought(
        go(server.url, "/projects/hostile/batch"), a_file("\u202e<i>x.jsonl", lines), "<img src=x onerror=alert(1)>"
    )
    assert visit.page.locator("main script, main img, #batch i, #row-list b").count() == 0
    shown = visit.page.locator("#row-list").inner_text()
    assert "<script>alert(1)</script>" in shown
    assert "(an empty text)" in shown
    assert "\\u202e" in visit.text("#batch-title")
    assert visit.page.locator(".branches button", has_text=HOSTILE[0]).count() == 1
    visit.check_layout()


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overlaps(server: Server, go: Go, axe: str, width: int, scheme: str) -> None:
    visit = go(server.url, f"{BATCH}?lang=de", viewport={"width": width, "height": 900}, color_scheme=scheme)
    visit.check_layout()
    visit.page.set_input_files("#file", TICKETS)
    visit.page.wait_for_selector("#column")
    visit.check_layout()
    visit.page.get_by_role("button", name="Anfangen").click()
    visit.page.wait_for_selector("#row-list li")
    visit.page.locator(".branches button").nth(1).click()
    visit.page.wait_for_selector(".branches ul button")
    visit.check_layout()
    visit.check_accessible(axe)


FAILING = {
    "rows of an order": ("**/rows?*", lambda visit: visit.page.select_option("#order", "file")),
    "a branch": ("**/branches?*", lambda visit: visit.page.locator(".branches button", has_text="billing").click()),
}


@pytest.mark.parametrize("name", FAILING)
def test_failed_request_is_shown(server: Server, go: Go, name: str) -> None:
    address, act = FAILING[name]
    visit = brought(go(server.url, BATCH))
    visit.page.locator(".branches button", has_text="billing").wait_for()
    problem = {"status": 503, "detail": "the disk is full"}
    visit.page.route(address, lambda route: route.fulfill(status=503, json=problem))
    act(visit)
    visit.page.locator("#told [role=alert]", has_text="the disk is full").wait_for()
    visit.complaints.clear()  # the browser writes down that the server refused


def test_one_row_is_singular(server: Server, go: Go) -> None:
    visit = brought(go(server.url, BATCH), a_file("one.csv", "text\nwhere is my invoice\n"))
    assert "1 row," in visit.text(".batch-head")
    assert "1 row is done." in visit.text("#batch")
    visit.page.fill("#review-count", "1")
    visit.page.click("#review")
    visit.page.get_by_text("1 row of it now waits for review.").wait_for()
