import re
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from classmark import Hierarchy, TextClassifier
from classmark.data import CorpusOptions
from classmark.service.corpora import check_label_column, check_same, check_spared, read, read_for, warn_of_paths
from tests.service.animals import LABELS, NAMES, TEXTS, TREE, corpus_of, write_dataset

OPTIONS = CorpusOptions()


class TestRead:
    def test_the_embedded_corpus_by_name(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        corpus = read("docstrings")
        assert corpus.source == "the docstrings of numpy, scipy, sklearn"
        assert set(corpus.splits) == {"train", "test"}

    def test_a_folder_of_that_name_comes_first(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        write_dataset(tmp_path / "docstrings")
        assert len(read("docstrings")) == 10

    def test_the_embedded_corpus_has_its_own_hierarchy(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(ValueError, match="docstrings: the embedded corpus has a hierarchy of its own"):
            read("docstrings", "hierarchy.tsv")

    def test_a_dataset_by_name(self, tmp_path, monkeypatch):
        monkeypatch.setenv("CLASSMARK_DATA", str(tmp_path))
        monkeypatch.chdir(tmp_path)
        write_dataset(tmp_path / "animals")
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert read("animals").hierarchy == TREE

    def test_names_of_categories(self, data):
        Path(data, "nodes.tsv").write_text(NAMES)
        assert {node: text.name for node, text in read(data).nodes.items()} == {
            "owl": "tawny owl",
            "bird": "feathered",
        }


class TestReadFor:
    def test_the_usual_split(self, model, data):
        assert read_for(model, data, OPTIONS, None).ids == [f"test{row}" for row in range(5)]
        assert read_for(model, data, OPTIONS, ["train"]).ids == [f"train{row}" for row in range(5)]

    def test_a_file_is_held_against_the_models_hierarchy(self, model, tmp_path):
        (tmp_path / "new.csv").write_text("text,labels\nhoots,emu\n")
        with pytest.raises(ValueError, match=r"the label 'emu'.*not in.*hierarchy"):
            read_for(model, str(tmp_path / "new.csv"), OPTIONS, None)

    def test_the_embedded_corpus(self, model, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(ValueError, match=r"docstrings:.*hierarchy changed"):
            read_for(model, "docstrings", OPTIONS, None)

    def test_a_dataset_by_name(self, model, tmp_path, monkeypatch):
        monkeypatch.setenv("CLASSMARK_DATA", str(tmp_path))
        write_dataset(tmp_path / "animals", Hierarchy.flat(TREE.names))
        with pytest.raises(ValueError, match=r"animals:.*hierarchy changed"):
            read_for(model, "animals", OPTIONS, None)

    def test_a_hierarchy_of_another_format_is_compared_too(self, tmp_path):
        write_dataset(tmp_path, None)
        (tmp_path / "hierarchy.txt").write_text("animal owl\nanimal gull\nanimal fish\nplant oak\n")
        with pytest.raises(ValueError, match="hierarchy changed"):
            read_for(TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS), str(tmp_path), OPTIONS, None)


class TestCheckSame:
    def test_order_is_no_difference(self):
        check_same(TREE, Hierarchy.from_edges(reversed(TREE.edges())), "here")

    @pytest.mark.parametrize(
        ("edges", "words"),
        [
            ([(None, "plant"), ("plant", "oak"), (None, "fungus")], "here: .*1 edge.s. new, such as ROOT → fungus; tr"),
            ([(None, "plant")], "here: .*training: 1 edge.s. gone, such as plant → oak; train again"),
            (
                [(None, "plant"), (None, "oak")],
                "1 edge.s. new, such as ROOT → oak; 1 edge.s. gone, such as plant → oak",
            ),
        ],
    )
    def test_a_changed_edge_is_named(self, edges, words):
        trained = Hierarchy.from_edges([(None, "plant"), ("plant", "oak")])
        with pytest.raises(ValueError, match=words):
            check_same(trained, Hierarchy.from_edges(edges), "here")


class TestCheckSpared:
    @pytest.mark.parametrize("name", ["docs.jsonl", "hierarchy.tsv", "nodes.tsv"])
    def test_the_files_of_a_dataset_folder(self, data, name):
        Path(data, "nodes.tsv").write_text(NAMES)
        with pytest.raises(ValueError, match=rf"{name}:.*then replaced"):
            check_spared(str(Path(data, name)), data)

    def test_a_dataset_by_name(self, data, monkeypatch):
        monkeypatch.setenv("CLASSMARK_DATA", str(Path(data).parent))
        with pytest.raises(ValueError, match="then replaced"):
            check_spared(str(Path(data, "docs.jsonl")), Path(data).name)

    def test_other_files_beside_them(self, data):
        Path(data, "model").touch()
        check_spared(str(Path(data, "model")), data, None, "-", "nothing.csv")
        check_spared(str(Path(data, "new")), data)


class TestWarnOfPaths:
    @pytest.mark.parametrize(
        ("labels", "said"),
        [
            ([["a/b"], None, [], ["a/c", "d/e/f"]], r"3 of 3 labels have '/'.*such as 'a/b', and are taken"),
            ([["a/b"], ["a/c"], ["d"], ["e"]], r"2 of 4 labels have '/'.*such as 'a/b', and are taken"),
            ([["a/b"], ["c"]], r"1 of 2 labels have '/'.*such as 'a/b'"),
            ([["a > b"]], r"if they are paths, say so \(--path-separator ' > ', path_separator=' > '\)"),
            ([["a>b"], ["c"]], r"if they are paths, say so \(--path-separator '>', path_separator='>'\)"),
            ([["a;b"], ["b"], ["c"], ["d;e"]], r"2 of 4 labels have ';'.*such as 'a;b',.*taken for one"),
            (
                [["a;b"]],
                r"if they are several labels each, say so \(--label-separator ';', label_separator=';'; in JSON",
            ),
            ([["a|b"], ["c|d"]], r"2 of 2 labels have '\|'.*such as 'a\|b'"),
            ([["a,b"], ["a,c"], ["a"]], r"2 of 3 labels have ','.*such as 'a,b'"),
        ],
    )
    def test_a_share_of_the_labels(self, labels, said):
        with pytest.warns(UserWarning) as caught:
            warn_of_paths(replace(corpus_of(labels), hierarchy=None))
        (message,) = [str(one.message) for one in caught]
        assert re.search(said, message)
        assert "\n" not in message

    @pytest.mark.parametrize(
        "labels",
        [
            [["AC/DC"], list("abcdefgh")],
            [["http://a"], ["http://b"]],
            [["birds, wild"], ["fish, cold"]],
            [["a,b"], ["a"], ["c", "d"]],
            [["a;"], ["b;"]],
            [["a/b"], ["c/d"], [str(number) for number in range(30)]],
            [[], None],
        ],
        ids=["a name", "addresses", "commas", "taken apart", "ends", "few", "none"],
    )
    def test_nothing_to_say(self, labels):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warn_of_paths(replace(corpus_of(labels), hierarchy=None))

    def test_a_hierarchy_was_given(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warn_of_paths(replace(corpus_of([["a/b"], ["a;b"]]), hierarchy=Hierarchy.flat(["a/b", "a;b"])))
        with pytest.warns(UserWarning, match=r"1 of 1 labels have ';'.*such as 'a/b;c'"):
            paths = Hierarchy.from_paths(["a/b;c", "a/b", "c"])
            warn_of_paths(replace(corpus_of([["a/b;c"]]), hierarchy=paths))


class TestCheckLabelColumn:
    @pytest.mark.parametrize(
        ("name", "content", "said"),
        [
            ("a.csv", "text,category\nx,y\n", r"\(--label-column category\) of: text, category$"),
            ("a.csv", "text,Thema\nx,y\n", r"\(--label-column\) of: text, Thema$"),
            ("a.jsonl", '{"text": "x", "topics": ["y"]}\n', r"\(--label-column topics\) of: text, topics$"),
        ],
    )
    def test_labels_in_another_column(self, tmp_path, name, content, said):
        (tmp_path / name).write_text(content)
        corpus = read(str(tmp_path / name))
        with pytest.raises(ValueError, match=rf"{name}: no document.*label.*{said}"):
            check_label_column(corpus)

    @pytest.mark.parametrize("content", ["text,label\nx,\n", "text,labels\nx,\n", "text,labels\nx,y\n"])
    def test_a_column_that_is_there(self, tmp_path, content):
        (tmp_path / "a.csv").write_text(content)
        check_label_column(read(str(tmp_path / "a.csv")))

    def test_no_columns_at_all(self, tmp_path):
        (tmp_path / "a.svm").write_text("# id=x\n")
        check_label_column(read(str(tmp_path / "a.svm")))
        check_label_column(corpus_of([None]))
