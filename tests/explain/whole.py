"""Whether explanations and pages are whole, asked of every method."""

from html.parser import HTMLParser
from math import isfinite

import pytest

from classmark.explain import explain, explain_node, node_to_page, node_to_text, to_json, to_page, to_text

ALONE = {"meta", "br", "!doctype"}
"""Elements that nothing ends."""


class Page(HTMLParser):
    """The text of a page, every element of which is ended, and which loads and runs nothing."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[str] = []
        self.seen: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open
        assert not {"script", "img", "link", "iframe", "object", "form"} & set(self.elements)

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names))
        assert not any(name.startswith("on") or name in ("src", "href", "srcset") for name in names)
        self.elements.append(tag)
        if tag not in ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.seen.append(data)

    @property
    def text(self):
        return "".join(self.seen)


def check_text(model, text):
    """Explain a text in all ways; give the explanations."""
    found = explain(model, text, why_not=True, along=True, marked=True)
    for one in found:
        assert "".join(piece.text for piece in one.pieces) == text
        assert [step.category for step in one.steps] == list(model.hierarchy_.path(one.category))
        if one.why_not is not None and isfinite(one.why_not.difference):
            other = one.why_not
            total = sum(share for _, share in other.terms) + other.others + other.bias
            assert total == pytest.approx(other.difference, rel=1e-6, abs=1e-9)
            assert other.difference == pytest.approx(one.score - other.score)
            assert other.category != one.category
    page = to_page(found, "best-path")
    assert Page(page).text.count("decided by best-path") == 1
    assert to_text(found, decision="best-path")
    assert len(to_json(found)) == len(found)
    return found


def check_nodes(model):
    """Say what a model knows of each category; give it."""
    found = [explain_node(model, name, top=3) for name in model.hierarchy_]
    for one in found:
        assert (one.words is None) == bool(one.no_words)
        assert "\n" not in one.no_words
        assert node_to_text(one).startswith(" › ".join(one.path))
        Page(node_to_page(one))
        for words, sign in ((one.words.speaking_for, 1), (one.words.against, -1)) if one.words else ():
            weights = [sign * weight for _, weight in words]
            assert all(weight > 0 for weight in weights)
            assert weights == sorted(weights, reverse=True)
    return found
