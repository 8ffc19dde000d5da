"""Columns by their names, and labels in cells: what is written is read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark.data import CorpusOptions
from classmark.data.formats.cells import (
    Columns,
    LabelCells,
    MissingColumnError,
    find_columns,
    labels_of_cell,
    labels_of_path,
    without_empty_end,
)
from classmark.data.formats.records import Record

OPTIONS = CorpusOptions()
PATHS = CorpusOptions(path_columns=("one", "two"))
NAMES = st.text(st.characters(exclude_characters=",/", codec="utf-8"), min_size=1).map(str.strip).filter(bool)


def record(labels):
    return Record(1, "a", "an owl", labels, None)


def test_columns_by_hand():
    assert find_columns(["label", "text", "id"], OPTIONS, "f:1") == Columns(1, 2, None, 0, ())
    assert find_columns(["two", "text", "one"], PATHS, "f:1") == Columns(1, None, None, None, (2, 0))
    assert find_columns(["two", "text", "one", "more"], PATHS, "f:1").used == [0, 1, 2]


def test_a_column_that_is_not_there_or_twice():
    with pytest.raises(MissingColumnError, match="f:1: no text column 'text'"):
        find_columns(["body"], OPTIONS, "f:1")
    with pytest.raises(ValueError, match="f:1: 2 columns are called 'labels'; rename all but one"):
        find_columns(["text", "labels", "labels"], OPTIONS, "f:1")


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_labels_of_a_cell_come_back(labels):
    (cell,) = LabelCells(OPTIONS).of(record(labels))
    assert labels_of_cell(cell, OPTIONS, "f:1") == labels


@given(st.lists(NAMES, min_size=1, max_size=2))
def test_a_path_comes_back(parts):
    cells = LabelCells(PATHS).of(record(["/".join(parts)]))
    assert len(cells) == 2
    assert labels_of_path(cells, PATHS, "f:1") == ["/".join(parts)]


def test_a_path_with_a_gap_or_a_separator():
    with pytest.raises(ValueError, match=r"f:1: the path \['', 'b'\] has a gap"):
        labels_of_path(["", "b"], PATHS, "f:1")
    with pytest.raises(ValueError, match="f:1: 'a/b' has the path separator '/' in it"):
        labels_of_path(["a/b", ""], PATHS, "f:1")
    assert labels_of_path(["", " "], PATHS, "f:1") is None


@given(st.lists(st.sampled_from(["", " ", "a"])))
def test_blank_cells_at_the_end_are_left_out(cells):
    kept = without_empty_end(cells)
    assert cells[: len(kept)] == kept
    assert not any(cell.strip() for cell in cells[len(kept) :])
    assert not kept or kept[-1].strip()
