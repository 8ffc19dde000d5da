"""Lines, blocks and cells of a file: the same content in every way of reading it."""

import gzip
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark.data import CorpusOptions
from classmark.data.formats.records import Stream, is_blank, lines_of, read_blocks, read_cells, read_lines, read_whole
from classmark.data.options import MEBIBYTE

OPTIONS = CorpusOptions()
MARK = b"\xef\xbb\xbf"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("lines") / "lines.txt"


@given(content=st.text(st.sampled_from("aé\n\r\t ")).map(str.encode), mark=st.booleans(), size=st.integers(1, 9))
def test_blocks_are_the_lines(file, content, mark, size):
    file.write_bytes(MARK * mark + content)
    blocks = list(read_blocks(file, OPTIONS, size))
    assert b"".join(block.content for block in blocks) == content == read_whole(file, OPTIONS)
    first = 1
    for block in blocks:
        assert block.first == first
        first += block.content.count(b"\n")
    lines = list(read_lines(file, OPTIONS))
    assert "".join(line for _, line in lines).encode() == content
    assert [number for number, _ in lines] == list(range(1, len(lines) + 1))


def test_a_compressed_file_that_is_cut_off(tmp_path):
    file = tmp_path / "lines.txt.gz"
    file.write_bytes(gzip.compress(b"owl\n" * 9)[:-9])
    for read in (lambda: list(read_lines(file, OPTIONS)), lambda: list(read_blocks(file, OPTIONS, 99))):
        with pytest.raises(ValueError, match=r"the compressed file is damaged or cut off"):
            read()


def test_a_line_that_is_too_long_is_not_read_to_its_end():
    stream = BytesIO(b"owl\n" + b"x" * 3 * MEBIBYTE)
    lines = lines_of(stream, "-", CorpusOptions(max_line=1))
    assert next(lines) == b"owl\n"
    with pytest.raises(ValueError, match="-:2: the line is longer than 1 MiB"):
        next(lines)
    assert stream.tell() == 4 + MEBIBYTE + 1


def test_a_stream_stays_open():
    stream = BytesIO(b"owl\n")
    assert list(read_lines(Stream("-", stream), OPTIONS)) == [(1, "owl\n")]
    assert not stream.closed


def test_cells_without_blank_lines_and_header(tmp_path):
    file = tmp_path / "cells.tsv"
    file.write_text("name\tvalue\n\n a \t b\nname\tvalue\n")
    assert list(read_cells(file, ["name", "value"])) == [(3, ["a", "b"]), (4, ["name", "value"])]
    assert next(read_cells(file)) == (1, ["name", "value"])


@pytest.mark.parametrize("content", [b"", b"\n \t\r\n", MARK + b"\n", b" " * MEBIBYTE])
def test_blank_files(tmp_path, content):
    plain, packed = tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz"
    for more, blank in ((b"", True), (b"x", False)):
        plain.write_bytes(content + more)
        packed.write_bytes(gzip.compress(content + more))
        assert is_blank(plain) == is_blank(packed) == blank


def test_a_damaged_file_is_not_blank(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"\n" * 9)[:-9])
    assert not is_blank(tmp_path / "a.gz")
