"""Text settings: what they build, and which languages they refuse."""

import pytest

from classmark.text import TextSettings
from classmark.text.settings import subject_and_body


def test_english_is_stemmed_by_porter():
    analyser = TextSettings().analyser()
    assert (analyser.stop_words, analyser.stemmer, analyser.ngrams) == ("english", "porter", (1, 1))


def test_the_language_is_not_found_without_documents():
    with pytest.raises(ValueError, match="there are no documents to find the language of; name it"):
        TextSettings(language="auto").analyser()


@pytest.mark.parametrize(
    ("name", "allowed"), {"language": "auto", "stop_words": "language, none", "stemmer": "language, none"}.items()
)
def test_unknown_languages_are_refused(name, allowed):
    with pytest.raises(ValueError, match=f"{name}=klingon: must be {allowed} or one of "):
        TextSettings(**{name: "klingon"}).analyser()


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
