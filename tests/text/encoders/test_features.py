"""Vectors in place of terms: from texts to a model file and back, and what is refused."""

import numpy as np
import pytest

from classmark import Hierarchy, TextClassifier
from classmark.explain import explain
from classmark.registry import find_method
from classmark.service import describing
from classmark.text import TextSettings
from classmark.text.encoders.features import VectorsAndTerms, features_of, restored_features
from classmark.weak import TextEncoder, make_encoder
from tests.text.encoders.small_bert import write_model

pytest.importorskip("tokenizers", reason="the extra embed is not installed")

TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": None})
TEXTS = ["the owl", "owl owl the", "hoots at", "at hoots at", "night", "night night"]
LABELS = ["x", "x", "y", "y", "b", "b"]


@pytest.fixture
def encoder(tmp_path, monkeypatch):
    monkeypatch.setenv("CLASSMARK_CACHE", str(tmp_path / "cache"))
    return f"sentence:{write_model(tmp_path / 'bert')}"


def test_rows_are_the_vectors_of_the_encoder(encoder, monkeypatch):
    expected = make_encoder(encoder)(TEXTS)
    found = TextEncoder(encoder).fit_transform(iter([*TEXTS, " "]))
    assert found.toarray()[:-1] == pytest.approx(expected, abs=1e-6)
    assert not found.toarray()[-1].any()
    monkeypatch.setattr("classmark.text.encoders.kinds.TEXTS_AT_A_TIME", 4)
    fitted = TextEncoder(encoder).fit(())
    assert fitted.transform(iter(TEXTS)).toarray() == pytest.approx(expected, abs=1e-6)
    assert fitted.transform([]).shape == (0, expected.shape[1])
    assert fitted.vocabulary_[:2] == ["coordinate 1", "coordinate 2"]


@pytest.mark.parametrize("method", ["linear-svm", "logistic", "topdown-svm", "global-svm", "hiercost", "embedding-em"])
def test_methods_learn_from_vectors(method, encoder, tmp_path):
    model = TextClassifier(method, settings={"encoder": encoder}, hierarchy=TREE).fit(TEXTS, LABELS)
    learner, _ = find_method(method).configure({})
    alone = learner.build(0, None).set_params(hierarchy=TREE).fit(TextEncoder(encoder).fit_transform(TEXTS), LABELS)
    assert model.node_scores(TEXTS).tobytes() == alone.node_scores(model.transform(TEXTS)).tobytes()
    model.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    assert again.node_scores(TEXTS).tobytes() == model.node_scores(TEXTS).tobytes()
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    assert describing.info(str(tmp_path / "model")).text["encoder"] == encoder


def test_words_are_explained_by_what_the_score_loses(encoder, monkeypatch):
    model = TextClassifier(settings={"encoder": encoder}, hierarchy=TREE).fit(TEXTS, LABELS)
    text = "the owl hoots the"
    (found,) = explain(model, text, ["x"])
    score = model.node_scores([text])[0, TREE.position("x")]
    without = model.node_scores(["owl hoots the", "the hoots the", "the owl the", "the owl hoots"])[
        :, TREE.position("x")
    ]
    lost = dict(found.terms)
    assert found.score == pytest.approx(score)
    assert lost == pytest.approx(
        {"the": 2 * score - without[0] - without[3], "owl": score - without[1], "hoots": score - without[2]}
    )
    assert found.bias == pytest.approx(score - sum(lost.values()))
    assert not found.absent
    monkeypatch.setattr("classmark.explain.shares.MOST_OMISSIONS", 2)
    (found,) = explain(model, text, ["x"])
    assert {term for term, _ in found.terms} == {"the owl", "hoots the"}


def test_explaining_reads_messages_as_answering_does(encoder):
    settings = {"encoder": encoder, "headers": "subject"}
    model = TextClassifier(settings=settings, hierarchy=TREE).fit(TEXTS, LABELS)
    (found,) = explain(model, "From: night\nSubject: Re: owl\n\nhoots at", ["x"])
    (plain,) = explain(model, "owl hoots at", ["x"])
    assert found.terms == plain.terms


def test_a_category_that_nothing_was_learned_about(encoder):
    model = TextClassifier("embedding-em", settings={"encoder": encoder}, hierarchy=TREE).fit(TEXTS[:4], LABELS[:4])
    (found,) = explain(model, "the owl", ["b"])
    assert (found.score, found.terms) == (-np.inf, [])


