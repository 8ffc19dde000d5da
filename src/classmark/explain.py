"""Why a document got its categories: the terms' contributions in words."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from classmark.answers import Answers
from classmark.hierarchy import Name
from classmark.hierarchy.render import short_name, titled
from classmark.pipeline import TextClassifier
from classmark.text.vectoriser import Document

MOST_OMISSIONS = 64
"""How many times a text is encoded to explain a category: more words than that are left out some at a time."""
SMALLEST_SHOWN = 0.0005
"""A share below it would be shown as zero."""


@dataclass(frozen=True)
class NearDocument:
    """A training document that votes for a category: its number among the labelled ones, labels, vote and id."""

    document: int
    labels: tuple[str, ...]
    similarity: float
    vote: float
    id: str | None = None

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

    def worded(self) -> list[tuple[str, float]]:
        """Give the terms as they are shown, those that the document does not have with a `no` before them."""
        return [(f"no {term}" if term in self.absent else term, share) for term, share in self.terms]


def explain(
    model: TextClassifier, document: Document, categories: list[Name] | None = None, top: int = 10
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

    Examples
    --------
    >>> from classmark import TextClassifier
    >>> model = TextClassifier().fit(["hoots at night", "cries over the sea"], ["owl", "gull"])
    >>> [(e.category, e.terms[0][0]) for e in explain(model, "who hoots?")]
    [('owl', 'hoots')]
    """
    if top < 1:
        raise ValueError(f"top is {top}; ask for at least one term")
    (answer,) = model.classifier_.answers(model.transform([document]))
    # Coordinates say nothing to anybody: an encoder is asked what becomes of the score without each word.
    told_by = _by_terms if model.text_.told_by_terms else _by_omission
    labels = answer.labels()
    accepted = set(labels.indices.tolist())
    if categories is None:
        nodes = model.hierarchy_.own(labels).indices.tolist() or [int(answer.first()[0])]
    else:
        nodes = [model.hierarchy_.position(category) for category in categories]
    return [
        _explanation(model, answer, node, shares, accepted=node in accepted, top=top)
        for node, shares in zip(nodes, told_by(model, document, answer, nodes), strict=True)
    ]


class Shares(NamedTuple):
    """The shares of terms in a score, what is left of it, and which of the terms the document does not have."""

    terms: dict[str, float]
    bias: float
    absent: set[str]


def _explanation(
    model: TextClassifier, answer: Answers, node: int, shares: Shares, *, accepted: bool, top: int
) -> Explanation:
    category, listed = model.hierarchy_.names[node], _largest(shares.terms, top)
    return Explanation(
        category=category,
        path=[titled(name, model.titles, short_name(name)) for name in model.hierarchy_.path(category)],
        accepted=accepted,
        score=sum(shares.terms.values()) + shares.bias,
        bias=shares.bias,
        terms=listed,
        others=sum(shares.terms.values()) - sum(share for _, share in listed),
        absent=tuple(term for term, _ in listed if term in shares.absent),
        neighbours=_near_documents(answer, node, top),
    )


def _largest(shares: dict[str, float], top: int) -> list[tuple[str, float]]:
    order = sorted(shares.items(), key=lambda pair: -abs(pair[1]))
    return [(term, share) for term, share in order[:top] if share]


def _by_terms(model: TextClassifier, document: Document, answer: Answers, nodes: list[int]) -> list[Shares]:
    vocabulary = model.vectoriser_.vocabulary_
    present = {vocabulary[column] for column in answer.X.indices}
    found = []
    for node in nodes:
        terms, bias = answer.contributions(node)
        shares = defaultdict[str, float](float)
        # Parts that read in different ways may know the same term.
        for column, share in zip(terms.indices, terms.data, strict=True):
            shares[vocabulary[column]] += float(share)
        found.append(Shares(dict(shares), float(bias[0]), shares.keys() - present))
    return found


