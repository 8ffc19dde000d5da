import csv
import io
import re

import pytest

from classmark.cli.figures import COLUMNS, TESTS

METHODS = "linear-svm,logistic,majority,linear-svm+best-path"


@pytest.fixture
def coins(folder):
    """Two categories that one word tells apart, as often heads as tails: majority is wrong about half."""
    sides = [("a king's head", "heads"), ("an eagle's tail", "tails")] * 20
    documents = [
        {"id": f"{split}{number}", "text": text, "labels": [label], "split": split}
        for split in ("train", "test")
        for number, (text, label) in enumerate(sides)
    ]
    return folder("coins", documents, "ROOT\theads\nROOT\ttails\n")


def without_seconds(rows):
    return [{key: value for key, value in row.items() if not key.endswith("seconds")} for row in rows]


def markdown_cells(said):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in said.splitlines() if line.startswith("|")]


def test_a_row_a_method_in_the_order_asked_for(run, animals):
    rows = run("compare", animals, "-m", METHODS, "--format", "json").json
    assert [row["method"] for row in rows] == METHODS.split(",")
    assert ["significance" in row for row in rows] == [False, True, True, True]
    assert all(set(row) - {"significance"} == {"method", *COLUMNS} for row in rows)


def test_figures_are_those_of_train_and_evaluate(run, animals):
    for row in run("compare", animals, "-m", METHODS, "--format", "json").json:
        method, _, decision = row["method"].partition("+")
        run("train", animals, "-o", "model", "-m", method, *(["--decision", decision] if decision else []))
        found = run("evaluate", "model", animals, "--json").json
        assert row["micro_f1"] == found["leaves"]["micro_f1"]
        assert row["macro_f1"] == found["leaves"]["macro_f1"]
        assert row["hf"] == found["hierarchical"]["hf"]


def test_tests_are_those_of_evaluate_against(run, animals):
    for method in ("majority", "linear-svm"):
        run("train", animals, "-o", method, "-m", method)
    found = run("evaluate", "linear-svm", animals, "--json", "--against", "majority").json
    rows = run("compare", animals, "-m", "majority, linear-svm", "--format", "json").json
    assert rows[1]["significance"] == found["significance"]


def test_csv(run, animals):
    rows = run("compare", animals, "-m", METHODS, "--format", "json").json
    said = run("compare", animals, "-m", METHODS, "--format", "csv").out
    table = list(csv.DictReader(io.StringIO(said)))
    assert list(table[0]) == ["method", *COLUMNS, *(f"{column}_p" for column in TESTS)]
    for cells, row in zip(table, rows, strict=True):
        assert cells["method"] == row["method"]
        for column, test in TESTS.items():
            assert float(cells[column]) == row[column]
            expected = row["significance"][test]["p_value"] if "significance" in row else ""
            assert cells[f"{column}_p"] == str(expected)


def test_markdown(run, animals):
    rows = run("compare", animals, "-m", METHODS, "--format", "json").json
    said = run("compare", animals, "-m", METHODS).out
    header, rule, *cells = markdown_cells(said)
    assert header == ["method", *(column.replace("_", " ") for column in COLUMNS)]
    assert all(re.fullmatch(r"-+:?", cell) for cell in rule)
    assert [line[0] for line in cells] == METHODS.split(",")
    for line, row in zip(cells, rows, strict=True):
        assert [cell[:5] for cell in line[1:4]] == [f"{row[column]:.3f}" for column in TESTS]
    widths = {len(line) for line in said.splitlines() if line.startswith("|")}
    assert len(widths) == 1
    assert said.endswith("\n▲ ▼: better or worse than linear-svm, p < 0.05\n")


def test_one_method_is_compared_with_nothing(run, animals):
    said = run("compare", animals, "-m", "majority").out
    assert len(markdown_cells(said)) == 3
    assert "▲" not in said


