"""Reports: whole and consistent whatever the model and the documents are."""

import json
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from classmark import Hierarchy, TextClassifier, check_corpus, make_report
from classmark.data import Corpus
from classmark.report import Report
from classmark.report.page import page
from classmark.service.judging import evaluate_model
from classmark.service.results import plain
from tests.encoders import settings_for
from tests.service.reporting.birds import GRAPH, TREE, birds

pytestmark = pytest.mark.filterwarnings("ignore:(the .*model was trained on|left out)")


def trained(method: str, corpus: Corpus, **given: object) -> TextClassifier:
    train = corpus.select(["train"])
    return TextClassifier(method, hierarchy=corpus.hierarchy, **given).fit(train.documents, train.labels, ids=train.ids)


def check_whole(report: Report) -> None:
    """See that a report refers to nothing that is not there, and becomes JSON and a page."""
    assert json.loads(json.dumps(plain(report), allow_nan=False))
    assert page(report).startswith("<!doctype html>")
    assert all(report.summary)
    assert 1 <= len(report.summary) <= 10
    used = [node for one in report.errors for node in (*one.true, *one.answered, *(one.other or ()))]
    used += [node for one in report.pairs for node in (one.true, one.answered) if node is not None]
    used += [node for one in report.doubts for node in (*one.labels, *one.rather)]
    used += [*report.empty, *(node for one in report.alike for node in one[:2])]
    assert all(0 <= node < len(report.nodes) for node in used)
    assert all(parent < place for place, node in enumerate(report.nodes) for parent in node.parents)
    assert sum(one.documents for one in report.pairs) <= sum(one.labels for one in report.destinations)
    for curve in report.curves:
        for line in curve.series:
            assert len(line.x) == len(line.y) > 0
            assert all(np.diff(line.x) >= 0)
    assert all(len("".join(piece.text for piece in one.pieces)) <= 1500 for one in report.errors)


@pytest.mark.parametrize("method", ["linear-svm", "nb", "knn-bm25", "majority", "tdnb", "blend"])
def test_any_method_on_a_tree(method):
    corpus = birds()
    report = make_report(trained(method, corpus), corpus)
    check_whole(report)
    assert report.n_errors
    assert {"coverage", "learning"} <= {curve.name for curve in report.curves}


@pytest.mark.parametrize(("hierarchy", "several"), [(TREE, True), (GRAPH, False), (GRAPH, True)])
def test_several_labels_and_several_parents(hierarchy, several):
    corpus = birds(hierarchy, several=several)
    check_whole(make_report(trained("linear-svm", corpus, calibration="platt"), corpus))


@pytest.mark.skipif(find_spec("tokenizers") is None, reason="frozen-encoder needs tokenizers")
def test_an_encoder_that_reads_texts_anew_for_every_word():
    corpus = birds(several=True)
    report = make_report(trained("frozen-encoder", corpus, settings=settings_for("frozen-encoder")), corpus)
    check_whole(report)
    explained = [one for one in report.errors if one.terms]
    assert 0 < len(explained) <= 10
    (learning,) = (curve for curve in report.curves if curve.name == "learning")
    assert learning.says.startswith("The model's own method would take long; nb-plus learns here.")


def test_figures_are_those_of_evaluate_everywhere():
    corpus = birds()
    model = trained("nb", corpus)
    report = make_report(model, corpus)
    found = evaluate_model(model, corpus.select(["test"]), categories=True)
    figures = {one.name: one.value for one in report.figures}
    hf = found.figures["hierarchical"]["hf"]
    assert figures["hF"] == f"{hf:.3f}"
    assert f"hF {hf:.3f}" in report.summary[0]
    nodes = {one.name: one for one in report.nodes}
    for one in found.categories:
        node = nodes[one.category]
        assert (node.documents, node.predicted) == (one.documents, one.predicted)
        assert (node.f1, node.recall or 0.0) == pytest.approx((one.f1, one.recall))
    (learning,) = (curve for curve in report.curves if curve.name == "learning")
    assert learning.series[0].x == [8, 16, 32, 64]
    assert learning.series[0].y[-1] == pytest.approx(hf, abs=1e-5)
    (coverage,) = (curve for curve in report.curves if curve.name == "coverage")
    assert coverage.series[0].y[-1] == pytest.approx(found.figures["subset_accuracy"])
    assert report.n_errors == round((1 - found.figures["subset_accuracy"]) * 32)


