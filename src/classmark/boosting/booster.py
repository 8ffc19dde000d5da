"""What all boosters share: rounds, early stopping, going on, the merged hypothesis, scores and explanations."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from typing import Annotated, Any, ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.answers import Matrix, Positions
from classmark.arrays import Floats
from classmark.base import Contributions
from classmark.boosting import merits
from classmark.boosting.committee import Committee, Flat, Near, SameSize, is_single
from classmark.boosting.engine import Engine, Stumps
from classmark.boosting.hypothesis import Hypothesis, Rounds
from classmark.checkpoints import ResumableClassifier
from classmark.checks import BOOLEAN, Constraint, choice, integer, optional, python_only, real
from classmark.errors import InputError
from classmark.hierarchy import Name
from classmark.limits import Needed
from classmark.metrics.flat import Counts
from classmark.parted import added, mapped
from classmark.persistence import State, checked_array
from classmark.progress import track
from classmark.strategies.spread import best_learned_below, mean_below, spread_upward

AT_A_TIME = 16
"""How many rounds are run before they are looked at."""
PREDICTIONS = {"real": merits.REAL, "abstaining": merits.ABSTAINING, "discrete": merits.DISCRETE}

NumberOfRounds = Annotated[int, integer(ge=1), "How many rounds there are."]
Prediction = Annotated[
    str,
    choice(PREDICTIONS),
    "What a stump says: a real number on each side; nothing where the term is absent; or a sign on each side, with one "
    "strength for all.",
]
Smoothing = Annotated[
    float,
    real(gt=0),
    "What is added to weights before their quotient is taken, in units of 1 / (documents × categories).",
]
CALLBACK = Constraint(lambda value: callable(value) and not isinstance(value, type), "a function of a Round", None)


class Round(NamedTuple):
    """What a callback is told after a round: its number, its pivots' columns and its Z (Equation 2)."""

    number: int
    pivots: npt.NDArray[np.int64]
    z: float


class Judge:
    """Says when held-out documents are served no better: by micro-averaged F1 at the threshold 0."""

    def __init__(self, X: csr_array, labels: csr_array, n_iter_no_change: int) -> None:
        self.X = X
        self.positive = labels.toarray() != 0
        self.n_iter_no_change = n_iter_no_change
        self.margins = np.zeros(self.positive.shape)
        self.best_f1 = -1.0
        self.best_round = self.rounds = 0

    def start(self, margins: Floats, rounds: int) -> None:
        """Go on from the scores of earlier rounds, which are the best so far."""
        self.margins = margins
        self._judge(rounds)

    def stops(self, rounds: Rounds) -> bool:
        """Take up the last round; say whether the last `n_iter_no_change` rounds have brought nothing."""
        self.margins += next(rounds.margins(self.X, start=len(rounds) - 1))
        self._judge(len(rounds))
        return self.rounds - self.best_round >= self.n_iter_no_change

    def to_state(self) -> State:
        """Give what the next judgement depends on."""
        return {"margins": self.margins, "f1": self.best_f1, "best": self.best_round, "rounds": self.rounds}

    def take_up(self, state: State) -> None:
        """Go on from what `to_state` gave."""
        self.margins = np.array(state["margins"])
        self.best_f1, self.best_round, self.rounds = float(state["f1"]), int(state["best"]), int(state["rounds"])

    def _judge(self, rounds: int) -> None:
        self.rounds = rounds
        answers = self.margins > 0
        sums = (each.sum(keepdims=True) for each in (answers & self.positive, answers, self.positive))
        f1 = float(Counts(*sums).f()[0, 0])
        if f1 > self.best_f1:
            self.best_f1, self.best_round = f1, self.rounds


class BoostingEngine(Protocol):
    """What boosts: finds the best stumps, and multiplies the distribution by what they say."""

    def running(self) -> Any:
        """Keep threads inside a `with` block."""

    def best(self, count: int) -> Stumps:
        """Find the best stumps under the present distribution."""

    def apply(self, count: Any) -> float:
        """Multiply the distribution by what the mean of the first stumps says, and give its normaliser."""

    def to_state(self) -> State:
        """Give the arrays that the next round depends on, as they are and not copied."""

    def take_up(self, state: State) -> None:
        """Go on from what `to_state` gave to an engine of the same problem."""


