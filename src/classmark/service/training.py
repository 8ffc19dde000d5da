"""Making models."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from classmark.data import Corpus, CorpusOptions, load_docstrings
from classmark.data.features import FeatureRows
from classmark.data.names import name_documents
from classmark.data.splits import hide_labels
from classmark.decision import format_decision
from classmark.explain import explain
from classmark.hierarchy import Hierarchy, Name
from classmark.persistence import check_writable
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.corpora import check_label_column, check_spared, read, warn_of_paths
from classmark.service.dataless import check_weak, weakly_labelled
from classmark.service.dividing import held_out, read_share, with_flat_hierarchy
from classmark.service.judging import evaluate

DEMO_SENTENCE = "Find the shortest path between two nodes of a sparse graph."


@dataclass(frozen=True)
class Recipe:
    """How to make a model: a method, what differs from its defaults, and how it runs."""

    method: str = "linear-svm"
    settings: Mapping[str, Any] = field(default_factory=dict)
    selection: str | None = None
    decision: str | None = None
    seed: int = 0
    jobs: int | None = None
    calibration: str | None = None
    label_rate: float | None = None
    names: bool = False
    weak: str | None = None
    encoder: str | None = None
    min_similarity: float | None = None
    similarities: str | None = None

    @property
    def dataless(self) -> bool:
        """Whether documents are labelled by what categories are called, whatever labels they have."""
        return any(given is not None for given in (self.weak, self.encoder, self.similarities))

    def check(self) -> None:
        """Refuse before anything is read what would be refused after it."""
        if self.jobs == 0:
            raise ValueError("jobs is 0; give a number of processes from 1, or -1 for one a core")
        self._model().check()
        if self.label_rate is not None and not 0 < self.label_rate <= 1:
            raise ValueError(f"the label rate is {self.label_rate}; give a share above 0, up to 1")
        check_weak(self)

    def build(self, corpus: Corpus) -> TextClassifier:
        """Give the classifier for a corpus, to be fitted."""
        return self._model(corpus.hierarchy, {node: text.name for node, text in corpus.nodes.items() if text.name})

    def _model(self, hierarchy: Hierarchy | None = None, titles: Mapping[Name, str] | None = None) -> TextClassifier:
        return TextClassifier(
            self.method,
            settings=self.settings,
            hierarchy=hierarchy,
            titles=titles,
            selection=self.selection,
            decision=self.decision,
            calibration=self.calibration,
            random_state=self.seed,
            n_jobs=self.jobs,
        )


def train(
    data: str,
    output: str,
    recipe: Recipe | None = None,
    *,
    hierarchy: Hierarchy | str | None = None,
    splits: Sequence[str] | None = None,
    holdout: str | None = None,
    options: CorpusOptions | None = None,
) -> dict[str, Any]:
    """Train a method on the training documents of a corpus and save the model.

    Documents stay in their file and are read twice, to check them and to count their terms, and more often for weak
    labels. With `holdout`, such as `20%`, the model learns from the others and is evaluated on these.
    """
    recipe = recipe or Recipe()
    recipe.check()
    check_writable(Path(output))
    check_spared(output, data, hierarchy if isinstance(hierarchy, str) else None, recipe.similarities)
    share = None if holdout is None else read_share(holdout)
    whole = read(data, hierarchy, options, stored=True)
    corpus = whole.part(splits, "train")
    warn_of_paths(corpus)
    if not recipe.dataless:
        check_label_column(corpus)
    corpus, unseen = (corpus, None) if share is None else held_out(with_flat_hierarchy(corpus), share, recipe.seed)
    if recipe.label_rate is not None:
        corpus = replace(corpus, labels=hide_labels(corpus.labels, recipe.label_rate, seed=recipe.seed))
    corpus, recipe, weak = weakly_labelled(corpus, recipe, set(whole.ids)) if recipe.dataless else (corpus, recipe, {})
    model, seconds = fit(corpus, recipe)
    unseen_figures = {} if unseen is None else {"held_out": evaluate(model, unseen)}
    model.save(output)
    unlabelled = corpus.labels.count(None)
    return {
        "model": output,
        "method": recipe.method,
        "documents": len(corpus),
        **({"labelled": len(corpus) - unlabelled} if unlabelled else {}),
        **weak,
        "categories": len(model.hierarchy_),
        **_language(model),
        "terms": len(model.vectoriser_.vocabulary_),
        "decision": format_decision(model.classifier_.decision_),
        **({"because": reason} if (reason := model.classifier_.decision_reason_) else {}),
        **({"interrupted": True} if getattr(model.classifier_, "interrupted_", False) else {}),
        "seconds": seconds,
        "bytes": Path(output).stat().st_size,
        **unseen_figures,
    }


def _language(model: TextClassifier) -> dict[str, str]:
    """Say which language was found, where it mattered."""
    _, text = model._parts()
    if text.language != "auto" or model.text_.language == "any":
        return {}
    found = {"unknown": "none that is known: words are not stemmed"}
    return {"language": found.get(model.text_.language, model.text_.language)}


def fit(corpus: Corpus, recipe: Recipe) -> tuple[TextClassifier, float]:
    """Fit a method on every document of a corpus; give the model and the seconds it took."""
    model = recipe.build(corpus)
    start = time.perf_counter()
    documents: Iterable[Any] = corpus.documents
    if not isinstance(documents, FeatureRows):
        documents = track(documents, "documents", len(corpus))
    labels: list[Any] = list(corpus.labels)
    ids = corpus.ids
    if recipe.names:
        texts, categories = name_documents(corpus.hierarchy, labels, model.titles)
        documents, labels = chain(_texts(documents, corpus.source), texts), labels + categories
        ids = ids + [f"the name of {name}" for [name] in categories]
    model.fit(documents, labels, ids=ids)
    return model, time.perf_counter() - start


def _texts(documents: Iterable[Any], source: str) -> Iterator[str]:
    """Pass texts on as they are read; names cannot be added to features."""
    for document in documents:
        if not isinstance(document, str):
            raise ValueError(f"{source}: names are texts, and some documents are features; train without names")
        yield document


def demo(output: str) -> dict[str, Any]:
    """Train, evaluate and use a classifier on the embedded corpus."""
    check_writable(Path(output))
    corpus = load_docstrings()
    model, seconds = fit(corpus.select(["train"]), Recipe())
    model.save(output)
    baseline, _ = fit(corpus.select(["train"]), Recipe("majority"))
    test = corpus.select(["test"])
    return {
        "corpus": repr(corpus),
        "documents": len(corpus),
        "hierarchy": corpus.hierarchy,
        "seconds": seconds,
        "evaluation": evaluate(model, test),
        "baseline": evaluate(baseline, test),
        "sentence": DEMO_SENTENCE,
        "explanation": explain(model, DEMO_SENTENCE, top=5),
        "model": output,
    }