@pytest.mark.parametrize(
    ("first", "second", "mark"), [("majority", "linear-svm", "▲"), ("linear-svm", "majority", "▼")]
)
def test_marks_stand_where_a_difference_is_more_than_chance(run, coins, first, second, mark):
    methods = f"{first},{second},{first}"
    rows = run("compare", coins, "-m", methods, "--format", "json").json
    # 20 of 40 documents differ, in both of their decisions; but there are only two categories.
    values = [rows[1]["significance"][test]["p_value"] for test in TESTS.values()]
    assert [value < 0.05 for value in values] == [True, False, True]
    _, _, *cells = markdown_cells(run("compare", coins, "-m", methods).out)
    marks = [["".join(re.findall("[▲▼]", cell)) for cell in line] for line in cells]
    assert marks == [[""] * 7, ["", mark, "", mark, "", "", ""], [""] * 7]


def test_splits(run, animals):
    usual = run("compare", animals, "-m", "linear-svm", "--format", "json").json
    named = ["--train-split", "train", "--test-split", "test"]
    assert without_seconds(run("compare", animals, "-m", "linear-svm", "--format", "json", *named).json) == (
        without_seconds(usual)
    )
    seen = ["--train-split", "train,test", "--test-split", "train"]
    assert run("compare", animals, "-m", "linear-svm", "--format", "json", *seen).json[0]["hf"] > usual[0]["hf"]


def test_selection_and_seed(run, animals):
    options = ["-m", "linear-svm", "--format", "json"]
    whole, small = (
        run("compare", animals, *options, *more).json[0] for more in ([], ["--select", "chi-square,n_terms=3"])
    )
    assert small["megabytes"] < whole["megabytes"]
    assert without_seconds(run("compare", animals, *options, "--seed", "0", "--jobs", "2").json) == (
        without_seconds([whole])
    )


def test_a_corpus_by_name(run):
    (row,) = run("compare", "docstrings", "-m", "majority", "--format", "json").json
    assert 0 < row["hf"] < 0.5


class TestRefusals:
    @pytest.fixture(autouse=True)
    def nothing_is_learned(self, monkeypatch):
        monkeypatch.setattr("classmark.service.comparing.fit", lambda *_: pytest.fail("it trained"))

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["-m", "linear-svm,nonsense"], "unknown method 'nonsense'"),
            (
                ["-m", "linear-svm,logistic+nonsense"],
                r"unknown decision 'nonsense'.*auto, threshold, ",
            ),
            (["-m", "linear-svm,"], "unknown method ''"),
            (["-m", "linear-svm", "--format", "html"], "unknown format 'html'. Choose one of markdown, csv, js"),
            (["-m", "linear-svm", "--train-split", "dev"], "no document has the split 'dev'; there is 'test', 'train'"),
            (["-m", "linear-svm", "--test-split", "dev"], "no document has the split 'dev'; there is 'test', 'train'"),
            (["-m", "linear-svm", "--select", "nonsense"], "unknown selection 'nonsense'"),
            (["-m", "linear-svm", "--jobs", "0"], "jobs=0"),
            (["-m", "linear-svm", "--hierarchy", "missing.tsv"], r"missing\.tsv:.*no such hierarchy"),
            ([], "'--methods' / '-m'"),
        ],
    )
    def test_a_wrong_request(self, refused, animals, options, words):
        assert re.search(words, refused("compare", animals, *options))

    def test_missing_documents(self, refused):
        assert re.search(r"missing:.*no such file", refused("compare", "missing", "-m", "majority"))


def test_documents_without_splits_are_held_out(run, refused, folder, documents):
    data = folder("one", [{key: one[key] for key in ("id", "text", "labels")} for one in documents])
    rows = run("compare", data, "-m", "majority,linear-svm", "--holdout", "30%", "--format", "json").json
    assert [row["method"] for row in rows] == ["majority", "linear-svm"]
    assert "hold some out (--holdout 20%)" in refused("compare", data, "-m", "majority")


def test_settings(run, refused, animals):
    both = ("compare", animals, "-m", "linear-svm,nb", "--format", "json")
    plain, set_ = run(*both).json, run(*both, "--set", "linear-svm.C=0.001", "--set", "stemmer=none").json
    assert plain[0]["hf"] != set_[0]["hf"]
    wrong = refused(*both, "--set", "knn-bm25.k=3")
    assert wrong == "classmark: setting knn-bm25.k: knn-bm25 is not compared; choose one of linear-svm, nb\n"
