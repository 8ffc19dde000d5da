import io
import json
import sys
from collections import deque
from itertools import count, islice

import numpy as np
import pytest

from classmark import TextClassifier
from classmark import base as classmark_base
from classmark.cli.console import print_lines
from classmark.data import CorpusOptions
from classmark.service import answering
from classmark.service.predictions import write_answers
from tests.memory import peak_of
from tests.service.animals import LABELS, TEXTS, TREE, answered, numbered

OPTIONS = CorpusOptions()
MEGABYTE = 10**6
ASKED = [
    {},
    {"leaves": True},
    {"scores": True},
    {"top": 2},
    {"top": 2, "scores": True},
    {"probabilities": True},
    {"scores": True, "probabilities": True, "leaves": True},
]


class TestPredict:
    @pytest.mark.parametrize("leaves", [False, True])
    def test_labels_and_scores_are_the_models(self, model, leaves):
        answers = list(answered(model, numbered(TEXTS), leaves=leaves, scores=True))
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
        for row, answer in enumerate(answered(model, numbered(TEXTS), top=3)):
            best = sorted(ends, key=lambda node: -scores[row, node])[:3]
            assert answer == {"id": str(row), "labels": [TREE.names[node] for node in best]}

    @pytest.mark.parametrize("size", [1, 2, 5, 6])
    def test_batches_change_nothing(self, model, monkeypatch, size):
        whole = list(answered(model, numbered(TEXTS), scores=True))
        monkeypatch.setattr(answering, "DOCUMENTS_IN_A_BATCH", size)
        parts = list(answered(model, numbered(TEXTS), scores=True))
        assert [(answer["id"], answer["labels"]) for answer in parts] == [(a["id"], a["labels"]) for a in whole]
        for part, one in zip(parts, whole, strict=True):
            assert part["scores"] == pytest.approx(one["scores"])

    def test_documents_may_never_end(self, model):
        endless = ((str(number), "hoots") for number in count())
        first = list(islice(answered(model, endless), 3))
        assert first == [{"id": str(number), "labels": ["animal", "bird", "owl"]} for number in range(3)]

    def test_no_documents(self, model):
        assert list(answered(model, [])) == []


class TestScoredOnce:
    @pytest.mark.parametrize("method", ["linear-svm", "topdown-svm", "knn-bm25", "nb"])
    @pytest.mark.parametrize("asked", ASKED, ids=" ".join)
    def test_a_document_is_scored_once_whatever_is_asked(self, method, asked, scored):
        given = {"calibration": "softmax"} if "probabilities" in asked else {}
        model = TextClassifier(method, hierarchy=TREE, **given).fit(TEXTS * 2, LABELS * 2)
        list(answered(model, numbered(TEXTS), **asked))
        assert scored.by(model.classifier_) == len(TEXTS)

    @pytest.mark.parametrize("asked", [{}, {"scores": True}, {"top": 5, "scores": True}, {"leaves": True}])
    def test_neighbours_write_down_no_score_that_nobody_asks_for(self, many_categories, asked):
        # 400 documents and 8,000 categories: dense scores alone would take 26 MB.
        assert peak_of(lambda: list(answered(*many_categories, **asked))) < 10 * MEGABYTE

    def test_dense_scores_come_some_documents_at_a_time(self, many_categories, monkeypatch):
        neighbours, documents = many_categories
        model = TextClassifier("majority", hierarchy=neighbours.hierarchy_)
        model.fit(["word"] * 2, list(neighbours.hierarchy_.names[-2:]))
        monkeypatch.setattr(classmark_base, "SCORES_IN_A_BATCH", 10 * len(model.hierarchy_))
        assert peak_of(lambda: list(answered(model, documents, scores=True))) < 10 * MEGABYTE

    def test_many_best_categories_come_of_fewer_documents_at_a_time(self, many_categories, monkeypatch):
        model, documents = many_categories
        whole = list(answered(model, documents[:50], top=8000))
        monkeypatch.setattr(answering, "SCORES_IN_A_BATCH", 24_000)
        assert peak_of(lambda: deque(answered(model, documents[:50], top=8000), maxlen=1)) < 3 * MEGABYTE
        assert list(answered(model, documents[:50], top=8000)) == whole


