"""What changes from one model to another on the same documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from scipy.sparse import csr_array

from classmark.data import Corpus, CorpusOptions
from classmark.decision import format_decision
from classmark.errors import InputError
from classmark.pipeline import TextClassifier
from classmark.service.changes import ByCategory, ByDocument, ByKind, by_category, by_document, by_kind
from classmark.service.corpora import hierarchy_changes, read_for
from classmark.service.differences import Answered, FigureDifference, by_figure, by_test
from classmark.service.judging import judge, warn_of_seen
from classmark.service.listing import methods
from classmark.text import TextSettings

TOP = 10
"""How many documents and categories are named that change most."""


@dataclass(frozen=True, kw_only=True)
class Different:
    """What is not the same in two models."""

    what: str
    """What it is: the method, a setting, the decision and so on."""
    first: Any
    """What the first model has, `none` where there is no such thing."""
    second: Any
    """What the second model has."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What changes from one model to another."""

    documents: int
    """How many labelled documents there were."""
    models: Sequence[Different]
    """What is not the same in how the two were made."""
    figures: Sequence[FigureDifference]
    """The figures of both, over the leaves where they are not hierarchical, with p-values by the paired bootstrap."""
    tests: Mapping[str, float]
    """The p-values of other tests over the leaves, by name: of all decisions, and of the categories' F1."""
    by_document: ByDocument
    """Which documents are answered better or worse."""
    by_kind: ByKind
    """From which kind of error to which the answers go."""
    by_category: ByCategory
    """Which categories are answered better or worse."""
    left_out: int = 0
    """How many documents were left out because nobody has labelled them."""
    seen_by_first: int = 0
    """How many documents the first model was trained on, or on others with the same words."""
    seen_by_second: int = 0
    """How many documents the second model was trained on."""


def diff(
    first: str,
    second: str,
    data: str,
    *,
    splits: Sequence[str] | None = None,
    options: CorpusOptions | None = None,
    top: int = TOP,
) -> Difference:
    """Say what changes from one model file to another on the same labelled documents.

    Parameters
    ----------
    first, second : str
        The model files, of the same hierarchy; what is said is how the second differs from the first.
    data : str
        Documents with labels: a path, a dataset's name, or the embedded corpus.
    splits : sequence of str, optional
        The splits to look at; by default `test`, or everything where there are no splits.
    options : CorpusOptions, optional
        How to read the documents.
    top : int
        How many documents and categories are named that change most.
    """
    one, other = TextClassifier.load(first), TextClassifier.load(second)
    check_hierarchies(one, other, f"{first} and {second}")
    return diff_models(one, other, read_for(one, data, options or CorpusOptions(), splits), top=top)


def diff_models(first: TextClassifier, second: TextClassifier, corpus: Corpus, *, top: int = TOP) -> Difference:
    """Say what changes from one fitted model to another on the documents of a corpus, as `diff` does."""
    check_hierarchies(first, second, "the two models")
    if top < 0:
        raise InputError(f"top={top}: must be an integer >= 0")
    hierarchy = first.hierarchy_
    one, other = judge(first, corpus), judge(second, corpus)
    warn_of_seen(one, "the first model")
    warn_of_seen(other, "the second model")
    # Hierarchies are the same whatever the order of their nodes, but columns are not.
    columns = [second.hierarchy_.position(name) for name in hierarchy.names]
    answered = Answered.of(hierarchy, one.true, one.predicted, csr_array(other.predicted[:, columns]))
    return Difference(
        documents=int(one.rows.size),
        models=_different(first, second),
        figures=by_figure(answered),
        tests=by_test(answered),
        by_document=by_document(answered, corpus.take(one.rows.tolist()), top),
        by_kind=by_kind(answered),
        by_category=by_category(answered, {**(second.titles or {}), **(first.titles or {})}, top),
        left_out=one.left_out,
        seen_by_first=one.seen_in_training,
        seen_by_second=other.seen_in_training,
    )


def check_hierarchies(first: TextClassifier, second: TextClassifier, which: str) -> None:
    """Refuse two models of different categories, and name what differs."""
    if first.hierarchy_ != second.hierarchy_:
        changes = hierarchy_changes(first.hierarchy_, second.hierarchy_)
        raise InputError(
            f"{which} have different hierarchies: {changes}; only models of one hierarchy can be compared, "
            "so train both with the same (--hierarchy)"
        )


def _different(first: TextClassifier, second: TextClassifier) -> list[Different]:
    """List what is not the same in how two models were made; a default that only one method has is nothing new."""
    one, other = _made(first), _made(second)
    said = (one.keys() & other.keys()) | _set(first).keys() | _set(second).keys()
    pairs = ((name, one.get(name), other.get(name)) for name in dict.fromkeys([*one, *other]) if name in said)
    return [Different(what=name, first=mine, second=theirs) for name, mine, theirs in pairs if mine != theirs]


def _set(model: TextClassifier) -> dict[str, Any]:
    """Give the settings that somebody has changed."""
    return dict(model.settings or {})


def _made(model: TextClassifier) -> dict[str, Any]:
    """Say how a model was made, its settings by their names; some have one that is called selection, or terms."""
    named = isinstance(model.method, str)
    text = {one.name: getattr(model.text_, one.name) for one in fields(TextSettings)}
    return {
        "method": model.method if named else type(model.method).__name__,
        **(_settings(model) if named else {}),
        **text,
        "select": model.selection if isinstance(model.selection, str | None) else repr(model.selection),
        "decision": format_decision(model.classifier_.decision_),
        "calibration": model.calibration,
        "number of terms": len(model.vectoriser_.vocabulary_),
        "seed": model.random_state,
    }


def _settings(model: TextClassifier) -> dict[str, Any]:
    """Give the settings of a model's method: its defaults, and what was set."""
    (method,) = methods(str(model.method))
    return {one.name: one.default for one in method.settings} | _set(model)