def test_another_encoder_under_the_same_name_is_refused(encoder, tmp_path):
    TextClassifier(settings={"encoder": encoder}, hierarchy=TREE).fit(TEXTS, LABELS).save(tmp_path / "model")
    write_model(tmp_path / "bert", seed=1)
    model = TextClassifier.load(tmp_path / "model")
    for _ in range(2):
        with pytest.raises(ValueError, match="is not the one that the model learned with"):
            model.predict(TEXTS)


@pytest.mark.parametrize(
    ("method", "settings", "more", "words"),
    [
        ("pcem", {}, {}, "pcem counts terms, not vectors; set encoder=terms"),
        ("adaboost-mh", {}, {}, "adaboost-mh counts terms"),
        ("knn-bm25", {}, {}, "knn-bm25 counts terms"),
        ("linear-svm", {}, {"selection": "chi-square,share=0.5"}, "no terms"),
        ("linear-svm", {"encoder": "words"}, {}, r"unknown encoder 'words'.*terms"),
        ("linear-svm", {"encoder": "sentence:nowhere"}, {}, "no such folder"),
    ],
)
def test_refusals(method, settings, more, words, encoder):
    with pytest.raises(ValueError, match=words) as error:
        TextClassifier(method, settings={"encoder": encoder} | settings, hierarchy=TREE, **more).fit(TEXTS, LABELS)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("wrong", "words"), [({"owl": 1.0}, "document 1 is features"), (3, "document 1 is int")])
def test_a_document_that_is_no_text(wrong, words, encoder):
    with pytest.raises(ValueError, match=words):
        TextEncoder(encoder).fit_transform(["owl", wrong])
    with pytest.raises(ValueError, match="list of texts"):
        TextEncoder(encoder).fit_transform("owl")


def test_a_damaged_model_file(encoder, tmp_path):
    model = TextClassifier(settings={"encoder": encoder}, hierarchy=TREE).fit(TEXTS, LABELS)
    model.vectoriser_.probe_ = np.ones(3)
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="the vocabulary and the classifier differ in size"):
        TextClassifier.load(tmp_path / "model")


def test_terms_stand_beside_vectors(encoder):
    text = TextSettings(encoder=f"{encoder}+terms", stop_words=None, ngrams=2, ngram_weight=0.5)
    features = features_of(text)
    assert isinstance(features, VectorsAndTerms)
    rows = features.fit_transform(iter(TEXTS))
    vectors = TextEncoder(encoder).fit_transform(TEXTS)
    width = vectors.shape[1]
    assert rows[:, :width].toarray() == pytest.approx(vectors.toarray(), abs=1e-6)
    terms = rows[:, width:].toarray()
    assert np.linalg.norm(terms, axis=1) == pytest.approx(np.full(6, 0.5))
    assert features.vocabulary_[width:] == sorted(["at", "at hoot", "hoot", "hoot at", *PAIRS])
    # night alone, twice: nothing else has a weight.
    assert terms[4].tolist() == [0.5 * (term == "night") for term in features.vocabulary_[width:]]
    assert features.transform(TEXTS).toarray() == pytest.approx(rows.toarray(), abs=1e-6)
    assert features.transform([]).shape == (0, rows.shape[1])
    again = restored_features(text, features.to_state())
    assert again.vocabulary_ == features.vocabulary_
    assert again.transform(TEXTS).toarray() == pytest.approx(rows.toarray(), abs=1e-6)


PAIRS = ["night", "night night", "owl", "owl owl", "owl the", "the", "the owl"]


@pytest.mark.parametrize(
    ("change", "words"),
    [({"idf": np.ones(2)}, "'idf' has shape"), ({"mean_length": np.nan}, "'mean_length' is not a number")],
)
def test_damaged_terms_beside_vectors(encoder, change, words):
    text = TextSettings(encoder=f"{encoder}+terms")
    features = features_of(text)
    features.fit_transform(TEXTS)
    with pytest.raises(ValueError, match=words):
        restored_features(text, features.to_state() | change)


def test_vectors_are_found_on_disk_when_they_are_asked_for_again(encoder, tmp_path):
    texts = [f"owl {'hoots ' * number}" for number in range(130)]
    first = TextEncoder(encoder).fit_transform(texts)
    assert len(list((tmp_path / "cache").rglob("*.vectors"))) == 1
    assert TextEncoder(encoder).fit_transform(texts).toarray().tobytes() == first.toarray().tobytes()
