"""How good models are, and whether one is really better than another."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.answers import Answers, stacked
from classmark.data import Corpus
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.metrics import macro_t_test, micro_sign_test, more, paired_bootstrap, summarise
from classmark.metrics.extra import RANKS
from classmark.metrics.ranking import Ranking
from classmark.metrics.reliability import Reliability
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.answering import DOCUMENTS_IN_A_BATCH, in_batches
from classmark.service.corpora import check_label_column


class Judged(NamedTuple):
    """A model's answers to the labelled documents of a corpus, and the truth about them.

    The `ranking` of categories and the `reliability` of probabilities are there where everything was asked for, the
    second if the model has probabilities.
    """

    true: csr_array
    predicted: csr_array
    first: npt.NDArray[np.int32]
    left_out: int
    ranking: Ranking | None = None
    reliability: Reliability | None = None


def check_labelled(corpus: Corpus) -> None:
    """Refuse a corpus without a labelled document."""
    check_label_column(corpus)
    if all(labels is None for labels in corpus.labels):
        raise ValueError(f"{corpus.source}: no labelled document to evaluate on")


def judge(model: TextClassifier, corpus: Corpus, *, everything: bool = False) -> Judged:
    """Classify the labelled documents of a corpus, each scored once, some at a time."""
    check_labelled(corpus)
    labels = encode([list(one) if one is not None else None for one in corpus.labels], model.hierarchy_)
    rows = np.flatnonzero(labels.labelled)
    true, left_out = labels.indicator[rows], len(corpus) - rows.size
    documents = track([corpus.documents[row] for row in rows], "documents", rows.size)
    matrices = (model.transform(batch) for batch in in_batches(documents, DOCUMENTS_IN_A_BATCH))
    if everything:
        return _judged_by_all(model, true, matrices, left_out)
    found = [model.classifier_.predict_both(X) for X in matrices]
    predicted = stacked([labels for labels, _ in found], len(model.hierarchy_))
    return Judged(true, predicted, np.concatenate([first for _, first in found]), left_out)


def _judged_by_all(model: TextClassifier, true: csr_array, matrices: Iterable[csr_array], left_out: int) -> Judged:
    """Take note of the best categories, and judge probabilities batch by batch: nothing dense outlives its batch."""
    classifier, hierarchy = model.classifier_, model.hierarchy_
    closed = hierarchy.close(true)
    reliability = Reliability() if hasattr(classifier, "predict_proba") else None
    predicted, best, seen = [], [], 0
    for batch in (batch for X in matrices for batch in classifier.answers(X)):
        predicted.append(batch.labels())
        best.append(batch.top(max(RANKS)))
        if reliability is not None:
            _add(reliability, closed[seen : seen + len(batch)], batch)
        seen += len(batch)
    first = np.concatenate(best)
    ranking = Ranking.of_first(hierarchy.own(closed), first, classifier.ends_)
    return Judged(true, stacked(predicted, len(hierarchy)), first[:, 0], left_out, ranking, reliability)


def _add(reliability: Reliability, closed: csr_array, batch: Answers) -> None:
    for rows, chances in batch.probabilities():
        reliability.add(closed[rows], chances)


def evaluate(model: TextClassifier, corpus: Corpus) -> dict[str, Any]:
    """Compare a model's answers with the labels of a corpus; documents that are not labelled are left out."""
    return summary(model, judge(model, corpus))


def summary(model: TextClassifier, judged: Judged) -> dict[str, Any]:
    """Give the measures that people ask for."""
    result = summarise(judged.true, judged.predicted, judged.first, model.hierarchy_)
    return result | ({"left_out": judged.left_out} if judged.left_out else {})


def evaluate_all(model: TextClassifier, corpus: Corpus) -> dict[str, Any]:
    """Give every measure there is."""
    judged = judge(model, corpus, everything=True)
    return _with_more(summary(model, judged), model, judged)


def _with_more(result: dict[str, Any], model: TextClassifier, judged: Judged) -> dict[str, Any]:
    """Add the measures that a summary leaves out."""
    further = more(judged.true, judged.predicted, judged.ranking, model.hierarchy_, probabilities=judged.reliability)
    averages = result["hierarchical"] | further.pop("hierarchical")
    return result | further | {"hierarchical": averages}


def evaluate_against(
    model: TextClassifier, other: TextClassifier, corpus: Corpus, *, everything: bool = False
) -> dict[str, Any]:
    """Evaluate a model, and say whether its difference from another one is more than chance."""
    if model.hierarchy_ != other.hierarchy_:
        raise ValueError("the two models have different hierarchies; only models of one hierarchy can be compared")
    judged = judge(model, corpus, everything=everything)
    second = judge(other, corpus)
    # Hierarchies are the same whatever the order of their nodes, but columns are not.
    columns = [other.hierarchy_.position(name) for name in model.hierarchy_.names]
    predicted = csr_array(second.predicted[:, columns])
    differences = significance(judged.true, judged.predicted, predicted, model.hierarchy_)
    result = summary(model, judged) | {"against": summary(other, second), "significance": differences}
    return _with_more(result, model, judged) if everything else result


def significance(true: csr_array, first: csr_array, second: csr_array, hierarchy: Hierarchy) -> dict[str, Any]:
    """Test the difference of two sets of answers: all decisions, the categories' F1, and hF over documents."""
    true, first, second = (hierarchy.close(labels) for labels in (true, first, second))
    return {
        "micro_sign_test": asdict(micro_sign_test(true, first, second, nodes=hierarchy.leaves)),
        "macro_t_test": asdict(macro_t_test(true, first, second, nodes=hierarchy.leaves)),
        "bootstrap_hf": asdict(paired_bootstrap(true, first, second, "hf", hierarchy=hierarchy)),
    }
