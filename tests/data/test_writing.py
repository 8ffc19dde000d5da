"""`write_corpus`: targets, what lies beside them, and that nothing is lost or half-written."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from classmark import Hierarchy
from classmark.data import Corpus, CorpusOptions, NodeText, read_corpus, write_corpus
from tests.data.formats.corpora import needs_arrow

ANIMALS = Hierarchy.from_nested({"animal": ["owl", "cod"]})
CORPUS = Corpus(["a", "b"], ["hoots", "swims"], [["owl"], ["cod"]], ["train", None], ANIMALS, "two animals")
NAMED = replace(CORPUS, nodes={"owl": NodeText("Owls", "birds of the night")})


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestDatasetFolder:
    def test_what_is_in_it(self, tmp_path):
        assert write_corpus(NAMED, tmp_path / "out") == [tmp_path / "out"]
        assert contents(tmp_path / "out") == {
            "docs.jsonl": b'{"id":"a","text":"hoots","labels":["owl"],"split":"train"}\n'
            b'{"id":"b","text":"swims","labels":["cod"],"split":null}\n',
            "hierarchy.tsv": b"ROOT\tanimal\nanimal\towl\nanimal\tcod\n",
            "nodes.tsv": b"node\tname\tdescription\nowl\tOwls\tbirds of the night\n",
        }

    def test_only_what_there_is(self, tmp_path):
        write_corpus(replace(CORPUS, hierarchy=None), tmp_path / "out", kind="dataset-gz")
        assert list(contents(tmp_path / "out")) == ["docs.jsonl.gz"]

    def test_the_same_documents_give_the_same_bytes(self, tmp_path):
        for name in ("one", "two"):
            write_corpus(CORPUS, tmp_path / name, kind="dataset-gz")
        assert contents(tmp_path / "one") == contents(tmp_path / "two")

    def test_an_empty_folder_may_be_filled(self, tmp_path):
        (tmp_path / "out").mkdir()
        write_corpus(CORPUS, tmp_path / "out")
        assert read_corpus(tmp_path / "out").ids == ["a", "b"]

    def test_is_replaced_whole_where_the_user_says_so(self, tmp_path):
        write_corpus(NAMED, tmp_path / "out")
        with pytest.raises(FileExistsError, match=r"already there; .*overwritten \(--force"):
            write_corpus(CORPUS, tmp_path / "out")
        write_corpus(CORPUS, tmp_path / "out", kind="dataset-gz", overwrite=True)
        assert sorted(contents(tmp_path)) == ["out/docs.jsonl.gz", "out/hierarchy.tsv"]

    def test_is_not_replaced_where_it_holds_anything_else(self, tmp_path):
        write_corpus(CORPUS, tmp_path / "out")
        (tmp_path / "out" / "notes.txt").touch()
        with pytest.raises(FileExistsError, match="the folder holds more than a dataset"):
            write_corpus(CORPUS, tmp_path / "out", overwrite=True)

    def test_stays_as_it_was_where_the_new_one_fails(self, tmp_path):
        write_corpus(CORPUS, tmp_path / "out")
        before = contents(tmp_path)
        broken = replace(CORPUS, documents=["x", {"a": float("nan")}])
        with pytest.raises(ValueError, match=r"out: document 'b' has the weight nan for 'a'"):
            write_corpus(broken, tmp_path / "out", overwrite=True)
        assert contents(tmp_path) == before


class TestFiles:
    def test_hierarchy_and_names_lie_beside(self, tmp_path):
        written = write_corpus(NAMED, tmp_path / "animals.csv.gz")
        names = ["animals.csv.gz", "animals.hierarchy.tsv", "animals.nodes.tsv"]
        assert [path.name for path in written] == names == sorted(contents(tmp_path))
        read = read_corpus(written[0], hierarchy=written[1])
        assert replace(read, source=NAMED.source) == NAMED

    def test_a_second_format_shares_them(self, tmp_path):
        write_corpus(NAMED, tmp_path / "animals.csv")
        write_corpus(NAMED, tmp_path / "animals.jsonl")
        with pytest.raises(FileExistsError, match=r"animals\.hierarchy\.tsv: already there"):
            write_corpus(replace(CORPUS, hierarchy=Hierarchy.flat(["owl", "cod"])), tmp_path / "animals.tsv")
        assert not (tmp_path / "animals.tsv").exists()

    def test_are_not_overwritten_unasked(self, tmp_path):
        (tmp_path / "animals.csv").write_text("precious")
        with pytest.raises(FileExistsError, match=r"animals\.csv: already there"):
            write_corpus(CORPUS, tmp_path / "animals.csv")
        assert contents(tmp_path) == {"animals.csv": b"precious"}
        write_corpus(CORPUS, tmp_path / "animals.csv", overwrite=True)
        assert len(contents(tmp_path)) == 2

    @pytest.mark.parametrize(
        ("name", "corpus", "reason"),
        [
            ("a.csv", replace(CORPUS, documents=["x", {"t": 1.0}]), "document 'b' has features"),
            pytest.param(
                "a.parquet",
                replace(CORPUS, documents=["x", {"t": 1.0}]),
                "document 'b' has features",
                marks=needs_arrow,
            ),
            ("a.csv", replace(CORPUS, labels=[["owl"], []]), "document 'b' belongs nowhere, but would be read as not"),
            (
                "a.csv",
                replace(CORPUS, labels=[["x,y"], None], hierarchy=None),
                "the label 'x,y' of document 'a' has ','",
            ),
            ("a.jsonl", replace(CORPUS, hierarchy=Hierarchy.flat(["owl", "cod", "a\tb"])), "has a tab or a line break"),
            ("a.jsonl", replace(NAMED, nodes={"owl": NodeText("a\nb")}), "line cannot hold"),
            ("a.jsonl", replace(CORPUS, documents=["x", "\ud800"]), r"'\ud800' in a text or name is half a character"),
            ("a.csv", replace(CORPUS, documents=["x", "\ud800"]), "half a character"),
            pytest.param(
                "a.parquet", replace(CORPUS, documents=["x", "\ud800"]), "half a character", marks=needs_arrow
            ),
            ("a", replace(CORPUS, documents=["x", "\ud800"]), "half a character"),
        ],
    )
    def test_nothing_is_left_of_what_cannot_be_written(self, tmp_path, name, corpus, reason):
        with pytest.raises(ValueError) as caught:
            write_corpus(corpus, tmp_path / name)
        assert str(caught.value).startswith(f"{tmp_path / name}: ")
        assert reason in str(caught.value)
        assert list(tmp_path.iterdir()) == []

    def test_not_labelled_where_no_label_means_nowhere(self, tmp_path):
        corpus = replace(CORPUS, labels=[["owl"], None])
        with pytest.raises(ValueError, match=r"document 'b' is not labelled,.*would be read.*belonging nowhere"):
            write_corpus(corpus, tmp_path / "a.csv", options=CorpusOptions(empty_labels="nowhere"))


class TestPathColumns:
    OPTIONS = CorpusOptions(path_columns=("top", "sub"))

    def test_names_become_paths_in_the_hierarchy_too(self, tmp_path):
        written = write_corpus(NAMED, tmp_path / "a.csv", options=self.OPTIONS)
        assert written[0].read_text() == "id,text,top,sub,split\na,hoots,animal,owl,train\nb,swims,animal,cod,\n"
        read = read_corpus(written[0], hierarchy=written[1], options=self.OPTIONS)
        assert read.labels == [["animal/owl"], ["animal/cod"]]
        assert read.hierarchy == Hierarchy.from_paths(["animal/owl", "animal/cod"])
        assert read.nodes == {"animal/owl": NAMED.nodes["owl"]}

    @pytest.mark.parametrize(
        ("corpus", "reason"),
        [
            (replace(CORPUS, labels=[["owl", "cod"], None]), "document 'a' has 2 labels, and path columns hold one"),
            (replace(CORPUS, labels=[["a/b/c"], None], hierarchy=None), "has 3 levels; give as many path columns"),
            (
                replace(CORPUS, labels=[["a//c"], None], hierarchy=None),
                r"document 'a': the label 'a//c'.*empty part",
            ),
            (replace(CORPUS, labels=[["a/ b"], None], hierarchy=None), "has space at an end of a part"),
            (
                replace(CORPUS, hierarchy=Hierarchy.from_parents({"owl": ["x", "y"], "cod": "x"})),
                "the category 'owl' has 2 paths",
            ),
        ],
    )
    def test_what_they_cannot_hold(self, tmp_path, corpus, reason):
        with pytest.raises(ValueError) as caught:
            write_corpus(corpus, tmp_path / "a.csv", options=self.OPTIONS)
        assert str(caught.value).startswith(f"{tmp_path / 'a.csv'}: ")
        assert re.search(reason, str(caught.value))
        assert list(tmp_path.iterdir()) == []

    def test_are_columns_of_a_table(self, tmp_path):
        with pytest.raises(ValueError, match="path columns are columns of a table, and this is jsonl; leave them out"):
            write_corpus(CORPUS, tmp_path / "a.jsonl", options=self.OPTIONS)
        (tmp_path / "a.jsonl").write_text('{"text": "x"}')
        with pytest.raises(ValueError, match=r"columns of.*this is jsonl"):
            read_corpus(tmp_path / "a.jsonl", options=self.OPTIONS)


class TestTargets:
    @pytest.mark.parametrize(
        ("name", "kind", "error", "reason"),
        [
            ("a.xls", None, ValueError, "no reader"),
            (
                "a.sgm",
                None,
                ValueError,
                r"the format 'reuters' is only read.*dataset, dataset-gz, dataset-p",
            ),
            ("a", "rcv1", ValueError, "the format 'rcv1' is only read"),
            ("a.csv", "excel", ValueError, "no format 'excel'; name one of dataset,"),
            ("no/such/a.csv", None, FileNotFoundError, "no such folder"),
            ("no/such/a", None, FileNotFoundError, "no such folder"),
            ("file", None, FileExistsError, "a file of that name is there; give the name of a folder"),
            ("folder.csv", None, IsADirectoryError, "a folder"),
        ],
    )
    def test_that_cannot_be(self, tmp_path, name, kind, error, reason):
        (tmp_path / "file").touch()
        (tmp_path / "folder.csv").mkdir()
        with pytest.raises(error) as caught:
            write_corpus(CORPUS, tmp_path / name, kind=kind, overwrite=True)
        assert re.search(reason, str(caught.value))
        assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.csv"]

    def test_the_folder_itself_has_no_name(self):
        with pytest.raises(ValueError, match="not a name; give that of a new file or folder"):
            write_corpus(CORPUS, ".")
