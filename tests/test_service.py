import io
import json
import sys
from itertools import count, islice

import msgspec
import numpy as np
import pytest

from classmark import Hierarchy, TextClassifier, service
from classmark.data import Corpus, CorpusOptions

TREE = Hierarchy.from_nested({"animal": {"bird": ["owl", "gull"], "fish": None}, "plant": ["oak"]})
TEXTS = ["hoots at night", "cries over the sea", "swims in the sea", "grows acorns", "an owl in the oak at night"]
LABELS = [["owl"], ["gull"], ["fish"], ["oak"], ["owl", "oak"]]
OPTIONS = CorpusOptions()


@pytest.fixture(scope="module")
def model():
    return TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS)


@pytest.fixture
def data(tmp_path):
    """The texts as a dataset folder, all of them to train and all of them to test."""
    with (tmp_path / "docs.jsonl").open("w") as file:
        for split in ("train", "test"):
            for number, (text, labels) in enumerate(zip(TEXTS, LABELS, strict=True)):
                document = {"id": f"{split}{number}", "text": text, "labels": labels, "split": split}
                file.write(json.dumps(document) + "\n")
    TREE.to_tsv(tmp_path / "hierarchy.tsv")
    return str(tmp_path)


def corpus_of(labels):
    size = len(labels)
    return Corpus([str(row) for row in range(size)], TEXTS[:size], labels, [None] * size, TREE, "a corpus")


def numbered(texts):
    return [(str(number), text) for number, text in enumerate(texts)]


class TestTrain:
    def test_result_is_plain_data_about_a_file_that_loads(self, data, tmp_path):
        result = service.train(data, str(tmp_path / "model"))
        assert msgspec.json.decode(msgspec.json.encode(result)) == result
        assert (result["documents"], result["categories"]) == (5, 7)
        assert TextClassifier.load(result["model"]).hierarchy_ == TREE

    def test_splits_and_settings(self, data, tmp_path):
        output = str(tmp_path / "model")
        assert service.train(data, output, splits=["train", "test"])["documents"] == 10
        assert service.train(data, output, settings={"max_features": 2})["terms"] == 2

    @pytest.mark.parametrize(
        ("wrong", "words"),
        [
            ({"method": "nonsense"}, "method 'nonsense' does not exist"),
            ({"settings": {"nonsense": 1}}, "no setting 'nonsense'"),
            ({"decision": "nonsense"}, "decision 'nonsense' does not exist"),
            ({"jobs": 0}, "jobs is 0"),
        ],
    )
    def test_a_wrong_request_is_found_out_before_documents_are_read(self, tmp_path, wrong, words):
        with pytest.raises(ValueError, match=words):
            service.train("no documents there", str(tmp_path / "model"), **wrong)

    def test_a_missing_folder_is_found_out_before_documents_are_read(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="no such folder"):
            service.train("no documents there", str(tmp_path / "missing" / "model"))


