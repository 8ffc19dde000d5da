"""The texts of a report: what it is about, and what a reader should take home; they need no knowledge of the field."""

import platform
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from classmark import __version__
from classmark.data import Corpus
from classmark.decision import format_decision
from classmark.hierarchy import Hierarchy
from classmark.hierarchy.indicator import canonical
from classmark.inspection import Finding
from classmark.metrics import Coverage
from classmark.pipeline import TextClassifier
from classmark.report.contents import Change, Destination, Fact, Node
from classmark.service.reporting.curves import covered
from classmark.service.reporting.data import Data
from classmark.service.reporting.learning import Learned
from classmark.service.reporting.looking import Looked
from classmark.service.reporting.naming import Names, counted, in_words, percent
from classmark.strategies.parts import parts_in_words

LIBRARIES = ("numpy", "scipy", "scikit-learn")


def facts_of_model(model: TextClassifier, which: str = "") -> Iterator[Fact]:
    """Say what a model is; which one, where there are two."""
    said = {
        "method": model.method if isinstance(model.method, str) else type(model.method).__name__,
        "settings": ", ".join(f"{name} {value}" for name, value in (model.settings or {}).items()) or "as usual",
        "parts": parts_in_words(model.classifier_),
        "decision": format_decision(model.classifier_.decision_),
        "probabilities": model.calibration or ("its own" if hasattr(model.classifier_, "predict_proba") else "none"),
        "trained on": counted(model.trained_on_.size, "different document") if model.trained_on_.size else None,
        "terms": f"{len(model.vectoriser_.vocabulary_):,}",
    }
    for name, value in said.items():
        if value:
            yield Fact(name=f"{which}, {name}" if which else name, value=str(value))


def facts_of_corpus(corpus: Corpus, evaluated: Corpus | None = None) -> Iterator[Fact]:
    """Say what documents there are."""
    yield Fact(name="data", value=corpus.source)
    splits = Counter(split for split in corpus.splits if split is not None)
    parts = f" ({', '.join(f'{name} {count:,}' for name, count in splits.items())})" if splits else ""
    yield Fact(name="documents", value=f"{len(corpus):,}{parts}")
    if evaluated is not None:
        yield Fact(name="evaluated", value=_evaluated(evaluated))
    unlabelled = corpus.labels.count(None)
    if unlabelled:
        yield Fact(name="without labels", value=counted(unlabelled, "document"))
    if corpus.hierarchy is not None:
        yield Fact(name="categories", value=_categories(corpus.hierarchy))


def _evaluated(corpus: Corpus) -> str:
    splits = sorted({split for split in corpus.splits if split is not None})
    which = f" of the split{'s' if len(splits) > 1 else ''} {', '.join(splits)}" if splits else ""
    return f"{counted(len(corpus), 'labelled document')}{which}"


def _categories(hierarchy: Hierarchy) -> str:
    several = "" if hierarchy.is_tree else ", some below several parents"
    levels = f"on {hierarchy.depth} levels{several}; {hierarchy.leaves.size:,} have none below them"
    return f"{len(hierarchy):,} {levels if hierarchy.depth > 1 else 'side by side'}"


def facts_of_versions() -> Iterator[Fact]:
    """Say what made the report."""
    made = [
        f"classmark {__version__}",
        *(f"{library} {version(library)}" for library in LIBRARIES),
        f"Python {platform.python_version()}",
    ]
    yield Fact(name="made by", value=", ".join(made))


def figures_of(figures: dict[str, Any]) -> list[Fact]:
    """Give the main measures."""
    hierarchical, leaves = figures["hierarchical"], figures["leaves"]
    named: Sequence[tuple[str, str]] = [
        ("documents", f"{figures['documents']:,}"),
        ("hF", f"{hierarchical['hf']:.3f}"),
        ("precision (hP)", f"{hierarchical['hp']:.3f}"),
        ("recall (hR)", f"{hierarchical['hr']:.3f}"),
        ("micro F1, end categories", f"{leaves['micro_f1']:.3f}"),
        ("right in full", f"{figures['subset_accuracy']:.3f}"),
    ]
    return [Fact(name=name, value=value) for name, value in named]


ENOUGH = 10
"""So many documents a category must have for its figures to mean something; with fewer in all, half as many."""
FEW = 30
"""Of fewer, hundredths mean nothing."""
NAMED = 3
"""So many categories are named."""
GOOD, BAD = 0.8, 0.6
"""Categories are called best from here on, and worst up to there."""
TRUSTED = 0.95
"""Answers of which so many are right can go without a look."""
WORTH = 0.02
"""Of smaller differences in F1 nothing is said."""
SURE = 0.05
"""Differences are more than chance that have this p-value at most."""
ALONG = {
    "parent": "stopped at a category above the right one",
    "below": "went on below the right one",
    "sibling": "went to a sibling, another category below the same parent",
    "same top": "went elsewhere below the same top category",
    "elsewhere": "went to another top category",
    "nowhere": "were given nothing in their place",
}
SHORT = {"elsewhere": "went to another category"}
"""Where all categories stand side by side."""
GRAVE = ("leak", "other-labels", "test-only", "empty", "encoding", "same-text", "single", "never")
"""What is said of the data first; then whatever else there is."""


