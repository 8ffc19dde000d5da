import gzip

import pytest

from classmark.data import read_corpus
from classmark.data.sets.newsgroups20 import SOURCE, prepare
from tests.data.sets.archives import POSTS


@pytest.fixture
def posts(tmp_path):
    """The unpacked posts, in no order."""
    files = []
    for name, text in POSTS.items():
        file = tmp_path / "raw" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("latin-1"))
        files.append(file)
    return files


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "made").mkdir()
    return tmp_path / "made"


def test_documents_labels_splits_and_hierarchy(posts, folder):
    prepare(posts[::-1], folder)
    corpus = read_corpus(folder)
    assert corpus.ids == [
        "comp.sys.mac.hardware/50412",
        "rec.autos/9999",
        "rec.autos/101550",
        "rec.autos/102986",
    ]
    assert corpus.splits == ["train", "train", "train", "test"]
    assert corpus.labels == [["comp.sys.mac.hardware"], ["rec.autos"], ["rec.autos"], ["rec.autos"]]
    assert corpus.documents[0] == "Subject: caf\xe9\r\n\r\nmy Mac is hot\r\n"
    assert corpus.hierarchy.paths("comp.sys.mac.hardware") == [
        ("comp", "comp.sys", "comp.sys.mac", "comp.sys.mac.hardware")
    ]
    assert len(corpus.hierarchy) == 6


def test_the_same_files_give_the_same_bytes(posts, folder, tmp_path):
    (tmp_path / "again").mkdir()
    prepare(posts, folder)
    prepare(posts[::-1], tmp_path / "again")
    assert (folder / "docs.jsonl.gz").read_bytes() == (tmp_path / "again" / "docs.jsonl.gz").read_bytes()


def test_a_file_that_lies_there_twice_counts_once(posts, folder):
    prepare(posts * 2, folder)
    assert len(gzip.decompress((folder / "docs.jsonl.gz").read_bytes()).splitlines()) == len(POSTS)


def test_other_files_are_passed_over(posts, folder, tmp_path):
    prepare([*posts, tmp_path / "readme.txt"], folder)
    assert len(read_corpus(folder)) == len(POSTS)


def test_none_of_the_files(folder, tmp_path):
    with pytest.raises(ValueError, match="no folder called 20news-bydate-train or 20news-bydate-test"):
        prepare([tmp_path / "readme.txt"], folder)


def test_the_real_corpus_has_as_many_documents_as_the_catalogue_says(corpora):
    corpus = read_corpus(corpora / "newsgroups20")
    assert len(corpus) == SOURCE.documents
    assert (corpus.splits.count("train"), corpus.splits.count("test")) == (11_314, 7_532)


def test_real_posts_come_back_as_they_are_in_the_corpus(corpora, folder, tmp_path):
    real = read_corpus(corpora / "newsgroups20")
    rows = range(0, len(real), 50)
    files = [tmp_path / "raw" / f"20news-bydate-{real.splits[row]}" / real.ids[row] for row in rows]
    for row, file in zip(rows, files, strict=True):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(real.documents[row].encode("latin-1"))
    prepare(files, folder)
    made = read_corpus(folder)
    expected = {real.ids[row]: (real.documents[row], real.labels[row], real.splits[row]) for row in rows}
    found = zip(made.documents, made.labels, made.splits, strict=True)
    assert dict(zip(made.ids, found, strict=True)) == expected
