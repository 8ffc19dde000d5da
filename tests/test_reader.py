"""The one way from documents to rows: headers, language, terms or vectors, weights."""

import numpy as np
import pytest

from classmark.reader import Reader
from classmark.text import TextSettings

MAILS = ["From: Ann\nSubject: Owls\n\nThey hoot.", "From: Bob\nSubject: Gulls\n\nThey cry."]
GERMAN = ["Die Häuser sind nicht mehr da", "Das Haus ist auch nicht von mir", "Wir haben keine Häuser und keinen Wald"]


def test_headers_are_passed_over_in_both_parts():
    reader, rows = Reader.learn(TextSettings(headers="subject"), MAILS)
    assert reader.vectoriser.vocabulary_ == ["cry", "gull", "hoot", "owl"]
    assert np.array_equal(reader.rows(MAILS).toarray(), rows.toarray())


def test_the_language_is_that_of_the_documents():
    reader, _ = Reader.learn(TextSettings(language="auto"), (text for text in GERMAN))
    assert reader.text.language == "german"
    assert reader.vectoriser.vocabulary_ == ["haus", "wald"]


def test_an_unknown_language_is_read_as_it_stands():
    reader, _ = Reader.learn(TextSettings(language="auto"), ["Koko talo oli täynnä vieraita", "He jäivät yöhön"])
    assert (reader.text.language, reader.text.stemmer, reader.text.stop_words) == ("unknown", None, None)
    assert "talo" in reader.vectoriser.vocabulary_


def test_every_document_is_read_after_the_language_is_known():
    texts = GERMAN * 400
    _, rows = Reader.learn(TextSettings(language="auto"), iter(texts))
    assert rows.shape[0] == len(texts)


@pytest.mark.parametrize("documents", ["one text", {"owl": 1.0}, 3])
def test_what_is_no_list_of_documents_is_refused(documents):
    with pytest.raises(ValueError, match="list of documents"):
        Reader.learn(TextSettings(language="auto"), documents)


def test_runs_weigh_what_they_are_told():
    texts = ["owls hoot", "owls hoot", "gulls cry"]
    found = {}
    for weight in (1.0, 0.5):
        text = TextSettings(ngrams=2, ngram_weight=weight, norm=None, stemmer=None, stop_words=None)
        reader, rows = Reader.learn(text, texts)
        X, weigh = reader.weigh(rows)
        assert np.array_equal(weigh(reader.rows(texts)).toarray(), X.toarray())
        found[weight] = dict(zip(reader.vectoriser.vocabulary_, X.toarray()[0], strict=True))
    assert found[0.5]["owls hoot"] == pytest.approx(found[1.0]["owls hoot"] / 2)
    assert found[0.5]["owls"] == found[1.0]["owls"]


def test_ready_made_features_are_no_runs():
    text = TextSettings(ngrams=2, ngram_weight=0.5, ngram_min_df=2, norm=None, weighting="counts")
    reader, rows = Reader.learn(text, [{"new york": 2.0}, {"york": 1.0}])
    X, _ = reader.weigh(rows)
    assert reader.vectoriser.vocabulary_ == ["new york", "york"]
    assert X.toarray().tolist() == [[2.0, 0.0], [0.0, 1.0]]


def test_a_selection_keeps_what_runs_are():
    text = TextSettings(ngrams=2, ngram_weight=0.5, norm=None, weighting="counts", stemmer=None, stop_words=None)
    reader, rows = Reader.learn(text, ["owls hoot"])
    kept = reader.selected(np.array([0, 2]))
    assert kept.vectoriser.vocabulary_ == ["hoot", "owls hoot"]
    assert kept.weigh(rows[:, [0, 2]])[0].toarray().tolist() == [[1.0, 0.5]]
