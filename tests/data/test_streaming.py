"""`iter_documents`: the same documents as `read_corpus`, one at a time."""

import gzip
import json
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from classmark.data import CorpusOptions, iter_documents, read_corpus, write_corpus
from tests.memory import peak_of

MEGABYTE = 10**6
ROOT = Path(__file__).parent.parent.parent

# 60 MB of text.
MEASURE = """
import json, sys
from classmark.data import iter_documents
from classmark.text import TextVectoriser
from tests.memory import long_lines, peak

lines = long_lines("a")
with open(sys.argv[1], "w") as file:
    while file.tell() < 60_000_000:
        file.writelines(lines)
TextVectoriser().fit_transform(["warm up"])
before = peak()
X = TextVectoriser().fit_transform(record.document for record in iter_documents(sys.argv[1]))
print(json.dumps({"rows": X.shape[0], "above": peak() - before - X.data.nbytes - X.indices.nbytes - X.indptr.nbytes}))
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("docs.jsonl", '{"text": "x", "labels": ["a"]}\n\n{"text": "y", "id": "b", "split": "dev"}\n'),
        ("docs.csv", "text,labels\nx,a\ny,\n"),
        ("docs.svm", "1,2 3:4\n# comment\n5 6:7 # id=b\n"),
    ],
)
def test_the_documents_of_the_corpus(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    corpus = read_corpus(tmp_path / name)
    records = list(iter_documents(str(tmp_path / name)))
    assert [record.id for record in records] == corpus.ids
    assert [record.document for record in records] == corpus.documents
    assert [record.labels for record in records] == corpus.labels
    assert [record.split for record in records] == corpus.splits


def test_a_dataset_folder(tmp_path):
    (tmp_path / "docs.jsonl").write_text('{"text": "x"}\n')
    assert [record.document for record in iter_documents(tmp_path)] == ["x"]


def test_a_missing_file_is_told_at_once(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        iter_documents(tmp_path / "docs.jsonl")


def test_a_bad_line_is_told_where_it_stands(tmp_path):
    (tmp_path / "docs.jsonl").write_text('{"text": "x"}\n{"text": 1}\n')
    records = iter_documents(tmp_path / "docs.jsonl")
    assert next(records).document == "x"
    with pytest.raises(ValueError, match=r"docs\.jsonl:2: 'text' is a number"):
        next(records)


def test_options(tmp_path):
    (tmp_path / "docs.csv").write_text("body\nx\n")
    (record,) = iter_documents(tmp_path / "docs.csv", options=CorpusOptions(text_column="body"))
    assert record.document == "x"


@pytest.mark.parametrize("name", ["docs.jsonl", "docs.csv", "docs.svm", "docs.jsonl.gz", "docs.parquet"])
def test_only_one_document_is_held(tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    features = name.endswith("svm")
    lines = [
        json.dumps(
            {"features": {str(term): row + 1 for term in range(1, 500)}} if features else {"text": "owl " * 1000}
        )
        for row in range(2000)
    ]
    (tmp_path / "source.jsonl").write_text("\n".join(lines))
    write_corpus(read_corpus(tmp_path / "source.jsonl"), tmp_path / name)
    # Whatever is imported or compiled the first time is no part of it, nor what threads of other tests do meanwhile.
    next(iter_documents(tmp_path / name))
    peak = min(peak_of(lambda: deque(iter_documents(tmp_path / name), maxlen=0)) for _ in range(2))
    # Parquet is read a few hundred rows at a time.
    assert peak < (4 if name.endswith("parquet") else 1) * MEGABYTE


def test_a_vectoriser_fed_from_a_file_needs_little_more_than_the_matrix(tmp_path: Path):
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, tmp_path / "docs.jsonl"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    measured = json.loads(done.stdout)
    assert measured["rows"] > 10_000
    assert measured["above"] < 40 * MEGABYTE


def test_a_truncated_file_gives_what_it_has_first(tmp_path):
    file = tmp_path / "docs.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"text": "an owl"}\n' * 5000)[:-12])
    records = iter_documents(file)
    assert next(records).document == "an owl"
    with pytest.raises(ValueError, match="damaged or cut"):
        list(records)
