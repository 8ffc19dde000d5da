"""Explanations: they sum to the score, and are safe to show."""

import json

import numpy as np
import pytest

from classmark import FlatClassifier, Hierarchy, TextClassifier
from classmark.explain import Explanation, explain, to_html, to_json, to_text
from tests.counting import count_scored

TREE = Hierarchy.from_nested({"animal": {"bird": ["owl", "gull"]}, "plant": ["oak"]})
TEXTS = ["hoots at night", "an owl hoots and hoots", "cries over the sea", "a gull at sea", "grows acorns", "tall oak"]
LABELS = ["owl", "owl", "gull", "gull", "oak", "oak"]
QUERY = "who hoots over the night sea, and hoots?"


@pytest.fixture(scope="module")
def model():
    words = {"language": "english", "stop_words": "language", "ngrams": 1}
    return TextClassifier(hierarchy=TREE, settings=words).fit(TEXTS, LABELS)


def test_bias_terms_and_others_sum_to_the_score(model):
    scores = model.node_scores([QUERY])[0]
    for top in (1, 2, 100):
        for one in explain(model, QUERY, list(TREE), top=top):
            assert one.score == pytest.approx(scores[TREE.position(one.category)])
            assert one.bias + sum(share for _, share in one.terms) + one.others == pytest.approx(one.score)
            assert len(one.terms) <= top
            assert one.others == pytest.approx(0) or len(one.terms) == top


def test_terms_are_the_largest_shares_by_absolute_value(model):
    (everything,) = explain(model, QUERY, ["owl"], top=100)
    sizes = [abs(share) for _, share in everything.terms]
    assert sizes == sorted(sizes, reverse=True)
    assert {term for term, _ in everything.terms} == {"hoot", "night", "sea"}
    (two,) = explain(model, QUERY, ["owl"], top=2)
    assert two.terms == everything.terms[:2]
    assert two.others == pytest.approx(everything.terms[2][1])


def test_a_share_by_hand(model):
    X = model.transform([QUERY]).toarray()[0]
    column = model.vectoriser_.vocabulary_.index("hoot")
    owl = model.classifier_.ends_.tolist().index(TREE.position("owl"))
    expected = X[column] * model.classifier_.weights_[column, owl]
    assert dict(explain(model, QUERY, ["owl"])[0].terms)["hoot"] == pytest.approx(expected)


def test_by_default_the_own_labels_are_explained(model):
    (one,) = explain(model, QUERY)
    assert (one.category, one.path, one.accepted) == ("owl", ["animal", "bird", "owl"], True)
    assert [one.accepted for one in explain(model, QUERY, ["animal", "oak"])] == [True, False]


def test_where_nothing_was_accepted_the_best_is_explained(model):
    strict = TextClassifier(hierarchy=TREE, decision="threshold,value=99").fit(TEXTS, LABELS)
    (one,) = explain(strict, QUERY)
    assert (one.category, one.accepted) == ("owl", False)
    assert to_text([one]).startswith("animal › bird › owl: ")
    assert to_text([one]).split("\n")[0].endswith(" (not accepted)")


def test_a_category_that_nothing_is_known_of(model):
    silent = TextClassifier(hierarchy=TREE).fit(TEXTS[:4], LABELS[:4])
    (one,) = explain(silent, QUERY, ["oak"])
    assert (one.score, one.bias, one.terms, one.others) == (-np.inf, -np.inf, [], 0)
    assert "-inf" in to_text([one])


def test_a_document_without_a_known_term(model):
    (one,) = explain(model, "12 !?", ["owl"])
    assert (one.terms, one.others) == ([], 0)
    assert one.score == one.bias


def test_features_are_explained_too():
    model = TextClassifier().fit([{"a b": 2, "c": 1}, {"d": 1}], ["x", "y"])
    (one,) = explain(model, {"a b": 1, "unknown": 7})
    assert (one.category, [term for term, _ in one.terms]) == ("x", ["a b"])


