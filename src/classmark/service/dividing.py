"""Holding some documents out, where nobody has divided them."""

import math
from dataclasses import replace

from classmark.data import Corpus
from classmark.data.splits import stratified_split
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.service.corpora import all_labels


def held_out(corpus: Corpus, share: float, seed: int) -> tuple[Corpus, Corpus]:
    """Divide a corpus: what is trained on, and a share of the labelled documents of each category to evaluate on."""
    labelled = [row for row, labels in enumerate(corpus.labels) if labels is not None]
    labels = [corpus.labels[row] for row in labelled]
    if len(labelled) < 2:
        raise InputError(f"{corpus.source}: {len(labelled)} labelled documents; to hold some out takes 2 at least")
    parts = stratified_split(labels, {"rest": 1 - share, "held out": share}, hierarchy=corpus.hierarchy, seed=seed)
    out = {labelled[place] for place in parts["held out"].tolist()}
    return corpus.take([row for row in range(len(corpus)) if row not in out]), corpus.take(sorted(out))


def read_share(text: str) -> float:
    """Read a share that is above 0 and below 1, `20%` or `0.2`.

    >>> read_share("20%"), read_share("0.2")
    (0.2, 0.2)
    """
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = math.nan
    if not 0 < share < 1:
        raise InputError(f"{text!r} is no share to hold out; give one above 0 and below 1, such as 20% or 0.2")
    return share


def with_flat_hierarchy(corpus: Corpus) -> Corpus:
    """Give a corpus without a hierarchy a flat one, over the labels of the test documents too."""
    labels = all_labels(corpus)
    if corpus.hierarchy is not None or not labels:
        return corpus
    return replace(corpus, hierarchy=Hierarchy.flat(sorted(labels)))
