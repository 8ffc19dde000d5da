"""Hyper-parameters, each declared once: its name, default, type, what it may be, and a sentence.

A parameter is an annotated field of its class,

    n_rounds: Annotated[int, whole(1), "How many rounds there are."] = 500

and everything else is made from it: the constructor, what `check` refuses, how the command line reads it, the lists of
`classmark methods NAME` and the `Parameters` section of the docstring. A type that several classes use is an alias of
the whole annotation; a subclass with another default writes the field again with the same alias.
"""

from collections.abc import Collection, Container, Mapping
from dataclasses import Field, dataclass, field, fields
from inspect import get_annotations
from types import MappingProxyType
from typing import Any, NamedTuple, dataclass_transform, get_args

from classmark.checks import LARGEST, Rule, refused
from classmark.errors import InputError

SECTIONS = ("Attributes", "Examples", "Notes")
"""Sections of a docstring that come after that of the parameters."""
INDENT = "    "
_KNOWN: "dict[type, Mapping[str, Parameter]]" = {}
"""What classes were asked for: their declarations do not change."""


class Parameter(NamedTuple):
    """What a class declares of one of its hyper-parameters."""

    name: str
    default: Any
    rule: Rule
    sentence: str
    positional: bool = False

    def read(self, value: Any) -> Any:
        """Give a value as the parameter has it; text is read as it is written on the command line.

        >>> from classmark.checks import optional, whole
        >>> Parameter("k", 5, optional(whole(1)), "").read("none")
        """
        try:
            made = self.rule.read(value) if isinstance(value, str) and self.rule.read else value
        except ValueError:
            made = value
        if not self.rule.holds(made):
            raise InputError(f"setting {self.name}={value}: must be {self.written()}")
        return made

    def plain(self) -> Any:
        """Give the default as a command line and JSON have it.

        >>> Parameter("thresholds", (1.0, 0.5), Rule(bool, ""), "").plain()
        '1/0.5'
        """
        return "/".join(f"{one:g}" for one in self.default) if isinstance(self.default, tuple) else self.default

    def said(self) -> str:
        """Say what it may be, in the words of Python; that nobody counts to billions goes without saying."""
        return self.rule.words.replace(f" to {LARGEST:,}", "")

    def written(self) -> str:
        """Say what it may be, in the words of the command line."""
        return self.rule.words.replace("None", "none").replace("True or False", "yes or no")


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
class Parametrised:
    r"""Base of classes whose constructor is made of their declared parameters, to be given by name.

    What is annotated and no parameter is a `field(init=False)`; `field(kw_only=False)` allows a parameter without its
    name. A class that may not be changed afterwards says `frozen=True`.

    Examples
    --------
    >>> from typing import Annotated
    >>> from classmark.checks import whole
    >>> class Cut(Parametrised):
    ...     '''Keep the first terms.'''
    ...
    ...     count: Annotated[int, whole(1), "How many terms are kept."] = 10
    >>> Cut(count=3).count
    3
    >>> Cut.__doc__.split("\n")[-3:-1]
    ['    count : a whole number from 1, default 10', '        How many terms are kept.']
    """

    def __init_subclass__(cls, frozen: bool = False, **others: Any) -> None:
        super().__init_subclass__(**others)
        declare(cls, frozen=frozen)

    def check(self) -> None:
        """Refuse parameters that cannot be, in words."""
        check_parameters(self)


def declare(kind: type, *, frozen: bool, kw_only: bool = True, hidden: Container[str] = ()) -> None:
    """Give a class the constructor of its fields, and its docstring the section of the parameters that are not hidden.

    A frozen one is compared and shown by its values, as settings are; others are estimators, which do that their way.
    """
    said = kind.__doc__
    dataclass(kw_only=kw_only, eq=frozen, repr=frozen, frozen=frozen)(kind)
    shown = [one for one in parameters(kind).values() if one.name not in hidden]
    # Without docstrings, as by python -OO, there is nothing to say it in.
    kind.__doc__ = None if said is None else with_parameters(said, shown)


def parameters(kind: type) -> Mapping[str, Parameter]:
    """Give the parameters of a class by name: those that may stand without it, then its own, then inherited ones."""
    if kind not in _KNOWN:
        _KNOWN[kind] = _parameters(kind)
    return _KNOWN[kind]


def _parameters(kind: type) -> Mapping[str, Parameter]:
    found = [_parameter(one) for one in fields(kind) if one.init]
    written = {name: number for number, base in reversed([*enumerate(kind.__mro__)]) for name in get_annotations(base)}
    found.sort(key=lambda one: (not one.positional, written[one.name]))
    return MappingProxyType({one.name: one for one in found})


def read_settings(declared: Mapping[str, Parameter], settings: Mapping[str, Any], whose: str) -> dict[str, Any]:
    """Read settings that are given as values or as the strings of a command line; refuse what is not declared.

    >>> read_settings({}, {"k": "5"}, "method 'majority'")
    Traceback (most recent call last):
    classmark.errors.InputError: method 'majority' has no setting 'k'; it has none
    """
    if unknown := next((name for name in settings if name not in declared), None):
        known = f"its settings: {', '.join(declared)}" if declared else "it has none"
        raise InputError(f"{whose} has no setting {unknown!r}; {known}")
    return {name: declared[name].read(value) for name, value in settings.items()}


def check_parameters(holder: Any) -> None:
    """Refuse the first parameter of an object that may not be what it is.

    >>> from classmark import FlatNB
    >>> check_parameters(FlatNB(smoothing=0))
    Traceback (most recent call last):
    classmark.errors.InputError: smoothing is 0; give a number above 0
    """
    for name, declared in parameters(type(holder)).items():
        if not declared.rule.holds(getattr(holder, name)):
            raise refused(name, getattr(holder, name), declared.rule)


def with_parameters(text: str, declared: Collection[Parameter]) -> str:
    """Put the section of the parameters into a docstring, behind what is said of the class."""
    if not declared:
        return text
    lines = ["Parameters", "-" * len("Parameters")]
    for one in declared:
        lines += [f"{one.name} : {one.said()}, default {one.default!r}", f"{INDENT}{one.sentence}"]
    section = "".join(f"{INDENT}{line}\n" for line in lines)
    head = min((at for name in SECTIONS if (at := text.find(f"\n{INDENT}{name}\n")) >= 0), default=len(text))
    return f"{text[:head].rstrip()}\n\n{section}{text[head:] or INDENT}"


def _parameter(declared: Field[Any]) -> Parameter:
    """Read the annotation of a field; one without a rule and a sentence is a mistake of whoever writes the class."""
    _, rule, sentence = (*get_args(declared.type), None, None, None)[:3]
    if not (isinstance(rule, Rule) and isinstance(sentence, str)):
        raise TypeError(f"{declared.name} is no parameter: annotate it with a rule and a sentence, or say init=False")
    return Parameter(declared.name, declared.default, rule, sentence, not declared.kw_only)
