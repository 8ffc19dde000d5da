"""A model that answers what a server is asked, in the words of `predict`."""

import numpy as np
import pytest

from classmark import Hierarchy, TextClassifier
from classmark.service.answering import Question, classify
from classmark.service.explaining import explain_text
from classmark.service.languages import detect_among
from classmark.service.serving import Responder

TREE = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak", "pine"]})
TEXTS = ["hoots at night", "cries over the sea", "grows acorns", "grows needles", "hoots by day", "cries for fish"]
LABELS = ["owl", "gull", "oak", "pine", "owl", "gull"]
ASKED = ["it hoots", "acorns and needles", "", "the sea at night"]
SEVERAL = [[label, "animal"] if at % 2 else [label] for at, label in enumerate(LABELS)]
KINDS = {
    "own": ("nb", LABELS, {}),
    "squashed": ("linear-svm", SEVERAL, {}),
    "votes": ("knn-bm25", LABELS, {}),
    "calibrated": ("linear-svm", LABELS * 5, {"calibration": "platt"}),
}


@pytest.fixture(params=KINDS, scope="module")
def responder(request):
    method, labels, settings = KINDS[request.param]
    texts = TEXTS * (len(labels) // len(TEXTS))
    return request.param, Responder(TextClassifier(method, hierarchy=TREE, **settings).fit(texts, labels))


def test_what_chances_are(responder):
    kind, answering = responder
    assert answering.chances == {"votes": "squashed"}.get(kind, kind)
    assert answering.language in ("en", "und")


def test_suggestions_rank_as_predict_does(responder):
    _, answering = responder
    found = answering.suggest(ASKED, 3)
    expected = classify(answering.model, [(text, text) for text in ASKED], Question(top=3))
    for suggestions, answer in zip(found, expected, strict=True):
        # What has no chance at all is not suggested.
        named = [one.category.uri for one in suggestions.ranked]
        assert named == [label for label in answer.labels if label in named]
        assert all(0 < one.score <= 1 for one in suggestions.ranked)
    assert [one.ranked for one in answering.suggest(ASKED, 0)] == [[], [], [], []]


def test_text_without_known_terms_gets_no_category_and_a_flag(responder):
    """Neither an empty one, nor one of unknown words; a model that reads terms can only guess."""
    _, answering = responder
    asked = ["", "qqqq zzzz", "it hoots"]
    assert [(one.no_known_terms, bool(one.ranked)) for one in answering.suggest(asked, 3)] == [
        (True, False),
        (True, False),
        (False, True),
    ]
    *unknown, known = answering.classify(asked, Question())
    assert [(one.no_known_terms, one.labels, one.own, one.doubt) for one in unknown] == [(True, [], [], 1.0)] * 2
    assert (known.no_known_terms, known.labels) == (False, ["animal", "owl"])
    assert answering.nearly("qqqq zzzz", 3) == []
    (explanation,) = explain_text(answering.model, "qqqq zzzz").explanations
    assert not explanation.accepted


def test_a_text_alone_and_among_others(responder):
    _, answering = responder
    together = answering.suggest(ASKED, 4)
    for text, found in zip(ASKED, together, strict=True):
        (alone,) = answering.suggest([text], 4)
        assert [one.category for one in alone.ranked] == [one.category for one in found.ranked]
        scores = [one.score for one in found.ranked]
        np.testing.assert_allclose([one.score for one in alone.ranked], scores, atol=1e-5)


def test_label_sets_are_those_of_predict(responder):
    _, answering = responder
    expected = classify(answering.model, [(text, text) for text in ASKED], Question())
    found = answering.classify(ASKED, Question())
    assert [one.labels for one in found] == [list(answer.labels) for answer in expected]
    for one in found:
        assert all(0 <= placed.chance <= 1 and placed.path[-1] == placed.name for placed in one.own)
        assert {*one.labels} == {step for placed in one.own for step in placed.path}


def test_what_is_nearly_right_is_not_in_the_answer(responder):
    _, answering = responder
    (answer,) = answering.classify(["it hoots"], Question())
    nearly = [placed.name for placed in answering.nearly("it hoots", 2)]
    assert not {*nearly} & {*answer.labels}
    assert answering.nearly("it hoots", 0) == []


def test_doubt_and_suspicion(responder):
    kind, answering = responder
    said = answering.judge(["hoots at night", "hoots at night", "hoots at night"], [["owl"], ["pine"], None])
    assert said[2].suspicion is None
    assert said[0].suspicion < said[1].suspicion <= 1
    assert all(0 <= one.doubt <= 1 for one in said)
    if kind != "squashed":
        assert said[0].labels == ["owl"]


def test_languages_among_some():
    found = detect_among("Das ist nicht der Weg nach Hause.", ["en", "de"])
    assert [one.language for one in found] == ["de", "en", None]
    assert sum(one.score for one in found) == pytest.approx(1)
    with pytest.raises(ValueError, match="unsupported candidate languages: xq"):
        detect_among("x", ["xq"])
