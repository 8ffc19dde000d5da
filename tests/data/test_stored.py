"""Documents that stay in their file: the same as a list of them, as long as the file is the same."""

import gzip
import os
import pickle
import threading
import tracemalloc
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classmark.data import Corpus, CorpusOptions, iter_documents, read_corpus, write_corpus
from classmark.data.stored import FeatureRows, StoredDocuments, mark_of
from tests.data.formats.corpora import FEATURES, TEXTS, corpora

MEGABYTE = 10**6
ANIMALS = Corpus(
    ids=["a", "b", "c", "d"],
    documents=["an owl", "a cod", "a gull", ""],
    labels=[["bird"], ["fish"], ["bird"], None],
    splits=["train", "test", "train", "dev"],
    hierarchy=None,
    source="animals",
)
FEATURED = replace(ANIMALS, documents=[{"1": 2.0}, {}, {"3": 0.5, "10": 1.0}, {"2": 1.0}], splits=[None] * 4)
TARGETS = {"dataset": None, "packed": "dataset-gz", "d.jsonl": None, "d.jsonl.gz": None, "d.csv": None, "d.tsv": None}
TARGETS |= {"d.parquet": None, "d.svm": None, "d.lshtc": None, "files": "files"}


def stored(documents: list[str]) -> StoredDocuments:
    return StoredDocuments("animals", lambda: documents, list(map(mark_of, documents)))


def held(corpus: Corpus) -> Corpus:
    """Give the corpus with its documents in memory."""
    return replace(corpus, documents=list(corpus.documents))


class TestStoredDocuments:
    @given(st.lists(st.text() | FEATURES), st.data())
    def test_taking_is_what_it_is_for_a_list(self, documents, data):
        taken, expected = stored(documents), documents
        for _ in range(2):
            rows = sorted(data.draw(st.sets(st.integers(0, len(expected) - 1)))) if expected else []
            taken, expected = taken.take(rows), [expected[row] for row in rows]
            assert len(taken) == len(expected)
            assert list(taken) == expected == list(taken)

    @given(st.lists(st.text(), min_size=1), st.data())
    def test_whatever_is_taken_must_be_as_it_was(self, documents, data):
        now = list(documents)
        rows = sorted(data.draw(st.sets(st.integers(0, len(now) - 1), min_size=1)))
        taken = StoredDocuments("animals", lambda: now, list(map(mark_of, documents))).take(rows)
        changed = data.draw(st.integers(0, len(now) - 1))
        now[changed] += "!"
        if changed not in rows:
            assert list(taken) == [documents[row] for row in rows]
            return
        with pytest.raises(ValueError, match=rf"^animals: document {changed + 1}.*changed since.*read"):
            list(taken)

    def test_fewer_documents_than_there_were(self):
        texts = ["an owl", "a cod"]
        documents = stored(texts)
        del texts[1]
        with pytest.raises(ValueError, match="animals: document 2 has changed"):
            list(documents)
        assert list(documents.take([0])) == ["an owl"]

    def test_more_documents_than_there_were(self):
        texts = ["an owl", "a cod"]
        documents = stored(texts)
        texts.append("a gull")
        with pytest.raises(ValueError, match="animals: document 3 has changed") as caught:
            list(documents)
        assert "\n" not in str(caught.value)

    def test_rows_that_do_not_rise(self):
        for rows in ([1, 0], [1, 1]):
            with pytest.raises(ValueError, match="animals: stored documents are read in their order; give rows that"):
                stored(["an owl", "a cod"]).take(rows)

    def test_no_place_is_looked_up(self):
        for place in (0, slice(2)):
            with pytest.raises(TypeError, match="animals: stored documents have no places; iterate over them, or"):
                stored(["an owl"])[place]

    @given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
    def test_documents_of_each_file(self, counts, data):
        texts = [str(row) for row in range(sum(counts))]
        files = [(Path(f"docs-{number}"), count) for number, count in enumerate(counts)]
        documents = StoredDocuments("animals", lambda: texts, list(map(mark_of, texts)), files=files)
        rows = sorted(data.draw(st.sets(st.integers(0, len(texts) - 1))))
        found = list(documents.take(rows).in_files())
        assert [(one.file, one.documents) for one in found] == files
        starts = [sum(counts[:number]) for number in range(len(counts))]
        assert [start + row for one, start in zip(found, starts, strict=True) for row in one.rows] == rows
        assert [one.rows for one in documents.in_files()] == [list(range(count)) for count in counts]

    def test_files_that_are_not_known(self):
        assert list(stored(["an owl"]).in_files()) == []

    def test_appearance(self):
        assert repr(stored(["an owl", "a cod"]).take([1])) == "<StoredDocuments: 1 from animals>"


