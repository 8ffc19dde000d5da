"""Shell completion of names, from tables that import nothing slow.

A completer returns words that begin as the user typed, each with a description if there is one.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from classmark import names

Words: TypeAlias = list[tuple[str, str]]


def among(words: Iterable[str]) -> Callable[[str], Words]:
    """Return a completer of some names.

    >>> among(["platt", "isotonic", "softmax"])("pl")
    [('platt', '')]
    """
    known = list(words)

    def complete(incomplete: str) -> Words:
        return [(word, "") for word in known if word.startswith(incomplete)]

    return complete


def methods(incomplete: str) -> Words:
    """Complete the name of a method.

    >>> methods("linear")
    [('linear-svm', 'Linear SVM, each category against the rest; the strong baseline.')]
    """
    from classmark.registry import METHODS

    return [(name, method.summary) for name, method in METHODS.items() if name.startswith(incomplete)]


def several_methods(incomplete: str) -> Words:
    """Complete the last of several methods, or its decision.

    >>> several_methods("nb,linear-svm+ps")
    []
    >>> several_methods("nb,linear-svm+pc")
    [('nb,linear-svm+pcut', '')]
    """
    before, comma, last = incomplete.rpartition(",")
    method, plus, decision = last.partition("+")
    matches = among(names.DECISIONS)(decision) if plus else methods(last)
    start = f"{before}{comma}{method}{plus}" if plus else f"{before}{comma}"
    return [(f"{start}{word}", description) for word, description in matches]
