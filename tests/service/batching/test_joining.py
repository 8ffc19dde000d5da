import csv
import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from classmark.service.batching import AnswerFile, Own, RowAnswer, ShownRow, Upload, joined, look_at, read_upload
from classmark.service.batching.joining import added_names

SAID = RowAnswer(["bird", "owl"], [Own("owl", "owls; all", ["birds", "owls; all"], 0.75)], 0.25, "v1")
NOBODY = lambda rows: {}  # noqa: E731


def result(folder: Path, name: str, content: bytes, people=NOBODY, answer: RowAnswer | None = SAID) -> bytes:
    path = folder / "upload"
    path.write_bytes(content)
    look = look_at(path, name)
    kind = "jsonl" if name.endswith("jsonl") else name[-3:]
    upload = Upload(path=path, name=name, kind=kind, delimiter=look.delimiter, header_line=look.header_line)
    answers = AnswerFile(folder / "answers.sqlite")
    answers.path.unlink(missing_ok=True)
    answers.create()
    rows = list(read_upload(upload, look.text_column, 1000))
    answers.add(rows, [None if row.problem else answer for row in rows])
    return b"".join(joined(upload, answers, look.columns, people))


def test_a_table_is_as_it_came_with_columns_added(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbf\n"id";text\r\n1;"a\r\nb"\r\n\r\n2;c'
    assert result(tmp_path, "x.csv", content) == (
        b"\xef\xbb\xbf\n"
        b'"id";text;classmark_labels;classmark_own;classmark_paths;classmark_chance;classmark_doubt;classmark_by\r\n'
        b'1;"a\r\nb";bird|owl;owl;"birds > owls; all";0.75;0.25;model\r\n\r\n'
        b'2;c;bird|owl;owl;"birds > owls; all";0.75;0.25;model'
    )


def test_lines_of_json_are_as_they_came_with_members_added(tmp_path: Path) -> None:
    content = b'{ "text": "a}" , "n": 1.50 }\n\n{}\n{"text": "b"}'
    first, blank, second, third = result(tmp_path, "x.jsonl", content).split(b"\n")
    assert first.startswith(b'{ "text": "a}" , "n": 1.50, "classmark_labels": ["bird", "owl"]')
    assert json.loads(first)["classmark_paths"] == [["birds", "owls; all"]]
    assert json.loads(first)["classmark_chance"] == [0.75]
    assert blank == b""
    assert json.loads(second) == dict.fromkeys(added_names(set()))
    assert json.loads(third)["classmark_own"] == ["owl"]


def test_what_people_said_holds(tmp_path: Path) -> None:
    corrected = RowAnswer(["oak"], [Own("oak", "oak", ["oak"], None)], None)

    def people(rows: Sequence[ShownRow]) -> dict[int, tuple[str, RowAnswer | None]]:
        return {1: ("corrected", corrected), 2: ("rejected", None)}

    rows = list(csv.DictReader(StringIO(result(tmp_path, "x.csv", b"text,n\na,1\nb,2\nc,3\n", people).decode())))
    assert [row["classmark_by"] for row in rows] == ["corrected", "rejected", "model"]
    assert [row["classmark_own"] for row in rows] == ["oak", "", "owl"]
    assert [row["classmark_chance"] for row in rows] == ["", "", "0.75"]


def test_a_column_that_is_there_is_not_taken(tmp_path: Path) -> None:
    once = result(tmp_path, "x.csv", b"text\na\n")
    twice = result(tmp_path, "x.csv", once)
    assert twice.startswith(once.splitlines()[0] + b",classmark_2_labels,")


cells = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)


@settings(max_examples=25)
@given(
    rows=st.lists(st.tuples(cells, cells), min_size=1, max_size=5),
    delimiter=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n"]),
    label=cells.filter(bool),
)
@example([("a", "b")], ",", "\n", "owl\nand\rgull")
def test_any_table_keeps_its_cells(tmp_path_factory, rows, delimiter, end, label) -> None:
    folder = tmp_path_factory.mktemp("table")
    stream = StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([("text", "other"), *rows])
    answer = RowAnswer([label], [Own(label, label, [label], 0.5)], 0.5)
    found = result(folder, "x.csv", stream.getvalue().encode(), answer=answer).decode()
    read = list(csv.reader(StringIO(found, newline=""), delimiter=delimiter, strict=True))
    assert [tuple(row[:2]) for row in read] == [("text", "other"), *rows]
    assert [row[2] for row in read[1:]] == [label] * len(rows)
