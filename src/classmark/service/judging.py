"""How good models are, and whether one is really better than another."""

from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.data import Corpus
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.metrics import macro_t_test, micro_sign_test, more, paired_bootstrap, summarise
from classmark.pipeline import TextClassifier
from classmark.progress import track


class Judged(NamedTuple):
    """A model's answers to the labelled documents of a corpus, and the truth about them."""

    true: csr_array
    predicted: csr_array
    first: npt.NDArray[np.int32]
    X: csr_array
    left_out: int


def check_labelled(corpus: Corpus) -> None:
    """Refuse a corpus without a labelled document."""
    if all(labels is None for labels in corpus.labels):
        raise ValueError(f"{corpus.source}: no labelled document to evaluate on")


def judge(model: TextClassifier, corpus: Corpus) -> Judged:
    """Classify the labelled documents of a corpus."""
    check_labelled(corpus)
    labels = encode([list(one) if one is not None else None for one in corpus.labels], model.hierarchy_)
    rows = np.flatnonzero(labels.labelled)
    X = model.transform(track([corpus.documents[row] for row in rows], "documents", rows.size))
    predicted = model.classifier_.predict_indicator(X)
    first = model.classifier_.predict_first(X)
    return Judged(labels.indicator[rows], predicted, first, X, len(corpus) - rows.size)


def evaluate(model: TextClassifier, corpus: Corpus) -> dict[str, Any]:
    """Compare a model's answers with the labels of a corpus; documents that are not labelled are left out."""
    return summary(model, judge(model, corpus))


def summary(model: TextClassifier, judged: Judged) -> dict[str, Any]:
    """Give the measures that people ask for."""
    result = summarise(judged.true, judged.predicted, judged.first, model.hierarchy_)
    return result | ({"left_out": judged.left_out} if judged.left_out else {})


def evaluate_all(model: TextClassifier, corpus: Corpus) -> dict[str, Any]:
    """Give every measure there is."""
    judged = judge(model, corpus)
    classifier = model.classifier_
    scores = classifier.own_scores(judged.X)
    chances = classifier.predict_proba(judged.X) if hasattr(classifier, "predict_proba") else None
    further = more(
        judged.true, judged.predicted, scores, model.hierarchy_, ends=classifier.ends_, probabilities=chances
    )
    usual = summary(model, judged)
    averages = usual["hierarchical"] | further.pop("hierarchical")
    return usual | further | {"hierarchical": averages}


def evaluate_against(model: TextClassifier, other: TextClassifier, corpus: Corpus) -> dict[str, Any]:
    """Evaluate a model, and say whether its difference from another one is more than chance."""
    if model.hierarchy_ != other.hierarchy_:
        raise ValueError("the two models have different hierarchies; only models of one hierarchy can be compared")
    judged = judge(model, corpus)
    second = judge(other, corpus)
    # Hierarchies are the same whatever the order of their nodes, but columns are not.
    columns = [other.hierarchy_.position(name) for name in model.hierarchy_.names]
    predicted = csr_array(second.predicted[:, columns])
    differences = significance(judged.true, judged.predicted, predicted, model.hierarchy_)
    return summary(model, judged) | {"against": summary(other, second), "significance": differences}


def significance(true: csr_array, first: csr_array, second: csr_array, hierarchy: Hierarchy) -> dict[str, Any]:
    """Test the difference of two sets of answers: all decisions, the categories' F1, and hF over documents."""
    true, first, second = (hierarchy.close(labels) for labels in (true, first, second))
    return {
        "micro_sign_test": asdict(micro_sign_test(true, first, second, nodes=hierarchy.leaves)),
        "macro_t_test": asdict(macro_t_test(true, first, second, nodes=hierarchy.leaves)),
        "bootstrap_hf": asdict(paired_bootstrap(true, first, second, "hf", hierarchy=hierarchy)),
    }
