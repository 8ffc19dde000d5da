"""Ids, hierarchies and labels of a whole corpus: taken, tidied, or refused with the line."""

import re
import warnings

import pytest

from classmark import Hierarchy
from classmark.data import CorpusOptions, iter_documents, read_corpus
from tests.data.animals import ANIMALS, write_jsonl

PATHS = CorpusOptions(path_separator="/")


class TestIds:
    def test_row_numbers_where_there_are_none(self, file):
        file.write_text('\n{"text": "x"}\n\n{"text": "y"}\n')
        assert read_corpus(file).ids == ["1", "2"]

    def test_duplicates(self, file):
        write_jsonl(file, {"id": "a", "text": "x"}, {"id": "b", "text": "y"}, {"id": "a", "text": "z"})
        with pytest.raises(ValueError) as caught:
            read_corpus(file)
        assert str(caught.value) == f"{file}:3: the id 'a' already stands on line 1; give each document its own"

    def test_a_row_number_that_is_taken(self, file):
        write_jsonl(file, {"id": "2", "text": "x"}, {"text": "y"})
        with pytest.raises(ValueError, match=r"docs\.jsonl:2: the id '2'.*stands on line 1"):
            read_corpus(file)


class TestHierarchies:
    def test_given_as_a_hierarchy(self, folder):
        larger = Hierarchy.flat(["bird", "fish", "worm"])
        assert read_corpus(folder, hierarchy=larger).hierarchy is larger

    def test_given_as_a_path(self, file, tmp_path):
        ANIMALS.to_tsv(tmp_path / "animals.tsv")
        write_jsonl(file, {"text": "an owl", "labels": ["bird"]})
        assert read_corpus(file, hierarchy=str(tmp_path / "animals.tsv")).hierarchy == ANIMALS

    def test_no_such_hierarchy_file(self, folder):
        with pytest.raises(FileNotFoundError) as caught:
            read_corpus(folder, hierarchy=folder / "animals.tsv")
        assert str(caught.value) == f"{folder / 'animals.tsv'}: there is no such hierarchy file; check the path"

    def test_of_a_file_is_none(self, folder):
        assert read_corpus(folder / "docs.jsonl").hierarchy is None

    def test_of_label_paths(self, file):
        write_jsonl(file, {"text": "x", "labels": ["b/x", "a/x"]}, {"text": "y"}, {"text": "z", "labels": ["a"]})
        corpus = read_corpus(file, options=PATHS)
        assert corpus.hierarchy == Hierarchy.from_paths(["a/x", "b/x"])
        assert corpus.labels == [["b/x", "a/x"], None, ["a"]]

    def test_of_no_label_paths_at_all(self, file):
        write_jsonl(file, {"text": "x"}, {"text": "y", "labels": []})
        assert read_corpus(file, options=PATHS).hierarchy is None

    def test_a_given_one_goes_before_label_paths(self, folder):
        assert read_corpus(folder, options=PATHS).hierarchy == ANIMALS

    @pytest.mark.parametrize(("path", "reason"), [("a//b", "empty part"), ("ROOT/a", r"name.*root")])
    def test_a_label_path_that_is_none(self, file, path, reason):
        write_jsonl(file, {"text": "x", "labels": ["a/b"]}, {"text": "y", "labels": [path]})
        with pytest.raises(ValueError) as caught:
            read_corpus(file, options=PATHS)
        assert str(caught.value).startswith(f"{file}:2: ")
        assert re.search(reason, str(caught.value))