def _by_omission(model: TextClassifier, document: Document, answer: Answers, nodes: list[int]) -> list[Shares]:
    """Give every word what the score loses without it, a run of words where there are many of them.

    The losses need not sum to the score: words share what they say. The rest is what no single word makes.
    """
    words = str(*model.text_.prepared([document])).split()
    size = -(-len(words) // MOST_OMISSIONS) or 1
    runs = [slice(start, start + size) for start in range(0, len(words), size)]
    without = [" ".join(words[: run.start] + words[run.stop :]) for run in runs]
    shortened = list(model.classifier_.answers(model.transform(without)))
    left_out = [" ".join(words[run]) for run in runs]
    return [_lost(float(_column([answer], node)[0]), left_out, _column(shortened, node)) for node in nodes]


def _lost(score: float, left_out: Sequence[str], rests: npt.NDArray[np.float64]) -> Shares:
    """Give what a score loses without each of the words; the same words may have been left out twice."""
    shares = defaultdict[str, float](float)
    # Nothing was learned about a category that scores minus infinity, with any word or without.
    for run, rest in zip(left_out, rests.tolist(), strict=True) if np.isfinite(score) else ():
        shares[run] += score - rest
    return Shares(dict(shares), score - sum(shares.values()), set())


def _column(batches: list[Answers], node: int) -> npt.NDArray[np.float64]:
    """Give the scores of one node for all documents."""
    found = (batch.scores(np.arange(len(batch)), np.full(len(batch), node)) for batch in batches)
    return np.concatenate([np.empty(0), *found])


def _near_documents(answer: Answers, node: int, top: int) -> tuple[NearDocument, ...]:
    """Give the loudest neighbours, of a classifier that has some."""
    if not hasattr(answer, "voters"):
        return ()
    return tuple(
        NearDocument(one.document, tuple(short_name(name) for name in one.labels), one.similarity, one.vote, one.id)
        for one in answer.voters(node)[0][:top]
    )


def to_json(explanations: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Give explanations as plain data."""
    return [_plain(one) for one in explanations]


def _plain(one: Explanation) -> dict[str, Any]:
    plain = asdict(one) | {
        "terms": [{"term": term, "share": share} for term, share in one.terms],
        "absent": list(one.absent),
        "neighbours": [asdict(near) | {"labels": list(near.labels)} for near in one.neighbours],
    }
    if not one.neighbours:
        del plain["neighbours"]
    return plain


def to_text(explanations: Sequence[Explanation], width: int = 24, decision: str | None = None) -> str:
    """Draw explanations for a terminal, a bar a term.

    The decision, where it is given, stands on a last line: it says why a score was enough, or was not.

    >>> owl = Explanation("owl", ["bird", "owl"], True, 1.5, 0.5, [("hoot", 1.0)], 0.0)
    >>> print(to_text([owl], width=4, decision="best-path"))
    bird › owl: 1.500
      +1.000 ████ hoot
      +0.500      (without any term)
    decided by best-path
    """
    lines = [line for one in explanations for line in _lines(one, width)]
    return "\n".join(lines if decision is None else [*lines, f"decided by {decision}"])


def _lines(one: Explanation, width: int) -> Iterator[str]:
    """Draw one explanation."""
    yield f"{' › '.join(one.path)}: {one.score:.3f}{'' if one.accepted else ' (not accepted)'}"
    largest = max([abs(share) for _, share in one.terms], default=1.0)
    for term, share in one.worded():
        bar = "█" * max(1, round(width * abs(share) / largest))
        yield f"  {share:+.3f} {bar:<{width}} {term}"
    for share, words in ((one.others, "(all other terms)"), (one.bias, "(without any term)")):
        if abs(share) >= SMALLEST_SHOWN:
            yield f"  {share:+.3f} {'':<{width}} {words}"
    yield from (f"  {near.vote:+.3f} by {near.worded()}" for near in one.neighbours)


def to_html(explanations: Sequence[Explanation]) -> str:
    """Give explanations as an HTML fragment, everything from the document escaped.

    >>> to_html([Explanation("<b>", ["<b>"], True, 1.0, 1.0, [], 0.0)]).count("&lt;b&gt;")
    1
    """
    parts = []
    for one in explanations:
        rows = [*one.worded(), ("all other terms", one.others), ("without any term", one.bias)]
        rows += [(near.worded(), near.vote) for near in one.neighbours]
        cells = "".join(f"<tr><td>{escape(term)}</td><td>{share:+.3f}</td></tr>" for term, share in rows)
        parts.append(f"<table><caption>{escape(' › '.join(one.path))}: {one.score:.3f}</caption>{cells}</table>")
    return "\n".join(parts)
