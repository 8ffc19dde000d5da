"""What training would take, said before it begins."""

from collections.abc import Iterable, Sequence
from typing import Any

from classmark.data import CorpusOptions
from classmark.data.splits import hide_labels
from classmark.data.stored import FeatureRows
from classmark.errors import InputError
from classmark.limits import Estimate
from classmark.progress import track
from classmark.service.corpora import read
from classmark.service.recipes import Recipe
from classmark.service.training import checked_documents, joined_by


def estimate(
    data: str,
    recipe: Recipe | None = None,
    *,
    hierarchy: str | None = None,
    splits: Sequence[str] | None = None,
    options: CorpusOptions | None = None,
    feedback: str | None = None,
) -> Estimate:
    """Estimate the memory and the time that `train` would take; terms are counted for it, and nothing is learned."""
    recipe = recipe or Recipe()
    recipe.check()
    if recipe.dataless:
        raise InputError("weak labels take most of the time, and nobody knows how much; leave the estimate out")
    whole = read(data, hierarchy, options, stored=True)
    joined, _ = joined_by(feedback, whole.part(splits, "train"), whole, recipe, options)
    corpus = checked_documents(joined, recipe)
    labels: Any = list(corpus.labels)
    if recipe.label_rate is not None:
        labels = hide_labels(labels, recipe.label_rate, seed=recipe.seed)
    documents: Iterable[Any] = corpus.documents
    if not isinstance(documents, FeatureRows):
        documents = track(documents, "documents", len(corpus))
    return recipe.build(corpus).estimate(documents, labels)
