"""The one table of methods: name → what it is, its settings, how it is built, how it likes its text.

A method is an entry of `METHODS`. Its settings are a frozen struct whose fields carry their defaults, limits and a
few words, so that Python, the command line and the documentation all read the same declaration.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, inspect

from classmark.base import HierarchicalClassifier
from classmark.strategies import FlatClassifier, MajorityClassifier
from classmark.text import TextSettings


class LearnerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a method besides its text settings."""

    def build(self, random_state: int | None, n_jobs: int | None) -> HierarchicalClassifier:
        """Give the classifier of these settings, to be fitted."""
        raise NotImplementedError


class LinearSVMSettings(LearnerSettings, frozen=True, kw_only=True):
    """Settings of `linear-svm`."""

    C: Annotated[float, Meta(gt=0, description="how much errors count against a wide margin")] = 1.0
    class_weight: Annotated[Literal["balanced"] | None, Meta(description="balanced: rare categories count more")] = None
    max_iter: Annotated[int, Meta(ge=1, description="most iterations of the solver")] = 1000

    def build(self, random_state: int | None, n_jobs: int | None) -> FlatClassifier:
        """Give a flat classifier over scikit-learn's linear SVM."""
        from sklearn.svm import LinearSVC

        learner = LinearSVC(**msgspec.structs.asdict(self), random_state=random_state)
        return FlatClassifier(learner, n_jobs=n_jobs)


class LogisticSettings(LearnerSettings, frozen=True, kw_only=True):
    """Settings of `logistic`."""

    C: Annotated[float, Meta(gt=0, description="the inverse of the regularisation")] = 1.0
    class_weight: Annotated[Literal["balanced"] | None, Meta(description="balanced: rare categories count more")] = None
    max_iter: Annotated[int, Meta(ge=1, description="most iterations of the solver")] = 1000

    def build(self, random_state: int | None, n_jobs: int | None) -> FlatClassifier:
        """Give a flat classifier over scikit-learn's logistic regression."""
        from sklearn.linear_model import LogisticRegression

        learner = LogisticRegression(**msgspec.structs.asdict(self), solver="liblinear", random_state=random_state)
        return FlatClassifier(learner, n_jobs=n_jobs)


class MajoritySettings(LearnerSettings, frozen=True, kw_only=True):
    """Settings of `majority`: none."""

    def build(self, random_state: int | None, n_jobs: int | None) -> MajorityClassifier:
        """Give the majority classifier."""
        return MajorityClassifier()


DEFAULT_TEXT = TextSettings()


@dataclass(frozen=True)
class Method:
    """One entry of the table."""

    name: str
    summary: str
    learner: LearnerSettings
    text: TextSettings = DEFAULT_TEXT

    def configure(self, settings: Mapping[str, Any]) -> tuple[LearnerSettings, TextSettings]:
        """Change some settings, given as values or as the strings of the command line.

        >>> learner, text = METHODS["linear-svm"].configure({"C": "10", "stemmer": "none"})
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
    given = None if value == "none" else value
    if isinstance(declared, inspect.BoolType) and isinstance(given, str):
        given = YES_OR_NO.get(given.lower(), given)
    try:
        return msgspec.convert(msgspec.structs.asdict(settings) | {name: given}, type(settings), strict=False)
    except msgspec.ValidationError:
        raise ValueError(f"setting {name}={value}: must be {_listed(allowed(declared))}") from None


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

    >>> allowed(inspect.type_info(Annotated[float, Meta(ge=0, le=1)] | None))
    ['a number from 0 to 1', 'none']
    """
    return ALLOWED[type(declared)](declared)


def _declared(settings: type[msgspec.Struct], name: str) -> inspect.Type:
    """Give the declared type of a setting, without its description."""
    (declared,) = (field.type for field in inspect.type_info(settings).fields if field.name == name)  # type: ignore[attr-defined]
    return declared.type if isinstance(declared, inspect.Metadata) else declared


def _limits(kind: Any) -> str:
    found = {words: getattr(kind, limit) for limit, words in LIMITS.items()}
    return "".join(f" {words} {limit:g}" for words, limit in found.items() if limit is not None)


def _without_int_beside_float(kinds: Sequence[inspect.Type]) -> list[inspect.Type]:
    """Leave whole numbers out where any number will do."""
    any_number = any(isinstance(kind, inspect.FloatType) for kind in kinds)
    return [kind for kind in kinds if not (any_number and isinstance(kind, inspect.IntType))]


def _listed(words: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "linear-svm",
            "Linear SVM, each category against the rest; the strong baseline.",
            LinearSVMSettings(),
        ),
        Method("logistic", "Logistic regression, each category against the rest.", LogisticSettings()),
        Method("majority", "Always the most frequent category; what everything must beat.", MajoritySettings()),
    )
}


def find_method(name: str) -> Method:
    """Look a method up by its name."""
    if name not in METHODS:
        raise ValueError(f"method {name!r} does not exist; choose one of {', '.join(METHODS)}")
    return METHODS[name]


CLASSIFIERS: dict[str, type[HierarchicalClassifier]] = {
    kind.__name__: kind for kind in (FlatClassifier, MajorityClassifier)
}
"""The classifiers that a model file may hold."""
