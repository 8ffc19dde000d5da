"""Frames: pandas, polars, pyarrow, datasets and dicts give one corpus; what is missing is told by its row."""

import importlib

import pandas as pd
import pytest

from classmark import Hierarchy, TextClassifier
from classmark.data import Corpus

COLUMNS = {
    "title": ["A", "B", "C", "D"],
    "text": ["hoots", "cries", None, "swims"],
    "label": ["owl", "gull; owl", None, "cod"],
    "several": [["owl"], ["gull", "owl"], [], None],
    "group": ["bird", "bird", None, "fish"],
    "species": ["owl", None, None, "cod"],
    "number": [1, None, 2, 3],
    "name": ["a", "b", "c", "d"],
    "part": ["train", "train", "test", None],
}
MAKERS = {
    "dict": lambda columns: columns,
    "pandas": lambda columns: importlib.import_module("pandas").DataFrame(columns),
    "polars": lambda columns: importlib.import_module("polars").DataFrame(columns),
    "pyarrow": lambda columns: importlib.import_module("pyarrow").table(columns),
    "datasets": lambda columns: importlib.import_module("datasets").Dataset.from_dict(columns),
}


@pytest.fixture(params=MAKERS)
def kind(request):
    if request.param != "dict":
        pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    return request.param


@pytest.fixture
def frame(kind):
    return MAKERS[kind](COLUMNS)


def test_one_corpus_of_every_frame(frame):
    corpus = Corpus.from_frame(frame, ["title", "text"], id="name", split="part", label_separator=";")
    assert corpus.documents == ["A\nhoots", "B\ncries", "C", "D\nswims"]
    assert corpus.labels == [["owl"], ["gull", "owl"], None, ["cod"]]
    assert corpus.ids == ["a", "b", "c", "d"]
    assert corpus.splits == ["train", "train", "test", None]
    assert corpus.hierarchy is None


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (None, [["owl"], ["gull; owl"], None, ["cod"]]),
        ("several", [["owl"], ["gull", "owl"], [], None]),
        (["group", "species"], [["bird/owl"], ["bird"], None, ["fish/cod"]]),
        ("number", [["1"], None, ["2"], ["3"]]),
    ],
)
def test_every_form_of_labels(frame, labels, expected):
    assert Corpus.from_frame(frame, "title", labels).labels == expected


def test_the_tree_of_paths_and_a_hierarchy(frame, tmp_path):
    assert len(Corpus.from_frame(frame, "title", ["group", "species"]).hierarchy) == 4
    file = tmp_path / "hierarchy.tsv"
    file.write_text("bird\towl\nROOT\tfish\n")
    assert Corpus.from_frame(frame, "title", "group", hierarchy=file).hierarchy.depth == 2


def test_what_is_wrong(frame):
    with pytest.raises(ValueError, match=r"^\w+:2: no text in text"):
        Corpus.from_frame(frame)
    with pytest.raises(ValueError, match=r"no text column 'titel' \(did you mean 'title'\?\); name one of: title, "):
        Corpus.from_frame(frame, "titel")
    with pytest.raises(ValueError, match=r":0: the text is a number; make it a string"):
        Corpus.from_frame(frame, "number")
    with pytest.raises(ValueError, match=r"\w+:1: the label 'gull; owl'.*not in.*hierarchy"):
        Corpus.from_frame(frame, "title", hierarchy=Hierarchy.flat(["owl", "cod"]))


def test_what_is_no_frame():
    with pytest.raises(ValueError, match="a list has no columns to read; give a DataFrame"):
        Corpus.from_frame(["hoots"])
    with pytest.raises(ValueError, match=r"dict: columns of different.*'label' 1 and 'text' 2"):
        Corpus.from_frame({"text": ["a", "b"], "label": ["c"]})
    with pytest.raises(ValueError, match="the frame has no document"):
        Corpus.from_frame({"text": []})
    polars = pytest.importorskip("polars", reason="polars is not installed")
    with pytest.raises(ValueError, match=r"a LazyFrame has no columns to read; collect\(\) it first"):
        Corpus.from_frame(polars.LazyFrame({"text": ["a"]}))


