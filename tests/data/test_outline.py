import tracemalloc
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from classmark.data import Record
from classmark.data.formats.records import Outline

RECORDS = st.builds(
    Record,
    line=st.integers(0, 10**12),
    id=st.none() | st.text(),
    document=st.text() | st.dictionaries(st.text(), st.floats()),
    labels=st.none() | st.lists(st.text()),
    split=st.none() | st.text(),
    file=st.none() | st.text(),
)


@given(st.lists(RECORDS))
def test_everything_but_the_documents(records):
    outline = Outline()
    for record in records:
        outline.append(record)
    without = [msgspec.structs.replace(record, document="") for record in records]
    assert len(outline) == len(records)
    assert list(outline) == list(outline) == without
    assert outline.ids == [record.id for record in records]
    assert outline.labels == [record.labels for record in records]
    assert outline.splits == [record.split for record in records]


def test_equal_names_are_one_string():
    outline = Outline()
    for row in range(2):
        name = "".join(["bi", "rd"])
        outline.append(Record(row, None, "", [name], "".join(["tr", "ain"])))
    (first,), (second,) = outline.labels
    assert first is second
    assert outline.splits[0] is outline.splits[1]


def test_it_takes_little_memory():
    tracemalloc.start()
    try:
        outline = Outline()
        for row in range(10_000):
            outline.append(
                Record(row, f"document {row}", "owl " * 1000, ["".join(["bi", "rd"])], "".join(["tr", "ain"]))
            )
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(outline) == 10_000
    assert size < 10_000 * 300


def test_records_are_counted_by_their_files():
    outline = Outline()
    assert outline.files() == []
    for name in ("a", "a", Path("b"), None):
        outline.append(Record(1, None, "", None, None, name))
    assert outline.files() == [(Path("a"), 2), (Path("b"), 1)]
