import gzip
import re
from pathlib import Path

import pytest
from sklearn.datasets import dump_svmlight_file

from classmark.data import Corpus, CorpusOptions, read_corpus, write_corpus
from classmark.data.formats import FORMATS, Record
from tests.data.formats.corpora import OPTIONS


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "docs.svm"


def read(file: Path, content: str | bytes, options: CorpusOptions = OPTIONS, kind: str = "svmlight") -> list[Record]:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(FORMATS[kind].read(file, options))


@pytest.mark.parametrize(
    "row", ["545,32 8:1 18:2.5", "545, 32 8:1 18:2.5", "545,32\t8:1  18:25e-1 # why", "545 , 32 8:1 18:2.5"]
)
def test_a_row(file, row):
    assert read(file, f"{row}\n") == [Record(1, None, {"8": 1.0, "18": 2.5}, ["545", "32"], None)]


def test_rows_without_labels(file):
    content = "8:1\n 8:1\n1 8:1\n"
    assert [record.labels for record in read(file, content)] == [None, None, ["1"]]
    assert [record.labels for record in read(file, content, CorpusOptions(empty_labels="nowhere"))] == [[], [], ["1"]]


def test_the_hidden_label_of_lshtc(file):
    content = "0 8:1\n0,1 8:1\n"
    assert [record.labels for record in read(file, content, kind="lshtc")] == [None, ["0", "1"]]
    assert [record.labels for record in read(file, content)] == [["0"], ["0", "1"]]


@pytest.mark.parametrize("header", ["Data", "Label,Data", "# made by hand", ""])
def test_a_header(file, header):
    records = read(file, f"{header}\n545, 32 8:1\n")
    assert [(record.line, record.labels) for record in records] == [(2, ["545", "32"])]


def test_a_first_row_without_features_is_no_header(file):
    assert [record.document for record in read(file, "545,32\nData\n")] == [{}, {}]


def test_numbers_in_other_ways_of_writing(file):
    (record,) = read(file, "1 +8:1 09:.5 10:1e308 11:1e308\n")
    assert record.document == {"8": 1.0, "9": 0.5, "10": 1e308, "11": 1e308}


def test_zero_weights_are_dropped(file):
    (record,) = read(file, "1 8:0 9:1 10:0.0\n")
    assert record.document == {"9": 1.0}


def test_comments_blank_lines_and_ids(file):
    records = read(file, "# comment\n\n1 8:1 # id=a b\n# id=empty\n  \n2 9:1 #\n")
    assert [(record.line, record.id, record.document) for record in records] == [
        (3, "a b", {"8": 1.0}),
        (4, "empty", {}),
        (6, None, {"9": 1.0}),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1 0:1", "the feature number in '0:1' is 0; they start at 1"),
        ("1 -3:1", "the feature number in '-3:1' is -3; they start at 1"),
        ("1 2:nan", r"the weight in '2:nan' is nan; write a number.*0 up"),
        ("1 2:inf", r"the weight in '2:inf' is inf; write a number.*0 up"),
        ("1 2:1e999", r"the weight in '2:1e999' is 1e999; write a number.*0 up"),
        ("1 2:-0.5", r"the weight in '2:-0\.5' is -0\.5; write a number.*0 up"),
        ("1 2:1 2:3", "the feature 2 stands twice in the row; add its weights up"),
        ("1 2:0 02:3", "the feature 2 stands twice"),
        ("1 2:", r"'2:' is not a feature; write number:weight, such as 12:0\.5"),
        ("1 :2", r"':2'.*not a feature.*12:0\.5"),
        ("1 a:2", r"'a:2'.*not a feature.*12:0\.5"),
        ("1 qid:3 2:1", r"'qid:3'.*not a feature.*12:0\.5"),
        ("1 2:3:4", r"'2:3:4'.*not a feature.*12:0\.5"),
        ("1 2:1 3", r"'3'.*not a feature.*12:0\.5"),
        ("1 1_0:1", r"'1_0:1'.*not a feature.*12:0\.5"),
        ("1 ٣:1", r"'٣:1'.*not a feature.*12:0\.5"),
        ("1 2 3:4", "'1 2' is neither one label nor a feature; write l1,l2 f:v f:v"),
        ("1,,2 3:4", r".*label is empty"),
        ("1, 3:4", r".*label is empty"),
        ("1 3:4 # id=", "the id is empty"),
    ],
)
def test_bad_rows(file, row, message):
    with pytest.raises(ValueError) as caught:
        read(file, f"7 1:1\n{row}\n")
    assert re.match(rf"{re.escape(str(file))}:2: {message}", str(caught.value))


