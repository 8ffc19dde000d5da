"""Making models."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import has_fit_parameter

from classmark.auto.record import delete_trials
from classmark.data import Corpus, CorpusOptions, load_docstrings
from classmark.data.names import name_documents
from classmark.data.sharded import ShardedDocuments
from classmark.data.splits import hide_labels
from classmark.data.stored import FeatureRows
from classmark.decision import format_decision
from classmark.errors import InputError
from classmark.persistence import check_writable
from classmark.pipeline import TextClassifier
from classmark.probability import Promised
from classmark.progress import track
from classmark.registry import find_method
from classmark.service.corpora import address_of, check_label_column, check_output, read, warn_of_paths
from classmark.service.dataless import WeaklyLabelled, weakly_labelled, without_labels
from classmark.service.degenerate import warn_of_contradictions, warn_of_single_category
from classmark.service.dividing import held_out, read_share, with_flat_hierarchy
from classmark.service.explaining import Explained, explain_text
from classmark.service.judging import Evaluated, evaluate_model
from classmark.service.promises import USUAL
from classmark.service.recipes import Recipe
from classmark.service.results import SavedModel
from classmark.strategies.parts import parts_in_words
from classmark.trust import trust_in_words

if TYPE_CHECKING:
    from classmark.service.feedback import UsedFeedback

DEMO_SENTENCE = "Find the shortest path between two nodes of a sparse graph."


@dataclass(frozen=True, kw_only=True)
class Trained(SavedModel):
    """A model that was trained and saved."""

    labelled: int | None = None
    """How many of them have labels, where some have not."""
    unlabelled: str | None = None
    """How far the others were trusted, and why, where that was chosen."""
    feedback: "UsedFeedback | None" = None
    """How many documents a store has brought, where one was given."""
    parts: str | None = None
    """Of which methods it is made, and how much each counts, where there are several."""
    encoder: str | None = None
    """What compared documents with the words of categories, where that made the labels."""
    similarities: str | None = None
    """The file of similarities that made the labels."""
    weakly_labelled: float | None = None
    """The share of the documents that have a weak label."""
    without_similarity: int | None = None
    """How many documents are like no category."""
    categories: int
    """How many categories there are."""
    language: str | None = None
    """The language that was found, where it mattered."""
    terms: int
    """How many terms there are, or coordinates of vectors."""
    decision: str
    """How scores become label sets."""
    because: str | None = None
    """Why this decision, where nobody has chosen it."""
    interrupted: bool = False
    """Whether learning was cut short."""
    seconds: float
    """How long learning took."""
    bytes: int
    """The size of the model file."""
    held_out: Evaluated | None = None
    """How good the model is on the documents that were held out."""
    search: Mapping[str, Any] | None = None
    """What was tried, what was chosen and what is expected, where the method is `auto`."""
    promised: Promised | None = None
    """What became of held-out documents where 90 % of the labels given should be right, if that can be promised."""


def train(
    data: str,
    output: str,
    recipe: Recipe | None = None,
    *,
    hierarchy: str | None = None,
    splits: Sequence[str] | None = None,
    holdout: str | None = None,
    resume: bool = False,
    options: CorpusOptions | None = None,
    feedback: str | None = None,
) -> Trained:
    """Train a method on the training documents of a corpus and save the model.

    Documents stay in their file and are read twice, to check them and to count their terms, and more often for weak
    labels. With `holdout`, such as `20%`, the model learns from the others and is evaluated on these. A method that
    learns step by step keeps what it has reached beside the model until all is done; `resume` goes on from there.
    `feedback` is the address of a store, with `#` and a project where it has several: the documents there whose labels
    people have accepted or given join the others, and take the place of those with the same id or text.
    """
    recipe = recipe or Recipe()
    recipe.check()
    store = None if feedback is None else address_of(feedback)[0].removeprefix("sqlite:///")
    check_output(output, data, hierarchy, recipe.similarities, store)
    share = None if holdout is None else read_share(holdout)
    whole = read(data, hierarchy, options, stored=True)
    joined, used = joined_by(feedback, whole.part(splits, "train"), whole, recipe, options)
    corpus = checked_documents(joined, recipe)
    corpus, unseen = (corpus, None) if share is None else held_out(with_flat_hierarchy(corpus), share, recipe.seed)
    taught = _taught(corpus, recipe, whole.ids)
    checkpoint = Path(f"{output}.{'trials' if taught.recipe.searches else 'checkpoint'}")
    with _going_on_from(checkpoint):
        model, seconds = fit(taught.corpus, taught.recipe, checkpoint, resume=resume)
    model.save(output)
    trained = _trained(model, output, taught, seconds)
    if not trained.interrupted:
        _let_go_of(checkpoint, model)
    # The model is saved before it is evaluated: an error there must not lose it.
    evaluation = None if unseen is None else evaluate_model(model, unseen)
    return replace(trained, feedback=used, held_out=evaluation)


def joined_by(
    feedback: str | None, corpus: Corpus, whole: Corpus, recipe: Recipe, options: CorpusOptions | None
) -> tuple[Corpus, "UsedFeedback | None"]:
    """Let documents that people have labelled in a store join the others, where one is given."""
    if feedback is None:
        return corpus, None
    if recipe.dataless:
        raise InputError("feedback is labels, and this learns without any; leave one of the two out")
    from classmark.service.feedback import with_feedback

    return with_feedback(corpus, whole, feedback, options or CorpusOptions())


def _let_go_of(checkpoint: Path, model: TextClassifier) -> None:
    """Delete what learning would have gone on from, once the model is safe; what is not its own stays."""
    if model.search_ is not None:
        delete_trials(checkpoint)
    elif has_fit_parameter(model.classifier_, "checkpoint"):
        checkpoint.unlink(missing_ok=True)


@contextmanager
def _going_on_from(checkpoint: Path) -> Iterator[None]:
    """Say of learning that is interrupted inside where it goes on, if anything of it is kept."""
    try:
        yield
    except KeyboardInterrupt:
        if not checkpoint.exists():
            raise
        raise OSError(f"interrupted; {checkpoint} has what was learned, and --resume goes on from it") from None


def checked_documents(corpus: Corpus, recipe: Recipe) -> Corpus:
    """Return the training documents; warn of labels that look wrong, and raise ValueError if there are none."""
    warn_of_paths(corpus)
    if not recipe.dataless:
        check_label_column(corpus)
        warn_of_contradictions(corpus)
        if not recipe.searches:
            # A search cannot choose by one category, and says so in an error.
            warn_of_single_category(corpus)
    return corpus


def _taught(corpus: Corpus, recipe: Recipe, everything: Sequence[str]) -> WeaklyLabelled:
    """Hide labels, or put weak ones in their place, where the recipe says so."""
    if recipe.label_rate is not None:
        corpus = replace(corpus, labels=hide_labels(corpus.labels, recipe.label_rate, seed=recipe.seed))
    recipe = without_labels(corpus, recipe) if recipe.searches else recipe
    if recipe.dataless:
        return weakly_labelled(corpus, recipe, set(everything))
    return WeaklyLabelled(corpus, recipe, {})


def _trained(model: TextClassifier, output: str, taught: WeaklyLabelled, seconds: float) -> Trained:
    classifier, documents = model.classifier_, len(taught.corpus)
    promise = classifier.promise_
    unlabelled = taught.corpus.labels.count(None)
    return Trained(
        model=output,
        method=taught.recipe.method,
        documents=documents,
        labelled=documents - unlabelled if unlabelled else None,
        unlabelled=trust_in_words(classifier),
        parts=parts_in_words(classifier),
        **taught.figures,
        categories=len(model.hierarchy_),
        language=_language(model, taught.recipe),
        terms=len(model.vectoriser_.vocabulary_),
        decision=format_decision(classifier.decision_),
        because=classifier.decision_reason_ or None,
        interrupted=getattr(classifier, "interrupted_", False) or bool((model.search_ or {}).get("interrupted")),
        search=model.search_,
        seconds=seconds,
        bytes=Path(output).stat().st_size,
        promised=promise.at(USUAL) if promise is not None and promise.most >= USUAL else None,
    )


def _language(model: TextClassifier, recipe: Recipe) -> str | None:
    """Say which language was found, where it mattered."""
    _, text = find_method(recipe.method).configure(recipe.settings)
    if text.language != "auto" or model.text_.language == "any":
        return None
    found = {"unknown": "none that is known: words are not stemmed"}
    return found.get(model.text_.language, model.text_.language)


def fit(
    corpus: Corpus, recipe: Recipe, checkpoint: Path | None = None, *, resume: bool = False
) -> tuple[TextClassifier, float]:
    """Fit a method on every document of a corpus; give the model and the seconds it took."""
    model = recipe.build(corpus)
    start = time.perf_counter()
    documents: Iterable[Any] = corpus.documents
    if not isinstance(documents, FeatureRows | ShardedDocuments):
        documents = track(documents, "documents", len(corpus))
    labels: Any = corpus.labels
    ids = corpus.ids
    if recipe.names:
        texts, categories = name_documents(corpus.hierarchy, list(labels), model.titles)
        documents, labels = chain(_texts(documents, corpus.source), texts), [*labels, *categories]
        ids = [*ids, *(f"the name of {name}" for [name] in categories)]
    model.fit(documents, labels, ids=ids, checkpoint=checkpoint, resume=resume)
    return model, time.perf_counter() - start


def _texts(documents: Iterable[Any], source: str) -> Iterator[str]:
    """Pass texts on as they are read; names cannot be added to features."""
    for document in documents:
        if not isinstance(document, str):
            raise InputError(f"{source}: names are texts, and some documents are features; train without names")
        yield document


@dataclass(frozen=True, kw_only=True)
class Demonstrated:
    """What the demo shows."""

    documents: int
    """How many documents the embedded corpus has."""
    hierarchy: str
    """Its categories, in words."""
    seconds: float
    """How long learning took."""
    evaluation: Evaluated
    """How good the model is on the test documents."""
    baseline: Evaluated
    """How good the largest category alone is there."""
    sentence: str
    """A text that the model was not trained on."""
    explanation: Explained
    """Why the model puts it where it does."""
    model: str
    """The model file."""


def demo(output: str) -> Demonstrated:
    """Train, evaluate and use a classifier on the embedded corpus."""
    check_writable(Path(output))
    corpus = load_docstrings()
    model, seconds = fit(corpus.select(["train"]), Recipe())
    model.save(output)
    baseline, _ = fit(corpus.select(["train"]), Recipe("majority"))
    test = corpus.select(["test"])
    return Demonstrated(
        documents=len(corpus),
        hierarchy=repr(corpus.hierarchy),
        seconds=seconds,
        evaluation=evaluate_model(model, test),
        baseline=evaluate_model(baseline, test),
        sentence=DEMO_SENTENCE,
        explanation=explain_text(model, DEMO_SENTENCE, top=5),
        model=output,
    )
