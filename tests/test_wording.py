"""Messages stay one line that people can read, whatever stands in the files they speak of."""

import pytest

from classmark.wording import LONGEST_LINE, in_a_line, listed, meant, visible

SHOWN = {
    "plain – ünïcode 🦉": "plain – ünïcode 🦉",
    "\x1b]0;title\x07": "\\x1b]0;title\\x07",
    "\x9b31m": "\\x9b31m",
    "a\u202eb\u2028c": "a\\u202eb\\u2028c",
    "half \ud800": "half \\ud800",
    "a\nb\tc": "a\\nb\\tc",
    "می‌خواهم": "می‌خواهم",
}


@pytest.mark.parametrize("text", SHOWN)
def test_codes_of_terminals_are_written_out(text):
    assert visible(text) == SHOWN[text]


def test_a_message_is_one_line_that_ends():
    assert in_a_line("two\n  lines\r\n") == "two lines"
    long = in_a_line(f"file:1: {'x' * 100_000}; take it out")
    assert len(long) == LONGEST_LINE
    assert long.startswith("file:1: xx")
    assert long.endswith("; take it out")


def test_lists_end_and_so_do_their_names():
    assert listed([]) == ""
    assert listed(["a", "b"]) == "a, b"
    assert listed(["x" * 50, "\x1b[2J"]) == f"{'x' * 40}…, \\x1b[2J"
    assert listed(map(str, range(13))) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 1 more"


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("splitt", ["id", "text", "split"], "split"),
        ("Garden/Flowrs", ["Garden", "Garden/Flowers", "Garden/Trees"], "Garden/Flowers"),
        ("OWL", ["owl", "bowl"], "owl"),
        ("nosuch", ["id", "text"], None),
        ("x" * 300, ["x" * 299], None),
        (7, [7, 8], None),
        ("7", [7, 8], None),
    ],
)
def test_what_was_probably_meant(name, known, found):
    assert meant(name, known) == ("" if found is None else f" (did you mean {found!r}?)")
