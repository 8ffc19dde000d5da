"""Models, in a real browser: what is served, its report, training again, taking it up, and going back."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from classmark.report.page import write_page
from tests.browser import served
from tests.report.examples import EXAMPLES
from tests.server.running import Server, running

Go = Callable[..., Any]
PAGE = "/projects/tickets/models"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("models")
    models = {"tickets": served.tickets(folder), "hostile": served.hostile(folder)}
    write_page(EXAMPLES["tiny"](), folder / "report.html")
    given = {
        "--figures": "figures.json",
        "--report": "report.html",
        "--train-from": f"{served.TICKETS} {served.OPTIONS}",
    }
    options = [word for option, value in given.items() for word in (option, f"tickets={value}")]
    with running(models, *options, "--allow-learn", folder=folder) as started:
        lessons = [{"text": f"where is the invoice {at}", "subjects": [{"uri": "billing/invoice"}]} for at in range(5)]
        started.ask("POST", "/v1/projects/tickets/learn", json=lessons).raise_for_status()
        yield started


def version(server: Server) -> str:
    return str(server.ask("GET", "/v1/projects/tickets").json()["version"])


def test_it_is_trained_again_taken_up_and_put_back_by_keyboard_alone(go: Go, server: Server) -> None:
    before = version(server)
    visit = go(server.url, PAGE)
    visit.tab_to("train")
    visit.press("Enter")
    visit.page.wait_for_selector("#take-up", timeout=120_000)
    assert visit.page.locator(".gain tbody tr").count() == 4
    assert "5 corrections" in visit.text(".gain")
    assert version(server) == before
    visit.page.focus("#main")
    visit.tab_to("take-up")
    visit.press("Enter")
    visit.page.locator("#training .good").wait_for()
    assert version(server) != before
    visit.page.focus("#main")
    visit.tab_to("back")
    visit.press("Enter")
    visit.page.locator("#training").get_by_text("another version answers now").wait_for()
    assert version(server) == before


def test_a_broken_file_is_named_and_the_one_that_answers_put_back(go: Go, server: Server, tmp_path: Path) -> None:
    path = Path(next(word for word in server.process.args if "tickets=" in str(word)).partition("=")[2])  # type: ignore[union-attr]
    broken = tmp_path / "broken"
    broken.write_bytes(b"no model")
    broken.replace(path) if broken.stat().st_dev == path.stat().st_dev else path.write_bytes(b"no model")
    visit = go(server.url, PAGE)
    for _ in range(100):
        if visit.page.locator(".refused").count():
            break
        visit.page.wait_for_timeout(100)
        visit.page.reload()
        visit.page.wait_for_selector("html[data-ready]")
    assert "was refused" in visit.text(".refused")
    visit.page.get_by_role("button", name="Put the version that answers back in its place").click()
    visit.page.locator(".refused").wait_for(state="detached")


def test_its_figures_and_how_it_was_made(go: Go, server: Server) -> None:
    visit = go(server.url, PAGE)
    assert visit.page.locator(".quality dd").count() == 3
    visit.page.get_by_text("How it was made").click()
    assert "a tree of 16 categories" in visit.page.locator("#model").inner_text()
    assert visit.page.locator("#projects tbody tr").count() == 2


def test_the_report_works_in_a_room_of_its_own(go: Go, server: Server) -> None:
    visit = go(server.url, PAGE)
    visit.page.get_by_role("link", name="Open the report").click()
    visit.page.wait_for_selector("html[data-ready]")
    assert visit.page.locator("#icicle svg").is_visible()
    assert visit.page.evaluate("self.origin") == "null"
    with pytest.raises(Exception, match=r"Failed to fetch|violates"):
        visit.page.evaluate("fetch('/v1/projects').then(one => one.text())")
    visit.complaints.clear()


def test_a_project_that_cannot_be_trained_says_how_to_turn_it_on(go: Go, server: Server) -> None:
    visit = go(server.url, "/projects/hostile/models")
    assert "--train-from hostile=DATA" in visit.text("#training")
    assert visit.page.locator("#train").count() == 0


def test_a_failure_is_said(go: Go, server: Server) -> None:
    visit = go(server.url, PAGE)
    visit.page.route("**/retrain", lambda route: route.abort() if route.request.method == "POST" else route.fallback())
    visit.page.click("#train")
    assert "the server does not answer" in visit.text("#training [role=alert]")
    visit.complaints.clear()


@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (1600, "dark")])
def test_nothing_overlaps_and_a_checker_finds_nothing_serious(
    go: Go, server: Server, axe: str, width: int, scheme: str
) -> None:
    visit = go(server.url, f"{PAGE}?lang=de", viewport={"width": width, "height": 800}, color_scheme=scheme)
    visit.check_layout()
    visit.check_accessible(axe)
