"""Browse, in a real browser: the tree by mouse and by keyboard alone, the search, and what is shown of a category."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.served import HOSTILE, SEVERAL
from tests.server.running import Server

Go = Callable[..., Any]
PAGE = "/projects/tickets/browse"


def labels(visit: Any) -> list[str]:
    """Give what the tree shows."""
    return [one.strip() for one in visit.page.locator("#tree .label").all_inner_texts()]


def title(visit: Any, wanted: str) -> None:
    """Wait until a category is shown."""
    visit.page.locator("#node-title", has_text=wanted).wait_for()


def row(visit: Any, label: str) -> Any:
    return visit.page.locator("#tree .row").filter(has_text=label).first


def test_a_click_opens_a_category_and_shows_what_is_known_of_it(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, PAGE)
    assert labels(visit) == ["account", "billing", "delivery", "technical"]
    row(visit, "billing").click()
    row(visit, "refund").click()
    title(visit, "refund")
    shown = visit.page.locator("#node")
    assert "refund" in shown.locator(".weights .for").first.inner_text()
    assert shown.locator(".quality dd").count() == 3
    assert "Measured on" in shown.inner_text()
    visit.page.locator("#documents h3").wait_for()
    row(visit, "billing").locator(".twist").click()
    assert labels(visit) == ["account", "billing", "delivery", "technical"]


def test_the_tree_by_keyboard_alone(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, PAGE)
    visit.tab_to("search")
    visit.press("Tab", "ArrowDown", "ArrowRight")
    visit.page.locator("#tree [role=group] li").first.wait_for()
    visit.press("ArrowRight", "ArrowDown", "Enter")
    title(visit, "payment")
    item = visit.page.locator("#tree [aria-selected=true]")
    assert [item.get_attribute(f"aria-{key}") for key in ("level", "posinset", "setsize")] == ["2", "2", "3"]
    visit.press("ArrowLeft", "ArrowLeft")
    visit.page.locator("#tree [role=group]").wait_for(state="detached")
    assert labels(visit) == ["account", "billing", "delivery", "technical"]
    visit.press("End", "Enter")
    title(visit, "technical")
    visit.press("Home", "Enter")
    title(visit, "account")
    visit.press("/")
    assert visit.focused() == "search"


def test_a_search_while_one_types_by_keyboard_alone(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, PAGE)
    visit.page.focus("#search")
    visit.page.keyboard.type("bill")
    options = visit.page.locator("#found [role=option]")
    options.first.wait_for()
    assert options.first.inner_text() == "billing"
    assert visit.page.get_attribute("#search", "aria-expanded") == "true"
    visit.press("ArrowDown", "ArrowDown")
    assert visit.page.get_attribute("#search", "aria-activedescendant") == "found-1"
    visit.press("Enter")
    visit.page.wait_for_selector("#node-title")
    assert "billing" in visit.text("#node .crumbs")
    visit.page.wait_for_selector("#tree [aria-selected=true]")
    visit.page.fill("#search", "nothing is called so")
    visit.page.get_by_text("No category has these words.").or_(visit.page.get_by_text("would put these")).wait_for()
    visit.press("Escape")
    assert visit.page.locator("#found").is_hidden()


def test_a_category_is_found_by_what_it_is_about(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, PAGE)
    visit.page.fill("#search", "the parcel arrived with a crack")
    visit.page.get_by_text("The model would put these words into").wait_for()
    visit.page.locator("#found [role=option]", has_text="damaged").click()
    title(visit, "damaged")


def test_of_very_many_the_tree_holds_a_page_at_a_time(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, "/projects/many/browse")
    assert f"{SEVERAL * (SEVERAL + 1):,} categories" in visit.text("#size")
    items = visit.page.locator("#tree [role=treeitem]")
    assert items.count() == 51
    visit.page.get_by_text("70 after these").click()
    visit.page.get_by_text("50 before these").wait_for()
    assert "branch 050" in labels(visit)
    assert items.count() == 52
    visit.page.fill("#search", "branch 111, leaf 099")
    visit.page.locator("#found [role=option]").first.wait_for()
    visit.press("Enter")
    title(visit, "leaf 099")
    visit.page.wait_for_selector("#tree [aria-selected=true]")
    assert items.count() < 100
    item = visit.page.locator("#tree [aria-selected=true]")
    assert (item.get_attribute("aria-posinset"), item.get_attribute("aria-setsize")) == ("100", str(SEVERAL))
    assert item.is_visible()


def test_a_category_has_an_address_of_its_own(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, f"{PAGE}#billing%2Frefund")
    title(visit, "refund")
    visit.page.wait_for_selector("#tree [aria-selected=true]")
    visit.page.locator(".crumbs a").click()
    title(visit, "billing")
    visit.page.go_back()
    title(visit, "refund")


def test_what_is_no_category_is_said_to_be_none(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, f"{PAGE}#billing%2Frefunds")
    assert "did you mean 'billing/refund'?" in visit.text("#node [role=alert]")
    # The browser itself writes down that an address was not there.
    assert len(visit.complaints) == 1
    visit.complaints.clear()


def test_names_are_never_markup(go: Go, page_server: Server) -> None:
    visit = go(page_server.url, "/projects/hostile/browse")
    row(visit, "</div>").click()
    row(visit, "<script>").click()
    title(visit, HOSTILE[1])
    row(visit, "right\\u202eto left").click()
    title(visit, "right\\u202eto left")
    visit.page.fill("#search", "img")
    visit.page.locator("#found [role=option]").first.click()
    title(visit, HOSTILE[3])
    assert visit.page.locator("main img, main script").count() == 0


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1600, "light")])
def test_nothing_overlaps_and_a_checker_finds_nothing_serious(
    go: Go, page_server: Server, axe: str, width: int, scheme: str
) -> None:
    visit = go(page_server.url, PAGE, viewport={"width": width, "height": 800}, color_scheme=scheme)
    visit.check_layout()
    row(visit, "billing").click()
    row(visit, "refund").click()
    title(visit, "refund")
    visit.page.locator("#documents h3").wait_for()
    visit.check_layout()
    visit.check_accessible(axe)
    visit.page.fill("#search", "bill")
    visit.page.locator("#found [role=option]").first.wait_for()
    visit.check_accessible(axe)
