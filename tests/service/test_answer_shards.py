"""Answers to shards: one after the other they are the answers to the folder, wherever they were made."""

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from classmark import TextClassifier
from classmark.data import Corpus, CorpusOptions, write_corpus
from classmark.parallel import Here, at
from classmark.progress import hearing, listening
from classmark.service import predictions
from classmark.service.answering import Question
from classmark.service.predictions import Written
from tests.data.formats.corpora import needs_arrow
from tests.service.animals import LABELS, TEXTS, TREE

N = 23
SPLITS = ["train", "test", "test", None]
ANIMALS = Corpus(
    ids=[f"a{row}" for row in range(N)],
    documents=[f"{TEXTS[row % 5]} {TEXTS[row % 3]}" for row in range(N)],
    labels=[LABELS[row % 5] for row in range(N)],
    splits=[SPLITS[row % 4] for row in range(N)],
    hierarchy=TREE,
    source="animals",
)
QUESTIONS = [
    Question(),
    Question(leaves=True, scores=True),
    Question(top=2, scores=True, probabilities=True),
    Question(min_precision=0.5),
]


@pytest.fixture(scope="session")
def sure() -> TextClassifier:
    """A model that has probabilities."""
    return TextClassifier(hierarchy=TREE, calibration="platt").fit(TEXTS * 4, LABELS * 4)


@pytest.fixture
def place(tmp_path, monkeypatch, sure):
    """A folder with a model and the animals in five shards."""
    monkeypatch.chdir(tmp_path)
    sure.save("model")
    write_corpus(ANIMALS, "shards", shards=5)
    return tmp_path


def both(data: str = "shards", question: Question | None = None, **given: object) -> tuple[bytes, list[bytes]]:
    """Give the answers in one file, and those in shards."""
    predictions.write_predictions("model", data, "whole.jsonl", question, **given)
    written = predictions.write_predictions("model", data, "out/", question, **given)
    files = sorted(Path("out").iterdir())
    assert [file.name for file in files] == [file.name for file in sorted(Path(data).glob("docs-*"))]
    assert (written.output, written.shards) == ("out/", len(files))
    whole = Path("whole.jsonl").read_bytes()
    assert written.documents == whole.count(b"\n")
    return whole, [file.read_bytes() for file in files]


