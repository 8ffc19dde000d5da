"""A real browser, and pages of made-up reports in it. What is missing is named, and the tests are skipped."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from classmark.report.page import write_page
from tests.browser import served
from tests.report.examples import EXAMPLES
from tests.server.running import Server, running

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ROOT = Path(__file__).parents[2]
"""Where the project is."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, as it is installed on the machine."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip("needs a browser: apt-get install chromium")
    with playwright.sync_playwright() as started:
        # Chromium refuses its sandbox to root, who runs tests in containers.
        opened = started.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give the file of an example's page."""
    folder = tmp_path_factory.mktemp("pages")

    def written(example: str) -> Path:
        path = folder / f"{example}.html"
        if not path.exists():
            write_page(EXAMPLES[example](), path)
        return path

    return written


OVERLAPPING = """() => {
  const shown = [...document.querySelectorAll("a, button, input, select, textarea, summary, h1, h2, h3, p, label")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".hidden, .skip"));
  const boxes = shown.map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => box.width && box.height);
  const found = [];
  for (const [one, a] of boxes)
    for (const [other, b] of boxes)
      if (one !== other && !one.contains(other) && !other.contains(one))
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2)
          if (Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2)
            found.push(`${one.outerHTML.slice(0, 80)} on ${other.outerHTML.slice(0, 80)}`);
  return found;
}"""
"""What lies on something else, without being inside it."""


class Visit:
    """A page in the browser, and all that it asked for or complained of."""

    def __init__(self, browser: Any, address: str, **settings: Any) -> None:
        settings = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | settings
        self.context = browser.new_context(**settings)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(address)
        self.page.wait_for_selector("html[data-ready]")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).first.inner_text())

    def focused(self) -> str:
        """Give the id of what has the focus, or its text."""
        return str(self.page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))

    def tab_to(self, wanted: str, most: int = 80) -> None:
        """Go on by the tabulator to what has an id or a text."""
        for _ in range(most):
            self.press("Tab")
            if self.focused() == wanted:
                return
        raise AssertionError(f"{wanted} was not reached by {most} presses of the tabulator")

    def check_accessible(self, axe: str) -> None:
        """Let axe-core look at the page as it is now: it finds nothing serious."""
        self.page.evaluate(axe)
        found = self.page.evaluate("axe.run()")["violations"]
        serious = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
        assert serious == []

    def check_layout(self) -> None:
        """Nothing is wider than the window, and no two things that can be used lie on each other."""
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert self.page.evaluate(OVERLAPPING) == []


@pytest.fixture
def visit(browser: Any, pages: Callable[[str], Path]) -> Iterator[Callable[..., Visit]]:
    """Open the page of an example; at the end it must have complained of nothing and asked for nothing."""
    visits: list[Visit] = []

    def opened(example: str, **settings: Any) -> Visit:
        visits.append(Visit(browser, pages(example).as_uri(), **settings))
        return visits[-1]

    yield opened
    for one in visits:
        one.context.close()
        assert one.complaints == []
        assert [request for request in one.requests[1:] if request != "data:,"] == []


@pytest.fixture
def go(browser: Any) -> Iterator[Callable[..., Visit]]:
    """Open a page of a server; at the end it must have complained of nothing and asked nobody but that server."""
    visits: list[tuple[str, Visit]] = []

    def opened(url: str, path: str, **settings: Any) -> Visit:
        visits.append((url, Visit(browser, url + path, **settings)))
        return visits[-1][1]

    yield opened
    for url, one in visits:
        one.context.close()
        assert one.complaints == []
        own = (f"{url}/", "data:,", f"blob:{url}/")
        assert [request for request in one.requests if not request.startswith(own)] == []


@pytest.fixture(scope="session")
def page_server(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Server]:
    """A server that only answers: nothing about its models changes."""
    folder = tmp_path_factory.mktemp("served")
    models = {"tickets": served.tickets(folder), "hostile": served.hostile(folder), "many": served.many(folder)}
    with running(models, "--figures", "tickets=figures.json", folder=folder) as started:
        yield started


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, which finds what some readers could not use."""
    named = os.environ.get("CLASSMARK_AXE")
    folders = (ROOT, ROOT / ".venv" / "npm", Path(sys.prefix) / "npm")
    places = [Path(named)] if named else [folder / "node_modules/axe-core/axe.min.js" for folder in folders]
    for place in places:
        if place.is_file():
            return place.read_text(encoding="utf-8")
    pytest.skip("needs axe-core: npm install --prefix .venv/npm --no-save axe-core, or set CLASSMARK_AXE to axe.min.js")
