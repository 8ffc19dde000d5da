"""A corpus whose shards are read on workers is the one that is read here, and its errors name the same things."""

import re
import warnings
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.columns import Codes, LabelSets, Texts
from classmark.data import Corpus, CorpusOptions, read_corpus, write_corpus
from classmark.data.sharded import ShardedDocuments, outline_of, warn_of_unequal
from classmark.parallel import Here, at

TREE = Hierarchy.from_nested({"bird": ["owl", "gull"], "fish": ["cod"]})


def corpus(size=17, **changes):
    given = {
        "ids": [f"a{row}" for row in range(size)],
        "documents": [f"text {row}" for row in range(size)],
        "labels": [[["owl"], ["gull", "cod"], None, [], ["bird"]][row % 5] for row in range(size)],
        "splits": [["train", "test", None][row % 3] for row in range(size)],
        "hierarchy": TREE,
        "source": "animals",
    }
    return Corpus(**{**given, **changes})


def read(folder, workers=2, **given):
    with at(Here(workers)):
        return read_corpus(folder, stored=True, **given)


def lines(folder, *shards):
    folder.mkdir(exist_ok=True)
    for number, content in enumerate(shards):
        (folder / f"docs-{number}.jsonl").write_text("".join(f"{line}\n" for line in content))
    return folder


def refused(folder, **given):
    with pytest.raises((ValueError, FileNotFoundError)) as caught:
        read(folder, **given)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{folder}/")


