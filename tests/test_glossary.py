"""The glossary: every module that it names is there, and every word stands in it once."""

import re
from importlib.util import find_spec
from pathlib import Path

TEXT = (Path(__file__).parents[1] / "docs" / "glossary.md").read_text(encoding="utf-8")
HEADS = ("word", "a thing")


def rows(text):
    found = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line[:2] == "| "]
    return [row for row in found if row[0] not in HEADS]


WORDS, THINGS = map(rows, TEXT.split("## Where things are found"))


def test_every_module_is_there():
    cells = [cell for row in WORDS for cell in row[2:]] + [cell for row in THINGS for cell in row[1:]]
    named = {name for cell in cells for name in re.findall(r"`([a-z]\w*(?:\.\w+)*)`", cell)}
    assert len(named) > 40
    assert not [name for name in sorted(named) if find_spec(f"classmark.{name}") is None]


def test_every_word_has_a_meaning_and_a_place_once():
    words = [row[0] for row in WORDS]
    assert len(words) == len(set(words)) > 50
    assert all(len(row) == 3 and all(row) for row in WORDS)
