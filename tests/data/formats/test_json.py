"""JSON files: an array of objects or an object of columns; the rest is refused in a line."""

import gzip
import json
from pathlib import Path

import pytest

from classmark.data import CorpusOptions, read_corpus
from classmark.data.formats import records

DOCUMENTS = [
    {"id": "a", "text": "an owl", "labels": ["bird", "animal"], "split": "train"},
    {"id": 7, "text": "a cod", "labels": [], "split": None},
    {"id": "c", "text": "a stone", "labels": None, "split": None},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "docs.json"


@pytest.mark.parametrize("form", ["objects", "columns", "rows"])
def test_the_forms(file, form):
    columns = {key: [document[key] for document in DOCUMENTS] for key in DOCUMENTS[0]}
    # As pandas writes a table.
    rows = {key: {str(row): value for row, value in enumerate(column)} for key, column in columns.items()}
    content = {"objects": DOCUMENTS, "columns": columns, "rows": rows}[form]
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(content, indent=1).encode())
    corpus = read_corpus(file)
    assert corpus.ids == ["a", "7", "c"]
    assert corpus.documents == ["an owl", "a cod", "a stone"]
    assert corpus.labels == [["bird", "animal"], [], None]
    assert corpus.splits == ["train", None, None]


def test_compressed_features_and_other_keys(tmp_path):
    file = tmp_path / "docs.json.gz"
    file.write_bytes(gzip.compress(b'[{"features": {"owl": 2}, "topic": "bird"}]'))
    corpus = read_corpus(file, options=CorpusOptions(label_column="topic"))
    assert (corpus.documents, corpus.labels) == ([{"owl": 2.0}], [["bird"]])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            '{"text": "an owl"}\n{"text": "a cod"}\n',
            "1: not valid JSON (.*); .* an object a line, say so (--kind jsonl)",
        ),
        ("[1]", "1: a number instead of an object; write an array of objects"),
        ('"x"', "1: a string; write an array of objects or an object of columns"),
        ('{"text": "an owl"}', "1: 'text' is a string; write an array of objects or an object of columns"),
        ('{"text": ["a", "b"], "id": [1]}', "1: columns of different lengths: 'text' 2 and 'id' 1; give each"),
        ('[{"text": "a"}, {"body": "b"}]', "2: the document has no 'text' and no 'features', only: body; add one"),
        ("[]", "1: the file has no document"),
        (" ", "1: the file has no document"),
        ("[" * 100_000, "1: not valid JSON"),
    ],
)
def test_what_is_refused(file, content, reason):
    file.write_text(content)
    with pytest.raises(ValueError) as caught:
        read_corpus(file)
    before, _, after = reason.partition(".*")
    assert str(caught.value).startswith(f"{file}:{before}")
    assert after.partition(".*")[2] in str(caught.value)


def test_a_key_that_was_asked_for(file):
    file.write_text(json.dumps(DOCUMENTS))
    with pytest.raises(ValueError, match=r"docs.json:1: no split column 'spit' \(did you mean 'split'\?\); name one"):
        read_corpus(file, options=CorpusOptions(split_column="spit"))


def test_too_long_to_be_read_whole(file, monkeypatch):
    monkeypatch.setattr(records, "LARGEST_WHOLE", 2**20)
    file.write_text(json.dumps([{"text": "x" * 2**21}]))
    with pytest.raises(ValueError, match=r"longer than 1 MiB, which is read whole; write JSON Lines .*--max-line"):
        read_corpus(file, options=CorpusOptions(max_line=1))
    assert len(read_corpus(file, options=CorpusOptions(max_line=3))) == 1