class TestPredict:
    @pytest.mark.parametrize("leaves", [False, True])
    def test_labels_and_scores_are_the_models(self, model, leaves):
        answers = list(service.predict(model, numbered(TEXTS), leaves=leaves, scores=True))
        scores = model.node_scores(TEXTS)
        labels = model.predict_indicator(TEXTS)
        expected = (model.hierarchy_.own(labels) if leaves else labels).toarray()
        for row, answer in enumerate(answers):
            nodes = np.flatnonzero(expected[row])
            assert answer == {
                "id": str(row),
                "labels": [TREE.names[node] for node in nodes],
                "scores": {TREE.names[node]: scores[row, node] for node in nodes},
            }

    def test_top_by_sorting(self, model):
        scores = model.node_scores(TEXTS)
        ends = [TREE.position(name) for name in ("fish", "oak", "owl", "gull")]
        for row, answer in enumerate(service.predict(model, numbered(TEXTS), top=3)):
            best = sorted(ends, key=lambda node: -scores[row, node])[:3]
            assert answer == {"id": str(row), "labels": [TREE.names[node] for node in best]}

    @pytest.mark.parametrize("size", [1, 2, 5, 6])
    def test_batches_change_nothing(self, model, monkeypatch, size):
        whole = list(service.predict(model, numbered(TEXTS), scores=True))
        monkeypatch.setattr(service, "DOCUMENTS_IN_A_BATCH", size)
        parts = list(service.predict(model, numbered(TEXTS), scores=True))
        assert [(answer["id"], answer["labels"]) for answer in parts] == [(a["id"], a["labels"]) for a in whole]
        for part, one in zip(parts, whole, strict=True):
            assert part["scores"] == pytest.approx(one["scores"])

    def test_documents_may_never_end(self, model):
        endless = ((str(number), "hoots") for number in count())
        first = list(islice(service.predict(model, endless), 3))
        assert first == [{"id": str(number), "labels": ["animal", "bird", "owl"]} for number in range(3)]

    def test_no_documents(self, model):
        assert list(service.predict(model, [])) == []


class TestWritePredictions:
    def test_to_a_file_and_to_standard_output(self, tmp_path, capfdbinary):
        answers = [{"id": "ä", "labels": ["x"]}, {"id": "b", "labels": []}]
        service.write_predictions(answers, str(tmp_path / "answers"))
        service.write_predictions(answers, None)
        sys.stdout.flush()
        expected = '{"id":"ä","labels":["x"]}\n{"id":"b","labels":[]}\n'.encode()
        assert (tmp_path / "answers").read_bytes() == capfdbinary.readouterr().out == expected

    def test_a_failure_half_way_leaves_the_old_file_alone(self, tmp_path):
        def answers():
            yield {"id": "a", "labels": []}
            raise ValueError("bad line")

        (tmp_path / "answers").write_text("old")
        with pytest.raises(ValueError, match="bad line"):
            service.write_predictions(answers(), str(tmp_path / "answers"))
        assert (tmp_path / "answers").read_text() == "old"
        assert list(tmp_path.iterdir()) == [tmp_path / "answers"]


class TestReadLines:
    def test_objects_and_plain_lines(self):
        lines = [b'{"id": "a", "text": "one"}\n', b"two \r\n", b" \n", b'\t{"text": "four"}\n', b"[5]"]
        found = [("a", "one"), ("2", "two "), ("4", "four"), ("5", "[5]")]
        assert list(service.read_lines(lines, OPTIONS)) == found

    def test_a_byte_order_mark_is_no_text(self):
        assert list(service.read_lines([b"\xef\xbb\xbfone"], OPTIONS)) == [("1", "one")]
        assert list(service.read_lines([b'\xef\xbb\xbf{"text": "one"}'], OPTIONS)) == [("1", "one")]

    def test_columns(self):
        options = CorpusOptions(text_column="body", id_column="key")
        assert list(service.read_lines([b'{"key": 7, "body": "one"}'], options)) == [("7", "one")]

    @pytest.mark.parametrize("line", [b"\xff", b'{"text": "\xff"}', b"{", b"{}"])
    def test_a_bad_line_is_named(self, line):
        lines = service.read_lines([b"fine\n", line], OPTIONS)
        assert next(lines) == ("1", "fine")
        with pytest.raises(ValueError, match=r"^standard input:2: "):
            next(lines)


