"""What the page says: every text in every language, every key that is used there, and none that is not."""

import re
from pathlib import Path

import pytest

import classmark.server.page
from classmark.server.page.rendering import LANGUAGES, Words, catalogue

FOLDER = Path(classmark.server.page.__file__).parent
SOURCES = [*FOLDER.glob("static/*.js"), *(Path(classmark.__file__).parent / "templates" / "server").glob("*.html")]
WHOLE = re.compile(r"""["'`]([a-z][a-z-]*\.[a-zA-Z0-9_.-]*[a-zA-Z0-9_])["'`]""")
BEGUN = re.compile(r"""[`"]([a-z][a-z-]*\.(?:[a-z0-9-]+[.-])?)(?:\$\{|" ~)""")
FILES = (".js", ".css", ".html")


def used() -> tuple[set[str], set[str]]:
    """Give the keys that scripts and templates name, and the beginnings of those that they put together."""
    texts = [path.read_text("utf-8") for path in SOURCES]
    whole = {key for text in texts for key in WHOLE.findall(text) if not key.endswith(FILES)}
    return whole, {key for text in texts for key in BEGUN.findall(text)}


def test_every_text_is_there_in_every_language() -> None:
    assert catalogue()
    for key, texts in catalogue().items():
        assert list(texts) == list(LANGUAGES), key
        assert all(text.strip() == text and text for text in texts.values()), key


def test_the_same_values_stand_in_every_language() -> None:
    for key, texts in catalogue().items():
        places = {frozenset(re.findall(r"\{\w+\}", text)) for text in texts.values()}
        assert len(places) == 1, key


def test_plural_forms_are_one_for_each_plural_category() -> None:
    forms = {
        (key, language, found): found.split("|")
        for key, texts in catalogue().items()
        for language, text in texts.items()
        for found in re.findall(r"\{\w+:([^}]*)\}", text)
    }
    assert ("batch.facts", "en", "row|rows") in forms
    # English and German have the categories one and other.
    assert {place: found for place, found in forms.items() if len(found) != 2} == {}


def test_plural_forms_stand_for_values_of_their_text() -> None:
    for key, texts in catalogue().items():
        for text in texts.values():
            assert set(re.findall(r"\{(\w+):", text)) <= set(re.findall(r"\{(\w+)\}", text)), key


def test_every_key_that_is_used_exists() -> None:
    whole, begun = used()
    assert begun
    known = set(catalogue())
    families = {key.partition(".")[0] for key in known}
    assert {key for key in whole if key.partition(".")[0] in families} <= known
    assert all(any(key.startswith(one) for key in known) for one in begun)


def test_every_key_is_used() -> None:
    whole, begun = used()
    unused = {key for key in catalogue() if key not in whole and not key.startswith(tuple(begun))}
    assert unused == set()


def test_no_text_is_markup() -> None:
    assert not [key for key, texts in catalogue().items() for text in texts.values() if re.search(r"<\w", text)]


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(KeyError):
        Words("en")("no.such-key")
