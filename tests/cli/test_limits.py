"""Numbers and names that are far too large: each is answered at once, in a line, by every command that takes one."""

import json
import re
from pathlib import Path

import pytest

from classmark.cli.options import within_cores
from classmark.parallel import n_cores
from classmark.persistence import load, save
from classmark.registry import METHODS
from tests.cli.conftest import run_here

HUGE = 99999999999999999999
LONG = "x" * 300


def whole_settings(method: str) -> list[str]:
    """Return the settings of a method that take integers and no other numbers."""
    known = METHODS[method].declared() | METHODS[method].declared_of_text()
    return [name for name, one in known.items() if one.constraint.accepts(3) and not one.constraint.accepts(3.5)]


@pytest.mark.parametrize("method", METHODS)
def test_whole_numbers_of_every_method(refused, animals, method):
    settings = whole_settings(method)
    assert {"ngrams", "max_features"} <= set(settings) or method in ("auto", "fine-tuned", "blend", "rerank")
    for name in settings:
        said = refused("train", animals, "-o", "model", "-m", method, "--set", f"{name}={HUGE}")
        assert f"setting {name}={HUGE}: must be " in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train", "animals", "-o", "new", "--decision", f"rcut,r={HUGE}"], rf"r={HUGE}.*integer >= 1"),
        (["train", "animals", "-o", "new", "--decision", f"tuned,folds={HUGE}"], f"folds={HUGE}.*>= 2"),
        (["train", "animals", "-o", "new", "--select", f"chi-square,n_terms={HUGE}"], f"n_terms={HUGE}.*>= 1"),
        (["train", "animals", "-o", "new", "--set", "C=inf"], "setting C=inf: must be a number > 0"),
        (["tune", "animals", "-o", "new", "-m", "linear-svm", "--try", f"max_iter={HUGE}"], f"max_iter={HUGE}: must"),
        (["index", "create", "new", "--set", "ngrams=1000000"], "ngrams=1000000: .*>= 1 and <= 20"),
        (["index", "create", "new", "--set", f"min_length={HUGE}"], f"min_length={HUGE}: .*>= 1"),
    ],
)
def test_what_is_too_large_is_refused(refused, animals, arguments, words):
    assert re.search(words, refused(*arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", LONG, "-o", "new"],
        ["train", "animals", "-o", LONG],
        ["train", "animals", "-o", "new", "--hierarchy", LONG],
        ["train", "animals", "-o", "new", "--weak", LONG],
        ["tune", "animals", "-o", "new", "-m", "linear-svm", "--trials", LONG],
        ["predict", LONG, "animals"],
        ["predict", "model.classmark", LONG],
        ["predict", "model.classmark", "animals", "-o", LONG],
        ["evaluate", "model.classmark", "animals", "--against", LONG],
        ["explain", LONG, "owl"],
        ["info", LONG],
        ["convert", "animals", LONG],
        ["convert", "animals", f"{LONG}.csv"],
        ["convert", LONG, "new"],
        ["compare", LONG, "-m", "majority"],
        ["index", "create", LONG],
        ["index", "info", LONG],
        ["datasets", "get", "reuters21578", "--to", LONG],
        ["demo", "-o", LONG],
    ],
    ids=lambda arguments: " ".join(map(str, arguments)).replace(LONG, "LONG"),
)
def test_a_name_that_is_too_long(refused, animals, model, arguments):
    said = refused(*arguments)
    assert "the name of the file is too long, or that of its folder; give a shorter one" in said
    assert "Errno" not in said
    assert len(said) < 200


def test_a_name_may_be_as_long_as_the_system_allows(run, animals):
    run("train", animals, "-o", "x" * 255, "-m", "majority")
    assert run("info", "x" * 255, "--json").json["method"] == "majority"
    assert {path.name for path in Path().iterdir()} == {"animals", "x" * 255}


def test_more_jobs_than_cores(run, animals):
    run("train", animals, "-o", "one")
    run("train", animals, "-o", "many", "--jobs", 100_000)
    assert Path("one").read_bytes() == Path("many").read_bytes()
    assert within_cores(HUGE) == within_cores(100_000) == n_cores()
    assert (within_cores(None), within_cores(1), within_cores(-1)) == (None, 1, -1)


def test_more_than_there_is(run, animals, model):
    everything = run("predict", model, animals, "--top", 8).answers
    assert run("predict", model, animals, "--top", HUGE).answers == everything
    assert run("explain", model, "owl", "--top", HUGE).out == run("explain", model, "owl", "--top", 1000).out
    tuned = run(
        "tune", animals, "-o", "new", "-m", "majority", "--validation", HUGE, "--try", "ngrams=1", "--json"
    ).json
    assert 0 < tuned["validation"] < tuned["documents"] == 9
    run("index", "add", "index", animals)
    found = run("index", "search", "index", animals, "-k", 15).answers
    assert run("index", "search", "index", animals, "-k", HUGE).answers == found
    assert run("index", "search", "index", animals, "-k", 10**9, "--terms", HUGE, "--jobs", 100_000).answers == found
    run("train", animals, "-o", "near", "-m", "knn-bm25", "--set", "k=1000000000")
    assert len(run("predict", "near", animals).answers) == 6


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ngrams": 10**6}, r"ngrams=1000000.*integer >= 1 and <= 20"),
        ({"ngrams": 0}, r"ngrams=0.*integer >= 1 and <= 20"),
        ({"min_length": HUGE}, rf"min_length={HUGE}.*integer >= 1"),
        ({"max_features": HUGE}, rf"max_features={HUGE}.*integer >= 1"),
        ({"max_features": -1}, r"max_features=-1.*integer >= 1"),
        ({"min_df": HUGE}, f"min_df={HUGE}.*number of documents.*1"),
        ({"min_df": -1}, "min_df=-1.*number of documents.*1"),
        ({"k1": -1.0}, r"k1=-1\.0.*>= 0"),
        ({"token_pattern": "("}, "no regular expression"),
    ],
    ids=json.dumps,
)
def test_a_model_file_may_ask_for_no_more_than_a_user(refused, animals, model, change, words):
    state = load(model)
    state["text"] |= change
    save(model, state)
    said = refused("predict", model, animals)
    assert said.startswith("classmark: model.classmark: not a model")
    assert re.search(words, said)


def test_an_estimate_writes_nothing(run, animals, inside, monkeypatch):
    found = run("train", animals, "-o", "model", "-m", "nb", "--estimate", "--json").json
    assert (found["documents"], found["categories"], found["fits"]) == (9, 4, True)
    assert not (inside / "model").exists()
    monkeypatch.setattr("classmark.base.available_memory", lambda: 10.0)
    cut = run_here("train", animals, "-o", "model", "-m", "nb", "--estimate")
    assert cut.code == 1
    assert "fits        no" in cut.out


def test_what_does_not_fit_ends_before_it_begins(refused, animals, monkeypatch):
    monkeypatch.setattr("classmark.limits.available_memory", lambda: 10.0)
    said = refused("train", animals, "-o", "model", "-m", "nb")
    assert re.search(r"learning would take 0.*of memory.*\(chances of", said)
    assert "knn-bm25" in said