ENTRIES_AT_ONCE = 90
"""How many entries of documents are added to the tables in the time that a linear learner takes for one."""


class Booster(ResumableClassifier):
    """Base of the boosters; a subclass gives the engine.

    Attributes
    ----------
    pivots_ : array of int
        The pivots' columns, round by round; those of a committee one after the other.
    z_ : array, (n_estimators,)
        The normaliser Z_s of every round (Equation 2) under the answers as they are given, smoothed: a little above
        the smallest that the pivot allows. The training Hamming loss is at most their product.
    n_estimators_ : int
        How many rounds were kept.
    interrupted_ : bool
        Whether Ctrl-C ended the last fit.
    hypothesis_ : Hypothesis
        The final hypothesis: what every pivot says where it is absent and where it is present.
    """

    round_cost: ClassVar[float] = 200.0
    """What a round costs by itself, beside what an entry costs a linear learner: 4 µs."""
    label_cost: ClassVar[float] = 33.0
    """What each category adds to that: .6 µs."""
    counts_terms: ClassVar[bool] = True

    n_estimators: NumberOfRounds = field(default=200, kw_only=False)
    prediction: Prediction = "real"
    smoothing: Smoothing = 1.0
    validation_fraction: Annotated[
        float | None,
        optional(real(gt=0, lt=1)),
        "The part of the documents that is held out; the rounds are kept up to the one that serves them best.",
    ] = None
    n_iter_no_change: Annotated[
        int, integer(ge=1), "With documents held out, how many rounds without gain end the boosting."
    ] = 20
    warm_start: Annotated[
        bool, python_only(BOOLEAN), "Whether `fit` goes on from the rounds of the last `fit` on the same documents."
    ] = False
    callback: Annotated[
        Callable[[Round], object] | None,
        optional(CALLBACK),
        "Called with a `Round` after every round; stops the boosting by returning true.",
    ] = None

    _rounds: Rounds = field(init=False)
    _z: list[float] = field(init=False)
    hypothesis_: Hypothesis = field(init=False)

    def _engine(self, X: csr_array, labels: csr_array, weight: Floats, margins: Floats | None) -> BoostingEngine:
        raise NotImplementedError

    def _policy(self) -> Committee:
        return SameSize(1)

    def _read(self, X: csr_array, *, learn: bool = False) -> csr_array:
        """Give the columns of 0 and 1 that stumps are on."""
        return mapped(X, presence)  # type: ignore[no-any-return]

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count a weight for every document and category, the tables of terms, and the answers of all stumps."""
        documents, labels, rows = X.shape[0], self.ends_.size, self._rows_of_tables(X)
        tables = f", and sums for {rows:,} terms" if rows else ""
        what = f"a weight for {documents:,} documents × {labels:,} categories{tables}"
        least = 8.0 * labels * (documents + 2 * rows)
        return Needed(least, what, least + labels * (16.0 * documents + 32.0 * self._n_stumps()))

    def _rows_of_tables(self, X: csr_array) -> int:
        """Give how many terms have sums of weights that are kept from round to round, at least."""
        return 0

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count the pairs of a document and a category once, and the rounds."""
        documents, labels = X.shape[0], self.ends_.size
        entries_of_a_pivot = float(np.square(added(X, term_frequencies)).sum()) / max(1, documents)
        work = self.work_of_round((documents, self._columns_of_rounds(X)), labels, entries_of_a_pivot)
        return float(documents * labels) + self._n_stumps() * work

    def _n_stumps(self) -> int:
        """Return how many stumps the rounds take; a policy that depends on Z is expected to take one."""
        policy = self._policy()
        if isinstance(policy, Near | Flat):
            return self.n_estimators
        return sum(policy.most(number) for number in range(1, self.n_estimators + 1))

    def _columns_of_rounds(self, X: csr_array) -> int:
        """Return how many columns rounds go through."""
        return int(X.shape[1])

    def work_of_round(self, shape: tuple[int, int], labels: float, entries_of_a_pivot: float) -> float:
        """Estimate a round: only the documents with the pivot change, and the rows of their terms."""
        return self.round_cost + labels * (self.label_cost + entries_of_a_pivot / ENTRIES_AT_ONCE)

    def learn(self, X: csr_array, own: csr_array, weight: Floats | None) -> None:
        """Play the rounds on the documents that are not held out."""
        check_presence(X, self)
        kept_before = self.taken_up(X, own, weight)
        X, labels = self._read(X, learn=True), csr_array(own[:, self.ends_])
        held, weight = self._held_out(X.shape[0]), np.ones(X.shape[0]) if weight is None else weight
        kept = np.flatnonzero((weight > 0) & ~held)
        if not kept.size:
            raise InputError("all documents with a weight are held out; lower validation_fraction, or leave it out")
        done = self._done()
        before = self.hypothesis_.scores(X[kept]) if done else None
        engine = self._engine(X[kept], csr_array(labels[kept]), weight[kept], before)
        if not done:
            self._rounds, self._z = Rounds(), []
        # A fit that broke off may have left rounds behind.
        self._cut(done)
        judge = self._judge(X[held], labels[held], done)
        self.interrupted_ = False
        if kept_before is not None:
            done = self._go_on(kept_before, engine, judge)
        try:
            self._run(engine, judge, done)
        except ConnectionError:
            # The cluster is lost; the rounds are here, and others can go on from them.
            if self._checkpoint is not None and self._z:
                self._checkpoint.keep(lambda: self._reached(engine, judge), now=True)
            raise
        except KeyboardInterrupt:
            if not self._z:
                raise
            self._cut(len(self._z))
            self.interrupted_ = True
            further = "; resume goes on" if self._checkpoint is not None and self._checkpoint.is_kept else ""
            told = f"interrupted: kept the {len(self._z)} of {self.n_estimators} rounds done{further}"
            warnings.warn(told, stacklevel=4)
        if judge is not None:
            # An interrupted first round was judged by none.
            self._cut(judge.best_round or len(self._z))
        self._conclude()

    def _cut(self, length: int) -> None:
        """Keep the first rounds alone."""
        self._rounds.cut(length)
        del self._z[length:]

    def _judge(self, X: csr_array, labels: csr_array, done: int) -> Judge | None:
        """Give what says when to stop by the documents held out, if there are any."""
        if not X.shape[0]:
            return None
        judge = Judge(X, labels, self.n_iter_no_change)
        if done:
            judge.start(self.hypothesis_.scores(X), done)
        return judge

    def _run(self, engine: BoostingEngine, judge: Judge | None, done: int) -> None:
        """Run and keep the rounds after those that are done, until somebody stops."""
        with engine.running():
            rounds = track(self._boost(engine, done + 1), "rounds", self.n_estimators - done)
            for round_number, found in enumerate(rounds, done + 1):
                self._keep(*found)
                if self._stops(round_number, judge):
                    break
                if self._checkpoint is not None and self._stands_at(round_number, done, engine):
                    self._checkpoint.keep(lambda: self._reached(engine, judge))

    def _stands_at(self, round_number: int, done: int, engine: BoostingEngine) -> bool:
        """Say whether the engine has run this round and none after it."""
        step = self._at_a_time() if is_single(self._policy()) and isinstance(engine, Engine) else 1
        return (round_number - done) % step == 0 or round_number == self.n_estimators

    def _at_a_time(self) -> int:
        """Give how many of these are run before they are looked at."""
        return 1 if self.callback is not None or self.validation_fraction is not None else AT_A_TIME

    def _reached(self, engine: BoostingEngine, judge: Judge | None) -> State:
        """Give all that the next round depends on."""
        judged = {} if judge is None else {"judge": judge.to_state()}
        return {"rounds": self._rounds.to_state(), "z": np.array(self._z), "engine": engine.to_state(), **judged}

    def _go_on(self, state: State, engine: BoostingEngine, judge: Judge | None) -> int:
        """Take up what was reached; give how many rounds are done."""
        self._rounds, self._z = Rounds.from_state(state["rounds"]), state["z"].tolist()
        engine.take_up(state["engine"])
        if judge is not None:
            judge.take_up(state["judge"])
        return len(self._z)

    def _boost(self, engine: BoostingEngine, first: int) -> Iterator[tuple[Stumps, int, float]]:
        """Run the rounds from `first` on; give the stumps of each, how many of them count, and Z."""
        policy = self._policy()
        if isinstance(engine, Engine) and is_single(policy):
            yield from self._boost_singly(engine, first)
            return
        for round_number in range(first, self.n_estimators + 1):
            stumps = engine.best(policy.most(round_number))
            size = policy.size(stumps.costs)
            yield stumps, size, engine.apply(size)

    def _boost_singly(self, engine: Engine, first: int) -> Iterator[tuple[Stumps, int, float]]:
        """Run rounds of one stump each, several in a call; whoever looks on sees each before the next is run."""
        step = self._at_a_time()
        for start in range(first, self.n_estimators + 1, step):
            for stumps, z in engine.rounds(min(step, self.n_estimators + 1 - start)):
                yield stumps, 1, z

    def _keep(self, stumps: Stumps, size: Any, z: float) -> None:
        """Keep the mean of the first stumps."""
        self._rounds.columns.append(stumps.columns[:size])
        self._rounds.answers.append(stumps.answers[:size] / size)
        self._z.append(z)

    def _stops(self, number: int, judge: Judge | None) -> bool:
        told = None
        if self.callback is not None:
            told = self.callback(Round(number, self._rounds.columns[-1], self._z[-1]))
        return bool(told) or (judge is not None and judge.stops(self._rounds))

    def _conclude(self) -> None:
        self.pivots_ = np.concatenate([columns.astype(np.int32) for columns in self._rounds.columns])
        self.z_ = np.array(self._z)
        self.n_estimators_ = len(self._z)
        self.hypothesis_ = self._rounds.merged(self.ends_.size)
        self._learned_from = self._subject()

    def _done(self) -> int:
        """Give how many rounds there are to go on from."""
        if not self.warm_start or not hasattr(self, "_learned_from"):
            return 0
        if self._learned_from != self._subject():
            raise InputError("warm_start goes on with the same categories and terms; leave it out to fit anew")
        if self.n_estimators < self.n_estimators_:
            raise InputError(
                f"n_estimators is {self.n_estimators}, and {self.n_estimators_} are done; with warm_start ask for more"
            )
        return self.n_estimators_

    def _subject(self) -> tuple[list[Name], int]:
        """Give the categories and the number of columns that stumps are on."""
        return [self.hierarchy_.names[end] for end in self.ends_], self._n_columns()

    def _held_out(self, documents: int) -> npt.NDArray[np.bool_]:
        """Choose the documents that decide when to stop."""
        held = np.zeros(documents, dtype=bool)
        if self.validation_fraction is None:
            return held
        count = round(self.validation_fraction * documents)
        if not 0 < count < documents:
            raise InputError(
                f"validation_fraction is {self.validation_fraction} of {documents} documents; that leaves none"
            )
        held[np.random.default_rng(self.random_state).permutation(documents)[:count]] = True
        return held

    def _epsilon(self, weight: Floats, n_labels: int) -> float:
        return float(self.smoothing / (weight.sum() * n_labels))

    def score_rows(self, X: csr_array) -> Floats:
        """Score the ends by the hypothesis, and every other node by the best end below it."""
        return spread_upward(self.hypothesis_.scores(self._read(X)), self.ends_, self.hierarchy_)

    def staged_node_scores(self, X: Any) -> Iterator[Floats]:
        """Score every node after each round; see `node_scores`."""
        yield from self.node_scores_at(X, range(1, self.n_estimators_ + 1))

    def node_scores_at(self, X: Any, rounds: Iterable[int]) -> Iterator[Floats]:
        """Score every node after each of some rounds, given in rising order."""
        X = self._read(self._validated(X))
        wanted = list(rounds)
        if not hasattr(self, "_rounds"):
            raise InputError("a loaded model holds the merged hypothesis, not its rounds; fit it to see them")
        if wanted and not 1 <= wanted[0] <= wanted[-1] <= self.n_estimators_:
            raise InputError(f"rounds {wanted[0]} to {wanted[-1]} are asked for; there are 1 to {self.n_estimators_}")
        for round_number, margins in enumerate(self._rounds.margins(X), 1):
            if round_number in wanted:
                yield spread_upward(margins, self.ends_, self.hierarchy_)

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give what every pivot says: also one that the document has not, for its absence counts."""
        column = best_learned_below(scores[:, self.ends_], self.ends_, self.hierarchy_, node)
        if (column < 0).any():
            return Contributions(csr_array(X.shape), np.full(X.shape[0], -np.inf))
        found = self.hypothesis_.contributions(self._read(X), column)
        width = found.shape[1] // X.shape[1]
        terms = csr_array((found.data, found.indices // width, found.indptr), shape=X.shape)
        terms.sum_duplicates()
        return Contributions(terms, np.zeros(X.shape[0]))

    def term_weights(self, blocks: Sequence[Positions]) -> Iterator[Matrix]:
        """Give what the presence of each pivot changes; for nodes without stumps the mean of those below them."""
        said = csr_array((self.hypothesis_.present - self.hypothesis_.absent).T)
        # Several columns of a term are its intervals.
        terms = self.hypothesis_.columns // max(1, self._n_columns() // self.n_features_in_)
        width = self.n_features_in_
        put = csr_array((np.ones(terms.size), (np.arange(terms.size), terms)), shape=(terms.size, width))
        weights = csr_array(said @ put)
        return (csr_array(mean_below(self.ends_, self.hierarchy_, nodes) @ weights) for nodes in blocks)

    def _learned_state(self) -> State:
        return {
            "hypothesis": self.hypothesis_.to_state(),
            "rounds": self.n_estimators_,
            "z": self.z_,
            "stumps": len(self.pivots_),
            "pivots": self.pivots_,
        }

    def _restore(self, learned: State) -> None:
        self.hypothesis_ = Hypothesis.from_state(learned["hypothesis"], self._n_columns(), self.ends_.size)
        self.n_estimators_ = int(learned["rounds"])
        self.z_ = checked_array(learned, "z", np.float64, (self.n_estimators_,))
        self.pivots_ = checked_array(learned, "pivots", np.int32, (int(learned["stumps"]), *self._pivot_shape()))

    def _pivot_shape(self) -> tuple[int, ...]:
        """Give the shape of a stump's pivot: one for all categories, unless a subclass has more."""
        return ()

    def _n_columns(self) -> int:
        return int(self.n_features_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        # Presence says nothing about the blobs and lines that scikit-learn tries a classifier on.
        tags.classifier_tags.poor_score = True
        return tags


def check_presence(X: csr_array, booster: Any) -> None:
    """Refuse values below 0, which are neither presence nor absence."""
    if isinstance(X, csr_array) and X.nnz and X.data.min() < 0:
        raise InputError(
            f"Negative values in data passed to {type(booster).__name__}: a term is present or absent; "
            "give counts, weights or 0 and 1"
        )


def presence(X: csr_array) -> csr_array:
    """Read term values as presence: 1 wherever a value is not 0."""
    X = csr_array(X)
    if not (X.data != 0).all():
        X = X.copy()
        X.eliminate_zeros()
    return csr_array((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)


def term_frequencies(X: csr_array) -> Floats:
    """Return the number of documents of each term."""
    return np.bincount(X.indices, minlength=X.shape[1]).astype(np.float64)
