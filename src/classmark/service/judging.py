"""How good models are, and whether one is really better than another."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.answers import Answers, stacked
from classmark.arrays import Floats
from classmark.base import HierarchicalClassifier
from classmark.data import Corpus, CorpusOptions
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.metrics import (
    Coverage,
    coverage_curve,
    further_figures,
    macro_t_test,
    micro_sign_test,
    paired_bootstrap,
    summarise,
)
from classmark.metrics.calibration import Reliability
from classmark.metrics.ranking import RANKS, Ranking
from classmark.parallel import elsewhere, in_order
from classmark.persistence import check_writable
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.answering import DOCUMENTS_IN_A_BATCH, in_batches
from classmark.service.confidences import confidence_for
from classmark.service.corpora import check_label_column, check_spared, read_for
from classmark.service.mistakes import CategoryFigures, by_category, write_errors, wrong_documents
from classmark.service.results import INLINE

SEEN = 0.1
"""With a larger share of documents that were trained on, figures say little; some are in every corpus twice."""


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """How good a model's answers are."""

    documents: int
    """How many labelled documents there were."""
    figures: Mapping[str, Any] = field(metadata=INLINE)
    """The measures that people ask for, by name, as `summarise` gives them."""
    left_out: int = 0
    """How many documents were left out because nobody has labelled them."""
    seen_in_training: int = 0
    """How many documents the model was trained on, or on others with the same words."""
    against: "Evaluated | None" = None
    """The figures of the model that this one was compared with."""
    significance: Mapping[str, Mapping[str, float]] | None = None
    """Whether the difference from that model is more than chance: the figures of each test, by its name."""
    further: Mapping[str, Any] = field(default_factory=dict, metadata=INLINE)
    """The measures that are there where everything is asked for, by name, as `further_figures` gives them."""
    categories: Sequence[CategoryFigures] | None = None
    """The figures of each category."""
    errors: int | None = None
    """How many documents with a wrong or a missing label were written."""
    coverage: "CoverageFigures | None" = None
    """How good the answers are against the share of documents answered, the surest first."""


@dataclass(frozen=True, kw_only=True)
class CoverageFigures:
    """How good answers are where the least sure ones are left out."""

    confidence: str
    """What tells how sure an answer is, in words."""
    curve: Coverage = field(metadata=INLINE)
    """The figures."""


class Judged(NamedTuple):
    """A model's answers to the labelled documents of a corpus, and the truth about them.

    The `ranking` of categories and the `reliability` of probabilities are there where everything was asked for, the
    second if the model has probabilities, and the `confidence` in answers where coverage was. `rows` are the labelled
    documents' places in the corpus.
    """

    true: csr_array
    rows: npt.NDArray[np.intp]
    left_out: int
    seen_in_training: int
    predicted: csr_array
    first: npt.NDArray[np.int32]
    ranking: Ranking | None = None
    reliability: Reliability | None = None
    confidence: Floats | None = None


def check_labelled(corpus: Corpus) -> None:
    """Refuse a corpus without a labelled document."""
    check_label_column(corpus)
    if all(labels is None for labels in corpus.labels):
        raise InputError(f"{corpus.source}: no labelled document to evaluate on")


Watch: TypeAlias = Callable[[Answers, csr_array, slice], None]
"""What looks at answers as they come: they, their label sets, and which of the labelled documents they are about."""


def judge(
    model: TextClassifier,
    corpus: Corpus,
    *,
    everything: bool = False,
    coverage: bool = False,
    watch: Watch | None = None,
) -> Judged:
    """Classify the labelled documents of a corpus, each scored once, some at a time."""
    check_labelled(corpus)
    labels = encode(corpus.labels, model.hierarchy_)
    rows = np.flatnonzero(labels.labelled)
    true = labels.indicator[rows]
    documents = track(corpus.take(rows.tolist()).documents, "documents", rows.size)
    seen = model.seen()
    matrices = seen.counting(model.transform(batch) for batch in in_batches(documents, DOCUMENTS_IN_A_BATCH))
    answers = (
        _answers_and_more(model, true, matrices, everything, coverage, watch)
        if everything or coverage or watch
        else _answers(model, matrices)
    )
    return Judged(true, rows, len(corpus) - rows.size, seen.count, **answers)


