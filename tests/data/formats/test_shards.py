"""Shards: what is written is read again, and what is wrong with a shard is said in a line that names it."""

import gzip
import re
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from classmark import Hierarchy
from classmark.data import Corpus, CorpusOptions, NodeText, iter_documents, read_corpus, write_corpus
from classmark.data.assembly import named_file
from classmark.data.conversion import convert
from classmark.data.formats.dataset import belongs, document_files, is_dataset
from classmark.data.formats.parquet import arrow_for
from classmark.inspection import check_corpus
from tests.data.formats.corpora import needs_arrow

MEGABYTE = 10**6
LETTERS = Corpus(list("abcdefg"), list("ABCDEFG"), [["x"]] * 7, [None] * 7, hierarchy=None, source="letters")
KINDS = ["dataset", "dataset-gz", pytest.param("dataset-parquet", marks=needs_arrow)]


def refused(folder: Path, **options: bool) -> str:
    with pytest.raises(ValueError) as caught:
        read_corpus(folder, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def write_table(file: Path, **columns: list[object]) -> None:
    arrow = arrow_for(file)
    arrow.parquet.write_table(arrow.table(columns), file)


class TestWriting:
    @pytest.mark.parametrize("kind", KINDS)
    def test_names_sizes_and_order(self, tmp_path, kind):
        write_corpus(LETTERS, tmp_path / "d", kind=kind, shards=3)
        suffix = {"dataset": "jsonl", "dataset-gz": "jsonl.gz", "dataset-parquet": "parquet"}[kind]
        assert names(tmp_path / "d") == [f"docs-{number:05}.{suffix}" for number in range(3)]
        files = [record.file.name for record in iter_documents(tmp_path / "d")]
        assert [files.count(name) for name in names(tmp_path / "d")] == [2, 2, 3]
        assert replace(read_corpus(tmp_path / "d"), source="letters") == LETTERS

    @needs_arrow
    def test_parquet_without_a_number_is_one_shard(self, tmp_path):
        write_corpus(LETTERS, tmp_path / "d", kind="dataset-parquet")
        assert names(tmp_path / "d") == ["docs-00000.parquet"]
        assert named_file(tmp_path / "d") == tmp_path / "d" / "docs-00000.parquet"

    def test_the_same_bytes_as_in_one_file(self, tmp_path):
        write_corpus(LETTERS, tmp_path / "one")
        write_corpus(LETTERS, tmp_path / "many", shards=7)
        whole = (tmp_path / "one" / "docs.jsonl").read_bytes()
        assert b"".join((tmp_path / "many" / name).read_bytes() for name in names(tmp_path / "many")) == whole

    def test_compressed_bytes_do_not_depend_on_the_time(self, tmp_path):
        for name in "ab":
            write_corpus(LETTERS, tmp_path / name, kind="dataset-gz", shards=2)
        first, second = ((tmp_path / name / "docs-00001.jsonl.gz").read_bytes() for name in "ab")
        assert first == second

    @pytest.mark.parametrize("shards", [0, -1, 100_001, 2.0, True, "3"])
    def test_a_number_that_no_folder_has(self, tmp_path, shards):
        with pytest.raises(ValueError, match=r"shards=.*integer >= 1 and <= 100,000"):
            write_corpus(LETTERS, tmp_path / "d", shards=shards)
        assert names(tmp_path) == []

    def test_more_shards_than_documents(self, tmp_path):
        with pytest.raises(ValueError, match=r"d: 8 shards for 7 documents; give no more shards than documents$"):
            write_corpus(LETTERS, tmp_path / "d", shards=8)
        assert names(tmp_path) == []

    @pytest.mark.parametrize("name", ["d.jsonl", "d.csv"])
    def test_what_has_no_shards(self, tmp_path, name):
        with pytest.raises(ValueError, match=f"{name}: shards are files of a dataset folder, and this is {name[2:]};"):
            write_corpus(LETTERS, tmp_path / name, shards=2)

    @needs_arrow
    def test_features_do_not_fit_into_parquet(self, tmp_path):
        corpus = replace(LETTERS, documents=[{"1": 2.0}] * 7)
        with pytest.raises(ValueError, match=r"d: document 'a' has features.*cannot hold"):
            write_corpus(corpus, tmp_path / "d", kind="dataset-parquet", shards=2)
        assert names(tmp_path) == []

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_folder_that_is_replaced_is_replaced_whole(self, tmp_path, kind):
        write_corpus(LETTERS, tmp_path / "d", kind=kind, shards=5)
        with pytest.raises(FileExistsError):
            write_corpus(LETTERS, tmp_path / "d", kind=kind, shards=2)
        write_corpus(LETTERS, tmp_path / "d", kind=kind, shards=2, overwrite=True)
        assert len(names(tmp_path / "d")) == 2


class TestConverting:
    @pytest.mark.parametrize("kind", KINDS)
    def test_hierarchy_and_names_come_along(self, tmp_path, kind):
        tree, nodes = Hierarchy.from_edges([(None, "x"), ("x", "y")]), {"y": NodeText("Why")}
        corpus = replace(LETTERS, hierarchy=tree, nodes=nodes, splits=["train", "test"] * 3 + [None])
        write_corpus(corpus, tmp_path / "source")
        done = convert(tmp_path / "source", tmp_path / "d", kind=kind, shards=4)
        assert done.written == [tmp_path / "d"]
        assert replace(read_corpus(tmp_path / "d"), source="letters") == corpus

    def test_splits_that_are_chosen(self, tmp_path):
        write_corpus(replace(LETTERS, splits=["train", "test"] * 3 + ["train"]), tmp_path / "source")
        convert(tmp_path / "source", tmp_path / "d", shards=2, splits=["train"])
        assert read_corpus(tmp_path / "d").ids == list("aceg")

    def test_from_shards_to_other_shards_and_to_one_file(self, tmp_path):
        write_corpus(LETTERS, tmp_path / "three", shards=3)
        convert(tmp_path / "three", tmp_path / "five", kind="dataset-gz", shards=5)
        convert(tmp_path / "five", tmp_path / "d.jsonl")
        assert read_corpus(tmp_path / "d.jsonl").documents == LETTERS.documents

    def test_texts_are_not_held(self, tmp_path):
        line = f'{{"text": "{"owl " * 1000}", "labels": ["bird"]}}\n'
        (tmp_path / "d.jsonl").write_text(line * 3000)
        convert(tmp_path / "d.jsonl", tmp_path / "warm", shards=2)
        tracemalloc.start()
        try:
            convert(tmp_path / "d.jsonl", tmp_path / "d", shards=10)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 3 * MEGABYTE < (tmp_path / "d.jsonl").stat().st_size

    @pytest.mark.parametrize("more", ['{"text": "b"}\n', ""])
    def test_a_source_that_changes_leaves_nothing_behind(self, tmp_path, more):
        source = tmp_path / "d.jsonl"
        source.write_text('{"text": "a"}\n{"text": "b"}\n')

        def change(corpus: Corpus) -> Corpus:
            source.write_text('{"text": "a"}\n' + 2 * more)
            return corpus

        with pytest.raises(ValueError, match=r"d\.jsonl: document [23].*changed since"):
            convert(source, tmp_path / "d", shards=2, change=change)
        assert names(tmp_path) == ["d.jsonl"]


class TestEmptyShards:
    @pytest.mark.parametrize("stored", [False, True])
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("docs-1.jsonl", b""),
            ("docs-1.jsonl", b"\n \t\r\n"),
            ("docs-1.jsonl", b"\xef\xbb\xbf\n"),
            ("docs-1.jsonl", b"\n" * 200_000),
            ("docs-1.jsonl.gz", b""),
            ("docs-1.jsonl.gz", gzip.compress(b"", mtime=0)),
            ("docs-1.jsonl.gz", gzip.compress(b"\n\n", mtime=0)),
        ],
    )
    def test_json_lines(self, tmp_path, name, content, stored):
        (tmp_path / "docs-0.jsonl").write_text('{"text": "a"}\n')
        (tmp_path / name).write_bytes(content)
        expected = f"{tmp_path / name}: the shard is empty"
        assert refused(tmp_path, stored=stored).startswith(expected)
        assert refused(tmp_path).startswith(expected)

    @needs_arrow
    def test_parquet(self, tmp_path):
        write_table(tmp_path / "docs-0.parquet", text=["a"])
        write_table(tmp_path / "docs-1.parquet", text=[])
        expected = f"{tmp_path / 'docs-1.parquet'}: the shard is empty"
        assert refused(tmp_path).startswith(expected)
        (tmp_path / "docs-1.parquet").write_bytes(b"")
        assert refused(tmp_path).startswith(expected)

    def test_a_single_one(self, tmp_path):
        (tmp_path / "docs-0.jsonl").touch()
        assert re.match(rf"{re.escape(str(tmp_path / 'docs-0.jsonl'))}:.*shard is empty", refused(tmp_path))

    def test_check_goes_on_behind_it(self, tmp_path):
        (tmp_path / "docs-0.jsonl").touch()
        (tmp_path / "docs-1.jsonl").write_text('{"text": "hoots", "labels": ["owl"]}\n{"text": 1}\n')
        lines = [found.examples[0] for found in check_corpus(tmp_path).errors if found.kind == "line"]
        assert [one.what for one in lines] == ["the shard is empty", "'text' is a number"]

    def test_a_damaged_one_is_not_called_empty(self, tmp_path):
        (tmp_path / "docs-0.jsonl.gz").write_bytes(gzip.compress(b"\n" * 100, mtime=0)[:-9])
        assert "the compressed file is damaged or cut off" in refused(tmp_path)


