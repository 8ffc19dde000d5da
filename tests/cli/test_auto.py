"""`train -m auto` finds a model, says how, and refuses in a line what it cannot search."""

import json
import re
from pathlib import Path

import pytest

from tests.auto.problems import texts
from tests.cli.conftest import write_documents

HIERARCHY = "ROOT\tbird\nROOT\tplant\nbird\towl\nbird\tgull\nplant\toak\nplant\tfern\n"
QUICK = ["-m", "auto", "--methods", "nb-plus,nb", "--budget", "none"]


@pytest.fixture
def corpus(inside: Path) -> str:
    """Write 80 texts to train on and 20 to evaluate on."""
    documents, labels = texts(100)
    rows = [
        {"id": str(number), "text": text, "labels": own, "split": "train" if number < 80 else "test"}
        for number, (text, own) in enumerate(zip(documents, labels, strict=True))
    ]
    Path("corpus").mkdir()
    Path("corpus/hierarchy.tsv").write_text(HIERARCHY)
    write_documents(Path("corpus/docs.jsonl"), rows)
    return "corpus"


def test_what_is_said(run, corpus):
    said = run("train", corpus, "-o", "model", *QUICK).out
    assert "trials, the best on all documents first\nscore  documents  seconds  what\n" in said
    assert "\nchosen    " in said
    assert "because   the best of " in said
    assert "expected  hf 0." in said
    assert "times in ten" in said
    assert "expected" in run("info", "model").out
    assert not Path("model.trials").exists()
    run("evaluate", "model", corpus)
    run("explain", "model", "owl1 owl2")


def test_json_has_every_trial(run, corpus):
    found = run("train", corpus, "-o", "model", *QUICK, "--json", "--measure", "macro-f1").json["search"]
    assert {trial["method"] for trial in found["trials"]} == {"nb-plus", "nb", "blend", "rerank"}
    assert found["expected"]["measure"] == "macro-f1"
    assert found["look"]["documents"] == 80


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--budget", "0"], "setting budget=0: must be a time above 0 such as 90s, 10m or 2h, or none"),
        (["--budget", "soon"], "setting budget=soon: must be a time above 0 such as 90s, 10m or 2h, or none"),
        (["--measure", "speed"], "setting measure=speed: must be one of micro-f1"),
        (["--methods", "nonsense"], "unknown method 'nonsense'"),
        (["--without", "nb-plus,nb"], "no method is left to choose among"),
        (["--select", "chi-square"], "auto chooses how text is read by itself"),
        (["--estimate"], "auto keeps to its budget, and estimates every trial before it begins"),
        (["--resume"], "model.trials: there are no trials"),
        (["-m", "linear-svm"], "--budget is for -m auto, which chooses among methods; linear-svm does not"),
    ],
)
def test_refusals(refused, corpus, options, words):
    named = {*options}
    pairs = zip(QUICK[::2], QUICK[1::2], strict=True)
    quick = [part for name, value in pairs if name not in named for part in (name, value)]
    assert words in refused("train", corpus, "-o", "model", *quick, *options)
    assert not Path("model").exists()


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([["owl"]] * 30, "the same category"),
        ([["owl"], ["gull"], ["oak"], ["fern"]], r"every document.*label"),
    ],
)
def test_documents_that_say_nothing(refused, corpus, labels, words):
    rows = [{"id": str(number), "text": f"some text {number}", "labels": own} for number, own in enumerate(labels)]
    write_documents(Path("corpus/docs.jsonl"), rows)
    assert re.search(words, refused("train", corpus, "-o", "model", *QUICK))


def test_no_document(refused, corpus):
    Path("corpus/docs.jsonl").write_text("")
    assert "no document" in refused("train", corpus, "-o", "model", *QUICK)


def test_without_any_label_names_are_learned_from(run, corpus):
    documents, _ = texts(60)
    rows = [
        {"id": str(number), "text": " ".join(word.rstrip("012345") for word in text.split())}
        for number, text in enumerate(documents)
    ]
    write_documents(Path("corpus/docs.jsonl"), rows)
    result = run("train", corpus, "-o", "model", "-m", "auto", "--encoder", "terms", "--json")
    assert "no label to compare methods by: pcem-plus learns from what categories are called" in " ".join(
        result.err.split()
    )
    assert result.json["method"] == "pcem-plus"
    answers = run("predict", "model", "-", stdin=b"owl owl owl\n").answers
    assert answers[0]["labels"][-1] == "owl"


def test_compare_takes_it_as_any_method(run, corpus):
    settings = ["--set", "auto.budget=30s", "--set", "auto.methods=nb-plus,nb"]
    rows = run("compare", corpus, "-m", "nb,auto", *settings, "--format", "json").json
    assert [row["method"] for row in rows] == ["nb", "auto"]


def test_a_search_that_was_stopped_is_not_written_over(refused, run, corpus):
    Path("model.trials").mkdir()
    Path("model.trials/trials.jsonl").write_text("{}\n")
    assert re.search(r"search.*stopped", refused("train", corpus, "-o", "model", *QUICK))
    assert json.loads(Path("model.trials/trials.jsonl").read_text()) == {}
