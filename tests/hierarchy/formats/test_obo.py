import re
from pathlib import Path

import pytest

from classmark import Hierarchy
from classmark.hierarchy.formats import NodeText, read_categories, read_obo
from tests.hierarchy.refusals import assert_refused

CELLS = r"""format-version: 1.2
ontology: cells

! a comment
[Term]
id: X:1
name: cell
def: "The \"unit\" of life:\nsmall." [X:ref, "with, quotes"]
alt_id: X:99

[Term]
id: X:2
name: nucleus
is_a: X:1 {source="x"} ! cell
relationship: part_of X:1 ! cell

[Term]
id: X:3
is_a: X:1
relationship: part_of X:2
relationship: regulates X:4
intersection_of: X:1

[Term]
id: X:4
name: an old idea
is_a: X:404
is_obsolete: true

[Typedef]
id: part_of
name: part of
is_a: overlaps
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cells.obo"


def test_terms_are_categories(file):
    file.write_text(CELLS)
    expected = [(None, "X:1"), ("X:1", "X:2"), ("X:1", "X:3"), ("X:2", "X:3")]
    assert Hierarchy.from_obo(file) == Hierarchy.from_edges(expected)


def test_texts(file):
    file.write_text(CELLS)
    assert read_categories(file).nodes == {
        "X:1": NodeText("cell", 'The "unit" of life: small.'),
        "X:2": NodeText("nucleus"),
    }


def test_relations_are_the_users_choice(file):
    file.write_text(CELLS)
    assert Hierarchy.from_obo(file, relations=["is_a"]) == Hierarchy.from_edges(
        [(None, "X:1"), ("X:1", "X:2"), ("X:1", "X:3")]
    )
    assert ("X:2", "X:3") in read_obo(file, ["part_of"]).edges
    assert (None, "X:1") in read_obo(file, ["part_of"]).edges


@pytest.mark.parametrize(
    ("stanza", "line", "reason"),
    [
        ("[Term]\nname: nameless", 1, "the term has no id"),
        ("[Term]\nid:", 1, "the term has no id"),
        ("[Term]\nid: a\nnot a tag", 3, "not a line such as 'name: cell'"),
        ("[Term]\nid: a\nis_a: b", 3, "the parent 'b' of 'a' is obsolete or not a term of the file"),
        ("[Term]\nid: b\nis_obsolete: true\n[Term]\nid: a\nis_a: b", 6, "the parent 'b' of 'a' is obsolete"),
        ("[Term]\nid: a\nis_a:", 3, "'is_a' names no parent"),
        ("[Term]\nid: a\nrelationship: part_of", 3, "'relationship' names no parent"),
        ("[Term]\nid: a\n[Term]\nid: a", 3, "the term 'a' stands"),
        ("[Term]\nid: a\ndef: unquoted", 3, "the definition is not quoted"),
        ("[Term]\nid: a\nis_a: a", 3, "'a' is its own parent"),
    ],
)
def test_bad_terms(file, stanza, line, reason):
    file.write_text(stanza)
    assert_refused(Hierarchy.from_obo, file, line, reason)


def test_no_term_at_all(file):
    file.write_text("format-version: 1.2\n")
    with pytest.raises(ValueError) as caught:
        Hierarchy.from_obo(file)
    assert re.match(rf"{re.escape(str(file))}:.*hierarchy is empty", str(caught.value))
