import re
import tracemalloc
from pathlib import Path

import pytest

from classmark.service.batching import Look, Row, Upload, kind_of, look_at, read_upload
from tests.memory import peak_of


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "upload"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_table_says_what_it_has(tmp_path: Path) -> None:
    path = written(tmp_path, '\ufeffid;body;n\r\n1;"a long; text\nof two lines";3\r\n\r\n2;b;4\r\n')
    assert look_at(path, "tickets.csv") == Look(
        rows=2,
        columns=["id", "body", "n"],
        text_column="body",
        sample=[["1", "a long; text\nof two lines", "3"], ["2", "b", "4"]],
        delimiter=";",
        header_line=1,
    )


def test_lines_of_json_say_what_they_have(tmp_path: Path) -> None:
    found = look_at(written(tmp_path, '{"a": [1], "text": "x"}\n\n{"b": null, "long": "yyyy"}\n'), "x.JSONL")
    assert (found.rows, found.columns, found.text_column) == (2, ["a", "text", "b", "long"], "text")
    assert found.sample == [["[1]", "x", "", ""], ["", "", "", "yyyy"]]
    assert (found.delimiter, found.header_line) == (None, 0)


def test_the_text_is_most_probably_in_the_longest_column(tmp_path: Path) -> None:
    assert look_at(written(tmp_path, "a\tb\nxx\ty\nx\tyyyy\n"), "x.tsv").text_column == "b"
    assert look_at(written(tmp_path, "a\ttext\nxx\ty\n"), "x.tsv").text_column == "text"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", "x,y\n1,2\n1,2,3\n4\n", r"a\.csv:3: 3 cell\(s\) for 2 columns; quote cells.*',' \(and 1 more"),
        ("a.csv", 'x,y\n1,"2\n3,4\n', r"a\.csv:3: not a valid"),
        ("a.csv", b"x,y\n1,\xff\n", r"a\.csv:2: not UTF-8 at byte 3"),
        ("a.csv", b"\x89PNG\r\n\x1a\n\0\0", r"a\.csv:1: not UTF-8"),
        ("a.csv", "", r"a\.csv: has no documents"),
        ("a.csv", "x,y\n", r"a\.csv: has no documents"),
        ("a.csv", "x,y,x\n1,2,3\n", r"a\.csv:1: 2 columns are called 'x'"),
        ("a.jsonl", '{"text": "x"}\n{"text": \n', r"a\.jsonl:2: not valid JSON"),
        ("a.jsonl", '{"text": "x"}\n[1]\n', r"a\.jsonl:2: a list instead of an object"),
        ("a.jsonl", "x,y\n1,2\n", r"a\.jsonl:1: not valid JSON"),
        ("a.jsonl", "[" * 100_000, r"a\.jsonl:1: a list.*an object"),
        ("a.jsonl", '{"a":' * 100_000, r"a\.jsonl:1: not valid JSON"),
        ("a.jsonl", "{" + '"a":1,' * 200_000 + '"a":1}', r"a\.jsonl:1: the object has more than 200,000 keys"),
        ("a.jsonl", "7\n", r"a\.jsonl:1: a number.*an object"),
        ("a.xlsx", "x", r"a\.xlsx: neither CSV, TSV"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(tmp_path: Path, name: str, content: str, told: str) -> None:
    with pytest.raises(ValueError) as error:
        look_at(written(tmp_path, content), name)
    assert re.match(told, str(error.value))
    assert "--" not in str(error.value)


def test_a_name_cannot_hide(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\\x1b\[31m.csv: has no documents"):
        look_at(written(tmp_path, ""), "\x1b[31m.csv")
    assert kind_of("a/../b.ndjson") == "jsonl"


def test_rows_come_with_their_lines_and_their_problems(tmp_path: Path) -> None:
    table = Upload(path=written(tmp_path, 'id,t\n1,"a\nb"\n2,\n3,xxxx\n'), name="x.csv", kind="csv", delimiter=",")
    assert list(read_upload(table, "t", longest=3)) == [
        Row(1, 3, "a\nb"),
        Row(2, 4, ""),
        Row(3, 5, "", "the text has 4 characters, more than 3"),
    ]
    lines = Upload(path=written(tmp_path, '{"t": "a"}\n{"t": 7}\n{}\n'), name="x.jsonl", kind="jsonl")
    assert list(read_upload(lines, "t", longest=3)) == [
        Row(1, 1, "a"),
        Row(2, 2, "", "'t' is a number, not a text"),
        Row(3, 3, "", "has nothing in 't'"),
    ]
    with pytest.raises(ValueError, match="there is no column 'T'"):
        list(read_upload(table, "T", longest=3))


def test_a_large_file_is_never_in_memory(tmp_path: Path) -> None:
    path = written(tmp_path, "id,text\n" + "1,a text that is some forty characters long\n" * 20_000)
    tracemalloc.start()
    try:
        assert look_at(path, "large.csv").rows == 20_000
        assert tracemalloc.get_traced_memory()[1] < 400_000
    finally:
        tracemalloc.stop()


MEBIBYTE = 1 << 20
WRONG = {
    "too few cells": ("a.csv", "id,text\n" + "1\n" * 400_000),
    "too many cells": ("a.csv", "id,text\n" + "1,2,3\n" * 130_000),
    "an open quote": ("a.csv", 'id,text\n1,"' + "an owl\n" * 100_000),
    "commas": ("a.csv", "id,text\n" + "," * 3_000_000),
    "a header of commas": ("a.csv", "," * 3_000_000),
    "no JSON": ("a.jsonl", "x\n" * 400_000),
    "lists": ("a.jsonl", "[]\n" * 260_000),
    "keys": ("a.jsonl", "{" + '"a":1,' * 400_000 + '"b":2}'),
}


@pytest.mark.parametrize("name", WRONG)
def test_look_at_malformed_file_takes_little_memory_and_names_the_first_line(tmp_path: Path, name: str) -> None:
    called, content = WRONG[name]
    path = written(tmp_path, content)
    largest = max(map(len, content.split("\n")))

    def look() -> None:
        with pytest.raises(ValueError, match=rf"{called}:\d+: "):
            look_at(path, called)

    assert peak_of(look) < 2 * MEBIBYTE + 4 * (len(content) if name == "an open quote" else largest)


def test_look_at_large_rows_keeps_none_of_them(tmp_path: Path) -> None:
    lists = '{"text": [' + "[]," * 300_000 + "[]]}\n"
    for called, content in (("a.csv", "id,text\n" + f"1,{'owl ' * 50_000}\n" * 40), ("a.jsonl", lists * 3)):
        path = written(tmp_path, content)
        largest = max(map(len, content.split("\n")))
        assert peak_of(lambda path=path, called=called: look_at(path, called)) < 2 * MEBIBYTE + 4 * largest  # type: ignore[misc]


def test_look_at_many_faults_are_counted_up_to_a_bound(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a.csv:2: .*and 1,999 more such lines"):
        look_at(written(tmp_path, "x,y\n" + "1\n" * 2000), "a.csv")
    with pytest.raises(ValueError, match=r"a.csv:2: .*and 10,000 or more such lines"):
        look_at(written(tmp_path, "x,y\n" + "1\n" * 20_000), "a.csv")
