"""Several methods together from the command line: `-m blend`, `-m rerank`, and self-training with a student."""

import re

import pytest

PARTS = ("--set", "parts=linear-svm+nb")


@pytest.mark.parametrize("method", ["blend", "rerank"])
def test_from_training_to_explanations(run, animals, method):
    trained = run("train", animals, "-o", "both.classmark", "-m", method, *PARTS, "--set", "linear-svm.C=3").out
    assert "linear-svm 0." in trained
    assert "nb 0." in trained
    assert "linear-svm 0." in run("info", "both.classmark").out
    assert run("predict", "both.classmark", animals).code == 0
    assert "hf" in run("evaluate", "both.classmark", animals, "--json").json["hierarchical"]
    assert run("explain", "both.classmark", "it hoots at night", "--category", "owl").code == 0


def test_it_is_compared_with_its_parts(run, animals):
    chosen = ("--set", "blend.parts=linear-svm+nb", "--set", "blend.linear-svm.C=3", "--set", "linear-svm.C=3")
    found = run("compare", animals, "-m", "blend,linear-svm", *chosen)
    assert found.code == 0
    assert "blend" in found.out


def test_a_student_and_its_teacher(run, folder):
    documents = [
        {"id": str(number), "text": text, "labels": labels}
        for number, (text, labels) in enumerate(
            [("hoots", ["owl"]), ("cries", ["gull"]), ("hoots at night", None), ("cries at sea", None)] * 6
        )
    ]
    data = folder("few", documents)
    chosen = ("--set", "teacher=em", "--set", "student=linear-svm", "--set", "teacher.vocabulary=all")
    trained = run("train", data, "-o", "taught.classmark", "-m", "self-training", *chosen)
    assert trained.code == 0
    assert "both; 12 labelled documents are too few to judge by" in trained.out
    assert "too few to judge by" in run("info", "taught.classmark").out


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (["parts=nb"], r"parts=nb: .*'blend' .*two parts"),
        (["parts=nb+nb"], r"parts=nb\+nb: nb is there twice"),
        (["parts=nb+yew"], "unknown method 'yew'"),
        (["parts=nb+em", "yew.C=3"], "method 'blend' has no setting 'yew.C'"),
        (["folds=1"], "setting folds=1: must be an integer >= 2"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(refused, animals, chosen, message):
    settings = [part for one in chosen for part in ("--set", one)]
    assert re.search(message, refused("train", animals, "-o", "no.classmark", "-m", "blend", *settings))
