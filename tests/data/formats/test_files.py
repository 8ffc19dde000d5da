import os
from pathlib import Path

import pytest

from classmark import Hierarchy
from classmark.data import Corpus, CorpusOptions, NodeText, read_corpus, write_corpus
from tests.data.formats.corpora import there_and_back

TREE = Hierarchy.from_paths(["animal/bird", "plant"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Text files by category, one of them in an inner folder."""
    for name, text in {
        "animal/beast.txt": "roars",
        "animal/bird/owl.txt": "hoots",
        "animal/bird/gull": "cries",
        "animal/.hidden": "\xff",
        ".git/config": "x",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "plant").mkdir()
    return tmp_path


def corpus_of(*labels: list[str] | None, ids: list[str] | None = None, hierarchy: Hierarchy | None = TREE) -> Corpus:
    ids = ids or [f"d{row}" for row, _ in enumerate(labels)]
    return Corpus(ids, [f"text {row}" for row in ids], list(labels), [None for _ in ids], hierarchy, "some")


class TestReading:
    def test_folders_are_labels(self, folder):
        corpus = read_corpus(folder)
        assert corpus.ids == ["animal/beast.txt", "animal/bird/gull", "animal/bird/owl.txt"]
        assert corpus.documents == ["roars", "cries", "hoots"]
        assert corpus.labels == [["animal"], ["animal/bird"], ["animal/bird"]]

    def test_folders_are_the_hierarchy_empty_ones_too(self, folder):
        assert read_corpus(folder).hierarchy == TREE

    def test_files_outside_of_any_category_are_not_labelled(self, folder):
        (folder / "stray.txt").write_text("?")
        assert dict(zip((c := read_corpus(folder)).ids, c.labels, strict=True))["stray.txt"] is None

    def test_a_folder_of_files_alone_needs_its_kind_told(self, tmp_path):
        (tmp_path / "a.txt").write_text("x")
        with pytest.raises(ValueError, match="folder has no docs"):
            read_corpus(tmp_path)
        corpus = read_corpus(tmp_path, options=CorpusOptions(kind="files"))
        assert (corpus.ids, corpus.labels, corpus.hierarchy) == (["a.txt"], [None], None)

    def test_a_folder_of_datasets_is_none(self, tmp_path):
        write_corpus(corpus_of(["plant"]), tmp_path / "dataset")
        with pytest.raises(ValueError, match="folder has no docs"):
            read_corpus(tmp_path)

    def test_names_of_the_categories(self, folder):
        (folder / "nodes.tsv").write_text("animal/bird\tBirds\n")
        assert read_corpus(folder).nodes == {"animal/bird": NodeText("Birds")}

    def test_texts_as_they_are(self, folder):
        (folder / "plant" / "oak.txt").write_bytes("\ufeffa\r\nb\r\u2028\n".encode())
        assert read_corpus(folder).documents[-1] == "a\r\nb\r\u2028\n"

    def test_not_utf_8(self, folder):
        (folder / "plant" / "oak.txt").write_bytes(b"a\ncaf\xe9\n")
        with pytest.raises(ValueError) as caught:
            read_corpus(folder)
        expected = "not UTF-8 at byte 6 of the file; save it as UTF-8, or move it away"
        assert str(caught.value) == f"{folder / 'plant' / 'oak.txt'}:2: {expected}"

    def test_links_to_folders_are_passed_over(self, folder):
        (folder / "plant" / "loop").symlink_to(folder, target_is_directory=True)
        (folder / "plant" / "pipe").symlink_to("/dev/zero")
        assert len(read_corpus(folder)) == 3
        assert read_corpus(folder).hierarchy == TREE

    def test_a_name_that_is_not_utf_8(self, folder):
        try:
            (folder / os.fsdecode(b"caf\xe9")).mkdir()
        except OSError:
            pytest.skip("this file system takes no such name")
        with pytest.raises(ValueError, match=r"the name 'caf\\udce9' is not UTF-8; rename it"):
            read_corpus(folder)

    def test_no_document(self, tmp_path):
        (tmp_path / "category").mkdir()
        with pytest.raises(ValueError) as caught:
            read_corpus(tmp_path)
        assert str(caught.value).startswith(f"{tmp_path}: the folder has no document")

    def test_a_label_that_a_given_hierarchy_does_not_have(self, folder):
        with pytest.raises(ValueError, match=r"beast\.txt:1: the label 'animal' of document 'animal/beast.txt' is not"):
            read_corpus(folder, hierarchy=Hierarchy.flat(["bird"]))


class TestWriting:
    def test_files_get_the_names_of_ids(self, tmp_path):
        write_corpus(corpus_of(["animal/bird"], None, ids=["a", "b"]), tmp_path / "out", kind="files")
        found = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*"))
        expected = ["", "/animal", "/animal/bird", "/animal/bird/a.txt", "/b.txt", "/plant"]
        assert found == [f"out{path}" for path in expected]

    @pytest.mark.parametrize("name", ["animal/bird/owl", "bird/owl"])
    def test_an_id_that_is_a_path_keeps_its_file_name(self, tmp_path, name):
        write_corpus(corpus_of(["animal/bird"], ids=[name]), tmp_path / "out", kind="files")
        assert (tmp_path / "out" / "animal" / "bird" / "owl").read_text() == f"text {name}"

    def test_names_that_are_no_paths_become_paths(self):
        animals = Hierarchy.from_nested({"animal": ["bird"]})
        corpus = corpus_of(["bird"], hierarchy=animals)
        read = there_and_back(Corpus(**{**vars(corpus), "nodes": {"bird": NodeText("Birds")}}), "out", kind="files")
        assert (read.labels, read.nodes) == ([["animal/bird"]], {"animal/bird": NodeText("Birds")})

    @pytest.mark.parametrize(
        ("corpus", "reason"),
        [
            (corpus_of(["plant", "animal"]), "document 'd0' has 2 labels, and a file lies in one folder"),
            (corpus_of([]), "document 'd0' has 0 labels"),
            (corpus_of(["plant"], ids=["../../evil"]), "'../../evil.txt' is no safe name"),
            (corpus_of(["plant"], ids=["plant/.."]), "'..' is no safe name"),
            (corpus_of(["plant"], ids=["plant/.hidden"]), "'.hidden' is no safe name"),
            (corpus_of(["plant"], ids=["/etc/passwd"]), "'/etc/passwd.txt' is no safe name"),
            (corpus_of(["plant"], ids=["a\\b"]), r"'a\\\\b.txt' is no safe name"),
            (corpus_of(["plant"], ids=["a\nb"]), r"'a\\nb.txt' is no safe name"),
            (corpus_of(["plant"], ids=["con"]), "'con.txt' is no safe name"),
            (corpus_of(["plant"], ids=["x" * 300]), "xxx' is no safe name"),
            (corpus_of(["../up"], hierarchy=None), "'..' is no safe name"),
            (corpus_of(["a//b"], hierarchy=None), "the label 'a//b' has an empty part"),
            (corpus_of(["c"], hierarchy=Hierarchy.flat(["c", ".."])), "'..' is no safe name"),
            (corpus_of(["plant"], ["plant"], ids=["a", "a.txt"]), "document 'a.txt' would overwrite another"),
            (
                corpus_of(["c"], hierarchy=Hierarchy.from_parents({"a": None, "b": None, "c": ["a", "b"]})),
                "the category 'c' has 2 paths",
            ),
            (corpus_of(["c"], hierarchy=Hierarchy.from_parents({"a/b": None, "c": "a/b"})), "has '/' in its name"),
        ],
    )
    def test_what_cannot_be_written(self, tmp_path, corpus, reason):
        with pytest.raises(ValueError) as caught:
            write_corpus(corpus, tmp_path / "out", kind="files")
        assert str(caught.value).startswith(f"{tmp_path / 'out'}: ")
        assert reason.replace("\\\\", "\\") in str(caught.value)
        assert list(tmp_path.iterdir()) == []

    def test_splits_and_features(self, tmp_path):
        corpus = corpus_of(["plant"])
        with pytest.raises(ValueError, match=r"has the split 'train',.*format cannot hold"):
            write_corpus(Corpus(**{**vars(corpus), "splits": ["train"]}), tmp_path / "out", kind="files")
        with pytest.raises(ValueError, match="has features, which this format cannot hold"):
            write_corpus(Corpus(**{**vars(corpus), "documents": [{"a": 1.0}]}), tmp_path / "out", kind="files")

    def test_a_folder_that_holds_something_is_never_replaced(self, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "precious").touch()
        for overwrite in (False, True):
            with pytest.raises(FileExistsError, match=r"more than.*dataset"):
                write_corpus(corpus_of(["plant"]), tmp_path / "out", kind="files", overwrite=overwrite)
        assert (tmp_path / "out" / "precious").exists()
