"""Small problems for generative models: trees, counts, labels of all kinds and documents without any."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from classmark import Hierarchy
from tests.generators import hierarchies
from tests.oracles import generative as oracle

TREE = Hierarchy.from_nested({"a": ["x", "y"], "b": ["z", "w"]})
NAMES = ["x", "y", "z", "w"]


@dataclass(frozen=True)
class Problem:
    tree: Hierarchy
    X: np.ndarray
    labels: list[list[str] | None]

    @property
    def own(self) -> list[list[int] | None]:
        """The positions of own labels."""
        found = []
        for labels in self.labels:
            above = {name for label in labels or [] for name in self.tree.path(label)[:-1]}
            found.append(None if labels is None else [self.tree.position(name) for name in labels if name not in above])
        return found

    @property
    def ends(self) -> list[int]:
        """The own labels of any document without another one below them."""
        seen = {node for own in self.own for node in own or []}
        above = {name for node in seen for name in self.tree.path(self.tree.names[node])[:-1]}
        return sorted(node for node in seen if self.tree.names[node] not in above)

    @property
    def depth(self) -> int:
        return max(len(self.tree.path(self.tree.names[end])) for end in self.ends)

    def known(self, vocabulary: str) -> list[bool]:
        rows = [i for i, labels in enumerate(self.labels) if labels is not None]
        return [vocabulary == "all" or bool(self.X[rows, t].any()) for t in range(self.X.shape[1])]

    def path_scores(self, weights: list[float]) -> list[list[float] | None]:
        return [own and oracle.path_scores(self.tree, self.ends, own, weights) for own in self.own]

    def flat_scores(self) -> list[list[float] | None]:
        return [own and oracle.flat_scores(self.tree, self.ends, own) for own in self.own]


@st.composite
def problems(draw: st.DrawFn, unlabelled: bool = True, most_labels: int = 2) -> Problem:
    """Draw a problem in which at least one document is labelled, perhaps with an inner node."""
    tree = draw(hierarchies(8, tree=True))
    documents, terms = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    one = st.lists(st.sampled_from(tree.names), unique=True, min_size=1, max_size=most_labels)
    labels = draw(st.lists(one | st.none() if unlabelled else one, min_size=documents, max_size=documents))
    labels[draw(st.integers(0, documents - 1))] = draw(one)
    X = draw(arrays(np.int64, (documents, terms), elements=st.integers(0, 4)))
    return Problem(tree, X.astype(float), labels)


def partly_labelled(seed=0, documents=300, terms=60, own=0.4, every=10):
    """Documents of four categories, mostly of ten terms of their own, with some of the labels, and with all of them."""
    random = np.random.default_rng(seed)
    names = np.array(["a/x", "a/y", "b/z", "b/w"], dtype=object)
    truth = random.integers(0, 4, documents)
    rates = np.full((4, terms), 0.1)
    for category in range(4):
        rates[category, category * 10 : category * 10 + 10] = own
    y = names[truth]
    y[np.arange(documents) % every > 0] = None
    return random.poisson(rates[truth]).astype(float), y, names[truth]


def four_leaves(seed=0, documents=80, terms=8):
    """Documents of the leaves of `TREE`, all of them labelled."""
    random = np.random.default_rng(seed)
    X = random.poisson(0.4, (documents, terms))
    X[np.arange(documents), np.arange(documents) % 4] += random.poisson(1.5, documents)
    return X.astype(float), np.array(NAMES * documents, dtype=object)[:documents]
