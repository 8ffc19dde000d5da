from dataclasses import asdict

import pytest

from classmark import Hierarchy, TextClassifier, metrics
from classmark.labels import encode
from classmark.service import comparing
from classmark.service.comparing import compare
from classmark.service.corpora import read
from classmark.service.recipes import Recipe
from classmark.service.results import plain
from tests.service.animals import LABELS, TEXTS, TREE, evaluated, write_dataset

FIGURES = {"method", "micro_f1", "macro_f1", "hf", "train_seconds", "predict_seconds", "megabytes"}


def compared(data, *methods, **asked):
    """Compare methods, and give the rows as plain data."""
    return plain(compare(data, methods, **asked))


class TestCompare:
    @pytest.mark.filterwarnings("ignore:the model was trained on")
    def test_figures_are_those_of_training_and_evaluating(self, data):
        rows = compared(data, "majority", "linear-svm", "linear-svm+best-path")
        assert [row["method"] for row in rows] == ["majority", "linear-svm", "linear-svm+best-path"]
        corpus = read(data)
        for row, decision in zip(rows, (None, None, "best-path"), strict=True):
            model = TextClassifier(row["method"].split("+")[0], hierarchy=TREE, decision=decision).fit(TEXTS, LABELS)
            found = evaluated(model, corpus.select(["test"]))
            assert row["micro_f1"] == found["leaves"]["micro_f1"]
            assert row["macro_f1"] == found["leaves"]["macro_f1"]
            assert row["hf"] == found["hierarchical"]["hf"]
            assert set(row) - {"significance"} == FIGURES
            assert min(row["train_seconds"], row["predict_seconds"], row["megabytes"]) > 0

    def test_megabytes_are_those_of_the_file(self, data, model, tmp_path):
        model.save(tmp_path / "model")
        (row,) = compared(data, "linear-svm")
        assert row["megabytes"] == (tmp_path / "model").stat().st_size / 1e6

    def test_every_method_scores_a_document_once(self, data, scored):
        compared(data, "linear-svm", "topdown-svm+best-path", "knn-bm25")
        assert scored.by_each() == [len(TEXTS)] * 3

    def test_the_first_is_the_baseline(self, data):
        rows = compared(data, "majority", "linear-svm", "majority")
        assert "significance" not in rows[0]
        majority, svm = (
            TextClassifier(name, hierarchy=TREE).fit(TEXTS, LABELS).predict_indicator(TEXTS)
            for name in ("majority", "linear-svm")
        )
        true = TREE.close(encode(LABELS, TREE).indicator)
        expected = {
            "micro_sign_test": asdict(metrics.micro_sign_test(true, svm, majority, TREE.leaves)),
            "macro_t_test": asdict(metrics.macro_t_test(true, svm, majority, TREE.leaves)),
            "bootstrap_hf": asdict(metrics.paired_bootstrap(true, svm, majority, "hf", hierarchy=TREE)),
        }
        assert rows[1]["significance"] == expected
        assert [test["p_value"] for test in rows[2]["significance"].values()] == [1, 1, 1]

    def test_every_method_gets_the_same_documents(self, data, monkeypatch):
        seen = []

        def spy(name):
            real = getattr(comparing, name)

            def call(*arguments):
                seen.extend((name, argument.ids) for argument in arguments if hasattr(argument, "ids"))
                return real(*arguments)

            monkeypatch.setattr(comparing, name, call)

        spy("fit")
        spy("judge")
        compared(data, "linear-svm", "logistic", "majority")
        expected = [("fit", [f"train{row}" for row in range(5)]), ("judge", [f"test{row}" for row in range(5)])]
        assert seen == expected * 3

    def test_splits(self, data):
        (row,) = compared(data, "linear-svm", train=["train", "test"], test=["train"])
        model = TextClassifier(hierarchy=TREE).fit(TEXTS * 2, LABELS * 2)
        assert row["hf"] == model.score(TEXTS, LABELS)

    def test_the_same_seed_gives_the_same_figures(self, data):
        rows = [compared(data, "majority", "linear-svm") for _ in range(2)]
        for one, other in zip(*rows, strict=True):
            assert all(one[key] == other[key] for key in one if not key.endswith("seconds"))

    def test_without_a_hierarchy_a_label_may_be_in_the_test_documents_alone(self, tmp_path):
        (tmp_path / "docs.csv").write_text("text,label,split\nhoots,owl,train\nswims,cod,train\nhops,frog,test\n")
        (row,) = compared(str(tmp_path / "docs.csv"), "linear-svm")
        assert (row["micro_f1"], row["hf"]) == (0, 0)


class TestRefusals:
    @pytest.fixture(autouse=True)
    def nothing_is_learned(self, monkeypatch):
        monkeypatch.setattr(comparing, "fit", lambda *_: pytest.fail("it trained"))

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("nonsense", "unknown method 'nonsense'"),
            ("linear-svm+nonsense", "unknown decision 'nonsense'. Choose one of auto, threshold"),
            ("", "unknown method ''"),
        ],
    )
    def test_an_unknown_method_or_decision_before_anything_is_read(self, name, words):
        with pytest.raises(ValueError, match=words):
            compared("nothing there", "linear-svm", name)

    def test_an_unknown_selection(self):
        with pytest.raises(ValueError, match="unknown selection 'nonsense'"):
            compared("nothing there", "linear-svm", shared=Recipe(selection="nonsense"))

    @pytest.mark.parametrize("part", ["train", "test"])
    def test_an_unknown_split(self, data, part):
        with pytest.raises(ValueError, match=r"no document.*split 'dev'; there is 'test', 'train'"):
            compared(data, "linear-svm", **{part: ["dev"]})

    def test_no_labelled_document_to_test_on(self, tmp_path):
        (tmp_path / "docs.csv").write_text("text,label,split\nhoots,owl,train\nswims,,test\n")
        with pytest.raises(ValueError, match="no labelled document"):
            compared(str(tmp_path / "docs.csv"), "linear-svm")

    def test_labels_that_the_hierarchy_does_not_have(self, tmp_path):
        data = write_dataset(tmp_path, Hierarchy.flat(["owl", "oak"]))
        with pytest.raises(ValueError, match=r"the label 'gull' .* drop unknown labels"):
            compared(data, "linear-svm")