class TestWritePredictions:
    def test_to_a_file_and_to_standard_output(self, tmp_path, capfdbinary):
        answers = [{"id": "ä", "labels": ["x"]}, {"id": "b", "labels": []}]
        write_answers(answers, str(tmp_path / "answers"))
        print_lines(answers)
        sys.stdout.flush()
        expected = '{"id":"ä","labels":["x"]}\n{"id":"b","labels":[]}\n'.encode()
        assert (tmp_path / "answers").read_bytes() == capfdbinary.readouterr().out == expected

    def test_a_failure_half_way_leaves_the_old_file_alone(self, tmp_path):
        def answers():
            yield {"id": "a", "labels": []}
            raise ValueError("bad line")

        (tmp_path / "answers").write_text("old")
        with pytest.raises(ValueError, match="bad line"):
            write_answers(answers(), str(tmp_path / "answers"))
        assert (tmp_path / "answers").read_text() == "old"
        assert list(tmp_path.iterdir()) == [tmp_path / "answers"]

    @pytest.mark.parametrize("place", ["new.csv", "./new.csv", "link"])
    def test_what_is_read_is_not_written_over(self, tmp_path, monkeypatch, place):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "new.csv").write_text("text\nhoots\n")
        (tmp_path / "link").symlink_to("new.csv")
        answers = (pytest.fail("it classified") for _ in range(1))
        with pytest.raises(ValueError, match=rf"{place}:.*then replaced"):
            write_answers(answers, place, "new.csv", "model.classmark")
        assert (tmp_path / "new.csv").read_text() == "text\nhoots\n"

    def test_standard_input_is_no_file(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        write_answers([], "answers", "-")
        assert (tmp_path / "answers").read_bytes() == b""


class TestReadLines:
    def test_objects_and_plain_lines(self):
        lines = [b'{"id": "a", "text": "one"}\n', b"two \r\n", b" \n", b'\t{"text": "four"}\n', b"[5]"]
        found = [("a", "one"), ("2", "two "), ("4", "four"), ("5", "[5]")]
        assert list(answering.read_lines(lines, OPTIONS)) == found

    def test_a_byte_order_mark_is_no_text(self):
        assert list(answering.read_lines([b"\xef\xbb\xbfone"], OPTIONS)) == [("1", "one")]
        assert list(answering.read_lines([b'\xef\xbb\xbf{"text": "one"}'], OPTIONS)) == [("1", "one")]

    def test_columns(self):
        options = CorpusOptions(text_column="body", id_column="key")
        assert list(answering.read_lines([b'{"key": 7, "body": "one"}'], options)) == [("7", "one")]

    @pytest.mark.parametrize("line", [b"\xff", b'{"text": "\xff"}', b"{", b"{}"])
    def test_a_bad_line_is_named(self, line):
        lines = answering.read_lines([b"fine\n", line], OPTIONS)
        assert next(lines) == ("1", "fine")
        with pytest.raises(ValueError, match=r"^standard input:2: "):
            next(lines)


class TestDocumentsFor:
    def test_a_corpus(self, model, data):
        found = list(answering.documents_for(model, data, OPTIONS, ["train"]))
        assert found == [(f"train{row}", text) for row, text in enumerate(TEXTS)]

    def test_the_texts_stay_in_the_file(self, model, tmp_path):
        with (tmp_path / "long.jsonl").open("w") as file:
            for number in range(100):
                file.write(json.dumps({"id": f"{number}", "text": f"{number} " * 50_000}) + "\n")
        found = answering.documents_for(model, str(tmp_path / "long.jsonl"), OPTIONS, None)
        assert peak_of(lambda: deque(found, maxlen=1)) < 5 * MEGABYTE

    def test_standard_input(self, model, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"hoots\n")))
        assert list(answering.documents_for(model, "-", OPTIONS, None)) == [("1", "hoots")]
