import json
from pathlib import Path

from tests.cli.conftest import run_here, write_documents

GOOD = [
    {"id": f"{label}{row}", "text": f"{label} number {row}", "labels": [label]} for row in range(6) for label in "ab"
]


def test_a_corpus_in_order(run):
    write_documents(Path("a.jsonl"), GOOD)
    done = run("check", "a.jsonl")
    assert done.out.splitlines()[:3] == [
        "corpus                a.jsonl",
        "format                jsonl",
        "documents             12",
    ]
    assert done.out.splitlines()[-1] == "train would learn from 12 documents"


def test_everything_that_is_wrong():
    write_documents(Path("a.jsonl"), [*GOOD, {"id": "a0", "text": "x" * 200, "labels": ["a"]}, {"text": 5}])
    done = run_here("check", "a.jsonl")
    assert done.code == 1
    assert done.err == ""
    assert max(map(len, done.out.splitlines())) <= 80
    assert "error: lines that cannot be read: 1\n  a.jsonl:14: 'text' is a number\n" in done.out
    assert "  → reading refuses the corpus; write the text as a string\n" in done.out
    assert "error: ids that stand before already: 1\n  a.jsonl:13: 'a0' already stands at line 1\n" in done.out
    assert done.out.endswith("first a.jsonl:14: 'text' is a\nnumber\n")


def test_as_json():
    write_documents(Path("a.jsonl"), [*GOOD, {"text": 5}, {"text": 6}, {"text": 7}])
    done = run_here("check", "a.jsonl", "--json", "--limit", 2)
    found = json.loads(done.out)
    assert (done.code, found["documents"]) == (1, 12)
    assert found["findings"][0] == {
        "kind": "line",
        "level": "error",
        "count": 3,
        "what": "lines that cannot be read",
        "then": "reading refuses the corpus",
        "remedy": "write the text as a string",
        "examples": [{"where": f"a.jsonl:{line}", "what": "'text' is a number"} for line in (13, 14)],
    }


def test_limits(run):
    write_documents(Path("a.jsonl"), [{"text": "owl", "labels": ["a"]}] * 4)
    assert "  … and 2 more (--limit shows more)\n" in run("check", "a.jsonl", "--limit", 1).out
    assert "more" not in run("check", "a.jsonl", "--limit", 0).out


def test_codes_of_terminals_are_written_out(run):
    write_documents(Path("a.jsonl"), [*GOOD, {"text": "an \x1b[31mowl", "labels": ["a"]}])
    assert "\x1b" not in run("check", "a.jsonl").out


def test_asked_wrongly(refused):
    write_documents(Path("a.jsonl"), GOOD)
    assert "no such file" in refused("check", "none.jsonl")
    assert "no such hierarchy" in refused("check", "a.jsonl", "--hierarchy", "none.tsv")
    assert "no label column 'topic'" in refused("check", "a.jsonl", "--label-column", "topic")
    assert "--limit" in refused("check", "a.jsonl", "--limit", -1)
