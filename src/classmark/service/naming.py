"""What categories are called to the outside: an address, a label and perhaps a notation each, and the way back."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from classmark.errors import InputError
from classmark.hierarchy import Name
from classmark.hierarchy.render import short_name
from classmark.wording import listed, meant

if TYPE_CHECKING:
    from classmark.pipeline import TextClassifier

COMPARED = 20_000
"""So many categories are compared at most with one that is unknown: addresses are alike, which makes it slow."""
SEVERAL = -1
"""What stands in the place of a position where two categories have the same address or name."""


def name_of(name: Name) -> str:
    """Give a category's name as text; a path's parts with a stroke between them.

    >>> name_of(("bird", "owl")), name_of(7)
    ('bird/owl', '7')
    """
    return "/".join(map(str, name)) if isinstance(name, tuple) else str(name)


@dataclass(frozen=True, slots=True)
class Called:
    """What a category is called to the outside."""

    uri: str
    """Its address; its name, where it has none."""
    label: str
    """Its readable name; the last part of its name, where it has none."""
    notation: str | None
    """Its notation, where it has one."""


class Naming:
    """What the categories of a fitted model are called, and which category is called so.

    Attributes
    ----------
    called : list of Called
        By node.

    Examples
    --------
    >>> from classmark import TextClassifier
    >>> given = {"titles": {"owl": "owls"}, "uris": {"owl": "http://example.org/owl"}, "notations": {"owl": "598.97"}}
    >>> model = TextClassifier("nb", **given).fit(["hoots at night", "grows acorns"], ["owl", "oak"])
    >>> naming = Naming(model)
    >>> naming.called[naming.position("owl")]
    Called(uri='http://example.org/owl', label='owls', notation='598.97')
    >>> naming.called[naming.position("oak")]
    Called(uri='oak', label='oak', notation=None)
    """

    def __init__(self, model: "TextClassifier") -> None:
        self._names = names = model.hierarchy_.names
        titles, uris, notations = model.titles or {}, model.uris or {}, model.notations or {}
        texts = [name_of(name) for name in names]
        self.called: list[Called] = [
            Called(uris.get(name) or text, titles.get(name) or short_name(name), notations.get(name) or None)
            for name, text in zip(names, texts, strict=True)
        ]
        self._positions = _positions(texts) | _positions(one.uri for one in self.called)

    def position(self, called: str) -> int:
        """Give the place in node order of the category that has this address, or else this name."""
        node = self._positions.get(called)
        if node is None:
            raise InputError(f"{called!r} is neither the address nor the name of a category{self._meant(called)}")
        if node == SEVERAL:
            raise InputError(f"{called!r} may be any of {self._several(called)}; give its name")
        return node

    def find(self, called: str) -> int | None:
        """Give the place of the category that has this address or name; None where there is none, or several."""
        node = self._positions.get(called)
        return None if node == SEVERAL else node

    def _meant(self, called: str) -> str:
        """Ask whether the one category with this label was meant, or another that is called nearly so."""
        uris = [one.uri for one in self.called if one.label == called]
        if len(uris) == 1:
            return f" (did you mean {uris[0]!r}?)"
        addresses, names = (one.uri for one in self.called[:COMPARED]), map(name_of, self._names[:COMPARED])
        return meant(called, addresses) or meant(called, names)

    def _several(self, called: str) -> str:
        pairs = zip(self._names, self.called, strict=True)
        return listed(name for name, one in pairs if called in (one.uri, name_of(name)))


def _positions(texts: Iterable[str]) -> dict[str, int]:
    """Give where each text stands."""
    found: dict[str, int] = {}
    for node, text in enumerate(texts):
        found[text] = SEVERAL if text in found else node
    return found