def test_frames_by_split():
    parts = {"train": pd.DataFrame({"text": ["a", "b"], "label": ["x", "y"]}), "test": pd.DataFrame({"text": ["c"]})}
    corpus = Corpus.from_frame(parts)
    assert (corpus.splits, corpus.labels) == (["train", "train", "test"], [["x"], ["y"], None])
    with pytest.raises(ValueError, match=r"^test:0: no text in text"):
        Corpus.from_frame({"train": parts["train"], "test": pd.DataFrame({"text": [None]})})


def test_classes_by_their_names():
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    classes = datasets.ClassLabel(names=["owl", "cod"])
    one = datasets.Features({"text": datasets.Value("string"), "label": classes})
    several = datasets.Features({"text": datasets.Value("string"), "label": datasets.List(classes)})
    parts = datasets.DatasetDict({"test": datasets.Dataset.from_dict({"text": ["a", "b"], "label": [1, -1]}, one)})
    corpus = Corpus.from_frame(parts)
    assert (corpus.labels, corpus.splits) == ([["cod"], None], ["test", "test"])
    dataset = datasets.Dataset.from_dict({"text": ["a"], "label": [[1, 0]]}, several)
    assert Corpus.from_frame(dataset).labels == [["cod", "owl"]]


def test_a_classifier_takes_frames_and_columns(kind):
    if kind in ("dict", "pyarrow"):
        pytest.skip(f"{kind} is not for classifiers")
    texts = ["hoots at night", "cries over the sea", "swims in the sea"]
    frame = MAKERS[kind]({"text": texts, "label": ["owl", "gull", "cod"], "several": [["owl"], ["gull"], ["cod"]]})
    model = TextClassifier("nb").fit(frame["text"], frame["label"])
    assert list(model.predict(frame["text"])) == ["owl", "gull", "cod"]
    model = TextClassifier("nb").fit(frame, "several")
    assert model.predict(frame) == [["owl"], ["gull"], ["cod"]]
    assert model.score(frame, "several") == pytest.approx(1)
    with pytest.raises(ValueError, match="no label column 'labels'"):
        TextClassifier("nb").fit(frame, "labels")


@pytest.mark.parametrize("module", ["pandas", "polars"])
def test_fit_list_of_column_names_with_as_many_rows_reads_the_columns(module):
    frame = pytest.importorskip(module).DataFrame({"text": ["hoots", "cries"], "b": [0, 1], "a": [1, 0]})
    tree = Hierarchy.flat(["a", "b"])
    model = TextClassifier("nb", hierarchy=tree).fit(frame, ["b", "a"])
    assert model.predict(frame).tolist() == [[1, 0], [0, 1]]
    assert model.score(frame, ["a", "b"]) == pytest.approx(1)
    # Names that are no columns are labels, and so are repeated ones.
    assert TextClassifier("nb").fit(frame, ["owl", "gull"]).predict(frame).tolist() == ["owl", "gull"]
    assert TextClassifier("majority").fit(frame, ["a", "a"]).predict(frame).tolist() == ["a", "a"]


def test_fit_list_of_column_names_reads_levels_of_a_path():
    frame = pd.DataFrame({"text": ["hoots", "swims"], "group": ["bird", "fish"], "species": ["owl", None]})
    assert TextClassifier("nb").fit(frame, ["group", "species"]).predict(frame).tolist() == [
        ["bird", "owl"],
        ["fish", ""],
    ]


@pytest.mark.parametrize("module", ["pandas", "polars"])
def test_whole_numbers_with_some_missing(module):
    frames = pytest.importorskip(module, reason=f"{module} is not installed")
    labels = frames.Series([1, None, 2], dtype="Int64" if module == "pandas" else None)
    with pytest.warns(UserWarning, match=r"left out 1 of 3.*are not labelled"):
        model = TextClassifier("nb").fit(["hoots", "cries", "swims"], labels)
    assert list(model.predict(["hoots"])) == [1]


def test_fractions_with_some_missing_are_told_by_the_row():
    with pytest.raises(ValueError, match="Input y contains NaN: document 1 has no label"):
        TextClassifier("nb").fit(["hoots", "cries", "swims"], pd.Series([1, None, 2]))