def refused(error: type[Exception], output: str = "out/", data: str = "shards", **given: object) -> str:
    with pytest.raises(error) as caught:
        predictions.write_predictions("model", data, output, **given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestAnswers:
    @pytest.mark.parametrize("question", QUESTIONS, ids=repr)
    def test_they_are_those_of_one_file(self, place, question):
        whole, parts = both(question=question)
        assert b"".join(parts) == whole

    @pytest.mark.parametrize("splits", [["train"], ["test", "train"]])
    def test_splits(self, place, splits):
        whole, parts = both(splits=splits)
        assert b"".join(parts) == whole

    def test_the_usual_split_is_that_of_the_whole_folder(self, place):
        """A shard without any split has nothing to answer where another shard has a test split."""
        corpus = replace(ANIMALS.take(range(10)), splits=["test"] * 5 + [None] * 5)
        write_corpus(corpus, "halves", shards=2)
        whole, parts = both("halves")
        assert (b"".join(parts), [part.count(b"\n") for part in parts]) == (whole, [5, 0])
        write_corpus(replace(corpus, splits=[None] * 10), "halves", shards=2, overwrite=True)
        assert [part.count(b"\n") for part in both("halves")[1]] == [5, 5]

    def test_documents_without_ids_are_numbered_through(self, place):
        for file in Path("shards").glob("docs-*"):
            lines = [json.loads(line) for line in file.read_text().splitlines()]
            file.write_text("".join(json.dumps({"text": line["text"]}) + "\n" for line in lines))
        whole, parts = both()
        assert b"".join(parts) == whole
        assert [json.loads(line)["id"] for line in whole.splitlines()] == [str(row) for row in range(1, N + 1)]

    def test_compressed(self, place):
        write_corpus(ANIMALS, "packed", kind="dataset-gz", shards=3)
        whole, parts = both("packed")
        assert b"".join(map(gzip.decompress, parts)) == whole

    @needs_arrow
    def test_parquet(self, place):
        from pyarrow import concat_tables, parquet

        write_corpus(
            replace(ANIMALS, splits=["test"] * 4 + [None] * (N - 4)), "tables", kind="dataset-parquet", shards=5
        )
        question = Question(scores=True)
        predictions.write_predictions("model", "tables", "whole.parquet", question)
        predictions.write_predictions("model", "tables", "out/", question)
        tables = [parquet.read_table(file) for file in sorted(Path("out").iterdir())]
        assert [table.num_rows for table in tables] == [4, 0, 0, 0, 0]
        assert concat_tables(tables) == parquet.read_table("whole.parquet")

    @pytest.mark.parametrize("method", ["nb", "knn-bm25", "adaboost-mh"])
    def test_other_methods_at_another_place(self, place, method):
        TextClassifier(method, hierarchy=TREE).fit(TEXTS, LABELS).save("model")
        with at(Here(2)):
            whole, parts = both(question=Question(scores=True))
        assert b"".join(parts) == whole

    def test_columns_that_have_other_names(self, place):
        for file in Path("shards").glob("docs-*"):
            file.write_text(file.read_text().replace('"text"', '"body"').replace('"id"', '"key"'))
        whole, parts = both(options=CorpusOptions("body", id_column="key"))
        assert b"".join(parts) == whole

    def test_a_promise_is_told_once_and_shards_are_counted(self, place):
        lines, steps = [], []
        with hearing(lines.append), listening(lambda *step: steps.append(step)):
            predictions.write_predictions("model", "shards", "out/", Question(min_precision=0.5))
        assert len(lines) == 1
        assert ("shards", 5, 5) in steps

    def test_no_more_than_a_batch_is_held(self, place, monkeypatch):
        read = []

        def read_shard(*given: object):
            for record in shard(*given):
                read.append(record.id)
                yield record

        def answers_to(model, documents, question, least):
            for answer in answered(model, documents, question, least):
                assert len(read) - len(given) <= 2
                given.append(answer.id)
                yield answer

        shard, answered, given = predictions.read_shard, predictions.answers_to, []
        monkeypatch.setattr("classmark.service.answering.DOCUMENTS_IN_A_BATCH", 2)
        monkeypatch.setattr(predictions, "read_shard", read_shard)
        monkeypatch.setattr(predictions, "answers_to", answers_to)
        write_corpus(replace(ANIMALS, splits=[None] * N), "all", shards=2)
        assert predictions.write_predictions("model", "all", "out/").documents == len(given) == N


class TestWhere:
    def test_a_folder_that_is_there(self, place):
        Path("out").mkdir()
        Path("out", "notes.txt").touch()
        assert predictions.write_predictions("model", "shards", "out") == Written(output="out", documents=12, shards=5)
        assert len(list(Path("out").iterdir())) == 6

    def test_without_a_slash_it_is_a_file(self, place):
        assert predictions.write_predictions("model", "shards", "out").shards is None
        assert Path("out").is_file()

    def test_answers_that_are_there_are_replaced(self, place):
        predictions.write_predictions("model", "shards", "out/", Question(top=1))
        _, parts = both()
        assert b"".join(parts) == Path("whole.jsonl").read_bytes()

    @pytest.mark.parametrize("name", ["docs-00005.jsonl", "docs-00000.jsonl.gz", "hierarchy.tsv"])
    def test_what_would_be_taken_for_an_answer(self, place, name):
        Path("out").mkdir()
        Path("out", name).touch()
        assert refused(FileExistsError).startswith(f"{Path('out', name)}: is no answer to a shard of shards; move it")

    @pytest.mark.parametrize("data", ["whole", "docs.csv", "-", "docstrings"])
    @pytest.mark.parametrize("there", [True, False])
    def test_what_is_no_folder_of_shards(self, place, data, there):
        write_corpus(ANIMALS, "whole")
        Path("docs.csv").write_text("text\nhoots\n")
        if there:
            Path("out").mkdir()
        assert re.match(rf"out/: a folder.* {data} is no folder", refused(IsADirectoryError, data=data))

    def test_a_file_of_that_name(self, place):
        Path("out").touch()
        assert re.match(r"out:.*name is there", refused(FileExistsError))

    def test_no_folder_to_put_it_into(self, place):
        assert refused(FileNotFoundError, "no/out/").startswith("no: no such folder")

    @pytest.mark.parametrize("output", ["shards/", "shards", "link/"])
    def test_shards_are_not_written_over(self, place, output):
        Path("link").symlink_to("shards")
        assert re.search(rf"{re.escape(str(output))}:.*then replaced", refused(ValueError, output))

    def test_what_is_not_there(self, place):
        assert re.match(r"none:.*no such file", refused(FileNotFoundError, data="none"))


class TestRefusals:
    @pytest.mark.parametrize("line", ["{", '{"id": "a0", "text": "twice"}'])
    def test_nothing_is_written_where_a_document_is_wrong(self, place, line):
        with Path("shards", "docs-00003.jsonl").open("a") as file:
            file.write(line)
        assert str(Path("shards", "docs-00003.jsonl")) in refused(ValueError)
        assert not Path("out").exists()

    def test_labels_are_checked_as_for_one_file(self, place):
        with Path("shards", "docs-00003.jsonl").open("a") as file:
            file.write('{"id": "z", "text": "x", "labels": ["emu"]}\n')
        words = refused(ValueError)
        assert re.search(r"the label 'emu' of document 'z'.*not in.*hierarchy", words)
        assert refused(ValueError, "whole.jsonl") == words

    def test_an_empty_shard(self, place):
        Path("shards", "docs-00003.jsonl").write_text("")
        assert re.search(r"docs-00003\.jsonl:.*shard is empty", refused(ValueError))

    def test_a_split_that_there_is_not(self, place):
        assert re.search(r"no document.*split 'dev'", refused(ValueError, splits=["dev"]))

    @pytest.mark.parametrize("change", ["gone", "shorter", "another id", "other lines"])
    def test_a_shard_that_changes_between_the_two_readings(self, place, change):
        file = Path("shards", "docs-00002.jsonl")
        lines = file.read_text()
        changes = {
            "gone": file.unlink,
            "shorter": lambda: file.write_text(lines[:10]),
            "another id": lambda: file.write_text(lines.replace('"a9"', '"b9"')),
            "other lines": lambda: file.write_text('{"text":""}\n'.ljust(len(lines))),
        }

        def listen(what: str, done: int, total: int | None) -> None:
            if (what, done) == ("shards", 0):
                changes[change]()

        with listening(listen):
            message = refused(FileNotFoundError if change == "gone" else ValueError)
        assert f"{file}: has {'gone' if change == 'gone' else 'changed'} since the first" in message
        # The shards before it are whole; there is no half of it.
        assert sorted(file.name for file in Path("out").iterdir()) == ["docs-00000.jsonl", "docs-00001.jsonl"]


class TestCluster:
    def test_the_same_files_from_workers(self, place, farm):
        write_corpus(replace(ANIMALS, splits=[None] * N), "all", shards=7)
        question = Question(scores=True)
        whole, parts = both("all", question)
        with farm.cluster(2) as cluster:
            loops = cluster.loops
            predictions.write_predictions("model", "all", "there/", question)
            assert cluster.loops > loops
        assert [file.read_bytes() for file in sorted(Path("there").iterdir())] == parts
        assert b"".join(parts) == whole

    def test_workers_that_were_started_in_another_folder(self, place, farm, monkeypatch):
        Path("deeper", "still").mkdir(parents=True)
        _, parts = both()
        with farm.cluster(2):
            monkeypatch.chdir("deeper/still")
            predictions.write_predictions("../../model", "../../shards", "there/")
        assert [file.read_bytes() for file in sorted(Path("there").iterdir())] == parts

    def test_neighbours_are_asked_from_here(self, place, farm):
        TextClassifier("knn-bm25", hierarchy=TREE).fit(TEXTS, LABELS).save("model")
        _, parts = both()
        with farm.cluster(2):
            predictions.write_predictions("model", "shards", "there/")
        assert [file.read_bytes() for file in sorted(Path("there").iterdir())] == parts
