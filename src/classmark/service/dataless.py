"""Weak labels for a corpus: what `train --weak` and `train --similarities` learn from."""

import warnings
from collections.abc import Container
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classmark.data import Corpus, read_nodes
from classmark.hierarchy import Hierarchy
from classmark.methods import find_method
from classmark.parameters import parameters, read_settings
from classmark.text import TextSettings

if TYPE_CHECKING:
    from classmark.service.training import Recipe
    from classmark.weak import WeakLabels


def check_weak(recipe: "Recipe") -> None:
    """Refuse before anything is read an encoder that is not there, and labels asked for twice."""
    if recipe.min_similarity is not None and not recipe.dataless:
        raise ValueError("a least similarity means nothing without weak labels; say what categories are (--weak)")
    if not recipe.dataless:
        return
    from classmark.weak import check_encoder

    if recipe.similarities is not None and (recipe.weak is not None or recipe.encoder is not None):
        raise ValueError("similarities take the place of an encoder and of descriptions; leave these out")
    if recipe.similarities is not None and not Path(recipe.similarities).exists():
        raise ValueError(f"{recipe.similarities}: there is no such file of similarities; check the path")
    check_encoder(recipe.encoder or "terms")
    if recipe.calibration is not None:
        raise ValueError(f"calibration={recipe.calibration} learns from labels, which weak ones are not; leave it out")
    if recipe.label_rate is not None or recipe.names:
        given = "label rate" if recipe.label_rate is not None else "names"
        raise ValueError(f"weak labels take the place of labels; leave the {given} out")


def weakly_labelled(
    corpus: Corpus, recipe: "Recipe", everything: Container[str] = ()
) -> tuple[Corpus, "Recipe", dict[str, Any]]:
    """Give a corpus weak labels in place of its own, the recipe that learns from them, and figures about them.

    `everything` is the ids of all documents that similarities may speak of, those of other splits too.
    """
    nodes: Any = dict(corpus.nodes)
    if recipe.weak is not None:
        nodes |= _described(recipe.weak, corpus.hierarchy)
    hierarchy = corpus.hierarchy or (Hierarchy.flat(nodes) if nodes else None)
    if hierarchy is None:
        raise ValueError(f"{corpus.source}: nothing says which categories there are; give a hierarchy or descriptions")
    if has := sum(labels is not None for labels in corpus.labels):
        warnings.warn(f"the labels of {has} documents are not used: weak labels take their place", stacklevel=3)
    method = find_method(recipe.method)
    if recipe.similarities is not None:
        if method.starts_at_names:
            raise ValueError(f"{recipe.method} labels no document by similarity; leave the similarities out")
        return _given(replace(corpus, hierarchy=hierarchy), hierarchy, recipe, everything)
    label = _named if method.starts_at_names else _alike
    try:
        return label(replace(corpus, hierarchy=hierarchy), nodes or None, recipe)
    except ValueError as error:
        raise ValueError(f"{corpus.source}: {error}") from None


def _given(
    corpus: Corpus, hierarchy: Hierarchy, recipe: "Recipe", everything: Container[str]
) -> tuple[Corpus, "Recipe", dict[str, Any]]:
    """Label the documents by similarities that a file has."""
    from classmark.weak import labels_of_similarities, read_similarities

    assert recipe.similarities is not None
    similarities = read_similarities(recipe.similarities, corpus.ids, hierarchy, everything)
    try:
        found = labels_of_similarities(similarities, hierarchy, min_similarity=recipe.min_similarity or 0.0)
    except ValueError as error:
        raise ValueError(f"{recipe.similarities}: {error}") from None
    return _with_labels(corpus, recipe, found, {"similarities": recipe.similarities})


def _alike(corpus: Corpus, nodes: Any, recipe: "Recipe") -> tuple[Corpus, "Recipe", dict[str, Any]]:
    """Label the documents that are like the categories' words."""
    from classmark.weak import weak_labels

    encoder, text = recipe.encoder or "terms", _text(recipe)
    documents: Any = text.prepared(corpus.documents)
    assert corpus.hierarchy is not None
    found = weak_labels(
        documents,
        corpus.hierarchy,
        nodes,
        encoder=encoder,
        analyser=text.for_documents(corpus.documents).analyser(),
        min_similarity=recipe.min_similarity or 0.0,
    )
    return _with_labels(corpus, recipe, found, {"encoder": encoder})


def _with_labels(
    corpus: Corpus, recipe: "Recipe", found: "WeakLabels", by: dict[str, Any]
) -> tuple[Corpus, "Recipe", dict[str, Any]]:
    labels: Any = found.labels
    figures = {**by, "weakly_labelled": found.share, "without_similarity": int((found.similarity <= 0).sum())}
    return replace(corpus, labels=labels), recipe, figures


def _named(corpus: Corpus, nodes: Any, recipe: "Recipe") -> tuple[Corpus, "Recipe", dict[str, Any]]:
    """Add the words of the leaves as the only labelled documents, to be read by the same encoder."""
    from classmark.weak import category_texts

    if recipe.min_similarity is not None:
        raise ValueError(f"{recipe.method} labels no document by similarity; leave the least similarity out")
    hierarchy, encoder = corpus.hierarchy, recipe.encoder or "terms"
    assert hierarchy is not None
    texts, names = category_texts(hierarchy, nodes), [hierarchy.names[leaf] for leaf in hierarchy.leaves]
    labels: Any = [None] * len(corpus) + [[name] for name in names]
    named = replace(
        corpus,
        ids=corpus.ids + [f"the name of {name}" for name in names],
        documents=[*corpus.documents, *(texts[leaf] for leaf in hierarchy.leaves)],
        labels=labels,
        splits=corpus.splits + [None] * len(names),
    )
    return named, replace(recipe, settings={**recipe.settings, "encoder": encoder}), {"encoder": encoder}


def _text(recipe: "Recipe") -> TextSettings:
    """Read by stems, whatever the method does, unless told otherwise: names are too short to match by the letter."""
    declared = parameters(TextSettings)
    told = {name: value for name, value in recipe.settings.items() if name in declared}
    return TextSettings(**read_settings(declared, told, "the text"))


def _described(path: str, hierarchy: Hierarchy | None) -> dict[str, Any]:
    nodes = read_nodes(path, hierarchy)
    if not any(any(text) for text in nodes.values()):
        raise ValueError(f"{path}: no category is described; write node<TAB>words, a line each")
    return dict(nodes)
