"""What the page says, in every language: one file, `catalogue.json`, with a text for each key and language."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

LANGUAGES = {"en": "English", "de": "Deutsch"}
"""The languages, and what each calls itself; the first stands where nothing else is asked for."""
DEFAULT = next(iter(LANGUAGES))


@cache
def catalogue() -> Mapping[str, Mapping[str, str]]:
    """Give all texts: by key, and by language."""
    read = (files("classmark.server.page") / "catalogue.json").read_bytes()
    return msgspec.json.decode(read, type=dict[str, dict[str, str]])


class Words:
    """The texts of one language.

    >>> Words("de")("flow.try")
    'Probieren'
    """

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, key: str, **values: object) -> str:
        """Give a text, with values in the places that are named for them."""
        text = catalogue()[key][self.language]
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def beginning_with(self, *prefixes: str) -> dict[str, str]:
        """Give the texts whose keys begin so, for a script."""
        return {key: texts[self.language] for key, texts in catalogue().items() if key.startswith(prefixes)}


def wanted_language(accepted: str) -> str:
    """Give the language that a browser would rather have, of those that there are.

    >>> wanted_language("fr, de-AT;q=0.8, en;q=0.5"), wanted_language("fr"), wanted_language("de;q=zero")
    ('de', 'en', 'en')
    """
    ranked = sorted((_ranked(one) for one in accepted[:1000].split(",")), key=lambda one: -one[0])
    return next((name for rank, name in ranked if rank > 0 and name in LANGUAGES), DEFAULT)


def _ranked(one: str) -> tuple[float, str]:
    name, _, rank = one.partition(";")
    try:
        number = float(rank.strip().removeprefix("q=") or 1)
    except ValueError:
        number = 0.0
    return number, name.strip().lower().partition("-")[0]


def first_known(*asked: str | None) -> str | None:
    """Give the first of some languages that there is."""
    return next((one for one in asked if one in LANGUAGES), None)