class TestTidyPaths:
    def test_space_around_the_separator_makes_no_second_tree(self, file):
        write_jsonl(
            file,
            {"text": "a", "labels": ["Garden / Flowers", "Garden/Flowers"]},
            {"text": "b", "labels": [" Garden/ Flowers "]},
            {"text": "c", "labels": ["Garden"]},
            {"text": "d", "labels": None},
        )
        corpus = read_corpus(file, options=PATHS)
        assert corpus.labels == [["Garden/Flowers"], ["Garden/Flowers"], ["Garden"], None]
        assert corpus.hierarchy == Hierarchy.from_paths(["Garden/Flowers"])
        assert [record.labels for record in iter_documents(file, options=PATHS)][1:3] == [
            ["Garden/Flowers"],
            ["Garden"],
        ]
        assert read_corpus(file).labels[1] == [" Garden/ Flowers "]

    def test_a_known_hierarchy_keeps_its_names(self, file):
        write_jsonl(file, {"text": "a", "labels": ["a / b"]}, {"text": "b", "labels": ["c / d"]})
        names = Hierarchy.flat(["a / b", "c/d"])
        assert read_corpus(file, hierarchy=names, options=PATHS).labels == [["a / b"], ["c/d"]]

    def test_a_separator_with_spaces(self, file):
        write_jsonl(file, {"text": "a", "labels": ["a >  b>c"]})
        assert read_corpus(file, options=CorpusOptions(path_separator=" > ")).labels == [["a > b>c"]]

    def test_an_empty_part_is_refused_as_ever(self, file):
        write_jsonl(file, {"text": "a", "labels": ["a / / b"]})
        with pytest.raises(ValueError, match=r"docs.jsonl:1: the path 'a//b'.*empty part"):
            read_corpus(file, options=PATHS)


class TestUnknownLabels:
    @pytest.mark.parametrize(
        ("label", "hint"),
        [
            ("brid", " (did you mean 'bird'?)"),
            ("Bird", " (did you mean 'bird'?)"),
            ("bird; fish", ", but its 2 parts are (--label-separator ';')"),
            ("stone", ""),
        ],
    )
    def test_what_was_probably_meant(self, file, label, hint):
        write_jsonl(file, {"text": "x", "labels": [label]})
        with pytest.raises(ValueError) as caught:
            read_corpus(file, hierarchy=ANIMALS)
        assert re.search(
            rf"{re.escape(str(file))}:1: the label {re.escape(repr(label))}.*not in.*hierarchy{re.escape(str(hint))}",
            str(caught.value),
        )
        with pytest.warns(UserWarning) as dropped:
            read_corpus(file, hierarchy=ANIMALS, options=CorpusOptions(on_unknown="drop"))
        assert f"the first of them {label!r}{hint}; 1 document(s) have no other label" in str(dropped[0].message)

    def test_are_refused(self, folder):
        write_jsonl(folder / "docs.jsonl", {"text": "x"}, {"id": "w", "text": "a worm", "labels": ["fish", "worm"]})
        with pytest.raises(ValueError) as caught:
            read_corpus(folder)
        assert re.match(
            rf"{re.escape(str(folder / 'docs.jsonl'))}:2: the label 'worm' of document 'w'.*not in.*hierarchy",
            str(caught.value),
        )

    def test_are_refused_without_an_id(self, folder):
        write_jsonl(folder / "docs.jsonl", {"text": "a worm", "labels": ["worm"]})
        with pytest.raises(ValueError, match=r"docs\.jsonl:1: the label 'worm'.*not in.*hierarchy"):
            read_corpus(folder)

    def test_are_dropped_where_the_user_says_so(self, folder):
        documents = [{"labels": ["fish", "worm"]}, {"labels": ["slug"]}, {"labels": None}, {"labels": []}]
        write_jsonl(folder / "docs.jsonl", *({"text": "x", **document} for document in documents))
        with pytest.warns(UserWarning) as caught:
            corpus = read_corpus(folder, options=CorpusOptions(on_unknown="drop"))
        assert corpus.labels == [["fish"], None, None, []]
        (warning,) = caught
        assert str(warning.message) == (
            f"{folder / 'docs.jsonl'}: dropped 2 label(s) that the hierarchy does not have, the first of them 'worm';"
            " 1 document(s) have no other label and are not labeled now"
        )
        assert warning.filename == __file__

    def test_nothing_is_said_where_nothing_is_dropped(self, folder):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read_corpus(folder, options=CorpusOptions(on_unknown="drop"))
