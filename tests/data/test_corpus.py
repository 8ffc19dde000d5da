import csv
import gzip
import json
import warnings
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.data import Corpus, CorpusOptions, iter_documents, read_corpus

ANIMALS = Hierarchy.from_nested({"animal": ["bird", "fish"]})
PATHS = CorpusOptions(path_separator="/")


def corpus_of(*splits: str | None) -> Corpus:
    ids = [str(row) for row, _ in enumerate(splits)]
    return Corpus(ids, [f"text {i}" for i in ids], [["bird"] for _ in ids], list(splits), ANIMALS, "animals")


def write_jsonl(file: Path, *documents: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "docs.jsonl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset folder of two documents."""
    write_jsonl(
        tmp_path / "docs.jsonl",
        {"id": "a", "text": "an owl", "labels": ["bird"], "split": "train"},
        {"id": "b", "text": "a cod", "labels": ["fish"], "split": "test"},
    )
    ANIMALS.to_tsv(tmp_path / "hierarchy.tsv")
    return tmp_path


class TestCorpus:
    def test_length_and_appearance(self):
        assert len(corpus_of("train", None)) == 2
        assert repr(corpus_of("train", None)) == "<Corpus: 2 documents, 3 categories, from animals>"

    def test_columns_of_different_lengths(self):
        with pytest.raises(ValueError, match="animals: 2 ids, 2 documents, 1 labels, 2 splits; give one of each"):
            replace(corpus_of("train", "test"), labels=[None])

    def test_select_keeps_order_hierarchy_and_source(self):
        chosen = corpus_of("b", "a", None, "c", "a").select(["a", "b"])
        assert (chosen.ids, chosen.splits) == (["0", "1", "4"], ["b", "a", "a"])
        assert (chosen.hierarchy, chosen.source) == (ANIMALS, "animals")

    def test_select_takes_one_name_for_a_list_of_one(self):
        assert corpus_of("train", "test").select("test").ids == ["1"]

    def test_select_refuses_a_split_that_no_document_has(self):
        with pytest.raises(ValueError) as caught:
            corpus_of("train", None, "test").select(["train", "dev"])
        assert str(caught.value) == "animals: no document has the split 'dev'; there is 'test', 'train'"
        with pytest.raises(ValueError, match="no document has the split 'dev'; there is no split at all"):
            corpus_of(None, None).select(["dev"])

    def test_part_takes_what_is_asked_for(self):
        assert corpus_of("train", "test").part(["test"], "train").ids == ["1"]

    def test_part_unasked_takes_the_default(self):
        assert corpus_of("train", None, "test").part(None, "train").ids == ["0"]

    def test_part_unasked_takes_everything_where_there_are_no_splits(self):
        assert corpus_of(None, None).part(None, "train").ids == ["0", "1"]

    def test_part_unasked_refuses_a_corpus_without_the_default(self):
        with pytest.raises(ValueError, match="no document has the split 'train'; there is 'dev'"):
            corpus_of("dev").part(None, "train")


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
        assert str(caught.value) == f"{tmp_path / 'docs.jsonl'}: there is no such file or folder; check the path"

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
        assert str(caught.value) == f"{tmp_path / name}:1: the file has no document; give it at least one"


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
        with pytest.raises(ValueError, match=r"docs\.jsonl:2: the id '2' already stands on line 1"):
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

    @pytest.mark.parametrize(("path", "reason"), [("a//b", "has an empty part"), ("ROOT/a", "is the name of the root")])
    def test_a_label_path_that_is_none(self, file, path, reason):
        write_jsonl(file, {"text": "x", "labels": ["a/b"]}, {"text": "y", "labels": [path]})
        with pytest.raises(ValueError) as caught:
            read_corpus(file, options=PATHS)
        assert str(caught.value).startswith(f"{file}:2: ")
        assert reason in str(caught.value)


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
        with pytest.raises(ValueError, match=r"docs.jsonl:1: the path 'a//b' has an empty part"):
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
        assert f"{file}:1: the label {label!r} is not in the hierarchy{hint}; add it there" in str(caught.value)
        with pytest.warns(UserWarning) as dropped:
            read_corpus(file, hierarchy=ANIMALS, options=CorpusOptions(on_unknown="drop"))
        assert str(dropped[0].message).endswith(f"the first of them {label!r}{hint}")

    def test_are_refused(self, folder):
        write_jsonl(folder / "docs.jsonl", {"text": "x"}, {"id": "w", "text": "a worm", "labels": ["fish", "worm"]})
        with pytest.raises(ValueError) as caught:
            read_corpus(folder)
        assert str(caught.value) == (
            f"{folder / 'docs.jsonl'}:2: the label 'worm' of document 'w' is not in the hierarchy;"
            " add it there, or drop unknown labels (--unknown-labels drop, on_unknown='drop')"
        )

    def test_are_refused_without_an_id(self, folder):
        write_jsonl(folder / "docs.jsonl", {"text": "a worm", "labels": ["worm"]})
        with pytest.raises(ValueError, match=r"docs\.jsonl:1: the label 'worm' is not in the hierarchy; add it"):
            read_corpus(folder)

    def test_are_dropped_where_the_user_says_so(self, folder):
        documents = [{"labels": ["fish", "worm"]}, {"labels": ["slug"]}, {"labels": None}, {"labels": []}]
        write_jsonl(folder / "docs.jsonl", *({"text": "x", **document} for document in documents))
        with pytest.warns(UserWarning) as caught:
            corpus = read_corpus(folder, options=CorpusOptions(on_unknown="drop"))
        assert corpus.labels == [["fish"], [], None, []]
        (warning,) = caught
        assert str(warning.message) == (
            f"{folder / 'docs.jsonl'}: dropped 2 label(s) that the hierarchy does not have, the first of them 'worm'"
        )
        assert warning.filename == __file__

    def test_nothing_is_said_where_nothing_is_dropped(self, folder):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read_corpus(folder, options=CorpusOptions(on_unknown="drop"))


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
