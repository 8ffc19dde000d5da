"""What reviewing has shown so far: the accepted share and how well it is known, progress by branch, disagreement."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from classmark.service.browsing import Taxonomy
from classmark.service.naming import name_of

CLOSE = 0.03
"""An interval that reaches no farther than this from its middle is close enough."""
LEAST = 30
"""Of fewer documents no interval says enough."""
IN_A_ROW = 50
"""When so many in a row were accepted, more would probably be accepted too."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """A share of a sample, and where that of all lies with 95 % confidence."""

    of: int
    """The size of the sample."""
    accepted: int
    """How many of it were accepted."""
    low: float
    """Wilson's lower bound."""
    high: float
    """His upper bound."""

    @property
    def share(self) -> float:
        """The share of the sample."""
        return self.accepted / self.of if self.of else 0.0

    @property
    def half(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2


def accepted_share(accepted: int, of: int) -> Share:
    """Return the share of a random sample with its 95 % interval by Wilson (1927).

    Examples
    --------
    >>> found = accepted_share(45, 50)
    >>> round(found.low, 4), round(found.high, 4)
    (0.7864, 0.9565)
    >>> accepted_share(0, 0)
    Share(of=0, accepted=0, low=0.0, high=1.0)
    """
    if of == 0:
        return Share(of=0, accepted=0, low=0.0, high=1.0)
    from scipy.stats import binomtest  # 0.5 s, which commands that do not review need not wait for

    interval = binomtest(accepted, of).proportion_ci(method="wilson")
    return Share(of=of, accepted=accepted, low=float(interval.low), high=float(interval.high))


def is_enough(share: Share, latest: Sequence[str]) -> str | None:
    """Say by which rule more reviewing would change little: `close`, `in-a-row`, or None where it still would.

    Parameters
    ----------
    share : Share
        What a sample at random has shown.
    latest : sequence of str
        The latest verdicts at random, the last first.

    Examples
    --------
    >>> is_enough(accepted_share(990, 1000), ["correct"]), is_enough(accepted_share(50, 50), ["accept"] * 50)
    ('close', 'in-a-row')
    >>> is_enough(accepted_share(45, 50), ["accept"] * 45 + ["correct"] * 5) is None
    True
    """
    if share.of >= LEAST and share.half <= CLOSE:
        return "close"
    if len(latest) >= IN_A_ROW and all(kind == "accept" for kind in latest[:IN_A_ROW]):
        return "in-a-row"
    return None


def disagreement(tree: Taxonomy, first: Iterable[str], second: Iterable[str]) -> float:
    """Give how far two label sets are apart, from 0 to 1: the share of all their categories that one alone has.

    Ancestors count, so that neighbours in the tree disagree less than branches do.
    """
    one, other = closed(tree, first), closed(tree, second)
    both = one | other
    return 1 - len(one & other) / len(both) if both else 0.0


def closed(tree: Taxonomy, names: Iterable[str]) -> set[int]:
    """Give the places in node order of categories and all above them; unknown ones are left out."""
    known = [node for name in names if (node := tree.naming.find(name)) is not None]
    ancestors = tree.hierarchy.ancestors
    return {above for node in known for above in ancestors.indices[slice(*ancestors.indptr[node : node + 2])].tolist()}


@dataclass(frozen=True, kw_only=True)
class BranchCount:
    """How far reviewing is in a branch."""

    name: str | None
    """The topmost category; None for documents of no branch."""
    label: str | None
    """What it is called."""
    states: dict[str, int] = field(default_factory=dict)
    """How many documents are in which state."""


def count_branches(tree: Taxonomy, said: Iterable[tuple[str, Sequence[str]]]) -> list[BranchCount]:
    """Count documents, given by state and labels, by the branches that they were put into; the largest first.

    A document of two branches counts in both.
    """
    tops: dict[str, list[int]] = {}
    topmost = set(tree.hierarchy.tops.tolist())
    found: dict[int | None, BranchCount] = {}
    for state, labels in said:
        places: set[int | None] = set()
        for label in labels:
            if label not in tops:
                tops[label] = sorted(closed(tree, [label]) & topmost)
            places.update(tops[label])
        for node in places or {None}:
            states = found.setdefault(node, _branch(tree, node)).states
            states[state] = states.get(state, 0) + 1
    return sorted(found.values(), key=lambda one: (-sum(one.states.values()), str(one.label)))


def _branch(tree: Taxonomy, node: int | None) -> BranchCount:
    if node is None:
        return BranchCount(name=None, label=None)
    return BranchCount(name=name_of(tree.hierarchy.names[node]), label=tree.naming.called[node].label)
