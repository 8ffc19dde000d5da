"""Which words speak for a category: by hand for every kind of method, and in blocks of any size."""

import numpy as np
import pytest

from classmark import Hierarchy, TextClassifier
from classmark.explain import strongest_words, words
from tests.encoders import settings_for

TREE = Hierarchy.from_nested({"animal": {"bird": ["owl", "gull"]}, "plant": ["oak"]})
TEXTS = ["hoots at night", "owl hoots", "cries over sea", "gull at sea", "grows acorns", "tall oak"]
LABELS = ["owl", "owl", "gull", "gull", "oak", "oak"]
PLAIN = {"stop_words": "none", "stemmer": "none"}


def weights(model, name):
    """Give the weights of all words for a category, by word."""
    (row,) = words.word_weights(model, np.array([model.hierarchy_.position(name)]))
    return dict(zip(words.known_words(model), row.toarray()[0], strict=True))


def test_a_linear_method_by_its_weights():
    model = TextClassifier(hierarchy=TREE, settings={"ngrams": 1}).fit(TEXTS, LABELS)
    ends = [TREE.names[end] for end in model.classifier_.ends_]
    learned = np.asarray(model.classifier_.weights_.todense())
    column = model.vectoriser_.vocabulary_.index("hoots")
    assert weights(model, "owl")["hoots"] == pytest.approx(learned[column, ends.index("owl")])
    mean = (learned[column, ends.index("owl")] + learned[column, ends.index("gull")]) / 2
    assert weights(model, "animal")["hoots"] == pytest.approx(mean)


def test_naive_bayes_by_odds():
    model = TextClassifier("nb", hierarchy=TREE, settings=PLAIN).fit(TEXTS, LABELS)
    # Of the 5 tokens about owls 2 are hoots, of the 10 others none; the vocabulary has 11 words.
    vocabulary = len(model.vectoriser_.vocabulary_)
    inside = (2 + 1) / (5 + vocabulary)
    outside = np.mean([1 / (count + vocabulary) for count in (6, 4)])
    assert weights(model, "owl")["hoots"] == pytest.approx(np.log(inside / outside))


def test_from_the_top_down_a_category_is_set_against_its_siblings():
    model = TextClassifier("tdnb", hierarchy=TREE, settings=PLAIN).fit(TEXTS, LABELS)
    found = weights(model, "owl")
    assert found["hoots"] > 0 > found["sea"]
    assert found["acorns"] == 0
    assert weights(model, "gull")["hoots"] == pytest.approx(-found["hoots"])


def test_neighbours_by_their_documents():
    model = TextClassifier("knn-bm25", hierarchy=TREE, settings=PLAIN).fit(TEXTS, LABELS)
    # Of 2 documents about owls 2 hoot, of the 4 others none does; of 4 about animals 2 have "at", of the 2 others none.
    p = 2 / 6
    assert weights(model, "owl")["hoots"] == pytest.approx(np.log(((2 + p) / 3) / (p / 5)))
    assert weights(model, "animal")["at"] == pytest.approx(2 / 4 * np.log(((2 + p) / 5) / (p / 3)))
    assert weights(model, "owl")["sea"] == 0


def test_boosting_by_what_presence_changes():
    model = TextClassifier("adaboost-mh", hierarchy=TREE).fit(TEXTS, LABELS)
    hypothesis = model.classifier_.hypothesis_
    pivot = hypothesis.columns.tolist().index(model.vectoriser_.vocabulary_.index("hoot"))
    end = model.classifier_.ends_.tolist().index(TREE.position("owl"))
    expected = hypothesis.present[[pivot], [end]] - hypothesis.absent[[pivot], [end]]
    assert weights(model, "owl")["hoot"] == pytest.approx(float(expected[0]))


def test_a_blend_adds_up_its_parts():
    settings = {"parts": "linear-svm+nb", "nb.stemmer": "none"}
    model = TextClassifier("blend", hierarchy=TREE, settings=settings).fit(TEXTS * 2, LABELS * 2)
    whole = model.classifier_
    row = np.array([TREE.position("owl")])
    expected = 0.0
    for place, factor in enumerate(whole.node_factors_.tolist()):
        (found,) = whole.parts_[place].term_weights([row])
        names = model.vectoriser_.vocabulary_[whole.columns_[place]]
        dense = found.toarray()[0] if hasattr(found, "toarray") else found[0]
        expected += factor * whole.node_scales_[place].slope * dense[names.index("hoots")]
    assert weights(model, "owl")["hoots"] == pytest.approx(expected)


@pytest.mark.parametrize("method", ["linear-svm", "nb", "tdnb", "wdnb", "topdown-svm", "knn-bm25", "global-adaboost"])
def test_blocks_of_any_size_give_the_same(method, monkeypatch):
    model = TextClassifier(method, hierarchy=TREE).fit(TEXTS, LABELS)
    whole = strongest_words(model, top=3)
    monkeypatch.setattr(words, "MOST_NODES", 2)
    assert strongest_words(model, top=3) == whole
    assert strongest_words(model, np.array([4, 0]), top=3) == [whole[4], whole[0]]
    assert strongest_words(model, np.array([], dtype=int)) == []


def test_a_category_that_nothing_was_learned_of_has_no_words():
    model = TextClassifier("nb", hierarchy=TREE).fit(TEXTS[:4], LABELS[:4])
    assert strongest_words(model, np.array([TREE.position("oak")])) == [words.Words((), ())]


def test_coordinates_are_no_words():
    model = TextClassifier("frozen-encoder", settings=settings_for("frozen-encoder")).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="frozen-encoder reads texts by an encoder: its numbers are no words"):
        strongest_words(model)


def test_refusals():
    model = TextClassifier().fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match=r"top=0.*>= 1"):
        strongest_words(model, top=0)
