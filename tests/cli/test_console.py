import os
import re

import pytest

from classmark.cli import console


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "none"),
        (True, "yes"),
        (False, "no"),
        (12345, "12,345"),
        (0.123456, "0.1235"),
        ("as it is", "as it is"),
        ({}, "none"),
        ({"train": 1000, "inner": {"a": None}}, "train 1,000, inner a none"),
    ],
)
def test_in_words(value, words):
    assert console.in_words(value) == words


def test_fields_stand_in_two_columns(capsys):
    console.print_fields({"a": 1, "longer": "x"})
    assert capsys.readouterr().out == "a       1\nlonger  x\n"


def test_table_has_names_to_the_left_and_numbers_to_the_right(capsys):
    console.print_table(["", "f1"], [["leaves", "0.5"], ["all", "0.25"]])
    assert capsys.readouterr().out == "          f1\nleaves   0.5\nall     0.25\n"


def test_json_keeps_letters(capsys):
    console.print_json({"name": "Käuzchen", "nothing": None})
    assert capsys.readouterr().out == '{\n  "name": "Käuzchen",\n  "nothing": null\n}\n'


class Terminal:
    """A pseudo-terminal: commands write to `end`, and `read` gives what a person would have seen pass by."""

    def __init__(self) -> None:
        pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
        self.watching, self.end = pty.openpty()

    def read(self, raw: bool = False) -> str:
        os.close(self.end)
        seen = b""
        try:
            while chunk := os.read(self.watching, 4096):
                seen += chunk
        except OSError:  # how Linux says that nobody writes any more
            pass
        os.close(self.watching)
        # Without colours and movements, unless they are asked for.
        return seen.decode() if raw else re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())


def without_seconds(said: bytes) -> bytes:
    return re.sub(rb"seconds +\S+", b"", said)


def test_bars_on_a_terminal_and_nowhere_else(start, animals):
    terminal = Terminal()
    watched = start("train", animals, "-o", "model", stderr=terminal.end)
    seen = terminal.read()
    shown = watched.communicate()[0]
    assert re.search(r"documents +━+ +9 of 9\b", seen)
    assert re.search(r"categories +━+ +4 of 4\b", seen)

    piped = start("train", animals, "-o", "model")
    out, err = piped.communicate()
    assert err == b""
    assert without_seconds(out) == without_seconds(shown) != b""


def test_answers_are_not_mixed_with_the_bars(start, run, model, animals):
    terminal = Terminal()
    process = start("predict", model, animals, stderr=terminal.end)
    seen = terminal.read()
    assert process.communicate()[0].decode() == run("predict", model, animals).out
    assert "documents" in seen
    assert "labels" not in seen


def test_a_terminal_shows_every_answer(start, run, model, animals):
    terminal = Terminal()
    start("predict", model, animals, stdout=terminal.end, stderr=terminal.end)
    # Nothing but the answers, so nothing that moves the cursor back over them either.
    assert terminal.read(raw=True).replace("\r\n", "\n") == run("predict", model, animals).out


def test_an_error_after_the_bars_stands_alone(start, folder, documents):
    terminal = Terminal()
    for document in documents:
        document["text"] = "12, 34"
    start("train", folder("bad", documents), "-o", "model", stderr=terminal.end)
    last = terminal.read().rstrip("\r\n").split("\n")[-1]
    assert re.search(r"classmark: no term.*left", last)


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_two_columns_stay_within_a_terminal(columns):
    rows = [("short", "word " * 30), ("x" * 45, "what it is"), ("last", "")]
    lines = list(console.aligned(rows, columns))
    assert max(map(len, lines)) <= max(columns, 45)
    assert " ".join(" ".join(lines).split()) == " ".join(f"{left} {right}".strip() for left, right in rows).replace(
        "  ", " "
    )
