import re
import sys
from pathlib import Path
from typing import Any

import pytest

from classmark.data import CorpusOptions, read_corpus, write_corpus
from classmark.data.formats import Record
from classmark.data.formats.parquet import ROWS_AT_A_TIME, read_parquet
from tests.data.formats.corpora import OPTIONS

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "docs.parquet"


def read(file: Path, columns: dict[str, Any], options: CorpusOptions = OPTIONS) -> list[Record]:
    parquet.write_table(arrow.table(columns), file)
    return list(read_parquet(file, options))


def refused(file: Path, columns: dict[str, Any], options: CorpusOptions = OPTIONS) -> str:
    """Give the message without the file."""
    with pytest.raises(ValueError) as caught:
        read(file, columns, options)
    assert str(caught.value).startswith(f"{file}:")
    return str(caught.value).removeprefix(f"{file}:")


def test_lists_of_labels(file):
    columns = {"labels": [["bird"], [], None], "text": ["x", "y", "z"], "id": [1, 2, 3], "split": ["dev", "", None]}
    assert read(file, columns) == [
        Record(1, "1", "x", ["bird"], "dev"),
        Record(2, "2", "y", [], None),
        Record(3, "3", "z", None, None),
    ]


def test_strings_with_separators(file):
    columns = {"text": ["x", "y", "z"], "labels": ["bird, animal", "", None]}
    assert [record.labels for record in read(file, columns)] == [["bird", "animal"], None, None]
    nowhere = CorpusOptions(empty_labels="nowhere")
    assert [record.labels for record in read(file, columns, nowhere)] == [["bird", "animal"], [], None]


@pytest.mark.parametrize(
    "labels",
    [
        [["1"], ["2"]],
        [[1], [2]],
        [1, 2],
        lambda: arrow.array(["1", "2"]).dictionary_encode(),
        lambda: arrow.array([["1"], ["2"]], arrow.large_list(arrow.large_string())),
    ],
)
def test_the_forms_of_a_label_column(file, labels):
    column = labels() if callable(labels) else labels
    assert [record.labels for record in read(file, {"text": ["x", "y"], "label": column})] == [["1"], ["2"]]


def test_other_columns_may_be_anything(file):
    assert read(file, {"text": ["x"], "date": [1.5], "more": [{"a": {"b": [1]}}]}) == [Record(1, None, "x", None, None)]


def test_more_rows_than_are_read_at_a_time(file):
    texts = [str(row) for row in range(2 * ROWS_AT_A_TIME + 1)]
    records = read(file, {"text": texts})
    assert [record.document for record in records] == texts
    assert [record.line for record in records] == list(range(1, len(texts) + 1))


def test_path_columns(file):
    columns = {"text": ["x", "y"], "a": ["bird", None], "b": ["owl", None]}
    options = CorpusOptions(path_columns=("a", "b"))
    assert [record.labels for record in read(file, columns, options)] == [["bird/owl"], None]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"body": ["x"]}, r"1: no text column 'text'; name one of: body \(--text-column, text_column=…\)"),
        ({"text": ["x", None]}, "2: 'text' is null"),
        ({"text": [1]}, "1: 'text' is a number"),
        ({"text": [b"x"]}, "1: 'text' is a bytes"),
        ({"text": ["x"], "id": [1.5]}, "1: the id is a number"),
        ({"text": ["x"], "split": [1]}, "1: the split is a number"),
        ({"text": ["x"], "labels": [[""]]}, r"1:.*label is empty"),
        ({"text": ["x"], "labels": [["a", None]]}, "1: a label is null"),
        ({"text": ["x"], "labels": [True]}, "1: a label is true or false"),
    ],
)
def test_bad_rows(file, columns, message):
    assert re.match(message, refused(file, columns))


def test_a_level_that_is_none(file):
    options = CorpusOptions(path_columns=("a",))
    expected = "1: a level of the path is a number; write strings or integers"
    assert refused(file, {"text": ["x"], "a": [0.5]}, options) == expected


@pytest.mark.parametrize("content", [b"", b"PAR1", b"text,labels\nx,y\n", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_not_parquet(file, content):
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"docs\.parquet:1: not a Parquet file, or a damaged one \(.*\); make or get"):
        read_corpus(file)


def test_every_cut_and_every_damaged_byte(file):
    read(file, {"text": ["hoots at night"] * 50, "labels": [["owl"]] * 50})
    whole = file.read_bytes()
    for size in range(0, len(whole), 37):
        for damaged in (whole[:size], whole[:size] + b"\xff" * 8 + whole[size + 8 :]):
            file.write_bytes(damaged)
            try:
                list(read_parquet(file, OPTIONS))
            except ValueError as error:
                assert str(error).startswith(f"{file}:")


def test_no_such_file_is_no_damage(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_corpus(tmp_path / "docs.parquet")


def test_the_missing_extra_is_named(file, monkeypatch):
    file.touch()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"Parquet needs pyarrow; pip install 'classmark\[parquet\]'"):
        read_corpus(file)


def test_gzip_around_parquet(tmp_path):
    (tmp_path / "docs.parquet.gz").touch()
    with pytest.raises(ValueError, match="Parquet is compressed inside; unpack the file, or name it"):
        read_corpus(tmp_path / "docs.parquet.gz")


def test_what_pandas_writes(file):
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({"text": ["x", "y"], "labels": [["a", "b"], []], "split": ["dev", None]}).to_parquet(file)
    corpus = read_corpus(file)
    assert (corpus.labels, corpus.splits) == ([["a", "b"], []], ["dev", None])


def test_what_pandas_reads(file, tmp_path):
    pandas = pytest.importorskip("pandas")
    corpus = read_corpus(_table(tmp_path / "docs.csv"))
    write_corpus(corpus, file)
    frame = pandas.read_parquet(file)
    assert list(frame.columns) == ["id", "text", "labels", "split"]
    assert [list(labels) for labels in frame["labels"]] == [["a", "b"]]


def _table(file: Path) -> Path:
    file.write_text('text,labels\nx,"a,b"\n')
    return file
