"""Learning a mixture of multinomials from labelled and unlabelled documents: counting once, or by EM.

Equations are those of path_prediction_2019, section 4. A *class* is what labels speak of (a path there); a *component*
is a distribution of terms, one per class unless a model asks for more. Symbols: P(p_j) and P(w_t | p_j) are `log_prior`
and `log_terms` of a `Mixture`; S_ij are `scores`, for labelled documents alone; Laplace's 1 is `smoothing`; |V| is the
number of `known` terms.

What EM raises in every iteration is `objective`: log P(θ), plus Σ_j S_ij log P(p_j) P(x_i | p_j) for each labelled
document, plus log Σ_j P(p_j) P(x_i | p_j) for each unlabelled one. Equation 8, by which EM stops, has for a labelled
document its own path alone, and under path scores it may fall. Algorithm 1 says "while not converged" and no more: a
relative gain of 1e-3 and 50 iterations at most are the authors' program's.

The sums of a pass over the documents have a fixed order. Documents are cut into *leaves* by their entries, as many as
the size of the problem asks for and whatever is at hand to work on them. The sums of a leaf are taken document by
document; those of leaves 0 and 1, of 2 and 3, are added, and so on upwards. Who has some leaves adds up what of the
tree is his alone, and whoever asked adds up the rest: so the sums have the same bits on one thread, on several, and on
any number of workers.

A pass is one implementation: here it has all leaves in one part, on a cluster some in each, which stay there.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.generative.counts import Passes, Room, dense_rows, passes, restricted, rows_of
from classmark.generative.examples import Examples, Mixture, Rules, Stage, Stages, Truths
from classmark.parallel import Place, Range, Residents, balanced_ranges, elsewhere, even_ranges
from classmark.parallel.places import Call
from classmark.parted import PartedMatrix, StoredRows, mapped, sizes_of
from classmark.progress import track

MOST_LEAVES = 64
WORTH_A_LEAF = 16
"""How many times as long as adding two tables the work on a leaf must take, about: each leaf costs such an addition."""


@dataclass
class Tally:
    """The sums of one pass over some documents."""

    counts: Floats
    totals: Floats
    objective: float = 0.0
    likelihood: float = 0.0

    def add(self, other: "Tally") -> None:
        """Add the sums of the documents that follow."""
        self.counts += other.counts
        self.totals += other.totals
        self.objective += other.objective
        self.likelihood += other.likelihood


class Subtree(NamedTuple):
    """The sum of 2^level leaves, the first of which has a number that is a multiple of that."""

    level: int
    tally: Tally


def summed(subtrees: Iterable[Subtree]) -> Tally:
    """Add up subtrees that follow each other from the first leaf on, always those of one level first.

    >>> leaves = [Subtree(0, Tally(np.array([value]), np.zeros(1))) for value in (1.0, 2.0, 4.0)]
    >>> summed(leaves).counts
    array([7.])
    """
    waiting = list(_merged(subtrees))
    while len(waiting) > 1:
        last = waiting.pop()
        waiting[-1].tally.add(last.tally)
    return waiting[0].tally


def _merged(subtrees: Iterable[Subtree], first: int = 0, spare: list[Tally] | None = None) -> list[Subtree]:
    """Add up what makes whole subtrees; `first` is the number of the first leaf. `spare` gets what was added."""
    waiting: list[Subtree] = []
    stop = first
    for one in subtrees:
        waiting.append(one)
        stop += 1 << one.level
        # Two of a level are one of the next where the first of them stands at a multiple of that.
        while len(waiting) > 1 and waiting[-1].level == waiting[-2].level and stop % (2 << waiting[-1].level) == 0:
            last = waiting.pop()
            waiting[-1].tally.add(last.tally)
            if spare is not None:
                spare.append(last.tally)
            waiting[-1] = Subtree(last.level + 1, waiting[-1].tally)
    return waiting


class Counting(Protocol):
    """What makes the sums of all documents."""

    def first(self) -> Tally:
        """Count the labelled documents alone."""
        ...

    def expect(self, mixture: Mixture) -> Tally:
        """Do the E-step, and count every document for the M-step."""
        ...


class DocumentsPart:
    """Some leaves of documents, and the sums of passes over them.

    Parameters
    ----------
    rules : Rules
        How a mixture is learned.
    examples : Examples
        The documents of these leaves alone, of the known terms; without their rows where these are taken later.
    leaves : list of ranges
        The leaves, by rows of these documents.
    first_leaf : int
        The number of the first of them.
    """

    def __init__(self, rules: Rules, examples: Examples, leaves: list[Range], first_leaf: int) -> None:
        self.rules, self.examples, self.leaves, self.first_leaf = rules, examples, leaves, first_leaf
        # The threads stay as long as the part does.
        self._kept = passes(rules.n_jobs)
        self.over: Passes = self._kept.__enter__()
        self._stored: StoredRows | None = None
        self._room, self._spare = Room(), list[Tally]()

    def take(self, rows: csr_array) -> None:
        """Take rows of documents, those that follow, into a file: there may be more of them than memory."""
        if self._stored is None:
            self._stored = StoredRows()
        self._stored.append(rows)

    def _documents(self, span: Range, weight: Floats) -> tuple[csr_array, Range, Floats]:
        """Give rows, which of them are a range of the documents, and weights as long."""
        if self._stored is None:
            return self.examples.X, span, weight
        rows = self._stored.read(*span, self.examples.X.shape[1])
        return rows, (0, span[1] - span[0]), weight[slice(*span)]

    def close(self) -> None:
        """End the threads."""
        self._kept.__exit__(None, None, None)

    def first(self) -> list[Subtree]:
        """Count the labelled documents alone, those of a class divided among its components at random."""
        random = np.random.default_rng(self.rules.seed)
        return _merged((Subtree(0, self._first(leaf, random)) for leaf in self.leaves), self.first_leaf, self._spare)

    def expect(self, mixture: Mixture) -> list[Subtree]:
        """Do the E-step, and count every document for the M-step."""
        return _merged((Subtree(0, self._expect(leaf, mixture)) for leaf in self.leaves), self.first_leaf, self._spare)

    def _empty(self, components: int) -> Tally:
        """Give sums of nothing, in memory that has been used where there is some."""
        if not self._spare:
            return Tally(np.zeros((self.examples.X.shape[1], components)), np.zeros(components))
        used = self._spare.pop()
        used.counts.fill(0.0)
        used.totals.fill(0.0)
        return Tally(used.counts, used.totals)

    def _first(self, leaf: Range, random: np.random.Generator) -> Tally:
        examples, per_class = self.examples, self.rules.per_class
        components = examples.scores.shape[1] * per_class
        tally = self._empty(components)
        for span in self.over.blocks(leaf, components):
            responsibilities = dense_rows(examples.scores, span)
            if per_class > 1:
                parts = random.dirichlet(np.ones(per_class), size=responsibilities.shape)
                responsibilities = (responsibilities[:, :, None] * parts).reshape(len(responsibilities), components)
            documents = self._documents(span, examples.weight)
            self.over.accumulate(*documents, responsibilities, tally.counts, tally.totals)
        return tally

    def _expect(self, leaf: Range, mixture: Mixture) -> Tally:
        examples, rules, over = self.examples, self.rules, self.over
        components = mixture.log_prior.size
        tally = self._empty(components)
        labelled = examples.labelled
        weight = examples.weight * np.where(labelled, 1.0, rules.unlabeled_weight)
        respond = rules.respond or over.posteriors
        for span in over.blocks(leaf, components):
            here, counted = labelled[slice(*span)], weight[slice(*span)]
            X, inner, weights = self._documents(span, weight)
            room = self._room.of("joint", (span[1] - span[0], components))
            joint = over.log_joint(X, inner, mixture.log_prior, mixture.log_terms, room)
            inside, classes = _divided(self._rows(here, joint, "labelled"), rules.per_class, over)
            evidence = respond(joint)
            responsibilities = joint  # by now, in its memory
            dense = self._room.of("dense", (span[1] - span[0], examples.scores.shape[1]))
            scores = self._rows(here, dense_rows(examples.scores, span, dense), "scores")
            own = self._rows(here, dense_rows(examples.own, span, dense), "own")
            responsibilities[here] = (scores[:, :, None] * inside).reshape(len(scores), components)
            unlabelled = float((counted * evidence)[~here].sum())
            tally.objective += unlabelled + float(counted[here] @ (scores * classes).sum(axis=1))
            tally.likelihood += unlabelled + float(counted[here] @ (own * classes).sum(axis=1))
            over.accumulate(X, inner, weights, responsibilities, tally.counts, tally.totals)
        return tally

    def _rows(self, which: Truths, block: Floats, name: str) -> Floats:
        """Give some rows of a block in memory that has been used."""
        return block.compress(which, axis=0, out=self._room.of(name, (int(which.sum()), block.shape[1])))


def _divided(joint: Floats, per_class: int, over: Passes) -> tuple[Floats, Floats]:
    """Give the responsibilities of the components inside each class, and the joint logarithms of the classes."""
    if per_class == 1:
        return np.ones((*joint.shape, 1)), joint
    classes = joint.shape[1] // per_class
    inside = joint.reshape(-1, per_class)
    evidence = over.posteriors(inside)
    return inside.reshape(len(joint), classes, per_class), evidence.reshape(len(joint), classes)


class _Here:
    """All documents in one part."""

    def __init__(self, part: DocumentsPart) -> None:
        self.part = part

    def first(self) -> Tally:
        return summed(self.part.first())

    def expect(self, mixture: Mixture) -> Tally:
        return summed(self.part.expect(mixture))


class _Spread:
    """Documents in parts, each where its worker is."""

    def __init__(self, residents: Residents, here: DocumentsPart | None) -> None:
        self.residents, self.here = residents, here

    def first(self) -> Tally:
        if self.here is not None:
            # What is drawn at random is drawn document by document.
            return summed(self.here.first())
        return summed(one for part in self.residents.ask("first") for one in part)

    def expect(self, mixture: Mixture) -> Tally:
        return summed(one for part in self.residents.ask("expect", mixture) for one in part)


def leaves_of(examples: Examples, rules: Rules, *, iterates: bool) -> list[Range]:
    """Cut the documents into leaves, by the size of the problem alone."""
    entries, terms = sizes_of(examples.X), max(1, examples.X.shape[1])
    components = examples.scores.shape[1] * rules.per_class
    # An iteration meets every entry with all components, counting with those of its document alone.
    work = float(entries.sum()) * components if iterates else float(entries @ np.diff(examples.scores.indptr))
    worth = int(np.clip(work / (WORTH_A_LEAF * terms * components), 1, MOST_LEAVES))
    # A power of two: then the leaves of 1, 2 or 4 workers are one subtree each, and one table is all that is sent.
    count = 1 << (worth.bit_length() - 1)
    return balanced_ranges(np.concatenate([[0], np.cumsum(entries)]), count) if len(entries) else [(0, 0)]


@contextmanager
def counting(examples: Examples, rules: Rules, *, iterates: bool) -> Iterator[Counting]:
    """Give what makes the sums of documents inside the block, here or on a cluster."""
    leaves, place = leaves_of(examples, rules, iterates=iterates), elsewhere()
    if isinstance(examples.X, PartedMatrix):
        with _parts(examples.X.place, examples, rules, leaves) as parts:
            yield _Spread(parts, None)
        return
    with ExitStack() as opened:
        here = DocumentsPart(rules, examples, leaves, 0)
        opened.callback(here.close)
        if place is None or len(leaves) == 1:
            yield _Here(here)
            return
        parts = opened.enter_context(_parts(place, examples, rules, leaves))
        yield _Spread(parts, here if rules.per_class > 1 else None)


@contextmanager
def _parts(place: Place, examples: Examples, rules: Rules, leaves: list[Range]) -> Iterator[Residents]:
    """Make the parts of a cluster."""
    alone, X = replace(rules, stages=Stages(), n_jobs=place.n_threads), examples.X
    parts, spans = [], []
    for first, stop in even_ranges(len(leaves), place.n_workers):
        start, end = leaves[first][0], leaves[stop - 1][1]
        inside = [(a - start, b - start) for a, b in leaves[first:stop]]
        spans.append((start, end))
        parts.append((examples.rows((start, end)), inside, first))

    def rows_of(part: int) -> Iterator[Call]:
        """Send the rows of a part that are not here, some at a time."""
        if isinstance(X, PartedMatrix):
            yield from (("take", (rows,)) for rows in X.pieces(*spans[part]))

    # The mixture, the sums of a leaf and of a level each, and the documents.
    levels = 2 + int(np.ceil(np.log2(max(2, len(leaves) / len(parts)))))
    tables = 8.0 * examples.X.shape[1] * examples.scores.shape[1] * rules.per_class * levels
    needed = tables + (0.0 if isinstance(X, PartedMatrix) else 12.0 * X.nnz / len(parts))
    with place.residents(DocumentsPart, parts, (alone,), rows_of, needed) as residents:
        yield residents


def learn(examples: Examples, known: Truths, rules: Rules, start: Mixture | None = None) -> tuple[Mixture, list[float]]:
    """Learn a mixture over the known terms; give it and the objective of every iteration.

    EM starts from the labelled documents, or from the mixture given, whose vocabulary may be another. Where every
    document is labelled and a class is one component, counting once is all there is to do.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[3.0, 0.0], [0.0, 2.0], [1.0, 0.0]])
    >>> scores = csr_array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> examples = Examples(X, scores, scores, np.ones(3))
    >>> mixture, objective = learn(examples, np.ones(2, bool), Rules(max_iter=1))
    >>> np.exp(mixture.log_terms).round(3)
    array([[0.826, 0.292],
           [0.174, 0.708]])
    >>> len(objective)
    1
    """
    X = mapped(examples.X, restricted, known, n_columns=int(np.count_nonzero(known)))
    examples = replace(examples, X=X)
    iterates = bool(examples.unlabelled.any() or rules.per_class > 1)
    with counting(examples, rules, iterates=iterates) as count:
        reached = rules.stages.taken_up(known) if iterates else None
        if reached is None:
            mixture = maximise(count.first(), known, rules) if start is None else widened(start, known)
            reached = Stage(mixture, [], -np.inf, ended=not iterates)
        if not reached.ended:
            try:
                reached = _iterate(count, reached, rules)
            except ConnectionError:
                # The cluster is lost; the last mixture is here, and others can go on from it.
                rules.stages.keep_now()
                raise
            rules.stages.keep(reached)
        return reached.mixture, reached.log


def _iterate(count: Counting, reached: Stage, rules: Rules) -> Stage:
    """Do E-steps and M-steps in turn until Equation 8 gains too little; note the objective of each, too."""
    mixture, log, before, _ = reached
    for _ in track(range(len(log), rules.max_iter), "iterations", rules.max_iter - len(log)):
        tally = count.expect(mixture)
        log.append(tally.objective + mixture.density)
        now = tally.likelihood + mixture.density
        if rules.tol and now - before < rules.tol * abs(before) < np.inf:
            break
        mixture, before = maximise(tally, mixture.known, rules), now
        rules.stages.keep(Stage(mixture, log, before))
    return Stage(mixture, log, before, ended=True)


def maximise(tally: Tally, known: Truths, rules: Rules) -> Mixture:
    """Give the parameters by Equations 6 and 7, in the memory of the counts."""
    counts, totals = tally.counts, tally.totals
    if rules.blend is not None:
        counts, totals = np.ascontiguousarray(counts @ rules.blend), totals @ rules.blend
    # Where no term is known, every document is as good as empty, and the posterior is the prior.
    sums = np.log(rules.smoothing * max(1, known.sum()) + counts.sum(axis=0))
    counts += rules.smoothing
    np.log(counts, out=counts)
    counts -= sums
    prior = rules.prior(totals, rules.smoothing)
    return Mixture(prior.logs, counts, known, prior.density + float(rules.smoothing * counts.sum()))


def widened(mixture: Mixture, known: Truths) -> Mixture:
    """Give a mixture over more terms, about which it says nothing yet."""
    log_terms = np.zeros((int(np.count_nonzero(known)), mixture.log_prior.size))
    log_terms[rows_of(known)[mixture.known]] = mixture.log_terms
    return mixture._replace(log_terms=log_terms, known=known)
