import gzip
import re
from pathlib import Path

import pytest

from classmark.data import CorpusOptions
from classmark.data.formats import FORMATS, Record, kind_of
from classmark.data.formats.json import read_jsonl

OPTIONS = CorpusOptions()
GOOD = b'{"id": "a", "text": "an owl", "labels": ["bird"], "split": "train"}\n'


def read(file: Path, content: bytes, options: CorpusOptions = OPTIONS) -> list[Record]:
    file.write_bytes(content)
    return list(read_jsonl(file, options))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "docs.jsonl"


def refused(file: Path, line: str, options: CorpusOptions = OPTIONS) -> str:
    """Give what the message says after the place of a bad second line."""
    with pytest.raises(ValueError) as caught:
        read(file, GOOD + line.encode() + b"\n", options)
    place, message = f"{file}:2: ", str(caught.value)
    assert message.startswith(place)
    assert "\n" not in message
    return message.removeprefix(place)


def test_a_record_holds_all_fields(file):
    assert read(file, GOOD) == [Record(1, "a", "an owl", ["bird"], "train")]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [('"accept"', ["SPORTS"]), ('"reject"', None), ('"ignore"', None), ('"no"', ["SPORTS"]), ("[1]", ["SPORTS"])],
)
def test_read_jsonl_prodigy_answer_other_than_accept_is_not_labeled(file, answer, expected):
    row = b'{"text": "an owl", "label": "SPORTS", "_task_hash": 7, "answer": %b}\n' % answer.encode()
    assert [record.labels for record in read(file, row)] == [expected]


def test_read_jsonl_label_column_called_answer_is_read(file):
    row = b'{"text": "an owl", "answer": "reject"}\n'
    assert read(file, row, CorpusOptions(label_column="answer"))[0].labels == ["reject"]


def test_everything_but_the_text_may_be_missing(file):
    assert read(file, b'{"text": ""}') == [Record(1, None, "", None, None)]


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson", ".json-lines", ".JSONL"])
def test_suffixes(tmp_path, suffix):
    file = tmp_path / f"docs{suffix}"
    file.write_bytes(GOOD)
    assert len(list(FORMATS[kind_of(file)].read(file, OPTIONS))) == 1


def test_gzip(tmp_path):
    file = tmp_path / "docs.jsonl.gz"
    file.write_bytes(gzip.compress(GOOD))
    assert [record.id for record in FORMATS[kind_of(file)].read(file, OPTIONS)] == ["a"]


def test_byte_order_mark_line_ends_and_blank_lines(file):
    content = b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n") + b"\r\n  \n" + b'{"text": "a cod"}'
    assert [(record.line, record.document) for record in read(file, content)] == [(1, "an owl"), (4, "a cod")]


def test_only_a_line_feed_ends_a_line(file):
    text = "one\u2028two\u0085three"
    assert [record.document for record in read(file, f'{{"text": "{text}"}}\n'.encode())] == [text]


def test_integers_become_strings(file):
    (record,) = read(file, b'{"id": 7, "text": "", "labels": [1, -2, "3"]}')
    assert (record.id, record.labels) == ("7", ["1", "-2", "3"])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [("", None), (', "labels": null', None), (', "labels": []', []), (', "labels": ["a", "b"]', ["a", "b"])],
)
def test_not_labelled_is_not_belonging_nowhere(file, labels, expected):
    (record,) = read(file, f'{{"text": "x"{labels}}}'.encode())
    assert record.labels == expected


def test_the_key_label_may_hold_one_label_or_a_list(file):
    content = b'{"text": "x", "label": "a"}\n{"text": "y", "label": 2}\n{"text": "z", "label": ["b", "c"]}'
    assert [record.labels for record in read(file, content)] == [["a"], ["2"], ["b", "c"]]


def test_labels_goes_before_label(file):
    (record,) = read(file, b'{"text": "x", "label": "a", "labels": ["b"]}')
    assert record.labels == ["b"]


def test_other_names_for_the_columns(file):
    options = CorpusOptions(text_column="body", label_column="topic", id_column="key", split_column="part")
    (record,) = read(file, b'{"key": "k", "body": "x", "topic": "t", "part": "dev", "labels": 1, "id": 1.5}', options)
    assert record == Record(1, "k", "x", ["t"], "dev")


def test_features(file):
    (record,) = read(file, b'{"features": {"12": 2, "owl": 0.5, "zero": 0}}')
    assert record.document == {"12": 2.0, "owl": 0.5, "zero": 0.0}
    assert {type(weight) for weight in record.document.values()} == {float}


def test_a_missing_split_is_none(file):
    content = b'{"text": "x", "split": null}\n{"text": "y", "split": ""}'
    assert [record.split for record in read(file, content)] == [None, None]


@pytest.mark.parametrize("line", ['{"text": "x"', "{'text': 1}", '{"text": "x"} x', "nonsense", "[" * 100_000])
def test_invalid_json(file, line):
    message = refused(file, line)
    assert message.startswith("not valid JSON (")
    assert message.endswith("); write one object a line, without NaN or Infinity")


