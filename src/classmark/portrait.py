"""What a fitted classifier is, for notebooks: its settings, what it was learned from, and how it decides."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from classmark.decision import format_decision
from classmark.hierarchy.render import outline_of
from classmark.html import render
from classmark.parameters import parameters

if TYPE_CHECKING:
    from classmark.probability import Promise

Facts: TypeAlias = list[tuple[str, object]]
TOLD_ELSEWHERE = frozenset(["hierarchy", "decision"])
PROMISED = 0.9
"""The share of right labels that is spoken of."""


class HTMLReprMixin:
    """Estimator whose notebook representation describes the fitted model; before `fit` it is scikit-learn's diagram.

    Within pipelines the diagram is always scikit-learn's.
    """

    def _learned_html(self) -> str | None:
        """Return the representation of the fitted estimator, or None if it is not fitted."""
        raise NotImplementedError

    @property
    def _repr_html_(self) -> Callable[[], str]:
        above: Any = super()
        diagram: Callable[[], str] = (
            above._repr_html_
        )  # raises AttributeError if scikit-learn is configured to show text
        return lambda: self._learned_html() or diagram()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        above: Any = super()
        bundle: dict[str, str] = above._repr_mimebundle_(**kwargs)
        learned = self._learned_html() if "text/html" in bundle else None
        return bundle if learned is None else bundle | {"text/html": learned}


def classifier_html(classifier: Any) -> str:
    """Return the representation of a fitted classifier that reads a matrix."""
    facts: Facts = [
        ("settings", written(different(classifier))),
        ("learned from", f"{classifier.n_features_in_:,} columns of X"),
        *facts_of(classifier),
    ]
    return estimator_html(type(classifier).__name__, facts, classifier)


def estimator_html(title: str, facts: Facts, classifier: Any, titles: Mapping[Any, str] | None = None) -> str:
    """Return facts and the categories below them."""
    outline = outline_of(classifier.hierarchy_, titles)
    return render("notebook/estimator.html", title=title, pairs=facts, outline=outline)


def facts_of(classifier: Any) -> Facts:
    """Give what every fitted classifier has: categories, decision and its reason, and what was measured."""
    trusted = classifier.trust_reason_ and f"trusted {classifier.trusted_}; {classifier.trust_reason_}"
    return [
        ("hierarchy", repr(classifier.hierarchy_).strip("<>")),
        ("decision", format_decision(classifier.decision_)),
        ("because", classifier.decision_reason_),
        ("unlabelled documents", trusted),
        ("calibration", classifier.calibration),
        ("measured", _measured(classifier.promise_)),
    ]


def different(estimator: Any) -> dict[str, Any]:
    """Give the parameters of an estimator that are not the default.

    >>> from classmark import MajorityClassifier
    >>> different(MajorityClassifier(decision="best-path"))
    {}
    """
    declared = parameters(type(estimator))
    given = {name: getattr(estimator, name) for name in declared if name not in TOLD_ELSEWHERE}
    return {name: value for name, value in given.items() if repr(value) != repr(declared[name].default)}


def written(settings: Mapping[str, Any]) -> str:
    """Write settings as `name=value`.

    >>> written({"C": 10, "ngrams": 2})
    'C=10, ngrams=2'
    """
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def _measured(promise: "Promise | None") -> str | None:
    """Say what became of held-out documents where so many labels should be right."""
    rows = [] if promise is None else [row for row in promise.table() if row.confidence >= PROMISED]
    if not rows:
        return None
    row = rows[0]
    return (
        f"asked for {100 * row.confidence:.0f} % right labels: {100 * row.right:.1f} % were, and"
        f" {100 * row.in_full:.0f} % of {row.documents:,} held-out documents were answered in full"
    )
