"""Learning what a search has found."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy.typing as npt

from classmark.auto.candidates import Candidate
from classmark.auto.record import FIRST_MODEL
from classmark.auto.search import Found, Search
from classmark.auto.settings import AutoSettings, Clock, duration
from classmark.auto.workshop import Problem
from classmark.base import HierarchicalClassifier, checked_weight
from classmark.data.stored import FeatureRows
from classmark.decision import format_decision
from classmark.ensembles.blend import BlendClassifier
from classmark.errors import InputError
from classmark.hierarchy.formats import NodeText
from classmark.labels import encode
from classmark.pipeline import TextClassifier
from classmark.progress import notice
from classmark.registry import Searching, find_method


def learn_best(
    model: TextClassifier,
    documents: Iterable[Any],
    labels: Any,
    sample_weight: npt.ArrayLike | None,
    ids: Sequence[str] | None,
    folder: str | Path | None,
    resume: bool,
) -> None:
    """Search for the best model of some documents, learn it, and put what was learned into the place of the search."""
    held: Any = documents if isinstance(documents, FeatureRows) else list(documents)
    search = _search(model, held, labels, sample_weight, folder, resume)
    if folder is not None and not resume:
        _learn_first(model, search, held, labels, sample_weight, Path(folder) / FIRST_MODEL)
    found = search.run()
    chosen = _built(model, found.candidate, found.decision)
    notice(f"auto: learning {found.candidate.in_words()}, {found.why}")
    chosen._learn(held, labels, sample_weight, ids, tell=_telling(found))
    for name, value in vars(chosen).items():
        if name.endswith("_"):
            setattr(model, name, value)
    model.search_ = {
        "method": found.candidate.method,
        "settings": found.candidate.settings,
        "decision": format_decision(chosen.classifier_.decision_),
        "why": found.why,
        "look": msgspec.to_builtins(found.look),
        "expected": msgspec.to_builtins(found.expected),
        "trials": msgspec.to_builtins(found.trials),
        "interrupted": found.interrupted,
        "seconds": search.trials.clock.elapsed,
    }


def _search(
    model: TextClassifier,
    documents: Any,
    labels: Any,
    sample_weight: npt.ArrayLike | None,
    folder: str | Path | None,
    resume: bool,
) -> Search:
    method = find_method(str(model.method))
    assert isinstance(method, Searching)
    learner, _ = method.configure(model.settings or {})
    settings = AutoSettings(**learner.settings)
    clock = Clock(settings.budget)
    encoded = encode(labels, model.hierarchy)
    if not len(encoded.labelled):
        raise InputError("there is no document to learn from; give some")
    titles, descriptions = model.titles or {}, model.descriptions or {}
    nodes = {name: NodeText(titles.get(name, ""), descriptions.get(name, "")) for name in {**titles, **descriptions}}
    weight = checked_weight(sample_weight, len(encoded.labelled))
    problem = Problem(documents, encoded, weight, nodes, model.random_state or 0, model.n_jobs)
    decision = model.decision if isinstance(model.decision, str | None) else format_decision(model.decision)
    return Search(
        problem,
        settings,
        fixed=method.fixed(model.settings or {}),
        decision=None if decision == "auto" else decision,
        folder=folder,
        resume=resume,
        clock=clock,
    )


def _learn_first(
    model: TextClassifier, search: Search, documents: Any, labels: Any, weight: npt.ArrayLike | None, path: Path
) -> None:
    """Learn a plain model and save it, so that there is one whatever becomes of the search."""
    plain = "best-path" if search.look.one_label else "threshold,otherwise=nearest"
    try:
        candidate = search.first()
        _built(model, candidate, plain)._learn(documents, labels, weight, None).save(path)
    except InputError:
        # What a method cannot learn from is said by its trial.
        return
    notice(f"auto: {duration(search.trials.clock.elapsed)}: a first model, by {candidate.method}, is in {path}")


def _built(model: TextClassifier, candidate: Candidate, decision: str | None) -> TextClassifier:
    """Give the model of a candidate, to be fitted."""
    return TextClassifier(
        candidate.method,
        settings=candidate.settings,
        hierarchy=model.hierarchy,
        titles=model.titles,
        uris=model.uris,
        notations=model.notations,
        descriptions=model.descriptions,
        decision=decision,
        calibration=model.calibration,
        random_state=model.random_state,
        n_jobs=model.n_jobs,
    )


def _telling(found: Found) -> Callable[[HierarchicalClassifier], None]:
    """Give what tells the classifier what its copies have said of documents held out."""
    look = found.look

    def tell(classifier: HierarchicalClassifier) -> None:
        # Where documents are left out, rows are other rows.
        left_out = (look.unlabelled and not classifier.uses_unlabelled) or (look.nowhere and classifier.one_place)
        if found.known is None or left_out:
            return
        if isinstance(classifier, BlendClassifier):
            classifier.know_parts(found.known, found.learned)
        # Others score in more columns than those of the nodes, which a trial does not keep.
        elif type(classifier).score_columns is HierarchicalClassifier.score_columns:
            classifier.know(found.known.rows, found.known.nodes[0])

    return tell