class TestVanishing:
    @pytest.mark.parametrize("shards", [1, 3])
    def test_between_the_two_readings(self, tmp_path, shards):
        write_corpus(LETTERS, tmp_path / "d", shards=shards)
        kept = read_corpus(tmp_path / "d", stored=True)
        last = document_files(tmp_path / "d")[-1]
        last.rename(tmp_path / "elsewhere")
        with pytest.raises(FileNotFoundError) as caught:
            list(kept.documents)
        assert str(caught.value).startswith(f"{last}: has gone")
        (tmp_path / "elsewhere").rename(last)
        assert list(kept.documents) == LETTERS.documents

    def test_while_it_is_read(self, tmp_path):
        write_corpus(LETTERS, tmp_path / "d", shards=3)
        documents = iter(read_corpus(tmp_path / "d", stored=True).documents)
        next(documents)
        (tmp_path / "d" / "docs-00002.jsonl").unlink()
        with pytest.raises(FileNotFoundError, match=r"docs-00002\.jsonl"):
            list(documents)

    def test_emptied(self, tmp_path):
        write_corpus(LETTERS, tmp_path / "d", shards=3)
        kept = read_corpus(tmp_path / "d", stored=True)
        (tmp_path / "d" / "docs-00001.jsonl").write_text("")
        with pytest.raises(ValueError, match=r"docs-00001\.jsonl:.*shard is empty"):
            list(kept.documents)

    def test_one_that_comes(self, tmp_path):
        write_corpus(LETTERS, tmp_path / "d", shards=3)
        kept = read_corpus(tmp_path / "d", stored=True)
        (tmp_path / "d" / "docs-00003.jsonl").write_text('{"id": "h", "text": "H"}\n')
        with pytest.raises(ValueError, match=r"document 8.*changed since"):
            list(kept.documents)


