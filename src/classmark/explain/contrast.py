"""Why not another category: the best that was not answered, and where on the way down the answer was decided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from classmark.answers import Answers
from classmark.explain.shares import Shares, largest
from classmark.hierarchy import Hierarchy, Name
from classmark.hierarchy.render import short_name, titled
from classmark.pipeline import TextClassifier
from classmark.strategies.spread import raise_to_best_below


@dataclass(frozen=True)
class Contrast:
    """Another category beside the one explained, and what makes the difference."""

    category: Name
    """The other category."""
    path: list[str]
    """The categories from the top down to it, by its first parents, with their titles."""
    accepted: bool
    """Whether the document was put into it, too."""
    score: float
    """Its score."""
    difference: float
    """How much more the category explained scores."""
    terms: list[tuple[str, float]]
    """The largest differences of shares, by absolute value; above 0 what speaks for the category explained."""
    others: float
    """The sum of the differences not listed."""
    bias: float
    """The difference that no term makes; with terms and others it sums to the difference."""
    absent: tuple[str, ...] = ()
    """Those of the terms listed that the document does not have."""

    def worded(self) -> list[tuple[str, float]]:
        """Give the terms as they are shown, those that the document does not have with a `no` before them."""
        return [(f"no {term}" if term in self.absent else term, share) for term, share in self.terms]


@dataclass(frozen=True)
class Step:
    """A category on the path to the one explained, and what stood beside it."""

    category: Name
    """The category."""
    title: str
    """Its name as it is shown, with its title."""
    accepted: bool
    """Whether the document was put into it."""
    score: float
    """Its score; where the best end is the answer, that of the best category at or below it."""
    terms: list[tuple[str, float]]
    """The terms with the largest shares in that score, by absolute value."""
    probability: float | None = None
    """How probable it is, where the model knows."""
    rival: str | None = None
    """The best of the other categories below the same parent, as it is shown."""
    rival_score: float | None = None
    """The score of that one, in the same way."""

    @property
    def lead(self) -> float | None:
        """How much more it scores than the best beside it; None where there is none."""
        return None if self.rival_score is None else self.score - self.rival_score


def path_of(model: TextClassifier, category: Name) -> list[str]:
    """Give the categories from the top down to one, by its first parents, as they are shown."""
    return [titled(name, model.titles, short_name(name)) for name in model.hierarchy_.path(category)]


def runner_up(model: TextClassifier, answer: Answers, node: int, accepted: set[int]) -> int | None:
    """Give the best end that is not in the answer; for a category that is not either, the best that is.

    None where there is no other that anything is known of.
    """
    wanted_in_answer = bool(accepted) and node not in accepted
    ranked = answer.top(model.classifier_.ends_.size)[0]
    for other in ranked.tolist():
        is_known = np.isfinite(answer.scores(np.array([0]), np.array([other]))[0])
        if is_known and other != node and (other in accepted) == wanted_in_answer:
            return int(other)
    return None


def contrast(model: TextClassifier, node: int, ours: Shares, theirs: Shares, *, accepted: bool, top: int) -> Contrast:
    """Set the shares of a category against those of another, which is given by its position."""
    category = model.hierarchy_.names[node]
    terms = {
        term: ours.terms.get(term, 0.0) - theirs.terms.get(term, 0.0)
        for term in dict.fromkeys([*ours.terms, *theirs.terms])
    }
    listed = largest(terms, top)
    absent = ours.absent | theirs.absent
    return Contrast(
        category=category,
        path=path_of(model, category),
        accepted=accepted,
        score=theirs.score,
        difference=ours.score - theirs.score,
        terms=listed,
        others=sum(terms.values()) - sum(share for _, share in listed),
        bias=ours.bias - theirs.bias,
        absent=tuple(term for term, _ in listed if term in absent),
    )


def path_nodes(hierarchy: Hierarchy, category: Name) -> list[int]:
    """Give the positions of the categories from the top down to one, by its first parents."""
    return [hierarchy.position(name) for name in hierarchy.path(category)]


class Way:
    """The path to a category, and at each step the node whose score speaks for it.

    Where the best end is the answer, a category is worth what the best at or below it is; otherwise it is judged by its
    own score.
    """

    def __init__(self, model: TextClassifier, answer: Answers, category: Name) -> None:
        self.model, hierarchy = model, model.hierarchy_
        everything = np.arange(len(hierarchy))
        self.scores = answer.scores(np.zeros(everything.size, dtype=np.intp), everything)
        self.by_ends = model.classifier_.decision_.ranks_ends
        self.best = self.scores[None].copy()
        if self.by_ends:
            raise_to_best_below(self.best, hierarchy)
        self.nodes = path_nodes(hierarchy, category)
        self.speaking = [self._speaking(node) for node in self.nodes]

    def _speaking(self, node: int) -> int:
        """Give the node whose score a category is judged by, the deepest of equals."""
        below = np.flatnonzero(self.model.hierarchy_.ancestors[:, [node]].toarray().ravel())
        equal = below[self.scores[below] >= self.best[0, node]] if self.by_ends else below[:0]
        return int(equal[-1]) if equal.size else node

    def steps(self, answer: Answers, shares: Mapping[int, Shares], accepted: set[int], top: int) -> tuple[Step, ...]:
        """Give what is known of each category, from the top."""
        chances = _chances(self.model, answer, self.nodes)
        return tuple(
            Step(
                category=self.model.hierarchy_.names[node],
                title=_shown(self.model, node),
                accepted=node in accepted,
                score=float(self.best[0, node]),
                terms=[pair for pair in largest(shares[speaking].terms, top) if pair[0] not in shares[speaking].absent],
                probability=None if chances is None else chances[place],
                **self._beside(node, self.nodes[place - 1] if place else None),
            )
            for place, (node, speaking) in enumerate(zip(self.nodes, self.speaking, strict=True))
        )

    def _beside(self, node: int, parent: int | None) -> dict[str, Any]:
        """Give the best of the other categories below the same parent, the first of equals, and its score."""
        hierarchy = self.model.hierarchy_
        beside = hierarchy.tops if parent is None else hierarchy.child_positions(parent)
        others = np.sort(beside[beside != node])
        if not np.isfinite(self.best[0, others]).any():
            return {}
        rival = int(others[np.argmax(self.best[0, others])])
        return {"rival": _shown(self.model, rival), "rival_score": float(self.best[0, rival])}


def _shown(model: TextClassifier, node: int) -> str:
    name = model.hierarchy_.names[node]
    return titled(name, model.titles, short_name(name))


def _chances(model: TextClassifier, answer: Answers, nodes: Sequence[int]) -> list[float] | None:
    if not hasattr(model, "predict_proba"):
        return None
    return list(map(float, answer.chances(np.zeros(len(nodes), dtype=np.intp), np.array(nodes))))
