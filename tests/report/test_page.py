"""The page: whole, safe, small, the same each time, and with every section that the report has something for."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classmark.inspection import Finding
from classmark.report import Doubt, Fact, Node, Piece, Report, WrongDocument
from classmark.report.page import LARGEST, SCRIPTS, SECTIONS, page, write_page
from classmark.report.payload import payload
from tests.report.examples import EXAMPLES, corpus_only, large, medium, nothing, tiny, two_models
from tests.report.hostile import EVIL, hostile

VOID = {"meta", "link", "br", "input", "img", "rect", "circle", "hr"}


class Reader(HTMLParser):
    """Everything that is opened is closed, in the right order; what is there is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.data: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.data[self.open[-1]] = self.data.get(self.open[-1], "") + data


def read(shown: str) -> Reader:
    reader = Reader()
    reader.feed(shown)
    reader.close()
    assert reader.open == []
    return reader


def data_of(shown: str) -> dict[str, list[object]]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', shown, re.DOTALL)
    assert found
    loaded: dict[str, list[object]] = json.loads(found[1])
    return loaded


@pytest.fixture(scope="module", params=list(EXAMPLES))
def shown(request: pytest.FixtureRequest) -> str:
    return page(EXAMPLES[request.param]())


def test_it_is_well_formed_and_no_place_is_named_twice(shown: str) -> None:
    ids = [attributes["id"] for _, attributes in read(shown).tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_nothing_is_loaded_and_nothing_runs_but_its_own_script(shown: str) -> None:
    tags = read(shown).tags
    scripts = [attributes.get("type") for tag, attributes in tags if tag == "script"]
    assert scripts == ["application/json", None]
    for tag, attributes in tags:
        assert tag not in {"iframe", "object", "embed", "base", "form", "img"}
        assert not any(key.startswith("on") or key in {"src", "style", "action"} for key in attributes)
        assert (attributes.get("href") or "#").startswith(("#", "data:,"))
    assert "default-src 'none'" in shown
    assert "unsafe" not in shown


def test_links_and_labels_lead_somewhere(shown: str) -> None:
    tags = read(shown).tags
    ids = {attributes["id"] for _, attributes in tags if "id" in attributes}
    asked = {attributes["href"][1:] for tag, attributes in tags if tag == "a" and attributes["href"]}
    for key in ("aria-labelledby", "aria-describedby", "for"):
        asked |= {one for _, attributes in tags for one in (attributes.get(key) or "").split()}
    assert asked <= ids


def test_headings_go_down_one_level_at_a_time(shown: str) -> None:
    levels = [int(tag[1]) for tag, _ in read(shown).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_it_is_small(shown: str) -> None:
    assert len(shown.encode()) < LARGEST


def test_the_same_report_gives_the_same_bytes() -> None:
    assert page(medium()) == page(medium())


def test_what_means_no_good_is_text() -> None:
    shown = page(hostile())
    assert EVIL not in shown
    assert "<img" not in shown
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u2028\u2029\x00-\x08\x0b-\x1f]", shown)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert data_of(shown)["name"][:2] == ["</div>", EVIL]
    shown.encode()  # no half of a character is left


@pytest.mark.parametrize(
    ("report", "missing"),
    [
        (medium(), {"changes"}),
        (two_models(), set()),
        (tiny(), {"changes"}),
        (corpus_only(), {"changes", "instead", "curves", "errors"}),
        (nothing(), set(SECTIONS) - {"summary"}),
    ],
)
def test_a_section_is_there_when_its_data_are(report: Report, missing: set[str]) -> None:
    tags = read(page(report)).tags
    sections = [attributes["id"] for tag, attributes in tags if tag == "section"]
    assert sections == [place for place in SECTIONS if place not in missing]
    links = [attributes["href"] for tag, attributes in tags if tag == "a" and attributes.get("class") != "skip"]
    assert links == [f"#{place}" for place in sections]


def test_what_matters_can_be_read_without_a_script() -> None:
    report = medium()
    shown = page(report).split("<script")[0]
    assert "0.861" in shown
    assert "Grain shipments" in shown
    assert shown.count('<article class="card error"') == len(report.errors)
    assert shown.count('<svg class="chart"') == len(report.curves)
    assert shown.split('id="nodes-table"')[1].split("</tbody>")[0].count("<tr>") == 1 + len(report.nodes)
    assert page(large()).split('id="nodes-table"')[1].split("</tbody>")[0].count("<tr>") == 1 + 100


def test_the_nodes_are_all_there() -> None:
    report = large()
    data = data_of(page(report))
    assert len(data["name"]) == len(report.nodes)
    assert data["documents"] == [node.documents for node in report.nodes]
    assert data["f1"][0] == (None if report.nodes[0].f1 is None else round(1000 * report.nodes[0].f1))
    assert "number" not in data


def giant() -> Report:
    """More than any page could hold, of everything."""
    awful = "<&\u2028x" * 30_000
    top = Node(name="top", documents=10**9, f1=0.5)
    many = [
        Node(name=f"{place} {awful[:400]}", parents=[0], documents=place % 1000, f1=0.5, words=[awful] * 20)
        for place in range(1000)
    ]
    rest = Node(name=awful[:90], title="a rather long title of a category", parents=[0], documents=3, f1=0.1)
    error = WrongDocument(
        id=awful,
        true=[0, 1] * 20,
        answered=[2] * 50,
        pieces=[Piece(text=awful, share=0.5)] * 9,
        why=awful,
        terms=[(awful, 1.0)] * 99,
    )
    base = medium()
    curve = replace(base.curves[0], series=[replace(base.curves[0].series[0], x=range(5000), y=range(5000))] * 40)
    return replace(
        base,
        title=awful,
        summary=[awful] * 99,
        facts=[Fact(name=awful, value=awful)] * 999,
        figures=[Fact(name=awful, value=awful)] * 99,
        nodes=[top, *many, *[rest] * 60_000],
        errors=[error] * 900,
        n_errors=900,
        pairs=[replace(base.pairs[0], kind=awful)] * 999,
        destinations=[replace(base.destinations[0], words=awful)] * 999,
        curves=[curve] * 30,
        findings=[
            Finding(kind="x", level=level, count=1, what=awful, then=awful, remedy=awful)
            for level in ("error", "warning", "note")
        ]
        * 200,
        doubts=[Doubt(id=awful, split=awful, labels=[1] * 99, rather=[2], chance=0.1, text=awful)] * 999,
        alike=[(1, 2, 0.9)] * 9999,
        empty=range(5000),
        names=[awful, awful],
        left_out=7,
    )


def test_a_giant_is_cut_and_the_page_says_so() -> None:
    report = giant()
    shown = page(report)
    assert LARGEST * 0.9 < len(shown.encode()) < LARGEST
    read(shown.replace("\u2028", " "))
    data = data_of(shown)
    kept = len(data["name"])
    assert f"{len(report.nodes) - kept:,} of 61,001 categories, those with the fewest documents, are left out" in shown
    assert "7 categories with the fewest documents are not in this report" in shown
    assert data["name"][0] == "top"
    assert len(data["number"]) == kept
    least = min(documents for documents in data["documents"] if isinstance(documents, int))
    assert least >= 3


NODES = st.lists(
    st.tuples(
        st.text(max_size=30),
        st.integers(0, 50),
        st.integers(0, 10**6),
        st.none() | st.floats(0, 1),
        st.text(max_size=9),
    ),
    max_size=30,
)


@given(rows=NODES, n_bytes=st.integers(600, 4000))
@settings(max_examples=40)
def test_nodes_fit_and_their_parents_come_with_them(
    rows: list[tuple[str, int, int, float | None, str]], n_bytes: int
) -> None:
    nodes = [
        Node(name=name, parents=[parent % place] if place and parent else [], documents=documents, f1=f1, words=[word])
        for place, (name, parent, documents, f1, word) in enumerate(rows)
    ]
    made = payload(nodes, [], n_bytes)
    data = json.loads(made.json)
    assert len(made.json.encode()) <= n_bytes
    assert not set("<>&\u2028\u2029") & set(made.json)
    assert len(data["name"]) == made.kept
    numbers = data.get("number", list(range(len(nodes))))
    for place, number in enumerate(numbers):
        above = nodes[number].parents
        assert data["parent"][place] == (numbers.index(above[0]) if above else -1)
        assert data["documents"][place] == nodes[number].documents


def test_shares_are_told_apart_without_colour() -> None:
    shown = page(tiny())
    assert '<mark class="for s2" title="For the answer: 0.92">password</mark>' in shown
    assert '<mark class="against s1" title="For the true label: 0.55">close</mark>' in shown
    assert '<mark class="against s0"' in shown
    assert " rather " in re.sub("<[^>]*>", "", shown)
    assert not re.search("<mark[^>]*>rather", shown)  # it weighs too little


def test_an_empty_text_says_so() -> None:
    report = replace(tiny(), errors=[WrongDocument(id="e", true=[1], answered=[], pieces=[])])
    assert "The text is empty." in page(report)


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    write_page(tiny(), target)
    assert target.read_bytes() == page(tiny()).encode()
    with pytest.raises(FileNotFoundError, match="make it first"):
        write_page(tiny(), tmp_path / "none" / "report.html")
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


def test_the_assets_are_part_of_the_package() -> None:
    folder = files("classmark.report") / "assets"
    assert {one.name for one in folder.iterdir()} == {"page.css", *SCRIPTS}
    for name in SCRIPTS:
        script = (folder / name).read_text()
        assert "innerHTML" not in script
        assert "</" not in script


def luminance(colour: str) -> float:
    """Give the relative luminance of WCAG 2.1."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_on_every_colour(scheme: int) -> None:
    style = (files("classmark.report") / "assets" / "page.css").read_text()
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", style)
    colours = {name: both[scheme] for name, *both in found}
    pairs = [
        ("ink", "paper"),
        ("ink", "soft"),
        ("quiet", "paper"),
        ("quiet", "soft"),
        ("accent", "paper"),
        ("accent", "soft"),
    ]
    pairs += [(f"on{bin}", f"b{bin}") for bin in range(6)] + [(f"onc{bin}", f"c{bin}") for bin in (0, 1, 3, 4)]
    pairs += [("ink", other) for other in ("d0", "d1", "d2", "c2", "for", "against")] + [("quiet", "none")]
    pairs += [("bad", "paper"), ("paper", "bad"), ("paper", "warn"), ("focus", "paper")]
    for text, behind in pairs:
        assert contrast(colours[text], colours[behind]) >= 4.5, (text, behind)
    scale = [luminance(colours[f"b{bin}"]) for bin in range(6)]
    assert scale == sorted(scale, reverse=not scheme)  # a copy in grey keeps the order