@needs_arrow
class TestParquet:
    def test_they_are_a_dataset(self, tmp_path):
        write_table(tmp_path / "docs-0.parquet", text=["a", "b"], labels=[["x"], None], split=["train", None])
        write_table(tmp_path / "docs-1.parquet", text=["c"], labels=["x,y"])
        assert is_dataset(tmp_path)
        assert belongs("docs-0.parquet")
        corpus = read_corpus(tmp_path)
        assert (corpus.ids, corpus.documents) == (["1", "2", "3"], ["a", "b", "c"])
        assert (corpus.labels, corpus.splits) == ([["x"], None, ["x", "y"]], ["train", None, None])
        assert list(read_corpus(tmp_path, stored=True).documents) == corpus.documents

    def test_records_know_their_file(self, tmp_path):
        write_table(tmp_path / "docs-0.parquet", text=["a"], id=["1"])
        write_table(tmp_path / "docs-1.parquet", text=["b", "c"], id=["2", "1"])
        first, second = (tmp_path / f"docs-{number}.parquet" for number in range(2))
        assert refused(tmp_path).startswith(f"{second}:2: the id '1' already stands at {first}:1")

    def test_columns_that_are_asked_for(self, tmp_path):
        write_table(tmp_path / "docs-0.parquet", body=["a"], topic=["x"])
        options = CorpusOptions("body", "topic")
        assert read_corpus(tmp_path, options=options).labels == [["x"]]
        with pytest.raises(ValueError, match=r"docs-0\.parquet:1: no text column 'text'; name one of: body, topic"):
            read_corpus(tmp_path)

    def test_beside_json_lines(self, tmp_path):
        write_table(tmp_path / "docs-1.parquet", text=["a"])
        (tmp_path / "docs-0.jsonl").write_text('{"text": "b"}\n')
        assert is_dataset(tmp_path)
        assert refused(tmp_path) == (
            f"{tmp_path / 'docs-1.parquet'}: lies beside shards in JSON Lines, such as docs-0.jsonl;"
            " write all of them in one format, or move one kind away"
        )

    def test_beside_the_whole(self, tmp_path):
        write_table(tmp_path / "docs-1.parquet", text=["a"])
        (tmp_path / "docs.jsonl").write_text('{"text": "b"}\n')
        assert re.search(r"docs\.jsonl: lies beside shards.*docs-1\.parquet", refused(tmp_path))

    def test_a_damaged_one(self, tmp_path):
        (tmp_path / "docs-0.parquet").write_bytes(b"PAR1")
        assert "docs-0.parquet:1: not a Parquet" in refused(tmp_path)

    def test_without_pyarrow(self, tmp_path, monkeypatch):
        write_table(tmp_path / "docs-0.parquet", text=["a"])
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(ImportError, match=r"docs-0\.parquet: Parquet needs pyarrow; pip install 'classmark\[parq"):
            read_corpus(tmp_path)
        with pytest.raises(ImportError, match="Parquet needs pyarrow"):
            write_corpus(LETTERS, tmp_path / "d", kind="dataset-parquet", shards=2)
        assert not (tmp_path / "d").exists()