@pytest.mark.parametrize(
    ("line", "kind"), [("[1]", "a list"), ('"x"', "a string"), ("3", "a number"), ("null", "null")]
)
def test_not_an_object(file, line, kind):
    assert refused(file, line) == f"{kind} instead of an object; write one object a line"


def test_neither_text_nor_features(file):
    assert refused(file, '{"id": "b", "body": "x"}') == (
        "the document has no 'text' and no 'features', only: id, body; add one, or name the text column (--text-column)"
    )
    assert "only: nothing;" in refused(file, "{}")


def test_text_is_null(file):
    assert refused(file, '{"text": null}') == "'text' is null; give the document a text or leave it out"


@pytest.mark.parametrize(("value", "kind"), [("3", "a number"), ('["x"]', "a list"), ("false", "true or false")])
def test_text_is_not_a_string(file, value, kind):
    assert refused(file, f'{{"text": {value}}}') == f"'text' is {kind}; write the text as a string"


def test_text_and_features(file):
    expected = "the document has 'text' and 'features'; keep one of them"
    assert refused(file, '{"text": "x", "features": {"x": 1}}') == expected


def test_features_are_not_an_object(file):
    assert refused(file, '{"features": [1]}') == "'features' is a list; write an object, term to weight"


@pytest.mark.parametrize(("weight", "shown"), [('"1"', "'1'"), ("-0.5", "-0.5"), ("true", "True"), ("null", "None")])
def test_a_weight_is_not_a_number_from_0_up(file, weight, shown):
    expected = f"the feature 'b' has the weight {shown}; write a number >= 0 up"
    assert refused(file, f'{{"features": {{"a": 1, "b": {weight}}}}}') == expected


@pytest.mark.parametrize("weight", ["NaN", "Infinity", "1e999"])
def test_json_has_no_such_weight(file, weight):
    assert refused(file, f'{{"features": {{"a": {weight}}}}}').endswith("without NaN or Infinity")


def test_a_weight_too_large_for_a_float(file):
    assert re.search(r"write a number.*0 up", refused(file, f'{{"features": {{"a": 1{"0" * 400}}}}}'))


def test_labels_are_a_string(file):
    assert refused(file, '{"text": "x", "labels": "bird"}') == (
        "'labels' is a string; write a list, such as [\"bird\"]"
    )


@pytest.mark.parametrize("value", ["3", '{"a": 1}'])
def test_labels_are_not_a_list(file, value):
    assert refused(file, f'{{"text": "x", "labels": {value}}}').endswith('write a list, such as ["a", "b"]')


@pytest.mark.parametrize(("label", "kind"), [("1.5", "a number"), ("true", "true or false"), ("null", "null")])
def test_a_label_is_neither_string_nor_integer(file, label, kind):
    expected = f"a label is {kind}; write labels as strings or integers"
    assert refused(file, f'{{"text": "x", "labels": ["a", {label}]}}') == expected


@pytest.mark.parametrize("label", ['""', '"  "'])
def test_an_empty_label(file, label):
    assert re.match(r".*label is empty", refused(file, f'{{"text": "x", "labels": [{label}]}}'))


def test_an_id_that_is_none(file):
    assert refused(file, '{"text": "x", "id": [1]}') == "the id is a list; write a string or an integer"
    assert refused(file, '{"text": "x", "id": ""}').startswith("the id is empty; give each document an id")


def test_a_split_that_is_none(file):
    expected = "the split is a number; write its name as a string, or null"
    assert refused(file, '{"text": "x", "split": 1}') == expected


def test_not_utf_8(file):
    with pytest.raises(ValueError) as caught:
        read(file, GOOD + '{"text": "café"}\n'.encode("latin-1"))
    assert re.match(rf"{re.escape(str(file))}:2: not UTF-8 at byte 14.*save.*UTF-8", str(caught.value))


def test_truncated_gzip(tmp_path):
    file = tmp_path / "docs.jsonl.gz"
    file.write_bytes(gzip.compress(GOOD * 5)[:-12])
    place, remedy = rf"^{re.escape(str(file))}:[1-6]: ", "; make or get it again$"
    with pytest.raises(ValueError, match=rf"{place}.*damaged or cut.*\(.*\){remedy}"):
        list(read_jsonl(file, OPTIONS))


def test_damaged_gzip(tmp_path):
    file = tmp_path / "docs.jsonl.gz"
    whole = bytearray(gzip.compress(b"".join(GOOD.replace(b"owl", str(i**5).encode()) for i in range(2000))))
    whole[500:600] = bytes(100)
    file.write_bytes(whole)
    with pytest.raises(ValueError, match="damaged or cut"):
        list(read_jsonl(file, OPTIONS))


def test_not_gzip_at_all(tmp_path):
    file = tmp_path / "docs.jsonl.gz"
    file.write_bytes(GOOD)
    with pytest.raises(ValueError, match=r"cut off .*"):
        list(read_jsonl(file, OPTIONS))
