"""Examples of errors: varied, the surest first, with the words behind them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from classmark.answers import Positions
from classmark.arrays import Floats
from classmark.explain import pieces
from classmark.explain.documents import shares_of
from classmark.explain.shares import Shares
from classmark.hierarchy.indicator import canonical
from classmark.pipeline import TextClassifier
from classmark.progress import track
from classmark.report.contents import Piece, WrongDocument
from classmark.service.reporting.destinations import Missed, missed_labels
from classmark.service.reporting.looking import Looked
from classmark.service.reporting.naming import Names
from classmark.text.vectoriser import Document

LONGEST = 1500
"""So many characters of a text are shown."""
OF_A_KIND = 2
"""So many examples are given of one mistake, where there are enough others."""
FEW = 10
"""So many examples are given, if there are, though they are of the same mistakes."""
TERMS = 8
QUIET = 0.2
"""Words are marked whose share is a larger part of the largest one."""
MOST_ENCODED = 10
"""So many examples are explained where an encoder reads texts anew for every word."""


class Mistake(NamedTuple):
    """A document, the label that was missed and the one that was answered in its place; -1 where there is none."""

    row: int
    true: int
    answered: int


def differing(first: csr_array, second: csr_array) -> Positions:
    """Give the documents whose label sets, ancestors included, are not the same."""
    return np.flatnonzero(np.diff(canonical(first != second).indptr))


def mistakes(looked: Looked, missed: Missed) -> list[Mistake]:
    """Give each document with a wrong or a missing label, with the first of its mistakes."""
    own_true, own = (looked.hierarchy.own(labels) for labels in (looked.true, looked.predicted))
    firsts = {}
    for place in range(len(missed) - 1, -1, -1):
        firsts[int(missed.documents[place])] = int(missed.true[place]), int(missed.answered[place])
    extra = canonical(own > own_true)
    found = []
    for row in differing(looked.true, looked.predicted).tolist():
        true, answered = firsts.get(row, (-1, -1))
        wrong = extra.indices[extra.indptr[row] : extra.indptr[row + 1]]
        if true < 0 and wrong.size:
            answered = int(wrong[0])
        found.append(Mistake(row, true, answered))
    return found


def chosen(found: Sequence[Mistake], sure: Floats, most: int) -> list[Mistake]:
    """Choose examples: in turn one of each mistake, the most frequent first, and of each the surest.

    >>> found = [Mistake(0, 1, 2), Mistake(1, 1, 2), Mistake(2, 3, 4)]
    >>> [one.row for one in chosen(found, np.array([0.5, 0.9, 0.1]), 2)]
    [1, 2]
    """
    kinds: dict[tuple[int, int], list[Mistake]] = defaultdict(list)
    for one in sorted(found, key=lambda one: -sure[one.row]):
        kinds[one.true, one.answered].append(one)
    ranked = sorted(kinds.values(), key=len, reverse=True)
    rounds = range(max(map(len, ranked), default=0))
    turns = [[kind[turn] for kind in ranked if turn < len(kind)] for turn in rounds]
    varied = [one for turn in turns[:OF_A_KIND] for one in turn]
    others = [one for turn in turns[OF_A_KIND:] for one in turn]
    return (varied + others[: max(0, FEW - len(varied))])[:most]


class Shown:
    """Makes examples of the answers of one model, beside those of another where there is one."""

    def __init__(self, looked: Looked, names: Names, other: Looked | None = None, whose: str = "") -> None:
        self.looked = looked
        self.names = names
        self.whose = whose
        both = [looked, *([] if other is None else [other])]
        self._own = [looked.hierarchy.own(labels) for labels in (looked.true, *(one.predicted for one in both))]
        order = {name: place for place, name in enumerate(looked.model.hierarchy_.names)}
        self._places = [order[name] for name in looked.hierarchy.names]

    def example(self, one: Mistake, document: Document, *, explained: bool, swapped: bool = False) -> WrongDocument:
        """Give an example; `swapped` where the model that is explained is the second one of the report."""
        true, mine, *others = (_nodes(labels, one.row) for labels in self._own)
        theirs = others[0] if others else None
        shares, absent = self._shares(one, document) if explained else ({}, set())
        marked, cut = pieces(self.looked.model, document, shares, longest=LONGEST)
        largest = sorted(shares.items(), key=lambda pair: -abs(pair[1]))[:TERMS]
        return WrongDocument(
            id=self.looked.corpus.ids[one.row],
            true=true,
            answered=theirs if swapped and theirs is not None else mine,
            other=mine if swapped else theirs,
            sure=float(self.looked.confidence[one.row]) if self.looked.gives_probabilities else None,
            pieces=loud(marked),
            cut=cut,
            terms=[(f"no {term}" if term in absent else term, share) for term, share in largest],
            why=self._why(one) if shares else "",
        )

    def _shares(self, one: Mistake, document: Document) -> tuple[dict[str, float], set[str]]:
        """Give what terms add to the score of the answer, less what they add to that of the truth."""
        model = self.looked.model
        asked = [(sign, node) for sign, node in ((1.0, one.answered), (-1.0, one.true)) if node >= 0]
        found = _explained(model, document, [self._places[node] for _, node in asked])
        total = defaultdict[str, float](float)
        for (sign, _), shares in zip(asked, found, strict=False):
            for term, share in shares.terms.items():
                total[term] += sign * share
        said = {term: share for term, share in total.items() if share and np.isfinite(share)}
        return said, {term for shares in found for term in shares.absent}

    def _why(self, one: Mistake) -> str:
        """Say what positive and negative shares are."""
        of = f"By {self.whose}: what" if self.whose else "What"
        if one.true < 0:
            return f"{of} speaks for {self.names[one.answered]}, the answer, and what against it."
        if one.answered < 0:
            return f"{of} speaks against {self.names[one.true]}, which is right and was not answered, and what for it."
        answered, true = self.names[one.answered], self.names[one.true]
        return f"{of} speaks for {answered}, the answer, and what for {true}, which is right."


def loud(marked: Sequence[Piece]) -> list[Piece]:
    """Leave out the marks that say next to nothing: of a linear model every word has some share.

    >>> loud([Piece(text="the ", share=0.01), Piece(text="dark "), Piece(text="owl", share=1.0)])
    [Piece(text='the dark ', share=0.0), Piece(text='owl', share=1.0)]
    """
    least = QUIET * max((abs(piece.share) for piece in marked), default=0.0)
    runs = groupby(marked, lambda piece: piece.share if abs(piece.share) > least else 0.0)
    return [
        one for share, run in runs for one in ([Piece(text="".join(piece.text for piece in run))] if not share else run)
    ]


def _explained(model: TextClassifier, document: Document, nodes: list[int]) -> list[Shares]:
    """Give the shares in the scores of nodes; none where the model cannot say."""
    try:
        (answer,) = model.classifier_.answers(model.transform([document]))
        return shares_of(model, document, answer, nodes)
    except (ValueError, NotImplementedError):
        return []


def _nodes(labels: csr_array, row: int) -> list[int]:
    return sorted(labels.indices[labels.indptr[row] : labels.indptr[row + 1]].tolist())


def examples(looked: Looked, missed: Missed, names: Names, most: int) -> tuple[list[WrongDocument], int]:
    """Give examples of a model's errors, and how many documents have one."""
    found = mistakes(looked, missed)
    some = chosen(found, looked.confidence, most)
    shown = Shown(looked, names)
    limit = len(some) if looked.model.text_.told_by_terms else MOST_ENCODED
    documents = _documents(looked, some)
    made = [
        shown.example(one, documents[one.row], explained=place < limit)
        for place, one in enumerate(track(some, "examples", len(some)))
    ]
    return made, len(found)


