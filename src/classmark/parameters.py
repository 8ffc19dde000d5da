"""Parameters declared once: name, type, constraint, default and description.

A parameter is an annotated field of its class,

    n_estimators: Annotated[int, integer(ge=1), "Number of boosting rounds."] = 500

and the constructor, its signature, the section of the docstring, the checks, the settings of the command line and
`classmark methods NAME` derive from it. An alias of a whole annotation can be reused by several classes. A subclass
that needs another default declares the field again.
"""

import inspect
from collections.abc import Collection, Container, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, NamedTuple, dataclass_transform, get_args

from classmark.checks import Constraint, invalid_value
from classmark.errors import InputError
from classmark.wording import meant, unknown_name

SECTIONS = ("Attributes", "Examples", "Notes")
"""Sections of a docstring that follow the parameters."""
INDENT = "    "
_PARAMETERS: "dict[type, dict[str, Parameter]]" = {}


class Parameter(NamedTuple):
    """Declaration of a parameter."""

    name: str
    default: Any
    constraint: Constraint
    description: str
    type: Any = Any
    positional: bool = False

    def read(self, value: Any) -> Any:
        """Return a valid value, parsed if it is text as on the command line.

        >>> from classmark.checks import integer, optional
        >>> Parameter("k", 5, optional(integer(ge=1)), "").read("none")
        """
        try:
            parsed = self.constraint.parse(value) if isinstance(value, str) and self.constraint.parse else value
        except ValueError:
            parsed = value
        if isinstance(value, list) and isinstance(self.default, tuple):
            parsed = tuple(value)
        if not self.constraint.accepts(parsed):
            raise InputError(f"setting {self.name}={value}: must be {self.text_description()}")
        return parsed

    def text_default(self) -> Any:
        """Return the default as the command line and JSON write it.

        >>> Parameter("thresholds", (1.0, 0.5), Constraint(bool, ""), "").text_default()
        '1/0.5'
        """
        return "/".join(f"{item:g}" for item in self.default) if isinstance(self.default, tuple) else self.default

    def text_description(self) -> str:
        """Describe the allowed values as the command line writes them."""
        return self.constraint.description.replace("None", "none").replace("True or False", "yes or no")


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
class Parameterized:
    r"""Base of classes whose constructor takes their declared parameters as keywords.

    An annotated field that is not a parameter is a `field(init=False)`; `field(kw_only=False)` makes a parameter
    positional too. `frozen=True` makes instances immutable and comparable by value. The docstrings of subclasses list
    the parameters of a class with `shared=True` under *Other Parameters*.

    Examples
    --------
    >>> from typing import Annotated
    >>> from classmark.checks import integer
    >>> class Cut(Parameterized):
    ...     '''Keep the first terms.'''
    ...
    ...     count: Annotated[int, integer(ge=1), "Number of terms to keep."] = 10
    >>> Cut(count=3).count
    3
    >>> inspect.signature(Cut)
    <Signature (*, count: int = 10)>
    >>> Cut.__doc__.split("\n")[-3:-1]
    ['    count : an integer >= 1, default 10', '        Number of terms to keep.']
    """

    def __init_subclass__(cls, frozen: bool = False, shared: bool = False, **others: Any) -> None:
        super().__init_subclass__(**others)
        declare(cls, frozen=frozen, shared=shared)

    def check(self) -> None:
        """Raise InputError for the first invalid parameter."""
        check_parameters(self)


def declare(
    cls: type, *, frozen: bool, shared: bool = False, kw_only: bool = True, hidden: Container[str] = ()
) -> None:
    """Make a class a dataclass with a plain signature, and document all of its parameters that are not hidden.

    Frozen classes compare and print their values; others are estimators, for which scikit-learn does that.
    """
    docstring = cls.__doc__
    dataclass(kw_only=kw_only, eq=frozen, repr=frozen, frozen=frozen)(cls)
    declared = parameters(cls)
    kinds = {True: inspect.Parameter.POSITIONAL_OR_KEYWORD, False: inspect.Parameter.KEYWORD_ONLY}
    signature = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    signature += [
        inspect.Parameter(one.name, kinds[one.positional], default=one.default, annotation=one.type)
        for one in declared.values()
    ]
    cls.__init__.__signature__ = inspect.Signature(signature)  # type: ignore[misc]
    if shared:
        cls._shared_parameters = frozenset(declared)  # type: ignore[attr-defined]
    inherited: Container[str] = getattr(cls, "_shared_parameters", ())
    # python -OO strips docstrings.
    if docstring is not None:
        visible = [one for one in declared.values() if one.name not in hidden]
        others = [one for one in visible if one.name in inherited]
        cls.__doc__ = with_parameters(docstring, [one for one in visible if one not in others], others)


