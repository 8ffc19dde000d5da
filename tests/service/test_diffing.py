"""What changes from one model to another, by hand."""

import pytest

from classmark import Hierarchy, TextClassifier
from classmark.data import Corpus
from classmark.registry import METHODS
from classmark.service.changes import excerpt
from classmark.service.diffing import diff, diff_models
from classmark.service.results import plain
from tests.service.animals import LABELS, TEXTS, TREE, corpus_of, write_dataset

pytestmark = pytest.mark.filterwarnings("ignore:the (first|second) model was trained on")

TRUTH = [["gull"], ["gull"], ["fish"], ["oak"], ["owl", "oak"]]
"""What the second model says, but for the first document: that it takes for an owl."""
ONE_MORE = [*TEXTS, "hoots"], [*LABELS, ["owl"]]
"""With one more, owls are the commonest."""


@pytest.fixture(scope="module")
def models():
    """One that takes everything for the commonest category, and one that knows the documents."""
    first = TextClassifier("majority", hierarchy=TREE).fit(*ONE_MORE)
    second = TextClassifier(hierarchy=TREE, decision="threshold", titles={"gull": "sea bird"}).fit(TEXTS, LABELS)
    assert first.predict(TEXTS) == [["owl"]] * 5
    assert second.predict(TEXTS) == [sorted(labels, key=TREE.position) for labels in LABELS]
    return first, second


@pytest.fixture(scope="module")
def found(models):
    return diff_models(*models, corpus_of(TRUTH))


def test_figures(found):
    # Closed: gull, gull and fish are 3, 3 and 2 nodes, oak 2, owl and oak 5; owl is 3 for every document.
    figures = {one.name: one for one in found.figures}
    hf = figures["hf"]
    assert hf.first == pytest.approx(2 * (2 + 2 + 1 + 0 + 3) / (15 + 15))
    assert hf.second == pytest.approx(2 * (2 + 3 + 2 + 2 + 5) / (15 + 15))
    assert hf.difference == pytest.approx(hf.second - hf.first)
    assert hf.low <= hf.difference <= hf.high
    accuracy = figures["subset_accuracy"]
    assert (accuracy.first, accuracy.second) == pytest.approx((0, 0.8))
    # Leaves with a document: fish, owl, gull and oak. All said owl of five, of which one is.
    assert figures["macro_f1_present"].first == pytest.approx((2 / 6) / 4)
    assert figures["micro_f1"].first == pytest.approx(2 * 1 / (5 + 6))


def test_tests_are_those_of_an_evaluation(found):
    assert set(found.tests) == {"micro_sign_test", "macro_t_test"}
    # Of 20 decisions on leaves the two differ on owl of 1, 2 and 3, gull of 1, fish of 2, oak of 3 and 4: B wins all.
    assert found.tests["micro_sign_test"] == pytest.approx(2 * 0.5**7)


def test_documents(found):
    documents = found.by_document
    assert (documents.same, documents.as_good, documents.better, documents.worse) == (1, 0, 4, 0)
    assert documents.p_value == pytest.approx(2 * 0.5**4)
    # Nothing is right of oak at first, and all of it later.
    most = plain(documents.most[0])
    assert most == {
        "id": "3",
        "excerpt": TEXTS[3],
        "labels": ["oak"],
        "first": ["owl"],
        "second": ["oak"],
        "first_kind": "other branch",
        "second_kind": "right",
        "first_hf": 0.0,
        "second_hf": 1.0,
    }
    assert len(documents.most) == 4


def test_kinds(found):
    kinds = found.by_kind
    # The first document is a gull that both take for an owl; a fish is no sibling of it.
    assert kinds.table["sibling"] == {"right": 1, "sibling": 1, "other branch": 0, "missing": 0}
    assert kinds.table["missing"]["right"] == 1
    assert (kinds.both_right, kinds.first_alone, kinds.second_alone, kinds.both_wrong) == (0, 0, 4, 1)
    assert kinds.p_value == pytest.approx(2 * 0.5**4)


