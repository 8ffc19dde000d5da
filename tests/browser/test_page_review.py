"""Review in a real browser: one key for each verdict, categories typed, the same for several, two people at once."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra serve is not installed")

from classmark import TextClassifier
from classmark.data import CorpusOptions, read_corpus
from tests.browser.served import HOSTILE, READING, TICKETS, hostile, tickets
from tests.server.running import Server, running

Go = Callable[..., Any]
CORPUS = read_corpus(TICKETS, options=CorpusOptions(**READING))
numbers = count()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("review-page")
    bayes = TextClassifier("nb", hierarchy=CORPUS.hierarchy).fit(list(CORPUS.documents)[:40], list(CORPUS.labels)[:40])
    bayes.save(folder / "bayes.classmark")
    tickets(folder)
    hostile(folder)
    return folder


@pytest.fixture(scope="module")
def server(folder: Any) -> Iterator[Server]:
    models = [folder / f"{name}.classmark" for name in ("tickets", "bayes", "hostile")]
    with running(models, store=folder / "store.sqlite") as started:
        yield started


@pytest.fixture
def queue(server: Server) -> Iterator[list[str]]:
    """Twenty documents that wait, and nothing else."""
    batch = next(numbers)
    texts = [str(text) for text in CORPUS.documents][1:40:2]
    documents = [{"document_id": f"{batch}-{at}", "text": text, "labels": ["account"]} for at, text in enumerate(texts)]
    server.ask("POST", "/v1/projects/tickets/review/add", json={"documents": documents, "who": "queue"})
    yield [one["document_id"] for one in documents]
    server.ask("DELETE", "/v1/projects/tickets/review/documents", params={"person": "queue"})


def begin(visit: Any, person: str = "Ada") -> Any:
    visit.page.fill("#person", person)
    visit.press("Enter")
    visit.page.wait_for_selector("#card .document")
    return visit


def opened(server: Server, go: Go, person: str = "Ada", **settings: Any) -> Any:
    return begin(go(server.url, "/projects/tickets/review", **settings), person)


def title(visit: Any) -> str:
    return visit.text("#card-title")


def after(visit: Any, act: Callable[[], Any]) -> str:
    """Do something, and wait for the next document."""
    visit.page.wait_for_selector("#card:not([aria-busy])")
    before = title(visit)
    act()
    visit.page.wait_for_function("(before) => document.getElementById('card-title').textContent !== before", arg=before)
    return title(visit)


def counts(server: Server) -> dict[str, Any]:
    found: dict[str, Any] = server.ask("GET", "/v1/projects/tickets/review/progress").json()
    return found


def test_verdicts_by_keyboard_alone(server: Server, go: Go, queue: list[str], axe: str) -> None:
    visit = go(server.url, "/projects/tickets/review")
    visit.check_accessible(axe)
    assert visit.focused() == "person"
    visit.page.keyboard.type("Ada")
    visit.press("Enter")
    visit.page.wait_for_selector("#card .document")
    visit.check_accessible(axe)
    assert [one.strip() for one in visit.page.locator("#verdicts kbd").all_inner_texts()] == ["A", "C", "R", "S", "U"]
    first = title(visit)
    second = after(visit, lambda: visit.press("a"))
    third = after(visit, lambda: visit.press("r"))
    after(visit, lambda: visit.press("s"))
    assert len({first, second, third}) == 3
    assert counts(server)["people"]["Ada"] == {"accept": 1, "reject": 1, "skip": 1}
    # Back through all three, and the first waits again.
    after(visit, lambda: visit.press("u"))
    assert title(visit) == third
    after(visit, lambda: visit.press("u"))
    assert title(visit) == second
    after(visit, lambda: visit.press("u"))
    assert title(visit) == first
    assert counts(server)["waiting"] == 20
    visit.press("u")
    visit.page.get_by_text("There is nothing to take back.").wait_for()
    visit.complaints.clear()  # the browser writes down that there was none


def chips(visit: Any) -> list[str]:
    return [one.removesuffix("×").strip() for one in visit.page.locator(".chips li").all_inner_texts()]


def listed(visit: Any, words: str) -> None:
    """Type words, and wait until the list answers them."""
    visit.page.fill("#typing", words)
    visit.page.wait_for_selector("#categories [role=option]")


def test_categories_are_typed_into_the_tree(server: Server, go: Go, queue: list[str], axe: str) -> None:
    visit = opened(server, go)
    name = title(visit)
    visit.press("c")
    visit.page.wait_for_selector("#typing")
    assert visit.page.locator(".chips button").count() == 1
    visit.page.keyboard.press("Backspace")
    assert visit.text(".chips") == "no category"
    visit.page.keyboard.type("refu")
    visit.page.wait_for_selector("#categories [role=option]")
    visit.check_accessible(axe)
    visit.press("ArrowDown", "Enter")
    visit.page.keyboard.type("acar")  # letters are letters here, not verdicts
    listed(visit, "secu")
    visit.press("Escape")
    visit.page.fill("#typing", "")
    after(visit, lambda: visit.press("Enter"))
    document = server.ask("GET", "/v1/projects/tickets/review/document", params={"document_id": name}).json()
    assert (document["labels"], document["state"]) == (["billing/refund"], "human")
    visit.press("c")
    visit.page.wait_for_selector("#typing")
    visit.press("Escape")
    assert visit.page.locator("#typing").count() == 0


def test_correct_replaces_the_guess_of_a_model_with_one_category(server: Server, go: Go, queue: list[str]) -> None:
    visit = opened(server, go)
    name = title(visit)
    (guess,) = server.ask("GET", "/v1/projects/tickets/review/document", params={"document_id": name}).json()["said"][
        "labels"
    ]
    wanted = "delivery/late" if guess != "delivery/late" else "billing/refund"
    visit.press("c")
    listed(visit, wanted.partition("/")[2])
    visit.press("ArrowDown", "Enter")
    assert len(chips(visit)) == 1
    assert wanted.partition("/")[2] in chips(visit)[0]
    after(visit, lambda: visit.press("Enter"))
    document = server.ask("GET", "/v1/projects/tickets/review/document", params={"document_id": name}).json()
    assert document["labels"] == [wanted]


def test_enter_chooses_no_category_that_is_not_highlighted(server: Server, go: Go, queue: list[str]) -> None:
    visit = opened(server, go)
    visit.press("c")
    visit.page.wait_for_selector("#typing")
    before = chips(visit)
    listed(visit, "e")
    visit.press("Enter")
    assert chips(visit) == before
    assert visit.page.get_attribute("#typing", "aria-activedescendant") == "categories-0"
    visit.press("ArrowUp")
    last = visit.page.locator("#categories [aria-selected=true]").inner_text()
    visit.press("Enter")
    assert chips(visit) == [last]


def test_late_answer_of_the_search_does_not_reopen_the_list(server: Server, go: Go, queue: list[str]) -> None:
    visit = opened(server, go)
    visit.press("c")
    visit.page.wait_for_selector("#typing")
    listed(visit, "refund")
    held: list[Any] = []
    visit.page.route("**/taxonomy?*", lambda route: held.append(route))
    visit.page.keyboard.type("s")
    while not held:
        visit.page.wait_for_timeout(20)
    # The list of the words before is still there, and somebody clicks into it.
    visit.page.locator("#categories [role=option]", has_text="refund").click()
    (chosen,) = chips(visit)
    place = {"uri": "technical", "label": "technical", "notation": None, "name": "technical", "path": []}
    answer = {"total": 1, "offset": 0, "categories": [{**place, "children": 0, "below": 0}]}
    held[0].fulfill(json=answer)
    visit.page.wait_for_timeout(100)
    assert visit.page.locator("#categories").is_hidden()
    after(visit, lambda: visit.press("Enter"))
    assert "refund" in chosen


def test_verdicts_by_mouse_and_what_was_said(server: Server, go: Go, queue: list[str]) -> None:
    visit = opened(server, go)
    name = title(visit)
    assert visit.text("#card .badge") == "machine"
    after(visit, lambda: visit.page.get_by_role("button", name="Accept").click())
    visit.page.locator(".latest button", has_text=name).click()
    visit.page.wait_for_function("(name) => document.getElementById('card-title').textContent === name", arg=name)
    assert visit.text("#card .badge") == "reviewed"
    visit.page.get_by_text("Who said what, and when").click()
    visit.page.get_by_text("Accepted by Ada").first.wait_for()
    assert "Brought by queue" in visit.text(".history")
    visit.page.wait_for_function("() => document.querySelector('.states').textContent.includes('19')")


def test_the_same_for_those_that_are_like_it(server: Server, go: Go, queue: list[str], axe: str) -> None:
    text = "the unmistakable zebra reader blinks in seven colours"
    documents = [{"document_id": f"{queue[0]}-like-{at}", "text": f"{text} {at}"} for at in range(4)]
    server.ask("POST", "/v1/projects/tickets/review/add", json={"documents": documents, "who": "queue"})
    visit = opened(server, go)
    while text not in visit.text("#card .document"):
        after(visit, lambda: visit.press("s"))
    after(visit, lambda: visit.press("r"))
    visit.page.wait_for_selector("#alike")
    waiting = counts(server)["rejected"]
    visit.press("l")
    assert visit.page.locator("#alike-list").is_visible()
    visit.check_accessible(axe)
    assert counts(server)["rejected"] == waiting  # shown before it is done
    boxes = visit.page.locator("#alike-list li", has_text="zebra")
    assert boxes.count() == 3
    for place in range(visit.page.locator("#alike-list li").count()):
        line = visit.page.locator("#alike-list li").nth(place)
        line.locator("input").set_checked("zebra" in line.inner_text() and "colours 3" not in line.inner_text())
    visit.page.locator("#alike-list button").click()
    visit.page.get_by_text("The same was said of 2 more.").first.wait_for()
    assert counts(server)["rejected"] == waiting + 2
    # A card that is busy ignores keys.
    visit.page.wait_for_selector("#card:not([aria-busy])")
    visit.press("u")
    visit.page.get_by_text("Taken back: ").first.wait_for()
    assert counts(server)["rejected"] == waiting


def test_two_people_get_different_documents_and_are_told_who_was_faster(
    server: Server, go: Go, queue: list[str]
) -> None:
    ada, ben = opened(server, go), opened(server, go, "Ben")
    assert title(ada) != title(ben)
    name = title(ada)
    document = server.ask("GET", "/v1/projects/tickets/review/document", params={"document_id": name}).json()
    server.ask("POST", "/v1/projects/tickets/review/release", json={"who": "Ada"})
    body = {
        "document_id": name,
        "verdict": "correct",
        "labels": ["billing"],
        "who": "Eve",
        "revision": document["revision"],
    }
    assert server.ask("POST", "/v1/projects/tickets/review", json=body).status_code == 200
    after(ada, lambda: ada.press("a"))
    assert f"Somebody was faster: document '{name}' was corrected by Eve at 20" in ada.text("#told")
    ada.complaints.clear()  # the browser writes down that the server refused


def test_a_sample_at_random_gives_an_interval(server: Server, go: Go, queue: list[str]) -> None:
    visit = opened(server, go)
    visit.page.select_option("#order", "random")
    visit.page.wait_for_function("() => document.getElementById('about').textContent.startsWith('Drawn at random')")
    visit.page.locator("#card-title").focus()
    for key in "aar":
        after(visit, lambda key=key: visit.press(key))
    visit.page.get_by_text("2 of 3 drawn at random were accepted").wait_for()
    assert "between 21% and 94%" in visit.text("#progress")
    assert "More would change little once the interval reaches no farther than 3 points" in visit.text("#progress")


def test_where_two_models_disagree_and_what_is_suspected(server: Server, go: Go, queue: list[str]) -> None:
    visit = opened(server, go)
    visit.page.select_option("#order", "disagreement")
    visit.page.wait_for_selector("#compare")
    visit.page.select_option("#other", "bayes")
    visit.page.click("#compare")
    visit.page.get_by_text("20 compared").wait_for()
    visit.page.get_by_text("bayes says").wait_for()
    visit.page.select_option("#order", "suspicion")
    visit.page.get_by_text("It came with").wait_for()
    assert "probably wrong" in visit.text("#card")


def test_nothing_waits(server: Server, go: Go, axe: str) -> None:
    visit = go(server.url, "/projects/bayes/review")
    visit.page.fill("#person", "Ada")
    visit.press("Enter")
    visit.page.get_by_role("heading", name="Nothing waits").wait_for()
    assert visit.page.get_by_role("button", name="Accept").is_disabled()
    visit.check_accessible(axe)


def test_texts_and_names_are_never_markup(server: Server, go: Go) -> None:
    texts = ["word1 <script>alert(1)</script>", "word2 \u202eturned", "</div></main>", "", "word4 " + "y" * 100_000]
    documents = [
        {"document_id": f"<b>{at}</b>\u202e", "text": text, "labels": [HOSTILE[0]]} for at, text in enumerate(texts)
    ]
    server.ask("POST", "/v1/projects/hostile/review/add", json={"documents": documents, "who": "<u>Eve</u>"})
    visit = begin(go(server.url, "/projects/hostile/review"), "<i>Ada</i>\u202e")
    for _ in texts:
        assert visit.page.locator("main script, main img, main b, main u, main i").count() == 0
        assert "\u202e" not in title(visit)
        visit.check_layout()
        visit.page.get_by_text("Who said what, and when").click()
        visit.page.get_by_text("Brought by").wait_for()
        after(visit, lambda: visit.press("a"))
    visit.page.wait_for_selector("#progress .people")
    assert "<i>Ada</i>" in visit.text("#progress .people")


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overlaps(server: Server, go: Go, queue: list[str], axe: str, width: int, scheme: str) -> None:
    view = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    visit = begin(go(server.url, "/projects/tickets/review?lang=de", **view))
    visit.check_layout()
    after(visit, lambda: visit.press("a"))
    visit.press("c")
    visit.page.wait_for_selector("#typing")
    visit.check_layout()
    visit.press("Escape")
    visit.page.locator("#card-title").focus()
    if visit.page.locator("#alike").count():
        visit.press("l")
    visit.check_layout()
    visit.check_accessible(axe)
