"""What is known of a category: its place, what is near it, and its documents."""

import pytest

from classmark import Hierarchy, TextClassifier
from classmark.data import Corpus
from classmark.explain import explain_node, node_to_text

TREE = Hierarchy.from_nested({"animal": {"bird": ["owl", "gull"]}, "plant": ["oak"]})
TEXTS = ["hoots at night", "an owl hoots", "cries over the sea", "a gull at sea", "grows acorns", "tall oak"]
LABELS = ["owl", "owl", "gull", "gull", "oak", "oak"]


@pytest.fixture(scope="module")
def model():
    return TextClassifier("nb", hierarchy=TREE).fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def corpus():
    texts = ["hoots", "hoots at sea", "the sea cries", "hoots of oak", "never heard", "an acorn"]
    labels = [["owl"], ["owl"], ["owl"], ["oak"], None, ["oak"]]
    return Corpus([f"d{number}" for number in range(6)], texts, labels, [None] * 6, None, "birds")


def test_the_place_of_a_category(model):
    bird, owl = explain_node(model, "bird"), explain_node(model, "owl")
    assert (bird.path, bird.parents, set(bird.children), bird.below) == (
        ["animal", "bird"],
        ("animal",),
        {"owl", "gull"},
        2,
    )
    assert (owl.path, owl.children, owl.below, owl.learned, owl.learned_from) == (
        ["animal", "bird", "owl"],
        (),
        0,
        True,
        None,
    )
    assert explain_node(model, "animal").below == 3


def test_several_parents_are_named():
    graph = Hierarchy.from_edges([("a", "c"), ("b", "c"), ("a", "d")])
    model = TextClassifier("nb", hierarchy=graph).fit(["hoots", "cries"], ["c", "d"])
    one = explain_node(model, "c")
    assert set(one.parents) == {"a", "b"}
    assert "right above it 2: " in node_to_text(one)


def test_documents_learned_from_are_counted_where_they_are_kept():
    model = TextClassifier("knn-bm25", hierarchy=TREE).fit(TEXTS, LABELS)
    assert [explain_node(model, name).learned_from for name in ("owl", "animal", "oak")] == [2, 4, 2]
    assert "learned from 4 documents" in node_to_text(explain_node(model, "bird"))


def test_what_nothing_was_learned_of():
    model = TextClassifier("nb", hierarchy=TREE).fit(TEXTS[:4], LABELS[:4])
    one = explain_node(model, "oak")
    assert (one.learned, one.nearest) == (False, ())
    assert "nothing was learned of it" in node_to_text(one)


def test_the_nearest_share_words_and_are_not_of_the_family():
    texts = ["hoots at night", "hoots by night and day", "cries over the sea", "a green tree"]
    tree = Hierarchy.from_nested({"bird": ["owl", "eagle"], "other": ["gull", "oak"]})
    model = TextClassifier("nb", hierarchy=tree, settings={"stop_words": "none"}).fit(
        texts, ["owl", "eagle", "gull", "oak"]
    )
    near = explain_node(model, "owl").nearest
    assert near[0].category == "eagle"
    assert near[0].path == ["bird", "eagle"]
    assert 0 < near[0].alike < 1
    assert "bird" not in {one.category for one in near}


def test_its_documents(model, corpus):
    found = explain_node(model, "owl", documents=corpus, examples=1).documents
    assert (found.source, found.labelled, found.by) == ("birds", 3, "probability")
    assert [one.id for one in found.surest] == ["d0"]
    assert [one.id for one in found.least_sure] == ["d2"]
    assert found.least_sure[0].labels == ("owl",)
    assert found.least_sure[0].answered == ("gull",)
    assert found.surest[0].sure > found.least_sure[0].sure
    expected = model.predict_proba([corpus.documents[0]])[0, TREE.position("owl")]
    assert found.surest[0].sure == pytest.approx(expected)


def test_documents_put_there_wrongly(model, corpus):
    found = explain_node(model, "animal", documents=corpus).documents
    wrong = {one.id for one in found.wrong}
    answered = model.predict([corpus.documents[3]])[0]
    assert wrong == ({"d3"} if answered in ("owl", "gull") else set())
    assert found.answered - found.found == len(wrong)
    # Those labelled with a category below it are its own, and none is shown twice.
    assert (found.labelled, len(found.surest), found.least_sure) == (3, 3, ())


def test_scores_where_there_are_no_probabilities(corpus):
    model = TextClassifier(hierarchy=TREE).fit(TEXTS, LABELS)
    found = explain_node(model, "owl", documents=corpus).documents
    assert found.by == "score"
    text = node_to_text(explain_node(model, "owl", documents=corpus))
    assert "birds: 3 documents belong to it" in text
    assert "the surest of its documents, by score" in text


def test_a_corpus_without_a_document_of_it(model):
    empty = Corpus([], [], [], [], None, "nothing")
    found = explain_node(model, "owl", documents=empty).documents
    assert (found.labelled, found.answered, found.surest, found.wrong) == (0, 0, (), ())


def test_refusals(model):
    with pytest.raises(ValueError, match=r"'owls'.*not a category.*\(did you mean 'owl'\?\)"):
        explain_node(model, "owls")
    with pytest.raises(ValueError, match="top=0"):
        explain_node(model, "owl", top=0)
