"""Excel files: the first sheet as a table; damage, bombs and a missing package are told in a line."""

import sys
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

from classmark.data import CorpusOptions, read_corpus
from classmark.data.formats import excel
from classmark.progress import hearing


def write(file: Path, *rows: list[object], sheets: int = 1) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for number in range(1, sheets):
        book.create_sheet(f"more {number}").append(["other"])
    book.save(file)
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "docs.xlsx"


def test_a_sheet_is_a_table(file):
    write(
        file,
        ["id", " text ", "labels", "split", "note"],
        [1, "an owl", "bird, animal", "train", None],
        [],
        [2.0, 1984, None, None, True],
        [datetime(2024, 5, 31), "a cod", 7],
    )
    corpus = read_corpus(file)
    assert corpus.ids == ["1", "2", "2024-05-31"]
    assert corpus.documents == ["an owl", "1984", "a cod"]
    assert corpus.labels == [["bird", "animal"], None, ["7"]]
    assert corpus.splits == ["train", None, None]


def test_options_hold_as_for_other_tables(file):
    write(file, ["body", "top", "sub"], ["hoots", "bird", "owl"])
    assert read_corpus(file, options=CorpusOptions("body", path_columns=("top", "sub"))).labels == [["bird/owl"]]
    with pytest.raises(ValueError, match=r"docs.xlsx:1: no text column 'text'; name one of: body, top, sub"):
        read_corpus(file)


def test_the_first_sheet_is_read_and_said(file):
    write(file, ["text"], ["an owl"], sheets=3)
    heard: list[str] = []
    with hearing(heard.append):
        assert read_corpus(file).documents == ["an owl"]
    assert heard == [f"{file}: read the first of 3 sheets, 'Sheet'"]


def test_more_cells_than_columns(file):
    write(file, ["text"], ["an owl", "bird"])
    with pytest.raises(ValueError, match=r"docs.xlsx:2: 2 cell\(s\) for 1 columns; name every column"):
        read_corpus(file)


def test_damage(file):
    pytest.importorskip("openpyxl")
    whole = write(file, ["text"], *[["an owl"]] * 200).read_bytes()
    for content in (b"", b"x", whole[: len(whole) // 2], whole[:200] + b"\0" * 200 + whole[400:]):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"docs.xlsx:1: not an Excel file \(.xlsx\), or a damaged or protected"):
            read_corpus(file)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("hello.txt", "x")
    with pytest.raises(ValueError, match=r"docs.xlsx:1: not an Excel file"):
        read_corpus(file)


def test_what_would_fill_memory(file, monkeypatch):
    write(file, ["text"], ["an owl"])
    monkeypatch.setattr(excel, "LARGEST_WHOLE", 2**10)
    with pytest.raises(ValueError, match=r"docs.xlsx: unpacked longer than 0 MiB; save it as CSV"):
        read_corpus(file)


def test_without_the_package(file, monkeypatch):
    file.touch()
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"docs.xlsx: Excel files need openpyxl; pip install 'classmark\[excel\]'"):
        read_corpus(file)