class TestReading:
    @pytest.mark.parametrize("name", TARGETS)
    def test_every_format(self, tmp_path, name):
        if name.endswith("parquet"):
            pytest.importorskip("pyarrow")
        corpus = FEATURED if name.endswith(("svm", "lshtc")) else ANIMALS
        corpus = replace(corpus, splits=[None] * 4) if name == "files" else corpus
        write_corpus(corpus, tmp_path / name, kind=TARGETS[name])
        kept = read_corpus(tmp_path / name, stored=True)
        assert isinstance(kept.documents, FeatureRows if corpus is FEATURED else StoredDocuments)
        assert held(kept) == held(kept) == read_corpus(tmp_path / name)

    @settings(max_examples=30)
    @given(corpora(TEXTS | FEATURES, splits=st.sampled_from(["train", "test"])), st.integers(1, 4))
    def test_splits_of_shards(self, corpus, size):
        with TemporaryDirectory() as name:
            write_corpus(corpus, Path(name, "whole"))
            lines = Path(name, "whole", "docs.jsonl").read_bytes().splitlines(keepends=True)
            for start in range(0, len(lines), size):
                Path(name, f"docs-{start}.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[start : start + size])))
            kept = read_corpus(name, stored=True)
            assert held(replace(kept, source="drawn")) == corpus
            for split in set(corpus.splits):
                assert held(replace(kept.select([split]), source="drawn")) == corpus.select([split])
                assert held(replace(kept.part([split], "dev"), source="drawn")) == corpus.select([split])

    def test_it_can_be_written(self, tmp_path):
        write_corpus(ANIMALS, tmp_path / "d.jsonl")
        kept = read_corpus(tmp_path / "d.jsonl", stored=True)
        write_corpus(kept.select(["train"]), tmp_path / "train.csv")
        assert read_corpus(tmp_path / "train.csv").documents == ["an owl", "a gull"]

    def test_it_goes_to_another_process(self, tmp_path):
        write_corpus(ANIMALS, tmp_path / "d.jsonl")
        kept = read_corpus(tmp_path / "d.jsonl", stored=True)
        assert len(pickle.loads(pickle.dumps(kept)).documents) == 4

    @pytest.mark.parametrize(
        ("second", "words"),
        [
            ('{"text": "a cod", "labels": "fish"}', r"d\.jsonl:2: 'labels' is a string"),
            ('{"text": "a cod", "id": "a"}', r"d\.jsonl:2: the id 'a'.*stands on line 1"),
            ('{"text": "a cod", "labels": ["emu"]}', r"d\.jsonl:2: the label 'emu'.*not in.*hierarchy"),
        ],
    )
    def test_everything_is_checked_at_the_first_reading(self, tmp_path, second, words):
        file = tmp_path / "d.jsonl"
        file.write_text('{"text": "an owl", "id": "a", "labels": ["bird"]}\n' + second)
        (tmp_path / "hierarchy.tsv").write_text("ROOT\tbird\n")
        with pytest.raises(ValueError, match=words):
            read_corpus(file, hierarchy=tmp_path / "hierarchy.tsv", stored=True)

    def test_a_file_that_changes(self, tmp_path):
        file = tmp_path / "d.csv"
        file.write_text("text,labels\nan owl,bird\na cod,fish\n")
        kept = read_corpus(file, stored=True)
        file.write_text("text,labels\nan owl,bird\na bat,fish\n")
        with pytest.raises(ValueError, match=r"d\.csv: document 2.*changed since"):
            list(kept.documents)
        file.write_text("text,labels\nan owl,bird\na cod\n")
        with pytest.raises(ValueError, match=r"d\.csv:3: 1 cell\(s\) for 2 columns"):
            list(kept.documents)
        file.unlink()
        with pytest.raises(FileNotFoundError):
            list(kept.documents)
        file.write_text("text,labels\nan owl,bird\na cod,fish\n")
        assert list(kept.documents) == ["an owl", "a cod"]

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_a_pipe_is_held(self, tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_text, args=['{"text": "an owl"}\n'])
        writer.start()
        corpus = read_corpus(pipe, options=CorpusOptions(kind="jsonl"), stored=True)
        writer.join()
        assert corpus.documents == ["an owl"]

    @pytest.mark.parametrize("shards", [1, 3])
    def test_no_text_is_held(self, tmp_path, shards):
        for shard in range(shards):
            lines = [
                f'{{"id": "{shard}-{row}", "text": "{"owl " * 1000}", "labels": ["bird"]}}\n' for row in range(2000)
            ]
            (tmp_path / f"docs-{shard}.jsonl").write_text("".join(lines))
        next(iter_documents(tmp_path))
        tracemalloc.start()
        try:
            kept = read_corpus(tmp_path, stored=True)
            assert sum(len(document) for document in kept.documents) == shards * 2000 * 4000
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < shards * MEGABYTE
