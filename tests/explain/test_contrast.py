"""Another category beside the one explained, and the scores along the path."""

import pytest

from classmark import Hierarchy, TextClassifier
from classmark.explain import explain, to_json, to_text
from tests.counting import count_scored

TREE = Hierarchy.from_nested({"animal": {"bird": ["owl", "gull"]}, "plant": ["oak"]})
TEXTS = ["hoots at night", "an owl hoots and hoots", "cries over the sea", "a gull at sea", "grows acorns", "tall oak"]
LABELS = ["owl", "owl", "gull", "gull", "oak", "oak"]
QUERY = "who hoots over the night sea, and hoots?"


@pytest.fixture(scope="module")
def model():
    return TextClassifier(hierarchy=TREE, settings={"ngrams": 1}).fit(TEXTS, LABELS)


def test_the_runner_up_is_the_best_end_that_is_not_in_the_answer(model):
    (one,) = explain(model, QUERY, why_not=True)
    scores = dict(zip(TREE, model.node_scores([QUERY])[0], strict=True))
    best = max(("gull", "oak"), key=scores.__getitem__)
    assert (one.category, one.why_not.category, one.why_not.path[-1]) == ("owl", best, best)
    assert one.why_not.score == pytest.approx(scores[best])
    assert not one.why_not.accepted


def test_differences_are_those_of_the_shares(model):
    (one,) = explain(model, QUERY, ["owl"], top=100, why_not="gull")
    (other,) = explain(model, QUERY, ["gull"], top=100)
    ours, theirs = dict(one.terms), dict(other.terms)
    expected = {term: ours.get(term, 0) - theirs.get(term, 0) for term in {*ours, *theirs}}
    assert dict(one.why_not.terms) == pytest.approx(expected)
    assert one.why_not.bias == pytest.approx(one.bias - other.bias)
    (two,) = explain(model, QUERY, ["owl"], top=1, why_not="gull")
    assert two.why_not.terms == one.why_not.terms[:1]
    assert two.why_not.others == pytest.approx(one.why_not.others + sum(share for _, share in one.why_not.terms[1:]))


def test_a_category_that_was_not_answered_is_set_against_the_one_that_was(model):
    (one,) = explain(model, QUERY, ["oak"], why_not=True)
    assert (one.why_not.category, one.why_not.accepted) == ("owl", True)
    assert one.why_not.difference < 0
    assert "\nbeside animal › bird › owl: " in to_text([one])


def test_with_several_labels_the_runner_up_is_the_best_that_was_not_accepted():
    labels = [["owl"], ["owl"], ["gull"], ["gull"], ["oak"], ["oak"]]
    model = TextClassifier(hierarchy=TREE, decision="threshold,value=-0.6").fit(TEXTS, labels)
    found = explain(model, "hoots over the sea", why_not=True)
    assert {one.category for one in found} == {"owl", "gull"}
    assert {one.why_not.category for one in found} == {"oak"}


def test_no_category_is_set_against_itself(model):
    owl, gull = explain(model, QUERY, ["owl", "gull"], why_not="gull")
    assert (owl.why_not.category, gull.why_not) == ("gull", None)


def test_a_lonely_category_has_no_runner_up():
    model = TextClassifier("nb").fit(["hoots", "cries"], ["owl", "owl"])
    (one,) = explain(model, "hoots", why_not=True)
    assert one.why_not is None
    assert "why_not" not in to_json([one])[0]


def test_the_block_below_the_shares(model):
    lines = to_text(explain(model, QUERY, top=1, why_not="gull"), width=4).split("\n")
    place = next(number for number, line in enumerate(lines) if line.startswith("why not animal › bird › gull: "))
    assert lines[place].endswith(" less")
    assert lines[place + 1].startswith("  +")
    assert to_text(explain(model, QUERY, top=1), width=4).split("\n") == lines[:place]


def test_along_the_path(model):
    (one,) = explain(model, QUERY, along=True)
    assert [step.category for step in one.steps] == ["animal", "bird", "owl"]
    scores = dict(zip(TREE, model.node_scores([QUERY])[0], strict=True))
    assert [step.score for step in one.steps] == pytest.approx([scores["owl"]] * 3)
    assert [step.rival for step in one.steps] == ["plant", None, "gull"]
    assert one.steps[0].rival_score == pytest.approx(scores["oak"])
    assert one.steps[0].lead == pytest.approx(scores["owl"] - scores["oak"])
    assert one.steps[1].lead is None
    assert all(step.accepted and step.terms[0][0].startswith("hoot") for step in one.steps)
    assert one.steps[0].probability is None


def test_an_inner_category_with_documents_of_its_own_is_worth_the_best_below_it():
    labels = ["owl", "owl", "bird", "bird", "oak", "oak"]
    model = TextClassifier(hierarchy=TREE).fit(TEXTS, labels)
    (one,) = explain(model, "hoots at night", along=True)
    scores = dict(zip(TREE, model.node_scores(["hoots at night"])[0], strict=True))
    assert scores["bird"] < scores["owl"]
    assert [step.score for step in one.steps] == pytest.approx([scores["owl"]] * 3)


def test_where_a_threshold_decides_every_category_has_its_own_score():
    model = TextClassifier("global-svm", hierarchy=TREE, decision="threshold").fit(TEXTS, LABELS)
    (one,) = explain(model, QUERY, ["owl"], along=True)
    scores = dict(zip(TREE, model.node_scores([QUERY])[0], strict=True))
    assert [step.score for step in one.steps] == pytest.approx([scores[step.category] for step in one.steps])


def test_probabilities_stand_in_the_steps():
    model = TextClassifier("nb", hierarchy=TREE).fit(TEXTS, LABELS)
    (one,) = explain(model, QUERY, along=True)
    expected = dict(zip(TREE, model.predict_proba([QUERY])[0], strict=True))
    assert [step.probability for step in one.steps] == pytest.approx([expected[step.category] for step in one.steps])


@pytest.mark.parametrize("method", ["linear-svm", "nb", "knn-bm25-hier"])
def test_a_document_is_still_scored_once(method, monkeypatch):
    model = TextClassifier(method, hierarchy=TREE).fit(TEXTS, LABELS)
    scored = count_scored(monkeypatch)
    assert explain(model, QUERY, why_not=True, along=True, marked=True)
    assert scored.by(model.classifier_) == 1


def test_refusals(model):
    with pytest.raises(ValueError, match=r"'fish'.*not a category"):
        explain(model, QUERY, why_not="fish")
    with pytest.raises(ValueError, match="'owl' is what is explained; ask why not another category"):
        explain(model, QUERY, why_not="owl")