def too_good(looked: Looked, which: str = "The model") -> Iterator[str]:
    """Say first that figures are too good where the documents were trained on."""
    if looked.is_seen:
        seen, all_of_them = looked.judged.seen_in_training, looked.judged.rows.size
        yield (
            f"{which} was trained on {seen:,} of these {all_of_them:,} documents, or on others with the same words: "
            "all figures here are too good for new documents. Evaluate on documents that it has not seen."
        )


def how_good(figures: Mapping[str, Any], which: str = "") -> str:
    """Say how good answers are."""
    hierarchical = figures["hierarchical"]
    given, found = percent(hierarchical["hp"]), percent(hierarchical["hr"])
    documents = counted(figures["documents"], "document")
    by = f"{which}: on" if which else "On"
    few = " So few documents say little: other ones may give quite other figures." if figures["documents"] < FEW else ""
    return (
        f"{by} {documents}, {given} of the labels given are right and {found} of the right labels are found "
        f"(hF {hierarchical['hf']:.3f}, labels above counted); "
        f"{percent(figures['subset_accuracy'])} of the documents are right in full.{few}"
    )


def best_and_worst(nodes: Sequence[Node], names: Names) -> Iterator[str]:
    """Name the categories with the best and the worst answers, of those with enough documents."""
    inner = {parent for node in nodes for parent in node.parents}
    ends = [place for place in range(len(nodes)) if place not in inner]
    for least in (ENOUGH, ENOUGH // 2):
        known = [place for place in ends if (nodes[place].documents or 0) >= least and nodes[place].f1 is not None]
        if len(known) >= 2 * NAMED:
            break
    else:
        return
    ranked = sorted(known, key=lambda place: -(nodes[place].f1 or 0.0))
    best = [place for place in ranked[:NAMED] if (nodes[place].f1 or 0.0) >= GOOD]
    worst = [place for place in ranked[::-1][:NAMED] if (nodes[place].f1 or 0.0) <= BAD]
    said = [
        f"{word} for {in_words([f'{names[place]} ({nodes[place].f1:.2f})' for place in places])}"
        for word, places in (("best", best), ("worst", worst))
        if places
    ]
    if said:
        yield f"By F1, answers are {' and '.join(said)}, of the categories with at least {least} documents."


def where_errors_go(found: Sequence[Destination], flat: bool) -> Iterator[str]:
    """Say where most missed labels went."""
    missed = sum(one.labels for one in found)
    if not missed:
        yield "No right label was missed."
        return
    words = ALONG | SHORT if flat else ALONG
    few = missed < FEW
    said = [f"{one.labels if few else percent(one.labels / missed)} {words[one.kind]}" for one in found[:2]]
    yield f"Of {counted(missed, 'right label that was', 'right labels that were')} missed, {' and '.join(said)}."


def how_sure(looked: Looked) -> Iterator[str]:
    """Say how far the surest answers can be trusted."""
    curve: Coverage = covered(looked)
    if len(looked.corpus) < ENOUGH:
        return
    everything = curve.points[-1]
    if everything.accuracy >= TRUSTED:
        return
    kept = [point for point in curve.points if point.accuracy >= TRUSTED]
    point = kept[-1] if kept else min(curve.points, key=lambda one: abs(one.coverage - 0.5))
    if point.accuracy <= everything.accuracy:
        return
    then = "; the others are worth a look by a person" if kept else ""
    yield (
        f"Of the surest {percent(point.coverage)} of the answers {percent(point.accuracy)} are right in full, "
        f"against {percent(everything.accuracy)} of all{then}."
    )


def about_the_data(findings: Sequence[Finding]) -> Iterator[str]:
    """Say what is wrong with the documents."""
    wrong = [one for one in findings if one.level in ("error", "warning")]
    if not wrong:
        yield "Nothing is wrong with the documents, as far as can be seen."
        return
    order = {kind: place for place, kind in enumerate(GRAVE)}
    wrong.sort(key=lambda one: (one.level != "error", order.get(one.kind, len(order))))
    said = in_words([f"{one.what} ({one.count:,})" for one in wrong[:NAMED]])
    first = "" if len(wrong) == 1 else " about the first"
    yield f"In the data there are {said}. What to do{first}: {wrong[0].remedy}."


def what_next(learned: Sequence[Learned], nodes: Sequence[Node], names: Names) -> Iterator[str]:
    """Say whether more documents would help, and where."""
    rising = sorted((one for one in learned if len(one.hf) > 1), key=lambda one: -one.hf[-1])
    weak = [
        (node.training, place)
        for place, node in enumerate(nodes)
        if node.training is not None and node.f1 is not None and (node.documents or 0) >= 3 and node.f1 <= BAD
    ]
    where = names.listed(place for _, place in sorted(weak)[:NAMED]) if weak else ""
    if rising:
        of = f"{rising[0].name}: " if len(learned) > 1 else ""
        yield of + rising[0].says() + (f" They are needed most for {where}." if where and rising[0].helps else "")
    elif where:
        yield f"More training documents are needed most for {where}, where answers are bad and examples few."


def which_is_better(changes: Sequence[Change], names: Sequence[str]) -> str:
    """Say which of two models is better, if that is more than chance."""
    figure = next(one for one in changes if one.name == "hF")
    first, second = names
    numbers = f"hF {figure.first:.3f} and {figure.second:.3f}"
    if figure.first == figure.second:
        return f"{first} and {second} are equally good ({numbers})."
    better, worse = (second, first) if figure.second > figure.first else (first, second)
    chance = 1.0 if figure.chance is None else figure.chance
    if chance > SURE:
        return (
            f"Neither model is better for sure: {numbers} for {first} and {second}, a difference that chance alone "
            f"makes as large in {percent(chance)} of such comparisons."
        )
    return f"{better} is better than {worse}: {numbers} for {first} and {second}, more than chance would make it."


def what_changes(looked: Sequence[Looked], nodes: Sequence[Node], names: Names, called: Sequence[str]) -> Iterator[str]:
    """Say of two models which documents and which categories only one of them gets right."""
    right = [np.diff(canonical(one.true != one.predicted).indptr) == 0 for one in looked]
    alone = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    yield (
        f"{called[1]} alone is right in full on {counted(alone[1], 'document')}, {called[0]} alone on {alone[0]:,}, "
        f"both on {int((right[0] & right[1]).sum()):,}, neither on {int((~right[0] & ~right[1]).sum()):,}."
    )
    change = {
        place: node.other_f1 - node.f1
        for place, node in enumerate(nodes)
        if (node.documents or 0) >= ENOUGH and node.f1 is not None and node.other_f1 is not None
    }
    ranked = sorted(change, key=lambda place: -change[place])
    better = [f"{names[place]} ({change[place]:+.2f})" for place in ranked[:NAMED] if change[place] > WORTH]
    worse = [f"{names[place]} ({change[place]:+.2f})" for place in ranked[::-1][:NAMED] if change[place] < -WORTH]
    said = [f"{word} for {in_words(some)}" for word, some in (("gains most", better), ("loses most", worse)) if some]
    if said:
        yield f"By F1, {called[1]} {' and '.join(said)}, of the categories with at least {ENOUGH} documents."


def about_documents(data: Data) -> Iterator[str]:
    """Say how many documents and categories there are, and what is wrong with them."""
    check, leaves = data.check, data.hierarchy.leaves.size
    size = f", half of them with {check.words['median']:,} words or more" if check.words else ""
    yield f"There are {counted(check.documents, 'document')}{size}."
    levels = (
        f" on {data.hierarchy.depth} levels, {leaves:,} of them without any below" if data.hierarchy.depth > 1 else ""
    )
    yield f"There are {counted(len(data.hierarchy), 'category', 'categories')}{levels}."
    if check.unlabelled:
        yield f"{counted(check.unlabelled, 'document has', 'documents have')} no label."
    if check.labels and check.labels["most"] > 1:
        yield f"A labelled document has {check.labels['mean']:g} labels on average, and up to {check.labels['most']}."
    yield from about_the_data(data.findings)
    yield f"The command {check.verdict}."


def about_categories(
    empty: Sequence[int], alike: Sequence[tuple[int, int, float]], names: Names, doubted: int
) -> Iterator[str]:
    """Say which categories cannot be learned or told apart, and how many labels are doubted."""
    if empty:
        some = names.listed(empty[:NAMED])
        yield f"{counted(len(empty), 'category has', 'categories have')} no document to learn from, such as {some}."
    if alike:
        first, second, _ = alike[0]
        yield (
            f"{counted(len(alike), 'pair of categories has', 'pairs of categories have')} nearly the same words, first "
            f"{names[first]} and {names[second]}: they will be confused."
        )
    if doubted:
        yield f"The labels of {counted(doubted, 'document')} look wrong to a model that has not seen them: see below."


def figures_of_corpus(data: Data) -> list[Fact]:
    """Give the main numbers of documents alone."""
    check = data.check
    named = {
        "documents": check.documents,
        "labelled": check.documents - check.unlabelled,
        "categories": len(data.hierarchy),
        "levels": data.hierarchy.depth,
    }
    return [Fact(name=name, value=f"{value:,}") for name, value in named.items()]
