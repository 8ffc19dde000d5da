"""What newcomers give to read, in processes of their own: nothing is guessed without a word, nothing is lost."""

import gzip
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.data.formats.corpora import needs_arrow


@pytest.fixture
def said(start, inside):
    """Run a command in a process of its own that must be refused; give the one line that it says."""

    def fail(*arguments: object, code: int = 2, **options: object) -> str:
        before = {path: path.read_bytes() for path in inside.rglob("*") if path.is_file()}
        process = start(*arguments, **options)
        out, err = process.communicate()
        assert (process.returncode, out) == (code, b""), err
        assert err.startswith(b"classmark: ")
        assert err.count(b"\n") == 1
        assert {path: path.read_bytes() for path in inside.rglob("*") if path.is_file()} == before
        return err.decode().removeprefix("classmark: ").rstrip("\n")

    return fail


TABLE = "id,text,labels,split\n1,hoots,owl,train\n2,cries,gull,train\n3,who hoots,owl,test\n"


def test_a_column_that_was_asked_for_and_is_not_there(said, refused):
    Path("a.csv").write_text(TABLE)
    assert said("train", "a.csv", "-o", "model", "--split-column", "splitt") == (
        "a.csv:1: no split column 'splitt' (did you mean 'split'?); name one of: id, text, labels, split"
    )
    for option in ("--split-column", "--id-column", "--label-column", "--text-column"):
        assert f"a.csv:1: no {option[2:-7]} column 'nosuch'; name" in refused(
            "train", "a.csv", "-o", "m", option, "nosuch"
        )


@pytest.mark.parametrize("name", ["a.jsonl", "folder"])
def test_a_key_that_was_asked_for_and_no_document_has(run, refused, folder, name):
    lines = [
        {"id": "1", "text": "hoots", "labels": ["owl"], "split": "train"},
        {"id": "2", "text": "cries", "labels": ["gull"]},
    ]
    folder("folder", lines, None)
    Path("a.jsonl").write_bytes(Path("folder/docs.jsonl").read_bytes())
    for option in ("--split-column", "--id-column", "--label-column"):
        message = refused("info", name, option, "nosuch")
        assert f":1: no {option[2:-7]} column 'nosuch'; name one of: id, text, labels, split" in message
    assert "did you mean 'split'?" in refused("info", name, "--split-column", "splits")
    run("info", name, "--split-column", "split", "--id-column", "id")


def test_columns_of_what_has_none(refused):
    Path("a.svm").write_text("1 2:3\n")
    assert "a.svm: no id column 'key', for svmlight has no columns" in refused("info", "a.svm", "--id-column", "key")
    assert "no text column 'body'" in refused("info", "a.svm", "--text-column", "body")
    assert "docstrings: no split column 'x'" in refused("train", "docstrings", "-o", "m", "--split-column", "x")


def test_the_kind_of_standard_input_and_of_the_answers(start, model):
    process = start("predict", model, "-", "--kind", "csv", "-o", "answers.csv")
    out, err = process.communicate(b"text,labels\nhoots at night,owl\n")
    assert (process.returncode, out, err) == (0, b"", b"")
    assert Path("answers.csv").read_text() == 'id,labels,no_known_terms\n1,"animal,bird,owl",false\n'


@needs_arrow
def test_parquet_without_its_package(said, model, animals):
    hidden = "import sys; sys.modules['pyarrow'] = None"
    message = said("predict", model, animals, "-o", "answers.parquet", code=1, before=hidden)
    assert message == "answers.parquet: Parquet needs pyarrow; pip install 'classmark[parquet]'"


def test_excel_without_its_package(said):
    Path("a.xlsx").touch()
    message = said("info", "a.xlsx", code=1, before="import sys; sys.modules['openpyxl'] = None")
    assert re.match(r"a\.xlsx: Excel files need.*pip install 'classmark\[excel\]'", message)


def test_the_source_of_a_conversion_is_never_replaced(said):
    Path("a.csv").write_text(TABLE)
    assert said("convert", "a.csv", "a.csv", "--force").startswith("a.csv: would be read and then replaced;")


def test_a_share_that_is_no_number(said):
    Path("a.csv").write_text(TABLE)
    message = said("convert", "a.csv", "b.csv", "--resplit", "random,train=nan")
    assert message == "shares are {'train': nan}; give numbers above 0 that sum to 1"


def test_standard_input_that_is_closed(said, refused, run, animals, model, monkeypatch):
    run("index", "add", "i", animals)
    closed = "import os, sys; os.close(0); sys.stdin = None"
    words = "standard input is closed; give a file, or send documents to it"
    assert said("predict", model, "-", before=closed) == words
    monkeypatch.setattr("classmark.service.answering.sys", SimpleNamespace(stdin=None))
    for command in (["predict", model, "-", "--kind", "csv"], ["explain", model, "-"], ["index", "search", "i", "-"]):
        assert words in refused(*command)