class TestEvaluate:
    def test_perfect_answers(self, model):
        own = [answer["labels"] for answer in service.predict(model, numbered(TEXTS), leaves=True)]
        found = service.evaluate(model, corpus_of(own))
        assert found["documents"] == 5
        assert found["leaves"]["micro_f1"] == found["hierarchical"]["hf"] == found["subset_accuracy"] == 1
        assert found["hamming_loss"] == 0
        assert "left_out" not in found

    def test_one_answer_by_hand(self, model):
        assert [answer["labels"] for answer in service.predict(model, [("", TEXTS[0])])] == [["animal", "bird", "owl"]]
        found = service.evaluate(model, corpus_of([["gull"]]))
        # animal and bird are right, owl is wrong, gull is missing: 2 of 3 both ways, and 2 of 7 nodes differ.
        assert found["hierarchical"]["hf"] == pytest.approx(2 / 3)
        assert found["hamming_loss"] == pytest.approx(2 / 7)
        assert (found["leaves"]["micro_f1"], found["first"]["accuracy"]) == (0, 0)

    def test_documents_that_are_not_labelled_are_left_out(self, model):
        some = service.evaluate(model, corpus_of([["owl"], None, ["fish"], None, None]))
        assert (some["documents"], some["left_out"]) == (2, 3)

    def test_nothing_labelled(self, model):
        with pytest.raises(ValueError, match="a corpus: no labelled document to evaluate on"):
            service.evaluate(model, corpus_of([None, None]))


class TestReadFor:
    def test_the_usual_split(self, model, data):
        assert service.read_for(model, data, OPTIONS, None).ids == [f"test{row}" for row in range(5)]
        assert service.read_for(model, data, OPTIONS, ["train"]).ids == [f"train{row}" for row in range(5)]

    def test_a_file_is_held_against_the_models_hierarchy(self, model, tmp_path):
        (tmp_path / "new.csv").write_text("text,labels\nhoots,emu\n")
        with pytest.raises(ValueError, match="the label 'emu' is not in the hierarchy"):
            service.read_for(model, str(tmp_path / "new.csv"), OPTIONS, None)

    def test_documents_from_standard_input(self, model, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"hoots\n")))
        assert list(service.documents_for(model, "-", OPTIONS, None)) == [("1", "hoots")]


class TestCheckSame:
    def test_order_is_no_difference(self):
        service.check_same(TREE, Hierarchy.from_edges(reversed(TREE.edges())), "here")

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
            service.check_same(trained, Hierarchy.from_edges(edges), "here")


class TestInfo:
    @pytest.mark.parametrize("name", ["model.classmark", "model", "model.csv"])
    def test_a_model_by_any_name(self, model, tmp_path, name):
        model.save(tmp_path / name)
        described, hierarchy = service.info(str(tmp_path / name))
        assert (described["method"], hierarchy) == ("linear-svm", TREE)

    @pytest.mark.parametrize("size", [1, 1000])
    def test_a_table_is_no_model_however_short_or_long(self, tmp_path, size):
        (tmp_path / "docs.csv").write_text("text\n" + "an owl\n" * size)
        assert service.info(str(tmp_path / "docs.csv"))[0]["documents"] == size

    def test_a_corpus(self, data):
        described, hierarchy = service.info(data)
        assert (described["documents"], described["splits"]) == (10, {"train": 5, "test": 5})
        assert hierarchy == TREE

    def test_nothing_there(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="no such file or folder"):
            service.info(str(tmp_path / "missing.classmark"))


class TestMethods:
    def test_settings_have_defaults_and_words(self):
        (svm,) = service.methods("linear-svm")
        settings = {setting["name"]: setting for setting in svm["settings"]}
        assert settings["C"]["default"] == 1
        assert settings["stemmer"]["default"] == "language"
        assert all(setting["description"] for setting in svm["settings"])

    def test_all_of_them_are_plain_data(self):
        listed = service.methods()
        assert msgspec.json.decode(msgspec.json.encode(listed)) == listed
        assert len(listed) > 1

    def test_an_unknown_one(self):
        with pytest.raises(ValueError, match="method 'nonsense' does not exist"):
            service.methods("nonsense")


def test_demo_refuses_a_place_that_cannot_be_written_before_it_reads_anything(tmp_path, monkeypatch):
    monkeypatch.setattr(service, "load_docstrings", lambda: pytest.fail("it read"))
    with pytest.raises(IsADirectoryError, match="a folder"):
        service.demo(str(tmp_path))
