"""The one table of methods: name → what it is, its settings, how it is built, how it likes its text.

A method is an entry of `METHODS`. Its settings are a frozen struct whose fields carry their defaults, limits and a
few words, so that Python, the command line and the documentation all read the same declaration.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

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
    """Give a copy of a struct with one field changed, the value converted and checked by its declaration."""
    plain = msgspec.structs.asdict(settings) | {name: None if value == "none" else value}
    try:
        return msgspec.convert(plain, type(settings), strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(f"setting {name}={value}: {error}") from None


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