def test_truncated_gzip(tmp_path):
    with pytest.raises(ValueError, match=r"docs\.svm\.gz:\d+:.*damaged or cut"):
        read(tmp_path / "docs.svm.gz", gzip.compress(b"1 2:3\n" * 99)[:-12])


def test_what_scikit_learn_writes(file):
    dump_svmlight_file([[0, 2.5], [1, 0]], [[0, 1], [1, 0]], str(file), zero_based=False, multilabel=True, comment="hi")
    corpus = read_corpus(file)
    assert (corpus.labels, corpus.documents) == ([["1"], ["0"]], [{"2": 2.5}, {"1": 1.0}])


def corpus_of(document: object = {"1": 2.0}, label: str = "a", name: str = "1", split: str | None = None) -> Corpus:
    return Corpus([name], [document], [[label]], [split], None, "one")  # type: ignore[list-item]


def test_what_is_written(file):
    corpus = Corpus(
        ["1", "b", "3"],
        [{"10": 1.0, "9": 0.1}, {"1": 2.0, "2": 0.0}, {}],
        [["7", "5"], None, ["x"]],
        [None, None, None],
        None,
        "three",
    )
    write_corpus(corpus, file)
    assert file.read_text() == "7,5 9:0.1 10:1\n 1:2 # id=b\nx # id=3\n"


@pytest.mark.parametrize(
    ("corpus", "reason"),
    [
        (corpus_of("an owl"), "document '1' has a text, which this format cannot hold; write .jsonl, .csv or a folder"),
        (corpus_of({"owl": 1}), "document '1' has the term 'owl', and a row holds numbers from 1 up; number the terms"),
        (corpus_of({"0": 1}), "has the term '0'"),
        (corpus_of({"01": 1}), "has the term '01'"),
        (corpus_of({"1": float("nan")}), "document '1' has the weight nan for '1'; give a number >= 0 up"),
        (corpus_of({"1": -1}), "has the weight -1"),
        (corpus_of(label="a b"), "the label 'a b' of document '1' is not one that a row can hold"),
        (corpus_of(label="a,b"), "the label 'a,b'"),
        (corpus_of(label="1:2"), "the label '1:2'"),
        (corpus_of(label="#1"), "the label '#1'"),
        (corpus_of(label="\ufeffa"), "is not one that a row can hold"),
        (corpus_of(name="a\nb"), r"the id 'a\nb' has a line break, or space at an end"),
        (
            corpus_of(split="train"),
            "document '1' has the split 'train', which this format cannot hold; write one split",
        ),
    ],
)
def test_what_cannot_be_written(file, corpus, reason):
    with pytest.raises(ValueError) as caught:
        write_corpus(corpus, file)
    assert str(caught.value).startswith(f"{file}: ")
    assert reason in str(caught.value)
    assert list(file.parent.iterdir()) == []


def test_lshtc_cannot_hold_the_label_0_alone(tmp_path):
    write_corpus(corpus_of(label="0"), tmp_path / "docs.svm")
    with pytest.raises(ValueError, match=r"the label '0' of document '1'.*not.*row can hold"):
        write_corpus(corpus_of(label="0"), tmp_path / "docs.lshtc")


def test_the_real_sample(corpora, tmp_path):
    corpus = read_corpus(corpora / "lshtc4_sample1000").select(["all"])
    rows = tmp_path / "train.csv"
    lines = [
        ", ".join(labels or ()) + "".join(f" {term}:{weight:g}" for term, weight in document.items())  # type: ignore[union-attr]
        for labels, document in zip(corpus.labels, corpus.documents, strict=True)
    ]
    rows.write_text("\n".join(["Data", *lines]) + "\n")
    read = read_corpus(rows, options=CorpusOptions(kind="lshtc"))
    assert read.labels == corpus.labels
    assert read.documents == corpus.documents
