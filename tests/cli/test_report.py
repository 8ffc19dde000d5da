"""`classmark report`: what it writes, what it prints, and what it refuses."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:left out")


@pytest.fixture
def models(run, animals):
    """Two models of the animals."""
    run("train", animals, "-o", "a.classmark", "-m", "majority")
    run("train", animals, "-o", "b.classmark", "-m", "nb")
    return "a.classmark", "b.classmark"


def test_a_model(run, animals, models):
    said = run("report", models[1], animals, "-o", "report.html").out.splitlines()
    assert said[0].startswith("b on ")
    assert said[1].startswith("- On 6 documents, ")
    assert len(said) == 6
    size = Path("report.html").stat().st_size
    assert said[-1] == f"written: report.html ({size / 1e6:,.1f} MB); open it in a browser"
    assert Path("report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_documents_alone_and_two_models(run, animals, models):
    alone = run("report", animals, "--json", "--quick").json
    assert {"title", "summary", "facts", "nodes"} <= alone.keys()
    assert "errors" not in alone
    both = run("report", *models, animals, "--json", "--examples", "1").json
    assert both["names"] == ["a", "b"]
    assert len(both["errors"]) == 1
    assert both["changes"]
    assert not Path("report.html").exists()


def test_the_same_report_has_the_same_bytes(run, animals, models):
    for page in ("one.html", "two.html"):
        run("report", models[1], animals, "-o", page)
    assert Path("one.html").read_bytes() == Path("two.html").read_bytes()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["{data}"], r"there is no page to write; name one \(-o report\.html\)"),
        (["{data}", "{data}", "-o", "page.html"], "not a model file; a report is about DATA, MODEL DATA or"),
        (["{model}", "-o", "page.html"], r"classmark report b\.classmark DATA"),
        (["{model}", "{model}", "{model}", "{data}", "--json"], "4 names; a report is about"),
        (["none.classmark", "{data}", "--json"], r"none\.classmark: there is no such model file; check the path"),
        (["{model}", "{data}", "-o", "{model}"], "then replaced"),
        (["{model}", "{data}", "--json", "--split", "dev"], r"no document.*split 'dev'"),
        (["{model}", "{data}", "-o", "no/such/page.html"], "no/such"),
    ],
)
def test_refused_in_a_line(refused, animals, models, given, words):
    assert re.search(words, refused("report", *(one.format(data=animals, model=models[1]) for one in given)))