def test_refusals(model):
    with pytest.raises(ValueError, match=r"top=0.*>= 1"):
        explain(model, QUERY, top=0)
    with pytest.raises(ValueError, match=r"'fish'.*not a category"):
        explain(model, QUERY, ["fish"])


def example():
    return Explanation("owl", ["bird", "owl"], True, 1.5, 0.25, [("hoot", 1.0), ("sea", -0.5)], 0.75)


def test_text_by_hand():
    assert to_text([example()], width=4).split("\n") == [
        "bird › owl: 1.500",
        "  +1.000 ████ hoot",
        "  -0.500 ██   sea",
        "  +0.750      (all other terms)",
        "  +0.250      (without any term)",
    ]
    assert to_text([]) == ""


def test_the_decision_stands_on_the_last_line():
    plain = to_text([example()], width=4)
    assert to_text([example()], width=4, decision="best-path") == f"{plain}\ndecided by best-path"
    assert to_text([], decision="best-path") == "decided by best-path"


def test_titles_stand_beside_the_names():
    titles = {"owl": "Strix aluco", "bird": "Aves"}
    model = TextClassifier(hierarchy=TREE, titles=titles).fit(TEXTS, LABELS)
    (one,) = explain(model, QUERY)
    assert (one.category, one.path) == ("owl", ["animal", "bird Aves", "owl Strix aluco"])
    assert to_text([one]).startswith("animal › bird Aves › owl Strix aluco: ")
    assert to_json([one])[0]["path"] == one.path


def test_titles_of_path_names():
    labels = np.array([["bird", "owl"], ["bird", "owl"], ["bird", "gull"], ["bird", "gull"]])
    model = TextClassifier(titles={("bird", "owl"): "Strix aluco"}).fit(TEXTS[:4], labels)
    assert explain(model, QUERY)[0].path == ["bird", "owl Strix aluco"]


def test_path_names_are_shown_by_their_last_parts():
    model = TextClassifier().fit(
        TEXTS[:4], np.array([["bird", "owl"], ["bird", "owl"], ["bird", "gull"], ["bird", "gull"]])
    )
    (one,) = explain(model, QUERY)
    assert one.category == ("bird", "owl")
    assert to_text([one]).startswith("bird › owl: ")
    assert "<caption>bird › owl: " in to_html([one])


def test_json(model):
    (plain,) = to_json([example()])
    assert plain["terms"] == [{"term": "hoot", "share": 1.0}, {"term": "sea", "share": -0.5}]
    assert {key: plain[key] for key in ("category", "path", "accepted", "score", "bias", "others")} == {
        "category": "owl",
        "path": ["bird", "owl"],
        "accepted": True,
        "score": 1.5,
        "bias": 0.25,
        "others": 0.75,
    }
    found = explain(model, QUERY)
    assert json.loads(json.dumps(to_json(found))) == to_json(found)


def test_html_escapes_whatever_comes_from_data():
    evil = '<script>alert("1")</script>&'
    # Names and titles come as parts of the path.
    html = to_html([Explanation(evil, [evil, evil], True, 1.0, 0.0, [(evil, 1.0)], 0.0)])
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;&amp;") == 3
    assert html.startswith("<table><caption>")
    assert html.count("<tr>") == 3


def test_html_of_an_evil_document():
    model = TextClassifier(FlatClassifier()).fit([{"<b>": 1}, {"c": 1}], ["<i>", "y"])
    html = to_html(explain(model, {"<b>": 1}))
    assert "<b>" not in html
    assert "<i>" not in html
    assert "&lt;b&gt;" in html
    assert "&lt;i&gt;" in html


@pytest.mark.parametrize("categories", [None, ["owl", "animal", "oak"]])
@pytest.mark.parametrize("method", ["linear-svm", "topdown-svm", "global-svm", "nb", "adaboost-mh", "knn-bm25-hier"])
def test_a_document_is_scored_once_however_much_is_explained(method, categories, monkeypatch):
    model = TextClassifier(method, hierarchy=TREE, decision="threshold,value=99").fit(TEXTS, LABELS)
    scored = count_scored(monkeypatch)
    assert explain(model, QUERY, categories)
    assert scored.by(model.classifier_) == 1