def parameters(cls: type) -> Mapping[str, Parameter]:
    """Return the parameters of a class by name: positional ones, its own, then inherited ones."""
    if cls not in _PARAMETERS:
        depth = {
            name: number
            for number, base in reversed([*enumerate(cls.__mro__)])
            for name in inspect.get_annotations(base)
        }
        declared = [_parameter(one) for one in fields(cls) if one.init]
        declared.sort(key=lambda one: (not one.positional, depth[one.name]))
        _PARAMETERS[cls] = {one.name: one for one in declared}
    return _PARAMETERS[cls]


def read_settings(declared: Mapping[str, Parameter], settings: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """Read settings that are values or strings of a command line; raise InputError if one is unknown or invalid.

    >>> read_settings({}, {"k": "5"}, "method 'majority'")
    Traceback (most recent call last):
    classmark.errors.InputError: method 'majority' has no setting 'k'; it has none
    """
    if unknown := next((name for name in settings if name not in declared), None):
        known = f"its settings: {', '.join(declared)}" if declared else "it has none"
        raise InputError(f"{owner} has no setting {unknown!r}{meant(unknown, declared)}; {known}")
    try:
        return {name: declared[name].read(value) for name, value in settings.items()}
    except InputError as error:
        raise InputError(f"{owner}, {error}") from None


def parse_choice(text: str, kind: str, known: Mapping[str, Mapping[str, Parameter]]) -> tuple[str, dict[str, Any]]:
    """Parse `name,key=value,...`, as the command line writes decisions, committees and selections.

    `known` has the parameters of each name; messages call the name a `kind`.

    >>> from classmark.checks import real
    >>> parse_choice("near,distance=0.5", "committee", {"near": {"distance": Parameter("distance", 0.1, real(), "")}})
    ('near', {'distance': 0.5})
    """
    name, *written = (part.strip() for part in text.split(","))
    if name not in known:
        raise unknown_name(kind, name, known)
    settings: dict[str, str] = {}
    for setting in written:
        key, _, value = setting.partition("=")
        if key in settings:
            raise InputError(f"{kind} {text!r}: {key} is given twice; give it once")
        settings[key] = value
    return name, read_settings(known[name], settings, f"{kind} {name!r}")


def check_parameters(holder: Any) -> None:
    """Raise InputError for the first invalid parameter of an object.

    >>> from classmark import FlatNB
    >>> check_parameters(FlatNB(smoothing=0))
    Traceback (most recent call last):
    classmark.errors.InputError: smoothing=0: must be a number > 0
    """
    for name, declared in parameters(type(holder)).items():
        if not declared.constraint.accepts(getattr(holder, name)):
            raise invalid_value(name, getattr(holder, name), declared.constraint)


def with_parameters(text: str, own: Collection[Parameter], others: Collection[Parameter] = ()) -> str:
    """Insert the sections of parameters into a docstring, before its other sections."""
    sections = ""
    for title, declared in (("Parameters", own), ("Other Parameters", others)):
        if declared:
            lines = ["", title, "-" * len(title)]
            for one in declared:
                lines += [f"{one.name} : {one.constraint.description}, default {one.default!r}"]
                lines += [f"{INDENT}{one.description}"]
            sections += "".join(f"{INDENT}{line}".rstrip() + "\n" for line in lines)
    if not sections:
        return text
    head = min((at for name in SECTIONS if (at := text.find(f"\n{INDENT}{name}\n")) >= 0), default=len(text))
    return f"{text[:head].rstrip()}\n{sections}{text[head:] or INDENT}"


def _parameter(declared: Field[Any]) -> Parameter:
    kind, constraint, description = (*get_args(declared.type), None, None, None)[:3]
    if not (isinstance(constraint, Constraint) and isinstance(description, str)):
        raise TypeError(
            f"{declared.name} is not a parameter: annotate it with a constraint and a description, or use init=False"
        )
    return Parameter(declared.name, declared.default, constraint, description, kind, not declared.kw_only)
