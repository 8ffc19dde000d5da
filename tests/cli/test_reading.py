"""What newcomers give to read, in processes of their own: nothing is guessed without a word, nothing is lost."""

from pathlib import Path

import pytest


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