def test_categories(found):
    changed = {one.category: one for one in found.by_category.most}
    assert set(changed) == {"owl", "gull", "fish", "bird", "animal", "plant", "oak"}
    assert found.by_category.changed == 7
    assert found.by_category.significant == 0
    gull = plain(changed["gull"])
    assert gull.pop("p_value") <= 1
    assert gull == {
        "category": "gull",
        "title": "sea bird",
        "documents": 2,
        "first_f1": 0.0,
        "second_f1": pytest.approx(2 / 3),
        "found": 1,
        "lost": 0,
        "intruding": 0,
        "gone": 0,
    }
    assert (changed["owl"].gone, changed["owl"].found) == (3, 0)


def test_models(found, models):
    different = {one.what: (one.first, one.second) for one in found.models}
    assert different["method"] == ("majority", "linear-svm")
    assert different["ngrams"] == (1, 2)
    other = TextClassifier(settings={"C": 10.0}, hierarchy=TREE, decision="threshold").fit(TEXTS, LABELS)
    (setting,) = diff_models(models[1], other, corpus_of(TRUTH)).models
    assert (setting.what, setting.first, setting.second) == ("C", 1.0, 10.0)


def test_a_model_and_itself(models):
    found = diff_models(models[1], models[1], corpus_of(TRUTH))
    assert found.models == []
    assert (found.by_document.same, found.by_document.most, found.by_category.most) == (5, [], [])
    assert {one.p_value for one in found.figures} == {1.0}


def test_columns_are_those_of_the_first_model(models, found):
    other = Hierarchy.from_nested({"plant": ["oak"], "animal": {"fish": None, "bird": ["gull", "owl"]}})
    assert other == TREE
    assert other.names != TREE.names
    turned = TextClassifier("majority", hierarchy=other).fit(*ONE_MORE)
    assert diff_models(models[1], turned, corpus_of(TRUTH)).by_document.worse == found.by_document.better


def test_only_so_many_are_named(models):
    found = diff_models(*models, corpus_of(TRUTH), top=1)
    assert (len(found.by_document.most), len(found.by_category.most), found.by_category.changed) == (1, 1, 7)
    with pytest.raises(ValueError, match=r"top=-1.*>= 0"):
        diff_models(*models, corpus_of(TRUTH), top=-1)


def test_documents_that_are_not_labelled_are_left_out(models):
    found = diff_models(*models, corpus_of([None, *TRUTH[1:]]))
    assert (found.documents, found.left_out, found.by_document.most[0].id) == (4, 1, "3")


def test_different_hierarchies(models, tmp_path):
    other = TextClassifier(hierarchy=Hierarchy.flat(["owl", "gull", "fish", "oak"])).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match=r"different hierarchies: .*new, such as .*; train both|have different"):
        diff_models(models[0], other, corpus_of(TRUTH))


def test_files(models, tmp_path):
    paths = [str(tmp_path / name) for name in ("first", "second")]
    for model, path in zip(models, paths, strict=True):
        model.save(path)
    with pytest.warns(UserWarning, match=r"the (first|second) model was trained.*5 of these 5 documents"):
        found = diff(*paths, write_dataset(tmp_path / "data"))
    assert (found.documents, found.seen_by_first, found.seen_by_second) == (5, 5, 5)
    assert found.by_document.better == 4


def test_a_long_document_is_cut():
    assert len(excerpt("owl " * 1000)) == 201


def test_what_a_model_was_made_of_has_no_name_of_a_setting():
    """Settings stand beside the method, the decision and the like, so that names may not be the same."""
    settings = {name for method in METHODS.values() for name in method.declared() | method.declared_of_text()}
    assert not settings & {"method", "select", "decision", "calibration", "number of terms", "seed"}


def test_documents_that_belong_nowhere(models):
    found = diff_models(*models, corpus_of([[], []]))
    assert (found.by_kind.both_wrong, found.by_document.as_good) == (2, 1)
    assert {one.first for one in found.figures} == {0.0}


def test_a_single_category():
    owls = Hierarchy.flat(["owl"])
    model = TextClassifier("majority", hierarchy=owls).fit(["hoots"], [["owl"]])
    corpus = Corpus(["1"], ["hoots"], [["owl"]], [None], owls, "an owl")
    assert set(diff_models(model, model, corpus).tests) == {"micro_sign_test"}
