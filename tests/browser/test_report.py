"""The page of a report in a real browser: by pointer, by keyboard alone, light and dark, large and small."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.report.examples import EXAMPLES, large

Open = Callable[..., Any]


def first_cells(visit: Any, column: int) -> list[str]:
    cells = visit.page.locator(f"#nodes-table tbody tr > :nth-child({column})").all_inner_texts()
    return [cell.strip() for cell in cells]


def current(visit: Any) -> str:
    return str(visit.page.get_attribute("#icicle", "data-current"))


def zoomed(visit: Any) -> str:
    return str(visit.page.get_attribute("#icicle", "data-zoom"))


@pytest.mark.parametrize("example", list(EXAMPLES))
def test_it_opens_without_complaint_and_without_a_request(visit: Open, example: str) -> None:
    opened = visit(example)
    assert opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_click_zooms_the_tree_and_the_way_above_it_leads_back(visit: Open) -> None:
    opened = visit("tiny")
    opened.page.locator("#icicle svg").click(position={"x": 40, "y": 30})
    assert (current(opened), zoomed(opened)) == ("account", "account")
    assert opened.text("#crumbs") == "All categories\naccount"
    assert "11" in opened.text("#readout")
    opened.page.get_by_role("button", name="All categories").click()
    assert zoomed(opened) == ""


def test_the_tree_by_keyboard(visit: Open) -> None:
    opened = visit("tiny")
    opened.tab_to("icicle")
    opened.press("ArrowRight", "ArrowDown")
    assert current(opened) == "Closing an account"
    assert opened.text("#icicle-live") == "3 documents, recall 0.000, F1 0.000."
    item = opened.page.locator(f"#{opened.page.get_attribute('#icicle', 'aria-activedescendant')}")
    assert [item.get_attribute(f"aria-{key}") for key in ("label", "level", "posinset", "setsize")] == [
        "Closing an account", "2", "2", "3",
    ]  # fmt: skip
    opened.press("ArrowLeft", "Enter")
    assert zoomed(opened) == "account"
    opened.press("Backspace")
    assert zoomed(opened) == ""
    opened.press("ArrowDown", "Enter", "Escape", "End", "Home")
    assert (current(opened), zoomed(opened)) == ("account", "")


def test_the_table_sorts_by_any_column(visit: Open) -> None:
    opened = visit("tiny")
    assert first_cells(opened, 2) == ["11", "9", "8", "5", "4", "3", "0"]
    opened.page.get_by_role("button", name="F1", exact=True).click()
    assert first_cells(opened, 7) == ["0.950", "0.940", "0.940", "0.800", "0.570", "0.000", "–"]
    opened.page.get_by_role("button", name="F1", exact=True).click()
    assert first_cells(opened, 7) == ["0.000", "0.570", "0.800", "0.940", "0.940", "0.950", "–"]
    assert opened.page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    opened.page.get_by_role("button", name="Category", exact=True).click()
    assert first_cells(opened, 1)[0] == "account"


def test_the_table_filters_and_a_row_shows_its_node_in_the_tree(visit: Open) -> None:
    opened = visit("tiny")
    opened.page.get_by_label("Show categories with").fill("INVOICE")
    assert opened.text("#nodes-count") == "2 of 7 categories"
    opened.page.locator("#nodes-table tbody tr").nth(1).locator("td").first.click()
    assert (current(opened), zoomed(opened)) == ("Invoices", "billing")
    assert opened.focused() == "icicle"
    opened.page.get_by_label("Show categories with").fill("nothing has this")
    assert opened.text("#nodes-count") == "0 of 7 categories"


def test_errors_are_read_and_filtered(visit: Open) -> None:
    opened = visit("medium")
    card = opened.page.locator("article.error").first
    assert "I cannot get in any more since my password has expired" in card.inner_text()
    assert card.locator("mark.for.s2").first.inner_text() == "password"
    assert opened.page.locator("article.error:visible").count() == 6
    opened.page.get_by_role("button", name="Show more").click()
    assert opened.page.locator("article.error:visible").count() == 12
    label = card.locator(".labels strong").first.inner_text()
    opened.page.get_by_label("Show errors with").fill(label)
    shown = opened.page.locator("article.error:visible").all_inner_texts()
    assert shown
    assert all(label in text for text in shown)
    assert len(shown) < opened.page.locator("article.error").count()


def test_the_tree_leads_to_the_errors_of_a_node(visit: Open) -> None:
    opened = visit("tiny")
    opened.page.locator("#icicle").focus()
    opened.press("ArrowRight")
    opened.page.get_by_role("button", name="1 example of an error").click()
    assert opened.focused() == "errors-filter"
    assert opened.text("#errors-count") == "1 document of 1"


def test_everything_by_keyboard_alone(visit: Open) -> None:
    opened = visit("medium")
    opened.press("Tab")
    assert opened.focused() == "Skip to the report"
    opened.press("Enter")
    opened.tab_to("icicle")
    opened.press("ArrowDown", "Enter")
    assert zoomed(opened) == current(opened)
    opened.tab_to("nodes-filter")
    opened.page.keyboard.type("grain")
    opened.tab_to("Recall")
    opened.press("Enter")
    assert opened.page.locator("th[data-key=recall]").get_attribute("aria-sort") == "descending"
    recalls = [cell for cell in first_cells(opened, 6) if cell != "–"]
    assert recalls == sorted(recalls, reverse=True)
    node = opened.page.locator("#nodes-table tbody button").first.inner_text()
    opened.tab_to(node)
    opened.press("Enter")
    assert (opened.focused(), current(opened)) == ("icicle", node)
    opened.tab_to("Data of this figure")
    opened.press("Enter")
    assert opened.page.locator("figure details").first.get_attribute("open") is not None
    opened.tab_to("errors-filter")
    opened.page.keyboard.type("no such category")
    assert opened.text("#errors-count") == "0 documents of 12"


def test_many_nodes_are_a_page_at_a_time_and_few_are_drawn(visit: Open) -> None:
    opened = visit("large")
    assert 0 < int(opened.page.get_attribute("#icicle", "data-drawn")) < 3000
    assert opened.page.locator("#nodes-table tbody tr").count() == 25
    opened.page.get_by_role("button", name="Next").click()
    assert opened.text("#nodes-page") == "26–50"
    opened.page.get_by_role("button", name="Previous").click()
    opened.press("Enter")  # there is nothing before
    assert (opened.text("#nodes-page"), opened.focused()) == ("1–25", "nodes-before")
    opened.page.locator("#icicle").focus()
    opened.press(*["ArrowRight"] * 8)
    nodes = large().nodes
    reached = current(opened)
    place = next(place for place, node in enumerate(nodes) if node.name == reached)
    for _ in range(8):
        place = nodes[place].parents[0]
    assert not nodes[place].parents
    assert zoomed(opened) != ""
    opened.page.locator("#tree-size").select_option("categories")
    assert int(opened.page.get_attribute("#icicle", "data-drawn")) > 0


def test_two_models_colour_the_tree(visit: Open) -> None:
    opened = visit("two_models")
    opened.page.locator("#tree-colour").select_option("change")
    assert opened.text("#tree-legend").startswith("Change of F1")
    assert opened.page.locator("#icicle path.block.c4").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_light_or_dark_as_asked_and_can_be_turned(visit: Open, scheme: str) -> None:
    opened = visit("tiny", color_scheme=scheme)
    colour = "getComputedStyle(document.body).backgroundColor"
    before = opened.page.evaluate(colour)
    assert before == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}[scheme]
    opened.page.locator("#theme").click()
    assert opened.page.evaluate(colour) != before


def test_it_fits_a_telephone_and_paper(visit: Open) -> None:
    opened = visit("medium", viewport={"width": 360, "height": 700})
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 360
    opened.page.emulate_media(media="print")
    assert not opened.page.locator("#nodes-filter").is_visible()
    assert opened.page.locator("article.error").first.is_visible()


def test_without_a_script_it_can_still_be_read(visit: Open, browser: Any, pages: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages("tiny").as_uri())
    assert page.locator("#nodes-table tbody tr").count() == 7
    assert page.get_by_text("The tree is drawn by JavaScript").is_visible()
    assert not page.locator("#nodes-filter").is_visible()
    context.close()


@pytest.mark.parametrize(("example", "scheme"), [("tiny", "light"), ("hostile", "dark")])
def test_a_checker_of_accessibility_finds_nothing_serious(visit: Open, axe: str, example: str, scheme: str) -> None:
    opened = visit(example, color_scheme=scheme)
    opened.page.evaluate(axe)
    found = opened.page.evaluate("axe.run()")["violations"]
    serious = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
    assert serious == []
