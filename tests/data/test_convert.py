"""`convert`: any format to any other, and what keeps it from doing so."""

from dataclasses import replace

import pytest

from classmark import Hierarchy
from classmark.data import Corpus, CorpusOptions, NodeText, read_corpus, write_corpus
from classmark.data.conversion import convert

ANIMALS = Hierarchy.from_paths(["animal/owl", "animal/cod"])
TEXTS = Corpus(["a", "b"], ["hoots", "swims"], [["animal/owl"], ["animal/cod"]], [None, None], ANIMALS, "two")
NUMBERS = replace(TEXTS, documents=[{"1": 2.0}, {"3": 0.5}], labels=[["7"], ["8"]], hierarchy=None)
TEXT_TARGETS = {"t": "dataset", "g": "dataset-gz", "t.jsonl": None, "t.csv": None, "t.tsv.gz": None, "f": "files"}
TEXT_TARGETS |= {"t.parquet": None, "t.json": None, "parquet": "dataset-parquet"}
NUMBER_TARGETS = {"n": "dataset", "n.jsonl.gz": None, "n.svm": None, "n.lshtc": None}


def pairs(targets):
    return [(first, second) for first in targets for second in targets]


@pytest.mark.parametrize(("first", "second"), pairs(TEXT_TARGETS) + pairs(NUMBER_TARGETS))
def test_any_to_any(tmp_path, first, second):
    if "parquet" in first + second:
        pytest.importorskip("pyarrow")
    corpus, targets = (TEXTS, TEXT_TARGETS) if first in TEXT_TARGETS else (NUMBERS, NUMBER_TARGETS)
    (tmp_path / "from").mkdir()
    (tmp_path / "to").mkdir()
    written = write_corpus(corpus, tmp_path / "from" / first, kind=targets[first])
    done = convert(
        tmp_path / "from" / first,
        tmp_path / "to" / second,
        kind=targets[second],
        hierarchy=written[1] if len(written) > 1 else None,
    )
    read = read_corpus(done.written[0], hierarchy=corpus.hierarchy)
    order = range(len(read)) if "f" not in (first, second) else [1, 0]
    assert [read.documents[row] for row in order] == corpus.documents
    assert [read.labels[row] for row in order] == corpus.labels
    assert done.corpus.hierarchy == corpus.hierarchy


@pytest.mark.parametrize("target", ["folder", "table.csv"])
def test_what_a_vocabulary_says_of_categories_is_kept(tmp_path, target):
    (tmp_path / "train.tsv").write_text("hoots at night\t<http://a/1>\n")
    (tmp_path / "birds.tsv").write_text("<http://a/1>\towls\t598.97\n<http://a/2>\tgulls\n")
    done = convert(tmp_path / "train.tsv", tmp_path / target, hierarchy=tmp_path / "birds.tsv")
    beside = done.written[1] if len(done.written) > 1 else None
    expected = {"http://a/1": NodeText("owls", notation="598.97"), "http://a/2": NodeText("gulls")}
    assert read_corpus(tmp_path / target, hierarchy=beside).nodes == expected


def test_one_split_into_a_format_without_splits(tmp_path):
    write_corpus(replace(NUMBERS, splits=["train", "test"]), tmp_path / "n")
    with pytest.raises(ValueError, match=r"has the split 'train',.*format cannot hold"):
        convert(tmp_path / "n", tmp_path / "n.svm")
    convert(tmp_path / "n", tmp_path / "n.svm", splits=["test"])
    assert (tmp_path / "n.svm").read_text() == "8 3:0.5 # id=b\n"
    with pytest.raises(ValueError, match=r"no document.*split 'dev'"):
        convert(tmp_path / "n", tmp_path / "dev.svm", splits=["dev"])


def test_splits_stay_where_they_can(tmp_path):
    write_corpus(replace(TEXTS, splits=["train", "test"]), tmp_path / "t")
    convert(tmp_path / "t", tmp_path / "t.csv", splits=["test"])
    assert read_corpus(tmp_path / "t.csv").splits == ["test"]


def test_columns_get_our_names_and_separators_the_usual_one(tmp_path):
    (tmp_path / "shop.csv").write_text("title,topics\na tent,out>tents|home>tents\n")
    options = CorpusOptions("title", "topics", label_separator="|", path_separator=">")
    convert(tmp_path / "shop.csv", tmp_path / "new.csv", options=options)
    assert (tmp_path / "new.csv").read_text() == 'id,text,labels,split\n1,a tent,"out>tents,home>tents",\n'
    assert Hierarchy.from_tsv(tmp_path / "new.hierarchy.tsv") == Hierarchy.from_paths(["out>tents", "home>tents"], ">")


def test_path_columns_to_labels_and_back(tmp_path):
    levels = "id,text,top,sub,split\n1,hoots,bird,owl,\n2,sings,bird,,\n"
    (tmp_path / "levels.csv").write_text(levels)
    options = CorpusOptions(path_columns=("top", "sub"))
    convert(tmp_path / "levels.csv", tmp_path / "labels.csv", options=options)
    assert read_corpus(tmp_path / "labels.csv").labels == [["bird/owl"], ["bird"]]
    convert(
        tmp_path / "labels.csv",
        tmp_path / "again.csv",
        options=CorpusOptions(path_separator="/"),
        target_options=options,
    )
    assert (tmp_path / "again.csv").read_text() == levels


def test_a_kind_that_the_suffix_does_not_tell(tmp_path):
    (tmp_path / "train.csv").write_text("Data\n1, 2 3:4\n")
    done = convert(tmp_path / "train.csv", tmp_path / "out", options=CorpusOptions(kind="lshtc"))
    assert (done.corpus.labels, done.kind) == ([["1", "2"]], "dataset")


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("file.csv", "files", "a file, but the format 'files' is a folder; give the folder"),
        ("folder", "csv", "a folder, but the format 'csv' is a file; give the file"),
        ("file.csv", "excel", "there is no format 'excel'"),
    ],
)
def test_a_kind_that_does_not_fit(tmp_path, name, kind, reason):
    (tmp_path / "file.csv").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(ValueError, match=reason):
        convert(tmp_path / name, tmp_path / "out", options=CorpusOptions(kind=kind))


def test_the_target_is_looked_at_before_the_source(tmp_path):
    (tmp_path / "t.csv").touch()
    with pytest.raises(FileExistsError):
        convert(tmp_path / "there is no such source", tmp_path / "t.csv")


def test_onto_itself(tmp_path):
    write_corpus(TEXTS, tmp_path / "t")
    with pytest.raises(ValueError, match=r"t:.*then replaced"):
        convert(tmp_path / "t", tmp_path / "t", overwrite=True)
    with pytest.raises(ValueError, match=r"h.tsv:.*then replaced"):
        ANIMALS.to_tsv(tmp_path / "h.tsv")
        convert(tmp_path / "t", tmp_path / "h.tsv", hierarchy=tmp_path / "h.tsv", overwrite=True)
    assert replace(read_corpus(tmp_path / "t"), source=TEXTS.source) == TEXTS


def test_a_hierarchy_of_another_format_and_its_names(tmp_path):
    (tmp_path / "t.csv").write_text("text,labels\nx,C11\n")
    (tmp_path / "topics.orig").write_text("parent: Root child: C11 child-description: PLANS\n")
    convert(tmp_path / "t.csv", tmp_path / "out", hierarchy=tmp_path / "topics.orig")
    assert (tmp_path / "out" / "nodes.tsv").read_text() == "node\tname\tdescription\nC11\tPLANS\t\n"
    assert read_corpus(tmp_path / "out").nodes["C11"].name == "PLANS"
