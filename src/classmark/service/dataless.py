"""Weak labels for a corpus: what `train --weak` and `train --similarities` learn from."""

import warnings
from collections.abc import Container
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from classmark.data import Corpus, read_nodes
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.parameters import parameters, read_settings
from classmark.registry import find_method
from classmark.service.recipes import Recipe
from classmark.text import TextSettings

if TYPE_CHECKING:
    from classmark.weak import WeakLabels


class WeaklyLabelled(NamedTuple):
    """A corpus with weak labels in place of its own, the recipe that learns from them, and figures about them."""

    corpus: Corpus
    recipe: Recipe
    figures: dict[str, Any]


def weakly_labelled(corpus: Corpus, recipe: Recipe, everything: Container[str] = ()) -> WeaklyLabelled:
    """Give a corpus weak labels in place of its own.

    `everything` is the ids of all documents that similarities may speak of, those of other splits too.
    """
    nodes, hierarchy = _categories(corpus, recipe)
    if has := sum(labels is not None for labels in corpus.labels):
        warnings.warn(f"the labels of {has} documents are not used: weak labels take their place", stacklevel=3)
    corpus = replace(corpus, hierarchy=hierarchy)
    starts_at_names = find_method(recipe.method).starts_at_names
    if recipe.similarities is not None:
        if starts_at_names:
            raise InputError(f"{recipe.method} labels no document by similarity; leave the similarities out")
        return _by_given_similarities(corpus, hierarchy, recipe, recipe.similarities, everything)
    label = _by_names if starts_at_names else _by_similarity
    try:
        return label(corpus, hierarchy, recipe, nodes or None)
    except ValueError as error:
        raise InputError(f"{corpus.source}: {error}") from None


def without_labels(corpus: Corpus, recipe: Recipe) -> Recipe:
    """Give the recipe for documents that are not labelled, in place of a search, which would have nothing to judge by.

    Where nothing says what categories are, their names do. Texts that are short are put near the names by an encoder,
    where one is installed; others are labelled by what they have in common with them, and EM goes on from there.
    """
    if any(labels is not None for labels in corpus.labels) and not recipe.dataless:
        return recipe
    from classmark.auto.candidates import SHORT, has_encoder, median_words

    encoder = recipe.encoder or ("sentence" if has_encoder() else "terms")
    given = recipe.encoder if recipe.similarities is not None else encoder
    short = given == "sentence" and recipe.weak is None and (median_words(corpus.documents) or SHORT) < SHORT
    of_text = {name: value for name, value in recipe.settings.items() if name in parameters(TextSettings)}
    method = "embedding-em" if short and recipe.min_similarity is None else "pcem-plus"
    warnings.warn(f"no label to compare methods by: {method} learns from what categories are called", stacklevel=3)
    return replace(recipe, method=method, settings=of_text, encoder=given)


def _categories(corpus: Corpus, recipe: Recipe) -> tuple[dict[Any, Any], Hierarchy]:
    """Give what is known of the categories, and their hierarchy."""
    nodes: dict[Any, Any] = dict(corpus.nodes)
    if recipe.weak is not None:
        nodes |= _described(recipe.weak, corpus.hierarchy)
    if corpus.hierarchy is None and not nodes:
        raise InputError(f"{corpus.source}: nothing says which categories there are; give a hierarchy or descriptions")
    return nodes, corpus.hierarchy or Hierarchy.flat(nodes)


def _by_given_similarities(
    corpus: Corpus, hierarchy: Hierarchy, recipe: Recipe, file: str, everything: Container[str]
) -> WeaklyLabelled:
    """Label the documents by similarities that a file has."""
    from classmark.weak import labels_of_similarities, read_similarities

    similarities = read_similarities(file, corpus.ids, hierarchy, everything)
    try:
        found = labels_of_similarities(similarities, hierarchy, min_similarity=recipe.min_similarity or 0.0)
    except ValueError as error:
        raise InputError(f"{file}: {error}") from None
    return _with_labels(corpus, recipe, found, {"similarities": file})


def _by_similarity(corpus: Corpus, hierarchy: Hierarchy, recipe: Recipe, nodes: Any) -> WeaklyLabelled:
    """Label the documents that are like the categories' words."""
    from classmark.weak import weak_labels

    encoder, text = recipe.encoder or "terms", _text(recipe)
    documents: Any = text.prepared(corpus.documents)
    found = weak_labels(
        documents,
        hierarchy,
        nodes,
        encoder=encoder,
        analyser=text.for_documents(corpus.documents).analyser(),
        min_similarity=recipe.min_similarity or 0.0,
    )
    return _with_labels(corpus, recipe, found, {"encoder": encoder})


def _with_labels(corpus: Corpus, recipe: Recipe, found: "WeakLabels", by: dict[str, Any]) -> WeaklyLabelled:
    labels: Any = found.labels
    figures = {**by, "weakly_labelled": found.share, "without_similarity": int((found.similarity <= 0).sum())}
    trust = find_method(recipe.method).declared().get("trust")
    if trust is not None and trust.default == "auto":
        # Weak labels that are held out cannot say whom to trust.
        recipe = replace(recipe, settings={"trust": "full", **recipe.settings})
    return WeaklyLabelled(replace(corpus, labels=labels), recipe, figures)


def _by_names(corpus: Corpus, hierarchy: Hierarchy, recipe: Recipe, nodes: Any) -> WeaklyLabelled:
    """Add the words of the leaves as the only labelled documents, to be read by the same encoder."""
    from classmark.weak import category_texts

    if recipe.min_similarity is not None:
        raise InputError(f"{recipe.method} labels no document by similarity; leave the least similarity out")
    encoder = recipe.encoder or "terms"
    texts, names = category_texts(hierarchy, nodes), [hierarchy.names[leaf] for leaf in hierarchy.leaves]
    labels: Any = [None] * len(corpus) + [[name] for name in names]
    named = replace(
        corpus,
        ids=[*corpus.ids, *(f"the name of {name}" for name in names)],
        documents=[*corpus.documents, *(texts[leaf] for leaf in hierarchy.leaves)],
        labels=labels,
        splits=[*corpus.splits, *([None] * len(names))],
        numbered=None,
    )
    return WeaklyLabelled(
        named, replace(recipe, settings={**recipe.settings, "encoder": encoder}), {"encoder": encoder}
    )


def _text(recipe: Recipe) -> TextSettings:
    """Read by stems, whatever the method does, unless told otherwise: names are too short to match by the letter."""
    declared = parameters(TextSettings)
    told = {name: value for name, value in recipe.settings.items() if name in declared}
    return TextSettings(**read_settings(declared, told, "the text"))


def _described(path: str, hierarchy: Hierarchy | None) -> dict[str, Any]:
    nodes = read_nodes(path, hierarchy)
    if not any(text.words for text in nodes.values()):
        raise InputError(f"{path}: no category is described; write node<TAB>words, a line each")
    return dict(nodes)