def _answers(model: TextClassifier, matrices: Iterable[csr_array]) -> dict[str, Any]:
    if elsewhere() is not None and model.classifier_.answers_anywhere:
        found = list(in_order(_both, ((X,) for X in matrices), shared=(model.classifier_,)))
    else:
        found = [model.classifier_.predict_both(X) for X in matrices]
    predicted = stacked([labels for labels, _ in found], len(model.hierarchy_))
    return {"predicted": predicted, "first": np.concatenate([first for _, first in found])}


def _both(classifier: HierarchicalClassifier, X: csr_array) -> tuple[csr_array, npt.NDArray[np.int32]]:
    """Answer for some documents, wherever that is done."""
    return classifier.predict_both(X)


def _answers_and_more(
    model: TextClassifier,
    true: csr_array,
    matrices: Iterable[csr_array],
    everything: bool,
    coverage: bool,
    watch: Watch | None,
) -> dict[str, Any]:
    """Take note of the best categories, and judge probabilities batch by batch: nothing dense outlives its batch."""
    classifier, hierarchy = model.classifier_, model.hierarchy_
    closed = hierarchy.close(true)
    reliability = Reliability() if everything and hasattr(classifier, "predict_proba") else None
    confidence = confidence_for(classifier) if coverage else None
    predicted, best, sure, seen = [], [], [np.empty(0)], 0
    for batch in (batch for X in matrices for batch in classifier.answers(X)):
        predicted.append(batch.labels())
        best.append(batch.top(max(RANKS) if everything else 1))
        if reliability is not None:
            _add(reliability, closed[seen : seen + len(batch)], batch)
        if confidence is not None:
            sure.append(confidence.of(batch, predicted[-1]))
        if watch is not None:
            watch(batch, predicted[-1], slice(seen, seen + len(batch)))
        seen += len(batch)
    first = np.concatenate(best)
    ranking = Ranking.of_first(hierarchy.own(closed), first, classifier.ends_) if everything else None
    return {
        "predicted": stacked(predicted, len(hierarchy)),
        "first": first[:, 0],
        "ranking": ranking,
        "reliability": reliability,
        "confidence": None if confidence is None else np.concatenate(sure),
    }


def _add(reliability: Reliability, closed: csr_array, batch: Answers) -> None:
    for rows, chances in batch.probabilities():
        reliability.add(closed[rows], chances)


def evaluate(
    model: str,
    data: str,
    *,
    splits: Sequence[str] | None = None,
    options: CorpusOptions | None = None,
    everything: bool = False,
    against: str | None = None,
    categories: bool = False,
    errors: str | None = None,
    coverage: bool = False,
) -> Evaluated:
    """Compare the answers of a model file with the labels of documents.

    Parameters
    ----------
    model : str
        The model file.
    data : str
        Documents with labels: a path, a dataset's name, or the embedded corpus.
    splits : sequence of str, optional
        The splits to evaluate on; by default `test`, or everything where there are no splits.
    options : CorpusOptions, optional
        How to read the documents.
    everything : bool
        Give every measure there is, and not those alone that people ask for.
    against : str, optional
        Another model file of the same hierarchy; whether the difference is more than chance is said.
    categories : bool
        Give the figures of each category, and which came instead of it.
    errors : str, optional
        A file for the documents with a wrong or a missing label, JSON Lines.
    coverage : bool
        Give the figures against the share of documents answered, the surest first.
    """
    if errors is not None:
        check_spared(errors, data, model, against)
    loaded = TextClassifier.load(model)
    other = None if against is None else TextClassifier.load(against)
    # On a cluster shards are read by the workers, and here some documents at a time.
    corpus = read_for(loaded, data, options or CorpusOptions(), splits, stored=elsewhere() is not None)
    asked: dict[str, Any] = {"everything": everything, "categories": categories, "errors": errors, "coverage": coverage}
    return evaluate_model(loaded, corpus, against=other, **asked)


