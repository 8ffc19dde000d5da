"""Every format that has a writer gives back what it was given."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.data import Corpus, CorpusOptions, NodeText
from classmark.data.formats import FORMATS
from classmark.data.formats.files import DEVICES
from tests.data.formats.corpora import (
    FEATURES,
    NAMES,
    TEXTS,
    corpora,
    labels_of,
    needs_arrow,
    there_and_back,
    under_paths,
)

CELLS = NAMES.map(str.strip).filter(lambda name: name and not set(name) & set(",\t\n\r") and name != "ROOT")
WORDS = st.text(st.characters(codec="utf-8", exclude_characters=",:#\ufeff"), min_size=1).filter(
    lambda name: name.split() == [name]
)
PARTS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Z"]), min_size=1, max_size=8).filter(
    lambda part: part == part.strip().strip(".") and not DEVICES.fullmatch(part) and not set(part) & set('<>:"/\\|?*')
)
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join).filter(lambda path: path.split("/")[0] != "ROOT")
TEXTS_OF_NODES = st.text(st.characters(codec="utf-8", exclude_characters="\t\n")).filter(
    lambda text: text == text.strip()
)
NONE = st.none()

# Each example waits for the disk.
few = settings(max_examples=30)


def test_every_writer_is_here():
    tested = {
        "dataset",
        "dataset-gz",
        "dataset-parquet",
        "jsonl",
        "json",
        "csv",
        "tsv",
        "parquet",
        "svmlight",
        "lshtc",
        "files",
    }
    assert {kind for kind, form in FORMATS.items() if form.write is not None} == tested


@few
@given(corpora(TEXTS | FEATURES), st.sampled_from(["d.jsonl", "d.ndjson", "d.jsonl.gz", "d.json", "d.json.gz"]))
def test_json_lines(corpus, name):
    assert there_and_back(corpus, name) == corpus


@few
@given(corpora(TEXTS | FEATURES, labels_of(CELLS)), st.sampled_from(["dataset", "dataset-gz"]), st.data())
def test_dataset_folder(corpus, kind, data):
    corpus = in_a_chain(corpus, data)
    assert there_and_back(corpus, "folder", kind=kind) == corpus


@few
@given(corpora(TEXTS | FEATURES, labels_of(CELLS)), st.sampled_from(["dataset", "dataset-gz"]), st.data())
def test_shards(corpus, kind, data):
    corpus, shards = in_a_chain(corpus, data), data.draw(st.integers(1, len(corpus)))
    assert there_and_back(corpus, "folder", kind=kind, shards=shards) == corpus


@needs_arrow
@few
@given(corpora(labels=labels_of(CELLS)), st.data())
def test_shards_in_parquet(corpus, data):
    corpus, shards = in_a_chain(corpus, data), data.draw(st.none() | st.integers(1, len(corpus)))
    assert there_and_back(corpus, "folder", kind="dataset-parquet", shards=shards) == corpus


def in_a_chain(corpus, data):
    """Put each label below the one before it, and draw what people call some of them."""
    labels = sorted({label for labels in corpus.labels for label in labels or ()})
    if not labels:
        return corpus
    texts = st.builds(NodeText, *[TEXTS_OF_NODES] * len(NodeText._fields))
    nodes = data.draw(st.dictionaries(st.sampled_from(labels), texts))
    return replace(corpus, hierarchy=Hierarchy.from_edges(zip([None, *labels], labels, strict=False)), nodes=nodes)


@pytest.mark.parametrize("name", ["d.csv", "d.tsv", "d.csv.gz"])
@pytest.mark.parametrize("empty_labels", ["unlabelled", "nowhere"])
@few
@given(corpus=corpora(labels=labels_of(CELLS)))
def test_tables(corpus, name, empty_labels):
    empty = [] if empty_labels == "nowhere" else None
    corpus = replace(corpus, labels=[labels or empty for labels in corpus.labels])
    assert there_and_back(corpus, name, CorpusOptions(empty_labels=empty_labels)) == corpus


@few
@given(corpora(labels=labels_of(CELLS)))
def test_tables_with_a_hierarchy_beside_them(corpus):
    labels = sorted({label for labels in corpus.labels for label in labels or ()})
    assume(labels)
    corpus = replace(corpus, hierarchy=Hierarchy.flat(labels), labels=[labels or None for labels in corpus.labels])
    assert there_and_back(corpus, "d.csv") == corpus


def test_tables_with_other_names_and_separators():
    options = CorpusOptions("body", "topics", "key", "part", "; ")
    corpus = Corpus(["1", "2"], ["x", "y"], [["a, b", "c"], ["d"]], ["train", None], None, "two")
    corpus = under_paths(corpus, paths=["e"])
    assert there_and_back(corpus, "d.csv", options) == corpus


@needs_arrow
@few
@given(corpora())
def test_parquet(corpus):
    assert there_and_back(corpus, "d.parquet") == corpus


@pytest.mark.parametrize("name", ["d.csv", pytest.param("d.parquet", marks=needs_arrow)])
@few
@given(corpus=corpora(labels=NONE | st.tuples(PATHS).map(list)), paths=st.lists(PATHS))
def test_path_columns(corpus, name, paths):
    corpus = under_paths(corpus, paths) if paths or any(corpus.labels) else corpus
    assert there_and_back(corpus, name, CorpusOptions(path_columns=("one", "two", "three"))) == corpus


@pytest.mark.parametrize("empty_labels", ["unlabelled", "nowhere"])
@pytest.mark.parametrize("name", ["d.svm", "d.svmlight", "d.libsvm", "d.lshtc", "d.svm.gz"])
@few
@given(corpus=corpora(FEATURES, labels_of(WORDS.filter(lambda name: name != "0")), NONE, CELLS))
def test_svmlight_and_lshtc(corpus, name, empty_labels):
    empty = [] if empty_labels == "nowhere" else None
    corpus = replace(corpus, labels=[labels or empty for labels in corpus.labels])
    assert there_and_back(corpus, name, CorpusOptions(empty_labels=empty_labels)) == corpus


@few
@given(st.dictionaries(PATHS, st.dictionaries(PARTS, TEXTS, max_size=3), min_size=1, max_size=4))
def test_files(folders):
    # No two names that a file system might take for the same, and no file where a folder is.
    names = [part.casefold() for path, files in folders.items() for part in (*path.split("/"), *files)]
    assume(len(set(names)) == len(names))
    files = [(path, f"{path}/{name}", text) for path, files in folders.items() for name, text in files.items()]
    assume(files)
    labels, ids, texts = (list(column) for column in zip(*files, strict=True))
    corpus = Corpus(ids, texts, [[label] for label in labels], [None for _ in ids], None, "drawn")
    corpus = under_paths(corpus, list(folders))
    read = there_and_back(corpus, "folder", kind="files")
    order = [read.ids.index(name) for name in corpus.ids]
    assert sorted(order) == list(range(len(read)))
    assert [read.documents[row] for row in order] == corpus.documents
    assert [read.labels[row] for row in order] == corpus.labels
    assert read.hierarchy == corpus.hierarchy
