"""What shells complete: names and settings, from tables that are read and lists that are written, so that it is quick.

A completer gives the words that may stand where somebody has typed a beginning, each with a sentence about it if there
is one. Where there is none to give the shell completes files.

bash takes words apart at `=`, and puts a space behind a word that is complete: see `rejoin` and `settings`.
"""

import os
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import Any, TypeAlias

import typer

from classmark.cli import lists

Words: TypeAlias = list[tuple[str, str]]
NONE = ", or none"
ONE_OF = "one of "
ANYTHING = "text"
"""What is said of settings that any text may be."""
ASKED, BASH = "_CLASSMARK_COMPLETE", "complete_bash"
"""The variable by which a shell asks, and what bash says in it."""


def rejoin(environment: MutableMapping[str, str] = os.environ) -> None:
    r"""Put the words together again that bash takes apart at `=`, before they are read.

    >>> asked = {"_CLASSMARK_COMPLETE": "complete_bash", "COMP_WORDS": "classmark\ntrain\n--set\nC\n=\n1"}
    >>> asked["COMP_CWORD"] = "5"
    >>> rejoin(asked)
    >>> asked["COMP_WORDS"].split("\n"), asked["COMP_CWORD"]
    (['classmark', 'train', '--set', 'C=1'], '3')
    """
    if environment.get(ASKED) != BASH or "=" not in environment.get("COMP_WORDS", ""):
        return
    words: list[str] = []
    position = int(environment["COMP_CWORD"])
    for place, word in enumerate(environment["COMP_WORDS"].split("\n")):
        if words and (word == "=" or words[-1].endswith("=")):
            words[-1] += word
        else:
            words.append(word)
        if place == int(environment["COMP_CWORD"]):
            position = len(words) - 1
    environment["COMP_WORDS"], environment["COMP_CWORD"] = "\n".join(words), str(position)


class BehindSign(str):
    """A word that is compared whole, and of which bash is told what stands behind the sign: it has the rest.

    >>> f"{BehindSign('C=1.0')}", BehindSign("C=1.0").startswith("C=")
    ('1.0', True)
    """

    def __format__(self, how: str) -> str:
        return format(self.partition("=")[2], how)


def among(names: Iterable[str]) -> Callable[[str], Words]:
    """Complete one of some names.

    >>> among(["platt", "isotonic", "softmax"])("pl")
    [('platt', '')]
    """
    known = list(names)

    def complete(incomplete: str) -> Words:
        return [(name, "") for name in known if name.startswith(incomplete)]

    return complete


def methods(incomplete: str) -> Words:
    """Complete the name of a method.

    >>> methods("linear")
    [('linear-svm', 'Linear SVM, each category against the rest; the strong baseline.')]
    """
    from classmark.methods import METHODS

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
    found = among(lists.DECISION_NAMES)(decision) if plus else methods(last)
    start = f"{before}{comma}{method}{plus}" if plus else f"{before}{comma}"
    return [(f"{start}{word}", said) for word, said in found]


def settings(ctx: typer.Context, incomplete: str) -> Words:
    """Complete a setting of the method that is asked for, and then what it may be."""
    name, equals, value = incomplete.partition("=")
    found = {one["name"]: one for one in _declared(ctx)}
    in_bash = os.environ.get(ASKED) == BASH
    if equals:
        told = BehindSign if in_bash else str
        allowed = _examples(found[name]) if name in found else []
        return [(told(f"{name}={word}"), "") for word in allowed if word.startswith(value)]
    names = [(f"{known}=", one["description"]) for known, one in found.items() if known.startswith(name)]
    if in_bash and len(names) == 1:
        # A second word with the same beginning keeps bash from putting a space behind the sign.
        only = names[0][0]
        return [*names, *((f"{only}{word}", "") for word in _examples(found[only[:-1]]))]
    return names


def _examples(setting: dict[str, Any]) -> list[str]:
    """Give the words that a setting may be, or its default where that is a number."""
    default = setting["default"]
    return values(setting["allowed"]) or ["none" if default is None else str(default)]


def _declared(ctx: typer.Context) -> Iterator[dict[str, Any]]:
    """Give the settings of the methods that are asked for, or of all."""
    from classmark.methods.declarations import declarations

    known = declarations()
    asked = str(ctx.params.get("method") or ctx.params.get("methods") or "")
    named = [one.partition("+")[0] for one in asked.split(",")]
    for method in [one for one in named if one in known] or known:
        yield from known[method]


def values(allowed: str) -> list[str]:
    """Give the words that a setting may be, out of what is said of it; none where that is a number.

    >>> values("one of hard, soft, or none"), values("yes or no"), values("a number > 0")
    (['hard', 'soft', 'none'], ['yes', 'no'], [])
    """
    words, none = allowed.removesuffix(NONE), ["none"] if allowed.endswith(NONE) else []
    if words == "yes or no":
        return ["yes", "no", *none]
    if words.startswith(ONE_OF):
        return [*words.removeprefix(ONE_OF).split(", "), *none]
    return [*([] if " " in words or words == ANYTHING else [words]), *none]
