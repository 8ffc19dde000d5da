"""A round of boosting, an iteration of EM and a batch of queries by their size alone: work, bytes and memory.

n documents with v terms each, V terms, F of them frequent, L categories. What is shared is divided by the workers; what
every worker does alike is not. The sizes of messages and of parts are the formulas of `docs/cluster.md`.
"""

import math
from typing import Any, NamedTuple, Protocol

from classmark.boosting.engine import rare
from classmark.generative.em import MOST_LEAVES, WORTH_A_LEAF
from classmark.parallel import even_ranges
from simulation.events import Machines, Work

NAMES = 400
"""Bytes of names and shapes in a message, about."""
AN_ENTRY = 12
"""Bytes of an entry that is sent: a number and its column."""
OF_AN_INDEX = 5
"""Bytes of an entry of an index that is sent: a term, and how often it is there."""
INDEXED = 17
"""Bytes of an entry of an index with its lists."""
HEAPS = 44, 0.49
"""The vocabulary is 44 tokens^0.49: Heaps' law as RCV1 has it (Manning et al. 2008, section 5.1.1)."""


class Memory(NamedTuple):
    """Bytes: of a worker and of the driver, and how many of each lie in files where the corpus is in shards."""

    worker: float
    driver: float
    worker_documents: float
    driver_documents: float


class Problem(Protocol):
    """What is asked of all parts again and again."""

    def work(self, machines: Machines, costs: Any) -> Work:
        """Say what one question asks for."""
        ...

    def part_bytes(self, machines: Machines) -> float:
        """Give the bytes that a part is made of."""
        ...

    def build(self, machines: Machines, costs: Any) -> float:
        """Give the seconds in which a worker makes its part of them."""
        ...

    def memory(self, machines: Machines) -> Memory:
        """Give the memory that is needed, a part that comes included."""
        ...


class BoostingCosts(NamedTuple):
    """Seconds of a core.

    Attributes
    ----------
    change : float
        For a category of a frequent term in a document with a pivot: its row changes. Shared.
    search : float
        For a category of a frequent term. Shared.
    alike : float
        For a category of a document with a pivot: its weight changes, and it is on the short list. Not shared.
    sweep, sweeps : float
        For a category of a document, when the distribution is summed anew, and how often that is in a round. Not
        shared.
    choose : float
        For a stump that is proposed, on the driver.
    entry, fill : float
        For an entry, and for a category of one, when a part is made. Shared.
    """

    change: float
    search: float
    alike: float
    sweep: float
    sweeps: float
    choose: float
    entry: float
    fill: float


class Boosting(NamedTuple):
    """A round of boosting: `touched` documents with a pivot, those with two of them counted twice."""

    documents: int
    terms: int
    frequent: int
    entries: int
    labels: int
    stumps: int
    touched: float

    def work(self, machines: Machines, costs: BoostingCosts) -> Work:
        """Say what a round asks for."""
        workers, L = machines.workers, self.labels
        rows = self.touched * self.entries / self.documents
        shared = L * (costs.change * rows + costs.search * self.frequent) / (workers * machines.threads)
        alike = L * (costs.alike * self.touched + costs.sweep * costs.sweeps * self.documents)
        sent = 4 * self.touched + self.stumps * (16 * L + 8) + NAMES
        received = self.stumps * (16 * L + 16) + NAMES
        return Work(
            before=costs.choose * self.stumps * workers,
            after=0.0,
            parts=[shared + alike] * workers,
            sent=sent,
            received=[received] * workers,
        )

    def part_bytes(self, machines: Machines) -> float:
        """Give the bytes of its terms; of the labels, one a document or more; and of the weights."""
        return AN_ENTRY * self.entries / machines.workers + (4 + AN_ENTRY + 8) * self.documents

    def build(self, machines: Machines, costs: BoostingCosts) -> float:
        """Give the seconds in which a worker makes its part."""
        shared = self.entries * (costs.entry + costs.fill * self.labels) / machines.workers
        return shared + costs.sweep * self.documents * self.labels

    def memory(self, machines: Machines) -> Memory:
        """Give the memory of a worker: the whole distribution, tables, its entries and their message."""
        cells = self.documents + 2 * self.frequent / machines.workers
        entries = (32 + AN_ENTRY) * self.entries / machines.workers
        # X, its parts, and the documents of each term.
        driver = (2 * AN_ENTRY + 4) * self.entries
        return Memory(8 * self.labels * cells + entries, driver, 0.0, driver)


class EmCosts(NamedTuple):
    """Seconds of a core.

    Attributes
    ----------
    product : float
        For a category of an entry, in both steps together. Shared.
    posterior : float
        For a category of a document. Shared.
    leaf : float
        For a cell of the table of a leaf: made, and added to another. Shared, as leaves are.
    add, maximise : float
        For a cell of the tables that the driver adds, and of the mixture that it makes of their sum.
    """

    product: float
    posterior: float
    leaf: float
    add: float
    maximise: float


