"""Why a document got its categories: the terms' contributions in words."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from classmark.answers import Answers
from classmark.errors import InputError
from classmark.explain.contrast import Contrast, Step, Way, contrast, path_of, runner_up
from classmark.explain.marking import TermOccurrences
from classmark.explain.piece import Piece
from classmark.explain.shares import Shares, largest, shares_by_omission, shares_by_terms
from classmark.hierarchy import Name
from classmark.hierarchy.render import short_name
from classmark.pipeline import TextClassifier
from classmark.text.vectoriser import Document

LONGEST_MARKED = 20_000
"""So many characters of a text are marked; of a longer one the part that says most."""


@dataclass(frozen=True)
class NearDocument:
    """A training document that votes for a category: its number among the labelled ones, labels, vote and id."""

    document: int
    labels: tuple[str, ...]
    similarity: float
    vote: float
    id: str | None = None
    text: str | None = None
    """The beginning of what it says, where somebody looked it up."""

    def worded(self) -> str:
        """Say which document it is, by its number where nobody gave it an id."""
        name = self.document if self.id is None else self.id
        return f"document {name} ({', '.join(self.labels)}), similarity {self.similarity:.3f}"


@dataclass(frozen=True)
class Explanation:
    """The score of one category for one document, and where it comes from."""

    category: Name
    """The category explained."""
    path: list[str]
    """The categories from the top down to it, by its first parents, with their titles."""
    accepted: bool
    """Whether the document was put into it."""
    score: float
    """The score."""
    bias: float
    """The part of the score that no term makes."""
    terms: list[tuple[str, float]]
    """The largest shares, by absolute value."""
    others: float
    """The sum of the shares not listed, so that bias, terms and others sum to the score."""
    absent: tuple[str, ...] = ()
    """Those of the terms listed that the document does not have: with boosting, absence counts too."""
    neighbours: tuple[NearDocument, ...] = ()
    """The training documents whose votes are in the score, the loudest first, where neighbours vote."""
    why_not: Contrast | None = None
    """Another category, and what makes the difference, where that was asked for and there is one."""
    steps: tuple[Step, ...] = ()
    """The categories of the path, and what each scored, where that was asked for."""
    pieces: tuple[Piece, ...] = ()
    """The text, cut into pieces with what each adds to the score, where that was asked for."""
    cut: bool = False
    """Whether the pieces are a part of the text alone, the one that says most."""
    written: dict[str, str] = field(default_factory=dict)
    """How the terms listed are written in the text, where that was asked for: a stem is seldom a word."""

    def worded(self) -> list[tuple[str, float]]:
        """Give the terms as they are shown, those that the document does not have with a `no` before them."""
        return [(f"no {term}" if term in self.absent else term, share) for term, share in self.terms]


def explain(
    model: TextClassifier,
    document: Document,
    categories: list[Name] | None = None,
    top: int = 10,
    *,
    why_not: Name | bool = False,
    along: bool = False,
    marked: bool = False,
) -> list[Explanation]:
    """Explain the categories of one document.

    Parameters
    ----------
    model : TextClassifier
        A fitted classifier.
    document : str or mapping
        The document.
    categories : list, optional
        The categories to explain; by default the most specific ones that the document was put into, which brought
        their ancestors along, or the best one where there is none.
    top : int
        How many terms to list for each category.
    why_not : bool or category
        Whether to set each category against the best one that is not in the answer, or against one by its name.
    along : bool
        Whether to say of each category on the path from the top what it scored, and by which terms.
    marked : bool
        Whether to give the text in pieces, each with what it adds to the score.

    Examples
    --------
    >>> from classmark import TextClassifier
    >>> model = TextClassifier().fit(["hoots at night", "cries over the sea"], ["owl", "gull"])
    >>> [(e.category, e.terms[0][0]) for e in explain(model, "who hoots?")]
    [('owl', 'hoots')]
    >>> explain(model, "who hoots?", why_not=True)[0].why_not.category
    'gull'
    """
    if top < 1:
        raise InputError(f"top={top}: must be an integer >= 1")
    (answer,) = model.classifier_.answers(model.transform([document]))
    labels = answer.labels()
    accepted = set(labels.indices.tolist())
    if categories is None:
        nodes = model.hierarchy_.own(labels).indices.tolist() or [int(answer.first()[0])]
    else:
        nodes = [model.hierarchy_.position(category) for category in categories]
    if nodes and not isinstance(why_not, bool) and {model.hierarchy_.position(why_not)} == set(nodes):
        raise InputError(f"{why_not!r} is what is explained; ask why not another category")
    asked = [_Asked.of(model, answer, node, accepted, why_not, along=along) for node in nodes]
    wanted = list(dict.fromkeys(node for one in asked for node in one.wanted()))
    shares = dict(zip(wanted, shares_of(model, document, answer, wanted), strict=True))
    found = [_explanation(model, answer, one, shares, accepted, top) for one in asked]
    if not marked:
        return found
    # One pass over the text for all categories: a text of 100 KB took 7 s where each category read it twice.
    occurrences = TermOccurrences(model, document, {term for node in wanted for term in shares[node].terms})
    return [
        _marked(occurrences, explanation, shares[one.node].terms) for one, explanation in zip(asked, found, strict=True)
    ]


def _marked(occurrences: TermOccurrences, found: Explanation, shares: dict[str, float]) -> Explanation:
    marks, cut = occurrences.pieces(shares, longest=LONGEST_MARKED)
    listed = [*found.terms, *(() if found.why_not is None else found.why_not.terms)]
    listed += [pair for step in found.steps for pair in step.terms]
    return replace(found, pieces=tuple(marks), cut=cut, written=occurrences.as_written({term for term, _ in listed}))


class _Asked(NamedTuple):
    """A node to explain, the one to set it against, and the path to it, as far as they are asked for."""

    node: int
    other: int | None
    way: Way | None

    @classmethod
    def of(
        cls, model: TextClassifier, answer: Answers, node: int, accepted: set[int], why_not: Name | bool, *, along: bool
    ) -> Self:
        """Find out what there is to say of a node."""
        other = None
        if why_not is True:
            other = runner_up(model, answer, node, accepted)
        elif why_not is not False:
            other = model.hierarchy_.position(why_not)
        return cls(
            node, None if other == node else other, Way(model, answer, model.hierarchy_.names[node]) if along else None
        )

    def wanted(self) -> list[int]:
        """Give the nodes whose shares are looked at."""
        speaking = [] if self.way is None else self.way.speaking
        return [self.node, *([] if self.other is None else [self.other]), *speaking]


def shares_of(model: TextClassifier, document: Document, answer: Answers, nodes: list[int]) -> list[Shares]:
    """Give the shares in the scores of nodes: of terms, or of words where an encoder reads them."""
    if model.text_.told_by_terms:
        return shares_by_terms(model, answer, nodes)
    return shares_by_omission(model, document, answer, nodes)


def _explanation(
    model: TextClassifier, answer: Answers, asked: _Asked, known: dict[int, Shares], accepted: set[int], top: int
) -> Explanation:
    node, shares = asked.node, known[asked.node]
    category, listed = model.hierarchy_.names[node], largest(shares.terms, top)
    against = None
    if asked.other is not None:
        in_answer = asked.other in accepted
        against = contrast(model, asked.other, shares, known[asked.other], accepted=in_answer, top=top)
    return Explanation(
        category=category,
        path=path_of(model, category),
        accepted=node in accepted,
        score=shares.score,
        bias=shares.bias,
        terms=listed,
        others=sum(shares.terms.values()) - sum(share for _, share in listed),
        absent=tuple(term for term, _ in listed if term in shares.absent),
        neighbours=_near_documents(answer, node, top),
        why_not=against,
        steps=() if asked.way is None else asked.way.steps(answer, known, accepted, top),
    )


def _near_documents(answer: Answers, node: int, top: int) -> tuple[NearDocument, ...]:
    """Give the loudest neighbours, of a classifier that has some."""
    if not hasattr(answer, "voters"):
        return ()
    return tuple(
        NearDocument(one.document, tuple(short_name(name) for name in one.labels), one.similarity, one.vote, one.id)
        for one in answer.voters(node)[0][:top]
    )
