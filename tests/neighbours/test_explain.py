"""The neighbours in explanations: as data, as text, as JSON and as HTML."""

import pytest

from classmark import Hierarchy, TextClassifier
from classmark.explain import explain, to_html, to_json, to_text

TREE = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak"]})
TEXTS = ["hoots at night", "night wings", "cries over the <sea>", "sea ships", "acorns grow", "tall acorns"]
LABELS = ["owl", "owl", "gull", "gull", "oak", "oak"]


@pytest.fixture(params=["knn-overlap", "knn-bm25", "knn-bm25-hier"])
def model(request):
    return TextClassifier(request.param, hierarchy=TREE).fit(TEXTS, LABELS)


def test_the_loudest_come_first_and_no_more_than_asked_for(model):
    (whole,) = explain(model, "hoots hoots night")
    assert [near.document for near in whole.neighbours] == [0, 1]
    assert whole.neighbours[0].labels == ("owl",)
    assert whole.neighbours[0].similarity >= whole.neighbours[1].similarity > 0
    (one,) = explain(model, "hoots hoots night", top=1)
    assert one.neighbours == whole.neighbours[:1]


def test_votes_are_what_makes_the_score(model):
    (found,) = explain(model, "hoots hoots night")
    if model.method != "knn-bm25-hier":
        assert sum(near.vote for near in found.neighbours) == pytest.approx(found.score)
    assert found.bias + found.others + sum(share for _, share in found.terms) == pytest.approx(found.score)


def test_an_inner_category_has_the_neighbours_of_the_best_one_below_it(model):
    animal, owl, oak = explain(model, "hoots night", ["animal", "owl", "oak"])
    assert animal.neighbours == owl.neighbours
    assert oak.neighbours == ()


def test_in_print(model):
    explanations = explain(model, "the sea")
    near = explanations[0].neighbours[0]
    line = f"  {near.vote:+.3f} by document {near.document} (gull), similarity {near.similarity:.3f}"
    assert line in to_text(explanations).splitlines()
    assert f"<td>document {near.document} (gull)" in to_html(explanations)
    plain = to_json(explanations)[0]["neighbours"][0]
    assert plain == {
        "document": near.document,
        "labels": ["gull"],
        "similarity": near.similarity,
        "vote": near.vote,
        "id": None,
    }


def test_documents_are_named_by_their_ids(model, tmp_path):
    """Those that are not labelled or weigh nothing are not in the index, and the others keep their names."""
    texts, labels = ["unknown", *TEXTS, "sea birds"], [None, *LABELS, "gull"]
    with pytest.warns(UserWarning, match="left out 1 of 8"):
        model.fit(texts, labels, [1.0] * 7 + [0.0], ids=["none", *(f"{text[:4]}-{text[-4:]}" for text in TEXTS), "no"])
    model.save(tmp_path / "model")
    for one in (model, TextClassifier.load(tmp_path / "model")):
        explanations = explain(one, "the sea")
        assert sorted(near.id for near in explanations[0].neighbours) == ["crie-sea>", "sea -hips"]
        assert "by document sea -hips (gull)" in to_text(explanations)
        assert "document crie-sea&gt; (gull)" in to_html(explanations)
        assert {near["id"] for near in to_json(explanations)[0]["neighbours"]} == {"crie-sea>", "sea -hips"}
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(TEXTS, LABELS, ids=["1"])


def test_other_methods_have_none():
    found = explain(TextClassifier("majority").fit(TEXTS, LABELS), "the sea")
    assert found[0].neighbours == ()
    assert "neighbours" not in to_json(found)[0]
