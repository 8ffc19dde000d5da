"""Text settings: what they build, and which languages they refuse."""

import pytest

from classmark.text import TextSettings
from classmark.text.mail import subject_and_body


def test_english_is_stemmed_by_porter():
    analyser = TextSettings().analyser()
    assert (analyser.stop_words, analyser.stemmer, analyser.ngrams) == ("english", "porter", (1, 1))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"language": "auto"}, "there are no documents to find the language of; name it"),
        ({"language": "klingon"}, "must be auto or one of "),
        ({"stop_words": "klingon"}, "setting stop_words=klingon: must be language, none or one of "),
        ({"stemmer": "klingon"}, "setting stemmer=klingon: must be language, none or one of "),
    ],
)
def test_unknown_languages_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        TextSettings(**settings).analyser()


@pytest.mark.parametrize(
    ("settings", "texts", "found"),
    [
        ({}, ["anything"], ("english", "language", "language")),
        ({"language": "auto"}, ["Das ist nicht der Weg nach Hause"], ("german", "language", "language")),
        ({"language": "auto"}, ["Det är inte vägen hem"], ("unknown", None, None)),
        ({"language": "auto", "stop_words": None}, ["Det är inte vägen hem"], ("unknown", None, None)),
        ({"language": "auto", "stop_words": "french"}, ["Det är inte"], ("unknown", "french", None)),
        ({"language": "auto", "stop_words": None, "stemmer": None}, ["x"], ("any", None, None)),
    ],
)
def test_the_language_of_documents(settings, texts, found):
    settled = TextSettings(**settings).for_documents([*texts, {"feature": 1.0}])
    assert (settled.language, settled.stop_words, settled.stemmer) == found


def test_headers_are_left_out_where_that_is_asked_for():
    message = "From: me\nSubject: owls\n\nThey hoot."
    (kept,) = TextSettings().prepared([message])
    prepared = TextSettings(headers="subject").prepared([message])
    assert kept == message
    assert list(prepared) == list(prepared) == [subject_and_body(message)]
    assert len(prepared) == 1
