"""The dataset folder: one file of documents, or shards."""

import gzip
from pathlib import Path

import pytest

from classmark.data import Corpus, iter_documents, read_corpus, write_corpus
from classmark.data.formats.dataset import belongs, document_files, is_dataset

CORPUS = Corpus(["1"], ["hoots"], [["owl"]], [None], hierarchy=None, source="an owl")


def write_shards(folder: Path, **shards: str) -> Path:
    """Write each shard of texts, one letter a document."""
    for name, letters in shards.items():
        content = "".join(f'{{"text": "{letter}"}}\n' for letter in letters).encode()
        packed = name.endswith("_gz")
        file = folder / f"docs-{name.removesuffix('_gz')}.jsonl{'.gz' * packed}"
        file.write_bytes(gzip.compress(content) if packed else content)
    return folder


def refused(folder: Path, **options: bool) -> str:
    with pytest.raises(ValueError) as caught:
        read_corpus(folder, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_shards_are_read_in_the_order_of_their_names(tmp_path):
    write_shards(tmp_path, b_gz="cd", c="e", a="ab")
    assert is_dataset(tmp_path)
    assert [file.name for file in document_files(tmp_path)] == ["docs-a.jsonl", "docs-b.jsonl.gz", "docs-c.jsonl"]
    corpus = read_corpus(tmp_path)
    assert (corpus.documents, corpus.ids) == (list("abcde"), list("12345"))
    assert [record.document for record in iter_documents(tmp_path)] == list("abcde")


def test_order_is_that_of_letters_not_of_numbers(tmp_path):
    assert read_corpus(write_shards(tmp_path, **{"2": "b", "10": "a"})).documents == ["a", "b"]


def test_one_shard_is_enough(tmp_path):
    assert read_corpus(write_shards(tmp_path, a="x")).documents == ["x"]


def test_the_hierarchy_lies_beside_them(tmp_path):
    (tmp_path / "hierarchy.tsv").write_text("ROOT\towl\n")
    (tmp_path / "docs-0.jsonl").write_text('{"text": "x", "labels": ["owl"]}\n')
    (tmp_path / "docs-1.jsonl").write_text('{"text": "y", "labels": ["owl"]}\n')
    assert read_corpus(tmp_path).hierarchy.names == ("owl",)
    (tmp_path / "docs-1.jsonl").write_text('\n{"text": "y", "labels": ["emu"]}\n')
    assert refused(tmp_path).startswith(f"{tmp_path / 'docs-1.jsonl'}:2: the label 'emu' is not")


@pytest.mark.parametrize("stored", [False, True])
def test_a_broken_line_of_the_second_shard(tmp_path, stored):
    write_shards(tmp_path, **{"0": "ab", "1": "c"})
    with (tmp_path / "docs-1.jsonl").open("a") as file:
        file.write('{"text": 1}\n')
    message = refused(tmp_path, stored=stored)
    assert message.startswith(f"{tmp_path / 'docs-1.jsonl'}:2: 'text' is a number")


@pytest.mark.parametrize("stored", [False, True])
def test_an_id_in_two_shards(tmp_path, stored):
    (tmp_path / "docs-0.jsonl").write_text('{"text": "x", "id": "b"}\n{"text": "x", "id": "a"}\n')
    (tmp_path / "docs-1.jsonl.gz").write_bytes(gzip.compress(b'{"text": "y", "id": "c"}\n\n{"text": "y", "id": "a"}\n'))
    places = f"{tmp_path / 'docs-1.jsonl.gz'}:3: the id 'a' already stands at {tmp_path / 'docs-0.jsonl'}:2;"
    assert refused(tmp_path, stored=stored).startswith(f"{places} give each document")


@pytest.mark.parametrize("name", ["docs.jsonl", "docs.jsonl.gz"])
def test_the_whole_beside_shards(tmp_path, name):
    write_corpus(CORPUS, tmp_path / "owl", kind="dataset-gz" if name.endswith("gz") else "dataset")
    write_shards(tmp_path / "owl", **{"00": "a"})
    expected = f"{tmp_path / 'owl' / name}: lies beside shards, such as docs-00.jsonl; move it or them away"
    assert refused(tmp_path / "owl") == expected


def test_a_shard_that_is_there_twice(tmp_path):
    write_shards(tmp_path, **{"0": "a", "0_gz": "a"})
    expected = f"{tmp_path / 'docs-0.jsonl'}: lies beside itself compressed (.gz); move one of the two away"
    assert refused(tmp_path) == expected


@pytest.mark.parametrize("stored", [False, True])
def test_a_whole_that_is_empty(tmp_path, stored):
    (tmp_path / "docs.jsonl").touch()
    message = f"{tmp_path / 'docs.jsonl'}:1: the file has no document; give it at least one"
    assert refused(tmp_path, stored=stored) == message


def test_shards_are_part_of_the_dataset_that_may_be_replaced(tmp_path):
    folder = tmp_path / "owls"
    folder.mkdir()
    write_shards(folder, **{"0": "a", "1_gz": "b"})
    write_corpus(CORPUS, folder, overwrite=True)
    assert [file.name for file in folder.iterdir()] == ["docs.jsonl"]


@pytest.mark.parametrize("name", ["docs-.txt", "docs_0.jsonl", "docs-0.jsonl.bak", "Docs-0.jsonl", "model"])
def test_what_is_no_part_of_a_dataset(tmp_path, name):
    assert not belongs(name)
    (tmp_path / name).touch()
    assert not is_dataset(tmp_path)
