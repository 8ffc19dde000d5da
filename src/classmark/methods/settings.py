"""How the settings of a method are declared, changed and checked.

Settings are a frozen struct whose fields carry their defaults, limits and a few words, so that Python, the command
line and the documentation all read the same declaration.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec import inspect

from classmark.checks import LARGEST
from classmark.text import TextSettings

if TYPE_CHECKING:
    from classmark.base import HierarchicalClassifier


class LearnerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a method besides its text settings."""

    starts_at_names: ClassVar[bool] = False
    """Whether the method learns best from names of categories as its only labelled documents, where there are none."""

    def build(self, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the classifier of these settings, to be fitted."""
        raise NotImplementedError


DEFAULT_TEXT = TextSettings()
LINEAR_TEXT = TextSettings(language="auto", stop_words=None, ngrams=2, ngram_min_df=2, ngram_weight=0.5, sublinear=None)
"""How linear methods read text: chosen on held-out training documents of seven corpora, see `docs/defaults.md`."""


@dataclass(frozen=True)
class Method:
    """One entry of the table."""

    name: str
    summary: str
    learner: LearnerSettings
    text: TextSettings = DEFAULT_TEXT

    def configure(self, settings: Mapping[str, Any]) -> tuple[LearnerSettings, TextSettings]:
        """Change some settings, given as values or as the strings of the command line.

        >>> from classmark.methods import find_method
        >>> learner, text = find_method("linear-svm").configure({"C": "10", "stemmer": "none"})
        >>> learner.C, text.stemmer
        (10.0, None)
        """
        parts = [self.learner, self.text]
        for name, value in settings.items():
            home = next((i for i, part in enumerate(parts) if name in part.__struct_fields__), None)
            if home is None:
                known = ", ".join(field for part in parts for field in part.__struct_fields__)
                raise ValueError(f"method {self.name!r} has no setting {name!r}; its settings: {known}")
            parts[home] = changed(parts[home], name, value)
        return parts[0], parts[1]  # type: ignore[return-value]


def changed(settings: msgspec.Struct, name: str, value: Any) -> Any:
    """Give a copy of a struct with one field changed, the value converted and checked by its declaration.

    >>> changed(TextSettings(), "lowercase", "no").lowercase
    False
    """
    declared = _declared(type(settings), name)
    given = None if isinstance(value, str) and value == "none" else value
    if isinstance(declared, inspect.BoolType) and isinstance(given, str):
        given = YES_OR_NO.get(given.lower(), given)
    try:
        made = msgspec.convert(msgspec.structs.asdict(settings) | {name: given}, type(settings), strict=False)
    except msgspec.ValidationError:
        raise ValueError(f"setting {name}={value}: must be {_listed(allowed(declared))}") from None
    check_limits(made)
    return made


def check_limits(settings: msgspec.Struct) -> None:
    """Refuse numbers that no declaration can: infinite ones, and whole ones that are larger than anybody needs.

    >>> check_limits(TextSettings(max_features=10**20))
    Traceback (most recent call last):
    ValueError: setting max_features=100000000000000000000: must be a whole number to 1,000,000,000 or none
    """
    for name, value in msgspec.structs.asdict(settings).items():
        if isinstance(value, float | int) and not isinstance(value, bool) and not _is_usable(value):
            declared = _declared(type(settings), name)
            raise ValueError(f"setting {name}={value}: must be {_listed(allowed(declared))}")


def _is_usable(value: float) -> bool:
    return abs(value) <= LARGEST if isinstance(value, int) else isfinite(value)


YES_OR_NO = {"yes": True, "no": False}
"""What people write for truth values, besides `true` and `false`."""

LIMITS = {"gt": "above", "ge": "from", "lt": "below", "le": "to"}
ALLOWED: dict[type[inspect.Type], Callable[[Any], list[str]]] = {
    inspect.BoolType: lambda _: ["yes", "no"],
    inspect.NoneType: lambda _: ["none"],
    inspect.StrType: lambda _: ["text"],
    inspect.IntType: lambda kind: [f"a whole number{_limits(kind)}"],
    inspect.FloatType: lambda kind: [f"a number{_limits(kind)}"],
    inspect.LiteralType: lambda kind: [str(value) for value in kind.values],
    inspect.UnionType: lambda kind: [word for one in _without_int_beside_float(kind.types) for word in allowed(one)],
}


def allowed(declared: inspect.Type) -> list[str]:
    """Say what a setting may be, given its declared type.

    >>> from typing import Annotated
    >>> allowed(inspect.type_info(Annotated[float, msgspec.Meta(ge=0, le=1)] | None))
    ['a number from 0 to 1', 'none']
    """
    return ALLOWED[type(declared)](declared)


def _declared(settings: type[msgspec.Struct], name: str) -> inspect.Type:
    """Give the declared type of a setting, without its description."""
    (declared,) = (field.type for field in inspect.type_info(settings).fields if field.name == name)  # type: ignore[attr-defined]
    return declared.type if isinstance(declared, inspect.Metadata) else declared


def _limits(kind: Any) -> str:
    found = {words: getattr(kind, limit) for limit, words in LIMITS.items()}
    if isinstance(kind, inspect.IntType) and kind.le is None:
        found["to"] = LARGEST
    return "".join(f" {words} {_written(limit)}" for words, limit in found.items() if limit is not None)


def _written(limit: float) -> str:
    return f"{limit:,}" if isinstance(limit, int) else f"{limit:g}"


def _without_int_beside_float(kinds: Sequence[inspect.Type]) -> list[inspect.Type]:
    """Leave whole numbers out where any number will do."""
    any_number = any(isinstance(kind, inspect.FloatType) for kind in kinds)
    return [kind for kind in kinds if not (any_number and isinstance(kind, inspect.IntType))]


def _listed(words: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
