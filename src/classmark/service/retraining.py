"""Training a model again, as it was made, with what people have said since; and what that gains.

What is gained is measured on documents that are held out from both: the model as it would be without the corrections,
and the one with them. The model that is served may stand for the first where it has not seen these documents; where it
has, one is trained to compare with. What is saved has learned from everything.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sklearn.base import clone

from classmark.data import Corpus, CorpusOptions
from classmark.errors import InputError
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.service.corpora import address_of, check_output, read_with
from classmark.service.differences import Answered, FigureDifference, by_figure
from classmark.service.dividing import held_out, read_share
from classmark.service.feedback import with_feedback
from classmark.service.judging import SEEN, judge
from classmark.service.results import SavedModel

STEPS = ("reading", "without", "with", "everything")
"""What is done: documents are read; learned from without corrections, with them, and, last, all of them."""


@dataclass(frozen=True, kw_only=True)
class Retrained(SavedModel):
    """A model that was trained again."""

    corrections: int
    """How many documents with labels by people it has learned from."""
    replaced: int
    """How many of them stand in the place of older labels."""
    held_out: int
    """How many documents were held out to compare on."""
    against: str
    """What it was compared with: the `model` itself, or one trained `without` the corrections."""
    figures: Sequence[FigureDifference]
    """The figures of that one and of one with the corrections, and how sure the differences are."""
    seconds: float
    """How long it took."""
    bytes: int
    """The size of the model file."""


def retrain(
    model: str,
    data: str,
    output: str,
    feedback: str,
    *,
    holdout: str = "20%",
    splits: Sequence[str] | None = None,
    options: CorpusOptions | None = None,
    tell: Callable[[str], None] = lambda step: None,
) -> Retrained:
    """Train a model file again, as it was made, from the documents that it came from and from corrections.

    Parameters
    ----------
    model : str
        The model file; method, settings and hierarchy are taken from it.
    data : str
        What it was trained on.
    output : str
        Where the new model is written, whole or not at all.
    feedback : str
        The address of a store, and after `#` the name of a project where there are several.
    holdout : str
        The share of documents, corrections among them, that both are compared on.
    splits : sequence of str, optional
        The splits to learn from; by default `train`, or everything where there are no splits.
    options : CorpusOptions, optional
        How to read the documents.
    tell : function
        Is told what is being done, one of `STEPS`.
    """
    start = time.perf_counter()
    share, options = read_share(holdout), options or CorpusOptions()
    check_output(output, data, model, address_of(feedback)[0].removeprefix("sqlite:///"))
    tell("reading")
    present = TextClassifier.load(model)
    whole = read_with(present, data, options, stored=True)
    before = whole.part(splits, "train")
    joined, used = with_feedback(before, whole, feedback, options)
    if not used.documents:
        raise InputError(f"{feedback}: nobody has accepted or corrected a document there; review some first")
    figures, against, unseen = _gain(present, before, joined, share, tell)
    tell("everything")
    _fitted(present, joined).save(output)
    return Retrained(
        model=output,
        method=str(present.method),
        documents=len(joined),
        corrections=used.documents,
        replaced=used.replaced,
        held_out=unseen,
        against=against,
        figures=figures,
        seconds=time.perf_counter() - start,
        bytes=Path(output).stat().st_size,
    )


def _gain(
    present: TextClassifier, before: Corpus, joined: Corpus, share: float, tell: Callable[[str], None]
) -> tuple[list[FigureDifference], str, int]:
    """Compare models with and without corrections on documents that neither has seen."""
    rest, unseen = held_out(joined, share, 0)
    judged = judge(present, unseen)
    first, against = present, "model"
    if judged.seen_in_training > SEEN * len(unseen):
        tell("without")
        kept = set(rest.ids)
        first = _fitted(present, before.take([row for row, name in enumerate(before.ids) if name in kept]))
        against = "without"
        judged = judge(first, unseen)
    tell("with")
    other = judge(_fitted(present, rest), unseen)
    hierarchy = present.hierarchy_
    answered = Answered.of(hierarchy, judged.true, judged.predicted, other.predicted)
    return by_figure(answered), against, int(judged.rows.size)


def _fitted(present: TextClassifier, corpus: Corpus) -> TextClassifier:
    """Train a model as another was made."""
    documents = track(corpus.documents, "documents", len(corpus))
    model: TextClassifier = clone(present)
    return model.fit(documents, list(corpus.labels), ids=corpus.ids)
