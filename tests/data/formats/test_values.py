"""Cells of JSON and Parquet: ids, splits and labels of a known type, or refused."""

import pytest

from classmark.data.formats.records import id_of, label_of, split_of, type_word


@pytest.mark.parametrize(
    ("value", "word"),
    [({}, "an object"), ([], "a list"), ("", "a string"), (True, "true or false"), (None, "null"), (1.5, "a number")],
)
def test_types_by_their_json_names(value, word):
    assert type_word(value) == word


def test_whole_numbers_become_strings():
    assert (id_of(7, "f:1"), label_of(7, "f:1")) == ("7", "7")
    assert id_of(None, "f:1") is None
    assert (split_of("", "f:1"), split_of(None, "f:1"), split_of("train", "f:1")) == (None, None, "train")


@pytest.mark.parametrize("read", [id_of, label_of, split_of])
@pytest.mark.parametrize("value", [True, 1.5, ["a"]])
def test_other_types_are_refused(read, value):
    with pytest.raises(ValueError, match=rf"f:1: .* is {type_word(value)}; write "):
        read(value, "f:1")


@pytest.mark.parametrize("read", [id_of, label_of])
def test_nothing_is_no_name(read):
    with pytest.raises(ValueError, match=r"f:1: .* is empty"):
        read(" ", "f:1")