def test_a_line_that_would_fill_memory(said, refused, run, model):
    packed = gzip.compress(b'{"text": "' + bytes(200 * 2**20), 1)
    Path("bomb.jsonl.gz").write_bytes(packed)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))"
    message = said("info", "bomb.jsonl.gz", before=limit)
    assert re.match(r"bomb\.jsonl\.gz:1: the line is longer than 64.*right, allow.*128, max_line=128\)", message)
    Path("long.jsonl").write_text(json.dumps({"text": "owl " * 2**19}) + "\n")
    run("info", "long.jsonl")
    assert "long.jsonl:1: the line is longer than 1 MiB" in refused("info", "long.jsonl", "--max-line", 1)
    message = refused("predict", model, "-", "--max-line", 1, stdin=Path("long.jsonl").read_bytes())
    assert "standard input:1: the line is longer than 1 MiB" in message


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_table_as_excel_writes_it_in_europe(start, mark):
    rows = ["text;labels", "hoots, at night;owl", "cries over the sea;gull", '"barks; bites";dog']
    Path("a.csv").write_text(mark + "\r\n".join(rows), encoding="utf-8")
    process = start("train", "a.csv", "-o", "model", "-m", "nb", "--json")
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert json.loads(out)["categories"] == 3
    first, *_ = err.decode().splitlines()
    assert re.match(r"classmark: a\.csv: .*semicolons.* \(--delimiter ", first)


def test_a_delimiter_that_is_given(run, refused):
    Path("a.txt").write_text("text\tlabels\nhoots\towl\n")
    assert run("info", "a.txt", "--kind", "csv", "--delimiter", "tab", "--json").json["documents"] == 1
    assert run("info", "a.txt", "--kind", "csv", "--delimiter", "\\t", "--json").err == ""
    assert "delimiter='tabs': must be one character" in refused("info", "a.txt", "--delimiter", "tabs")


def warned(start, *arguments: object) -> list[str]:
    process = start("train", *arguments, "-o", "model", "-m", "nb")
    _, err = process.communicate()
    assert process.returncode == 0, err
    return [line.removeprefix("classmark: warning: ") for line in err.decode().splitlines() if "warning" in line]


def test_labels_that_look_like_more_than_one_name(start):
    Path("a.csv").write_text(
        "text,labels\nhoots,bird/owl\ncries,bird/gull\nbarks,dog\nmoos,cow;farm\nneighs,horse;farm\n"
    )
    joined, paths = warned(start, "a.csv")
    assert re.match(r"2 of 5 labels have ';'.* 'cow;farm'.* \(--label-separator ';', label_separator=';'", joined)
    assert re.match(r"2 of 5 labels have '/'.* 'bird/gull'.* \(--path-separator /, path_separator='/'\)", paths)


def test_space_around_a_path_separator(run):
    Path("a.csv").write_text("text,labels\nroses,Garden / Flowers\ntulips,Garden/Flowers\noaks,Garden /Trees\n")
    tree = run("info", "a.csv", "--path-separator", "/", "--tree").out
    assert tree.endswith("\nGarden\n├── Garden/Flowers\n└── Garden/Trees\n")


def test_labels_in_a_column_of_another_name(said, refused, model):
    Path("a.csv").write_text("text,category\nhoots,owl\n")
    words = (
        "a.csv: no document has a label, as no column is called 'labels' or 'label';"
        " name the one that has them (--label-column category) of: text, category"
    )
    assert said("train", "a.csv", "-o", "new") == words
    Path("mails.csv").write_text("subject,text,category\nHello,hoots,owl\n")
    assert "(--label-column category)" in refused("train", "mails.csv", "-o", "new")
    assert words in refused("evaluate", model, "a.csv")
    assert words in refused("tune", "a.csv", "-o", "new", "-m", "linear-svm")


def test_codes_of_terminals_and_names_without_end(said, refused, run):
    Path("a.csv").write_text("\x1b]0;owned\x07,b\n1,2\n")
    message = said("info", "a.csv", "--text-column", "\x1b[2J")
    assert message == "a.csv:1: no text column '\\x1b[2J'; name one of: \\x1b]0;owned\\x07, b"
    Path("b.csv").write_text(",".join(f"column{number}" for number in range(50_000)) + "\n")
    assert refused("info", "b.csv").endswith("column11 and 49,988 more (--text-column, text_column=…)\n")
    Path("c.csv").write_text("text,labels\nhoots,\x1b[31mowl\n")
    drawn = run("info", "c.csv", "--tree", "--path-separator", "/").out
    assert "\x1b" not in drawn
    assert "\\x1b[31mowl" in drawn
    assert len(refused("info", "b.csv", "--kind", "y" * 100_000)) == len("classmark: ") + 1000 + len("\n")


def test_a_misspelt_category(said, refused, model, folder, documents):
    assert re.search(
        r"'Oak'.*not a category.*\(did you mean 'oak'\?\)", refused("explain", model, "hoots", "--category", "Oak")
    )
    documents[0]["labels"] = ["owll"]
    message = said("train", folder("animals", documents), "-o", "new")
    assert re.search(
        r"the label 'owll' of document 'train1'.*not in.*hierarchy \(did you mean 'owl'\?\); add it", message
    )
