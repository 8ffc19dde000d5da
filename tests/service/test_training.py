from pathlib import Path

import msgspec
import pytest

from classmark import TextClassifier
from classmark.data import CorpusOptions
from classmark.explain import explain
from classmark.service import recipes, training
from classmark.service.corpora import read
from classmark.service.recipes import Recipe
from classmark.service.results import plain
from classmark.service.training import fit
from tests.service.animals import NAMES, TREE


class TestTrain:
    def test_result_is_plain_data_about_a_file_that_loads(self, data, tmp_path):
        result = training.train(data, str(tmp_path / "model"))
        assert msgspec.json.decode(msgspec.json.encode(plain(result))) == plain(result)
        assert (result.documents, result.categories) == (5, 7)
        assert TextClassifier.load(result.model).hierarchy_ == TREE

    def test_splits_and_settings(self, data, tmp_path):
        output = str(tmp_path / "model")
        assert training.train(data, output, splits=["train", "test"]).documents == 10
        assert training.train(data, output, Recipe(settings={"max_features": 2})).terms == 2

    def test_train_failing_evaluation_keeps_the_model(self, data, tmp_path, monkeypatch):
        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(training, "evaluate_model", interrupted)
        output = tmp_path / "model"
        with pytest.raises(KeyboardInterrupt):
            training.train(data, str(output), Recipe("mp-boost", settings={"n_estimators": 2}), holdout="40%")
        assert TextClassifier.load(output).method == "mp-boost"
        assert not Path(f"{output}.checkpoint").exists()

    def test_selection(self, data, tmp_path):
        output = str(tmp_path / "model")
        everything = training.train(data, output).terms
        assert training.train(data, output, Recipe(selection="chi-square,n_terms=3")).terms == 3 < everything
        assert TextClassifier.load(output).selection == "chi-square,n_terms=3"

    def test_what_a_vocabulary_says_of_categories_is_saved_with_the_model(self, tmp_path):
        pytest.importorskip("rdflib")
        concepts = ':owl skos:broader :bird ; skos:notation "598.97" .\n:gull skos:broader :bird .\n'
        prefixes = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://a/> .\n"
        (tmp_path / "birds.ttl").write_text(prefixes + concepts)
        (tmp_path / "birds.csv").write_text("text,labels\nhoots at night,owl\ncries over the sea,gull\n")
        file = str(tmp_path / "model")
        training.train(str(tmp_path / "birds.csv"), file, hierarchy=str(tmp_path / "birds.ttl"))
        loaded = TextClassifier.load(file)
        assert loaded.uris == {name: f"http://a/{name}" for name in ("bird", "owl", "gull")}
        assert loaded.notations == {"owl": "598.97"}

    def test_titles_are_saved_with_the_model(self, data, tmp_path):
        Path(data, "nodes.tsv").write_text(NAMES)
        training.train(data, str(tmp_path / "model"))
        loaded = TextClassifier.load(tmp_path / "model")
        assert loaded.titles == {"owl": "tawny owl", "bird": "feathered"}
        assert explain(loaded, "hoots")[0].path == ["animal", "bird feathered", "owl tawny owl"]

    def test_a_missing_folder_is_found_out_before_documents_are_read(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="no such folder"):
            training.train("no documents there", str(tmp_path / "missing" / "model"))

    @pytest.mark.parametrize("name", ["docs.jsonl", "hierarchy.tsv"])
    def test_what_is_read_is_not_written_over(self, data, name):
        file = Path(data, name)
        before = file.read_bytes()
        with pytest.raises(ValueError, match=rf"{name}:.*then replaced"):
            training.train(data, str(file))
        with pytest.raises(ValueError, match=rf"{name}:.*then replaced"):
            training.train(str(Path(data, "docs.jsonl")), str(file), hierarchy=str(Path(data, "hierarchy.tsv")))
        assert file.read_bytes() == before

    @pytest.mark.parametrize("given", [None, "options", "hierarchy"])
    def test_labels_that_look_like_paths(self, tmp_path, given, recwarn):
        (tmp_path / "docs.csv").write_text("text,labels\nhoots,bird/owl\nswims,fish/cod\n")
        options = CorpusOptions(path_separator="/" if given == "options" else None)
        (tmp_path / "hierarchy.tsv").write_text("ROOT\tbird/owl\nROOT\tfish/cod\n")
        tree = str(tmp_path / "hierarchy.tsv") if given == "hierarchy" else None
        training.train(str(tmp_path / "docs.csv"), str(tmp_path / "model"), hierarchy=tree, options=options)
        said = [str(warning.message) for warning in recwarn]
        assert [line[:31] for line in said] == ["2 of 2 labels have '/' in them,"] * (given is None)


def test_demo_refuses_a_place_that_cannot_be_written_before_it_reads_anything(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "load_docstrings", lambda: pytest.fail("it read"))
    with pytest.raises(IsADirectoryError, match="a folder"):
        training.demo(str(tmp_path))


def test_names_are_documents_too(tmp_path):
    """A category without a document is answered by its name."""
    data = tmp_path / "birds.csv"
    data.write_text("text,labels\nhoots at night,owl\ncries over the sea,gull\n")
    (tmp_path / "hierarchy.tsv").write_text("ROOT\towl\nROOT\tgull\nROOT\tblue_tit\n")
    corpus = read(str(data), str(tmp_path / "hierarchy.tsv"))
    model, _ = fit(corpus, recipes.Recipe("topdown-svm", names=True))
    assert model.predict(["A tit, and blue", "the owl"]) == [["blue_tit"], ["owl"]]
    without, _ = fit(corpus, recipes.Recipe("topdown-svm"))
    assert "tit" not in without.vectoriser_.vocabulary_


def test_names_do_not_go_with_features(tmp_path):
    data = tmp_path / "features.jsonl"
    data.write_text('{"id": "1", "features": {"a": 1}, "labels": ["x"]}\n')
    with pytest.raises(ValueError, match=r"features\.jsonl: names are texts, and some documents are features"):
        fit(read(str(data)), recipes.Recipe(names=True))
