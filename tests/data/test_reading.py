"""`read_corpus`: where corpora are found, and the same one from a table and from JSON Lines."""

import csv
import gzip
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark.data import Corpus, CorpusOptions, read_corpus
from tests.data.animals import ANIMALS, write_jsonl


class TestPlaces:
    def test_a_dataset_folder(self, folder):
        assert read_corpus(str(folder)) == Corpus(
            ids=["a", "b"],
            documents=["an owl", "a cod"],
            labels=[["bird"], ["fish"]],
            splits=["train", "test"],
            hierarchy=ANIMALS,
            source=str(folder),
        )

    def test_a_compressed_dataset_folder_without_a_hierarchy(self, tmp_path):
        (tmp_path / "docs.jsonl.gz").write_bytes(gzip.compress(b'{"text": "an owl", "labels": ["bird"]}\n'))
        corpus = read_corpus(tmp_path)
        assert (corpus.labels, corpus.hierarchy) == ([["bird"]], None)

    def test_no_such_file(self, tmp_path):
        with pytest.raises(FileNotFoundError) as caught:
            read_corpus(tmp_path / "docs.jsonl")
        assert re.match(rf"{re.escape(str(tmp_path / 'docs.jsonl'))}:.*no such file", str(caught.value))

    def test_a_folder_without_documents(self, tmp_path):
        with pytest.raises(ValueError) as caught:
            read_corpus(tmp_path)
        expected = "the folder has no docs.jsonl or docs.jsonl.gz; add it, or give the path of a file"
        assert str(caught.value) == f"{tmp_path}: {expected}"

    def test_an_unknown_suffix(self, tmp_path):
        file = tmp_path / "docs.xls"
        file.touch()
        with pytest.raises(ValueError) as caught:
            read_corpus(file)
        assert str(caught.value).startswith(f"{file}: no reader for this kind of file; give a folder or a file in ")
        assert ".jsonl, .ndjson, .json-lines, .json, .csv, .tsv" in str(caught.value)

    @pytest.mark.parametrize(("name", "content"), [("d.jsonl", ""), ("d.jsonl", "\n\n"), ("d.csv", "text\n")])
    def test_no_document(self, tmp_path, name, content):
        (tmp_path / name).write_text(content)
        with pytest.raises(ValueError) as caught:
            read_corpus(tmp_path / name)
        assert str(caught.value).startswith(f"{tmp_path / name}:1: the file has no document")


# Everything but surrogates, which no UTF-8 file holds; quotes, breaks and separators often.
TEXTS = st.lists(st.sampled_from(['"', ",", "\n", "\r", "\t", "é", "\u2028"]) | st.characters(codec="utf-8")).map(
    "".join
)

NAMES = st.text(st.characters(codec="utf-8", exclude_characters=","), min_size=1).map(str.strip).filter(bool)

DOCUMENTS = st.lists(st.tuples(TEXTS, st.lists(NAMES, max_size=3), NAMES | st.none()), min_size=1, max_size=5)


@given(DOCUMENTS, st.sampled_from(["unlabelled", "nowhere"]), st.sampled_from([(".csv", ","), (".tsv", "\t")]))
def test_a_table_and_json_lines_give_the_same_corpus(documents, empty_labels, table):
    suffix, delimiter = table
    nothing = [] if empty_labels == "nowhere" else None
    with TemporaryDirectory() as folder:
        lines = write_jsonl(
            Path(folder, "docs.jsonl"),
            *({"text": text, "labels": labels or nothing, "split": split} for text, labels, split in documents),
        )
        rows = lines.with_suffix(suffix)
        with rows.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, delimiter=delimiter)
            writer.writerow(["text", "labels", "split"])
            writer.writerows([text, ",".join(labels), split] for text, labels, split in documents)
        from_table = read_corpus(rows, options=CorpusOptions(empty_labels=empty_labels))
        assert replace(from_table, source=str(lines)) == read_corpus(lines)
        assert from_table.documents == [text for text, _, _ in documents]


class TestRealCorpora:
    def test_reuters(self, corpora):
        corpus = read_corpus(corpora / "reuters90")
        sizes = {split: len(corpus.select([split])) for split in ("train", "train-extra", "test")}
        assert sizes == {"train": 7770, "train-extra": 1833, "test": 3299}
        assert len(corpus.hierarchy) == 94
        assert len(corpus.part(None, "test")) == 3299

    def test_newsgroups(self, corpora):
        corpus = read_corpus(corpora / "newsgroups20")
        assert (len(corpus.part(None, "train")), len(corpus.part(None, "test"))) == (11_314, 7_532)
        assert len(corpus.hierarchy.leaves) == 20
        names = read_corpus(corpora / "newsgroups20", hierarchy=corpora / "newsgroups20" / "hierarchy.names.tsv")
        assert names.hierarchy != corpus.hierarchy

    def test_wordnet_is_no_tree(self, corpora):
        corpus = read_corpus(corpora / "wordnet_nouns")
        assert len(corpus) == 48_719 + 16_239
        assert not corpus.hierarchy.is_tree

    def test_clinc_has_documents_that_belong_nowhere(self, corpora):
        corpus = read_corpus(corpora / "clinc150")
        assert corpus.labels.count([]) == 1200

    def test_lshtc_has_features(self, corpora):
        corpus = read_corpus(corpora / "lshtc4_sample1000")
        assert len(corpus) == 1000
        assert corpus.hierarchy is None
        assert all(isinstance(document, dict) for document in corpus.documents)