def test_words_behind_an_error_speak_for_the_answer_and_for_the_truth():
    corpus = birds()
    report = make_report(trained("linear-svm", corpus), corpus, quick=True)
    shares = [piece.share for one in report.errors for piece in one.pieces]
    assert min(shares) < 0 < max(shares)
    assert any("the answer, and what for “" in one.why for one in report.errors)


def test_labels_that_are_wrong_are_doubted():
    corpus = birds(size=192)
    report = make_report(corpus)
    odd = {2, 5, 8, 11}  # the words of another category, or none
    wrong = {f"d{number}" for number in range(192) if number % 16 == 5 or number in odd}
    doubted = [one.id for one in report.doubts]
    assert set(doubted[:5]) <= wrong
    assert len(wrong & set(doubted)) >= 8
    assert "nb-plus" in report.doubts_by


def test_typical_words_and_findings_of_documents_alone():
    corpus = birds()
    report = make_report(corpus, quick=True)
    check_whole(report)
    owl = next(node for node in report.nodes if node.name == "bird/owl")
    assert {"night", "barn"} & set(owl.words)
    assert "common" not in owl.words
    assert owl.documents > owl.training
    assert {one.kind for one in report.findings} <= {one.kind for one in check_corpus(corpus).findings}
    assert not report.doubts


def test_categories_with_the_same_words_are_alike():
    hierarchy = Hierarchy.flat(["a", "b", "c"])
    texts = ["night barn owl"] * 12 + ["fish sea gull"] * 6
    labels = [["a"], ["b"]] * 6 + [["c"]] * 6
    corpus = Corpus([str(row) for row in range(18)], texts, labels, [None] * 18, hierarchy, "three")
    (found,) = make_report(corpus, quick=True).alike
    assert found == (0, 1, pytest.approx(1.0))


def test_documents_that_were_trained_on_are_spoken_of_first():
    corpus = birds()
    model = trained("nb", corpus)
    assert "too good" in make_report(model, corpus, splits=["train"], quick=True).summary[0]
    assert "too good" not in make_report(model, corpus, quick=True).summary[0]
    without = replace(corpus, splits=["train"] * len(corpus))  # no test documents
    report = make_report(model, without, quick=True)
    check_whole(report)
    assert "too good" in report.summary[0]


def test_two_models():
    corpus = birds()
    first, second = trained("majority", corpus), trained("linear-svm", corpus)
    report = make_report(first, corpus, other=second, names=("old", "new"))
    check_whole(report)
    assert report.names == ("old", "new")
    assert report.summary[0].startswith("new is better than old")
    assert [one.name for one in report.changes][:1] == ["micro F1, end categories"]
    assert all(one.other is not None and list(one.other) != list(one.answered) for one in report.errors)
    assert all([line.name for line in curve.series] == ["old", "new"] for curve in report.curves)
    assert all((node.f1 is None) == (node.documents == node.predicted == 0) for node in report.nodes)
    same = make_report(first, corpus, other=first, quick=True)
    check_whole(same)
    assert not same.errors
    assert "equally good" in same.summary[0]


def test_no_labels():
    corpus = birds()
    bare = replace(corpus, labels=[None] * len(corpus))
    check_whole(make_report(bare))
    flat = make_report(replace(bare, hierarchy=None))
    check_whole(flat)
    assert "no category" in flat.summary[0]
    with pytest.raises(ValueError, match="birds: no labelled document"):
        make_report(trained("nb", corpus), bare)


def test_features_take_the_place_of_text():
    corpus = birds()
    features = replace(corpus, documents=[dict.fromkeys(str(text).split()[:20], 1.0) for text in corpus.documents])
    report = make_report(trained("linear-svm", features), features, quick=True)
    check_whole(report)
    assert any(piece.share for one in report.errors for piece in one.pieces)


def test_documents_that_belong_nowhere():
    corpus = birds()
    labels = [[] if row % 7 == 0 else one for row, one in enumerate(corpus.labels)]
    nowhere = replace(corpus, labels=labels)
    check_whole(make_report(trained("linear-svm", nowhere), nowhere))


def test_what_cannot_be_is_refused():
    corpus = birds()
    model = trained("majority", corpus)
    other = trained("majority", birds(GRAPH))
    for given, asked, words in [
        ((corpus, corpus), {}, "give the model first"),
        ((model,), {}, "labelled documents too"),
        ((model, corpus), {"examples": -1}, "examples=-1"),
        ((model, corpus), {"other": other}, "different hierarchies"),
        ((model, birds(GRAPH)), {}, "changed since training"),
        ((model, corpus), {"splits": ["dev"]}, "split 'dev'"),
    ]:
        with pytest.raises(ValueError, match=words):
            make_report(*given, **asked)