def evaluate_model(
    model: TextClassifier,
    corpus: Corpus,
    *,
    everything: bool = False,
    against: TextClassifier | None = None,
    categories: bool = False,
    errors: str | None = None,
    coverage: bool = False,
) -> Evaluated:
    """Compare a fitted model's answers with the labels of a corpus, as `evaluate` does."""
    if against is not None and model.hierarchy_ != against.hierarchy_:
        raise InputError("the two models have different hierarchies; only models of one hierarchy can be compared")
    if errors is not None:
        check_writable(Path(errors))
    judged = judge(model, corpus, everything=everything, coverage=coverage)
    warn_of_seen(judged)
    result = summary(model, judged)
    if everything:
        result = _with_more(result, model, judged)
    if coverage:
        result = replace(result, coverage=_covered(model, judged))
    if against is not None:
        result = _compared(result, model, judged, against, judge(against, corpus))
    if categories:
        result = replace(result, categories=by_category(model, judged.true, judged.predicted))
    if errors is not None:
        wrong = wrong_documents(model, corpus, judged.rows, judged.true, judged.predicted)
        result = replace(result, errors=write_errors(errors, wrong))
    return result


def _compared(
    result: Evaluated, model: TextClassifier, judged: Judged, other: TextClassifier, second: Judged
) -> Evaluated:
    """Add how good another model is, and whether the difference is more than chance."""
    # Hierarchies are the same whatever the order of their nodes, but columns are not.
    columns = [other.hierarchy_.position(name) for name in model.hierarchy_.names]
    predicted = csr_array(second.predicted[:, columns])
    differences = significance(judged.true, judged.predicted, predicted, model.hierarchy_)
    return replace(result, against=summary(other, second), significance=differences)


def summary(model: TextClassifier, judged: Judged) -> Evaluated:
    """Give the measures that people ask for."""
    figures = summarise(judged.true, judged.predicted, judged.first, model.hierarchy_)
    return Evaluated(
        documents=figures.pop("documents"),
        figures=figures,
        left_out=judged.left_out,
        seen_in_training=judged.seen_in_training,
    )


def warn_of_seen(judged: Judged, which: str = "the model") -> None:
    """Warn where many documents are those that a model was trained on."""
    documents = judged.rows.size
    if judged.seen_in_training > SEEN * documents:
        warnings.warn(
            f"{which} was trained on {judged.seen_in_training:,} of these {documents:,} documents, or on others with "
            "the same words: the figures are too good for new ones; evaluate on documents it has not seen, such as "
            "those that `train --holdout 20%` leaves out",
            stacklevel=3,
        )


def _with_more(result: Evaluated, model: TextClassifier, judged: Judged) -> Evaluated:
    """Add the measures that a summary leaves out."""
    further = further_figures(
        judged.true, judged.predicted, judged.ranking, model.hierarchy_, probabilities=judged.reliability
    )
    averages = result.figures["hierarchical"] | further.pop("hierarchical")
    return replace(result, figures={**result.figures, "hierarchical": averages}, further=further)


def _covered(model: TextClassifier, judged: Judged) -> CoverageFigures:
    """Measure the surest answers, more and more of them."""
    assert judged.confidence is not None
    curve = coverage_curve(judged.true, judged.predicted, judged.first, judged.confidence, model.hierarchy_)
    return CoverageFigures(confidence=confidence_for(model.classifier_).words, curve=curve)


def significance(
    true: csr_array, first: csr_array, second: csr_array, hierarchy: Hierarchy
) -> dict[str, dict[str, float]]:
    """Test the difference of two sets of answers: all decisions, the categories' F1, and hF over documents."""
    true, first, second = (hierarchy.close(labels) for labels in (true, first, second))
    return {
        "micro_sign_test": asdict(micro_sign_test(true, first, second, nodes=hierarchy.leaves)),
        "macro_t_test": asdict(macro_t_test(true, first, second, nodes=hierarchy.leaves)),
        "bootstrap_hf": asdict(paired_bootstrap(true, first, second, "hf", hierarchy=hierarchy)),
    }