def differences(
    first: Looked, second: Looked, names: Names, called: Sequence[str], most: int
) -> tuple[list[WrongDocument], int]:
    """Give examples of documents that two models answer otherwise, one of them wrong, and how many there are."""
    other = set(differing(first.predicted, second.predicted).tolist())
    found: dict[int, tuple[Mistake, bool]] = {}
    for looked, swapped in ((second, True), (first, False)):
        for one in mistakes(looked, missed_labels(looked.true, looked.predicted, looked.hierarchy)):
            if one.row in other:
                found[one.row] = one, swapped
    some = chosen([one for one, _ in found.values()], first.confidence, most)
    shown = {
        False: Shown(first, names, second, called[0]),
        True: Shown(second, names, first, called[1]),
    }
    left = dict.fromkeys(shown, MOST_ENCODED)
    documents, made = _documents(first, some), []
    for one in track(some, "examples", len(some)):
        swapped = found[one.row][1]
        by = shown[swapped]
        explained = by.looked.model.text_.told_by_terms or left[swapped] > 0
        left[swapped] -= 1
        made.append(by.example(one, documents[one.row], explained=explained, swapped=swapped))
    return made, len(found)


def _documents(looked: Looked, some: Sequence[Mistake]) -> Mapping[int, Document]:
    rows = sorted(one.row for one in some)
    return dict(zip(rows, looked.corpus.take(rows).documents, strict=True))