class Em(NamedTuple):
    """An iteration of EM."""

    documents: int
    terms: int
    entries: int
    labels: int

    @property
    def leaves(self) -> int:
        """In how many leaves the documents are cut, as `leaves_of` does it."""
        worth = min(MOST_LEAVES, max(1, self.entries // (WORTH_A_LEAF * self.terms)))
        return int(1 << (worth.bit_length() - 1))

    @property
    def table(self) -> float:
        """The cells of the mixture."""
        return float(self.terms * self.labels)

    def trees(self, machines: Machines) -> list[int]:
        """Give how many subtrees the answer of each part has."""
        return [subtrees(*each) for each in even_ranges(self.leaves, machines.workers)]

    def work(self, machines: Machines, costs: EmCosts) -> Work:
        """Say what an iteration asks for; a worker without a leaf is not asked."""
        products = self.labels * (costs.product * self.entries + costs.posterior * self.documents)
        leaf = products / (self.leaves * machines.threads) + costs.leaf * self.table
        trees = self.trees(machines)
        return Work(
            before=0.0,
            after=self.table * (costs.add * (sum(trees) - 1) + costs.maximise),
            parts=[leaf * (stop - first) for first, stop in even_ranges(self.leaves, machines.workers)],
            sent=8 * self.table + self.terms + NAMES,
            received=[8 * self.table * count + NAMES for count in trees],
        )

    def part_bytes(self, machines: Machines) -> float:
        """Give the bytes of its documents, of their scores and their weights."""
        return (AN_ENTRY * self.entries + 20 * self.documents) / min(machines.workers, self.leaves)

    def build(self, machines: Machines, costs: EmCosts) -> float:
        """Give 0: documents are taken as they come."""
        return 0.0

    def memory(self, machines: Machines) -> Memory:
        """Give the memory of a worker: the mixture, sums of a leaf and of each level, its documents, their message."""
        parts, trees = min(machines.workers, self.leaves), sum(self.trees(machines))
        levels = 2 + math.ceil(math.log2(max(2.0, self.leaves / parts)))
        entries, given = 2 * AN_ENTRY * self.entries / parts, 2.0 * AN_ENTRY * self.entries
        # The driver has the mixture, the question, and all answers at once; X and its parts.
        return Memory(8 * self.table * levels + entries, given + 8 * self.table * (2 + trees), entries, given)


def subtrees(first: int, stop: int) -> int:
    """Give of how many subtrees leaves are the sum: the largest that begin where they may.

    >>> subtrees(0, 8), subtrees(6, 13)
    (1, 3)
    """
    count = 0
    while first < stop:
        size = first & -first or 1 << (stop.bit_length() - 1)
        while first + size > stop:
            size //= 2
        first, count = first + size, count + 1
    return count


class NeighbourCosts(NamedTuple):
    """Seconds of a core.

    Attributes
    ----------
    query : float
        For a query. Not shared.
    document : float
        For a document of the index in each query. Shared.
    entry : float
        For an entry, when the lists of a part are made. Shared.
    """

    query: float
    document: float
    entry: float


class Neighbours(NamedTuple):
    """A batch of queries to an index: `asked` terms each, for the `nearest` documents."""

    documents: int
    entries: int
    queries: int
    asked: int
    nearest: int

    def work(self, machines: Machines, costs: NeighbourCosts) -> Work:
        """Say what a batch asks for."""
        workers = machines.workers
        seconds = self.queries * (costs.query + costs.document * self.documents / workers) / machines.threads
        sent, received = self.queries * (9 * self.asked + 16) + NAMES, 8 * self.queries * self.nearest + NAMES
        return Work(0.0, 0.0, [seconds] * workers, sent, [received] * workers)

    def part_bytes(self, machines: Machines) -> float:
        """Give the bytes of its documents."""
        return OF_AN_INDEX * self.entries / machines.workers

    def build(self, machines: Machines, costs: NeighbourCosts) -> float:
        """Give the seconds in which a worker makes the lists of its documents."""
        return costs.entry * self.entries / machines.workers

    def memory(self, machines: Machines) -> Memory:
        """Give the memory of a worker, its documents and their lists; the driver has the whole index."""
        return Memory(INDEXED * self.entries / machines.workers, float(INDEXED * self.entries), 0.0, 0.0)


def terms_of(tokens: float) -> int:
    """Give the vocabulary of so many tokens by Heaps' law.

    >>> terms_of(1e6)
    38323
    """
    factor, beta = HEAPS
    return round(factor * math.pow(tokens, beta))


def frequent_of(terms: int, labels: int) -> int:
    """Give how many terms are in more documents than a rare one is.

    By Heaps' law with exponent β, the share that occurs more than r times is Γ(r + 1 - β) / (Γ(1 - β) r!).
    """
    beta, most = HEAPS[1], rare(labels)
    return round(terms * math.exp(math.lgamma(most + 1 - beta) - math.lgamma(1 - beta) - math.lgamma(most + 1)))


def boosting_of(documents: int, length: int, labels: int, stumps: int) -> Boosting:
    """Give the round of a corpus of so many documents; a pivot is in as many as a category has."""
    terms, touched = terms_of(documents * length), stumps * documents / labels
    return Boosting(documents, terms, frequent_of(terms, labels), documents * length, labels, stumps, touched)


def em_of(documents: int, length: int, labels: int) -> Em:
    """Give the iteration of a corpus of so many documents."""
    return Em(documents, terms_of(documents * length), documents * length, labels)