class TestReading:
    @pytest.mark.parametrize("kind", ["dataset", "dataset-gz"])
    @pytest.mark.parametrize("shards", [1, 2, 5, 17])
    def test_it_is_the_corpus_that_is_read_here(self, tmp_path, kind, shards):
        write_corpus(corpus(), tmp_path / "d", kind=kind, shards=shards)
        found, whole = read(tmp_path / "d", 1), read_corpus(tmp_path / "d")
        assert isinstance(found.documents, ShardedDocuments)
        columns = found.ids, found.labels, found.splits
        assert tuple(map(type, columns)) == (Texts, LabelSets, Codes)
        assert replace(found, documents=list(found.documents)) == whole
        assert len(found.documents) == 17

    @settings(max_examples=30)
    @given(st.sets(st.integers(0, 16)), st.data())
    def test_some_documents(self, tmp_path_factory, rows, data):
        folder = tmp_path_factory.mktemp("shards") / "d"
        write_corpus(corpus(), folder, shards=4)
        documents = read(folder).documents
        some = documents.take(sorted(rows))
        assert list(some) == [f"text {row}" for row in sorted(rows)]
        again = sorted(data.draw(st.sets(st.integers(0, len(rows) - 1)))) if rows else []
        assert list(some.take(again)) == [f"text {sorted(rows)[row]}" for row in again]
        placed = list(some.in_files())
        assert [one.file.name for one in placed] == [f"docs-{number:05}.jsonl" for number in range(4)]
        starts = list(accumulate((one.documents for one in placed), initial=0))
        assert starts[-1] == 17
        assert [start + row for start, one in zip(starts, placed, strict=False) for row in one.rows] == sorted(rows)

    def test_splits(self, tmp_path):
        write_corpus(corpus(), tmp_path / "d", shards=3)
        part, whole = read(tmp_path / "d").part(["test"], "test"), read_corpus(tmp_path / "d").part(["test"], "test")
        assert (list(part.ids), list(part.labels)) == (whole.ids, whole.labels)
        assert list(part.documents) == whole.documents

    def test_ids_are_row_numbers_where_there_are_none(self, tmp_path):
        folder = lines(tmp_path / "d", ['{"text": "a"}', '{"text": "b", "id": "x"}'], ['{"text": "c"}'])
        assert list(read(folder).ids) == read_corpus(folder).ids == ["1", "x", "3"]

    @pytest.mark.filterwarnings("ignore:.*the shard has")
    def test_label_paths_make_a_tree(self, tmp_path):
        some = [['{"text": "a", "labels": ["b / x"]}', '{"text": "b", "labels": ["c"]}'], ['{"text": "c"}']]
        folder, options = lines(tmp_path / "d", *some), CorpusOptions(path_separator="/")
        found, whole = read(folder, options=options), read_corpus(folder, options=options)
        assert (found.hierarchy, list(found.labels)) == (whole.hierarchy, whole.labels)
        assert list(found.labels) == [["b/x"], ["c"], None]

    def test_labels_that_the_hierarchy_does_not_have_may_be_dropped(self, tmp_path):
        folder = lines(
            tmp_path / "d", ['{"text": "a", "labels": ["owl", "yeti"]}'], ['{"text": "b", "labels": ["elf"]}']
        )
        given = {"hierarchy": TREE, "options": CorpusOptions(on_unknown="drop")}
        told = []
        for how in (read, lambda folder, **given: read_corpus(folder, **given)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                assert list(how(folder, **given).labels) == [["owl"], None]
            told.append([str(one.message) for one in caught if "dropped" in str(one.message)])
        assert told[0] == told[1]
        assert "dropped 2 label(s)" in told[0][0]
        assert "1 document(s) have no other label" in told[0][0]


class TestErrors:
    """Each names the shard, and says what to do."""

    def test_an_empty_shard(self, tmp_path):
        folder = lines(tmp_path / "d", ['{"text": "a"}'], [])
        assert re.match(r"docs-1\.jsonl:.*shard is empty", refused(folder))

    def test_a_line_that_is_none(self, tmp_path):
        folder = lines(tmp_path / "d", ['{"text": "a"}'], ['{"text": "b"}', "{"])
        assert refused(folder).startswith("docs-1.jsonl:2: ")

    def test_an_id_in_two_shards(self, tmp_path):
        one, other = ['{"text": "a", "id": "x"}', '{"text": "b"}'], ['{"text": "c", "id": "2"}', '{"text": "d"}']
        folder = lines(tmp_path / "d", one, other)
        assert refused(folder).startswith(
            f"docs-1.jsonl: document 1: the id '2' already stands at {folder}/docs-0.jsonl: document 2"
        )

    def test_a_label_that_the_hierarchy_does_not_have(self, tmp_path):
        folder = lines(tmp_path / "d", ['{"text": "a", "labels": ["owl"]}'], ['{"text": "b", "labels": ["owll"]}'])
        assert refused(folder, hierarchy=TREE) == str(_caught(folder, TREE)).removeprefix(f"{folder}/")
        assert refused(folder, hierarchy=TREE).startswith("docs-1.jsonl:1: ")

    def test_two_formats(self, tmp_path):
        folder = lines(tmp_path / "d", ['{"text": "a"}'])
        (folder / "docs-1.parquet").write_bytes(b"PAR1")
        assert refused(folder).startswith("docs-1.parquet: lies beside shards")

    def test_a_worker_that_does_not_see_a_shard(self, tmp_path):
        with pytest.raises(
            FileNotFoundError, match=r"docs-0.jsonl: a worker does not find it; let all workers see the"
        ):
            outline_of(CorpusOptions(), tmp_path / "docs-0.jsonl")

    @pytest.mark.parametrize("rows", [None, [0, 9]])
    def test_a_shard_that_goes_or_changes_between_two_readings(self, tmp_path, rows):
        write_corpus(corpus(), tmp_path / "d", shards=4)
        documents = read(tmp_path / "d").documents
        documents = documents if rows is None else documents.take(rows)
        shard = tmp_path / "d" / "docs-00002.jsonl"
        content = shard.read_text()
        shard.write_text(content * 2)
        with pytest.raises(ValueError, match=r"docs-00002.jsonl:.*shard has changed"):
            list(documents)
        shard.unlink()
        with pytest.raises(FileNotFoundError, match=r"docs-00002.jsonl: has gone since the first reading; put it back"):
            list(documents)

    def test_documents_are_taken_in_their_order(self, tmp_path):
        write_corpus(corpus(), tmp_path / "d", shards=4)
        with pytest.raises(ValueError, match="rows that rise"):
            read(tmp_path / "d").documents.take([2, 1])


def _caught(folder, tree):
    with pytest.raises(ValueError) as caught:
        read_corpus(folder, hierarchy=tree)
    return caught.value


class TestUnequal:
    """Whoever reads the largest shard is waited for."""

    @staticmethod
    def told(folder: Path, sizes, workers):
        folder.mkdir()
        for number, size in enumerate(sizes):
            (folder / f"docs-{number}.jsonl").write_text("x" * size)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warn_of_unequal(sorted(folder.iterdir()), workers)
        return [str(one.message).removeprefix(f"{folder}") for one in caught]

    @pytest.mark.parametrize(
        ("sizes", "workers"),
        [([10], 1), ([900, 1, 1], 1), ([10, 11], 2), ([30, 10, 10, 10], 2), ([5] * 7, 3), ([3, 1], 2)],
    )
    def test_nothing_is_said_where_nobody_waits_long(self, tmp_path, sizes, workers):
        assert self.told(tmp_path / "d", sizes, workers) == []

    def test_fewer_shards_than_workers(self, tmp_path):
        assert self.told(tmp_path / "d", [10, 10], 3) == [
            ": 2 shards for 3 workers, so that some have none to read; classmark convert --shards 12 makes even ones"
        ]

    def test_a_shard_that_is_much_larger(self, tmp_path):
        assert self.told(tmp_path / "d", [90, 2, 2, 2, 2, 2], 2) == [
            "/docs-0.jsonl: the shard has 90% of all bytes, and one worker reads it alone;"
            " classmark convert --shards 8 makes even ones"
        ]
