"""What all generative classifiers share: their settings, one mixture of multinomials, scores and explanations.

A subclass says what its components are: which scores the labels give them (`_scores_of_labels`), how their chances
are made (`_rules`), and which paths they stand for. Classes that learn by EM take documents that are not labelled.

Scaling brings documents to one length, because a multinomial takes every word as independent evidence; raw counts make
its posteriors over-confident, and EM then keeps its first mistakes. Weights log(1 + tf) · ln((N + 1) / (df + 1)),
scaled to the same sum in every document, hold the evidence of a document constant.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from classmark.answers import Matrix, Positions
from classmark.arrays import Floats, Integers
from classmark.base import Contributions, HierarchicalClassifier, check_counts, checked_weight
from classmark.checks import BOOLEAN, choice, optional, real
from classmark.decision import BestPath, parse_decision
from classmark.errors import InputError
from classmark.generative.counts import passes, restricted, rows_of
from classmark.generative.em import learn
from classmark.generative.ends import (
    below,
    checked_levels,
    deepest,
    end_weights,
    label_weights,
    last_labels,
    with_unseen_leaves,
)
from classmark.generative.examples import Examples, Mixture, Rules, smoothed_prior, uniform_prior
from classmark.generative.odds import Sides, node_log_odds, odds_of_terms
from classmark.labels import LabelForm, name_array
from classmark.limits import Needed
from classmark.parted import PartedMatrix, Rows, added, mapped
from classmark.persistence import State, checked_array


def document_frequency(X: Rows, weight: Floats) -> Floats:
    """Give the number of documents that every term is in, each counted by its weight.

    >>> document_frequency(csr_array([[1.0, 2.0], [0.0, 1.0]]), np.ones(2))
    array([1., 2.])
    """
    return np.asarray(added(X, _weights_of_terms, aligned=(weight,)))


def _weights_of_terms(X: csr_array, weight: Floats) -> Floats:
    present = np.repeat(weight, np.diff(X.indptr)) * (X.data > 0)
    return np.bincount(X.indices, weights=present, minlength=X.shape[1]).astype(np.float64)


def inverse_frequency(df: Floats, documents: float) -> Floats:
    """Give ln((N + 1) / (df + 1)) of every term.

    >>> inverse_frequency(np.array([1.0, 2.0]), 2).round(3)
    array([0.405, 0.   ])
    """
    return np.asarray(np.log((documents + 1) / (df + 1)))


def scaled(X: csr_array, idf: Floats, length: float) -> csr_array:
    """Give log(1 + tf) · idf, every document with the sum `length`; one without a known term stays empty.

    >>> scaled(csr_array([[1.0, 1.0, 3.0]]), np.array([1.0, 3.0, 0.0]), 60).toarray()
    array([[15., 45.,  0.]])
    """
    data = np.log1p(X.data) * idf[X.indices]
    sums = np.add.reduceat(np.append(data, 0.0), X.indptr[:-1]) if X.shape[0] else np.empty(0)
    sums[np.diff(X.indptr) == 0] = 0.0
    factors = np.divide(length, sums, out=np.zeros_like(sums), where=sums > 0)
    matrix = csr_array((data * np.repeat(factors, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape)
    if not (data > 0).all():
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    return matrix


Truths = npt.NDArray[np.bool_]
Places = npt.NDArray[np.integer[Any]]

R = TypeVar("R", bound=csr_array | PartedMatrix)

CELL = 0.35
"""Entries of a linear learner that cost as much as a probability of a term in a category: 6 ns."""


class GenerativeClassifier(HierarchicalClassifier):
    """Base of the naive Bayes classifiers, and of those that learn from unlabelled documents too by EM.

    Attributes
    ----------
    ends_ : array of int
        The nodes where paths end: own labels of labelled documents that have no other one below them and, with
        `unseen_leaves`, the leaves that none of these reaches.
    log_prior_ : array, (n_components,)
        The logarithms of the components' chances.
    log_terms_ : array, (n_known, n_components)
        The logarithms of the terms' chances, a row for each term of the vocabulary.
    known_ : array of bool, (n_features,)
        The vocabulary.
    idf_ : array, (n_features,)
        What scaling multiplies each term with, all 1 where documents are taken as they come.
    objective_ : list of float
        What EM raises, once an iteration; empty where there was nothing to iterate over.
    """

    counts_terms: ClassVar[bool] = True
    one_place: ClassVar[bool] = True
    scores_are_log_odds: ClassVar[bool] = True

    smoothing: Annotated[float, real(gt=0), "What is added to every count, 1 after Laplace."] = 1.0
    prior: Annotated[bool, BOOLEAN, "Whether frequent categories are likelier; otherwise all are alike."] = True
    vocabulary: Annotated[
        str, choice(["labelled", "all"]), "Whether terms that no labelled document has are passed over."
    ] = "labelled"
    unseen_leaves: Annotated[
        bool,
        BOOLEAN,
        "Whether leaves without a labelled document can be predicted, too; terms × all leaves are held then.",
    ] = False
    scaling: Annotated[
        str | None,
        optional(choice(["log-idf"])),
        "Whether documents are weighted by log(1 + tf) · ln((N + 1) / (df + 1)) and brought to one length.",
    ] = None
    length: Annotated[float, real(gt=0), "The sum of the weights of a scaled document."] = 100.0

    @abstractmethod
    def _scores_of_labels(self, labels: csr_array) -> csr_array:
        """Give S_ij, the scores of the classes, from the weights of its own labels."""

    def _rules(self) -> Rules:
        """Give the rules of learning."""
        return Rules(
            smoothing=self.smoothing, prior=smoothed_prior if self.prior else uniform_prior, n_jobs=self.n_jobs
        )

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count a probability for every term and category."""
        terms, ends = X.shape[1], self.ends_.size
        table = 8.0 * terms * self._count_components()
        return Needed(8.0 * terms * ends, f"chances of {terms:,} terms × {ends:,} categories", table * self._n_tables())

    def _n_tables(self) -> int:
        """Return how many tables of probabilities are made: the mean with siblings takes two more."""
        return 3 if getattr(self, "shrinkage", 0) else 1

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count every entry of X, and every probability."""
        return float(X.nnz) + CELL * X.shape[1] * self._count_components() * self._n_tables()

    def fit_levels(self, X: Any, levels: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from a label for each depth, which may disagree (path_prediction_2019, section 4.2).

        Weak labels are of this kind: in each depth the most similar category. What a model makes of them is its own:
        a flat one learns from the last depth alone, one with a model a parent or a level from the depth of that.

        Parameters
        ----------
        X : array or csr_array, (n_documents, n_features)
            Documents.
        levels : array of int, (n_documents, depth)
            The position of a node for each depth of the hierarchy, that of a leaf again in the depths below it, -1 for
            none; a row of -1 is a document that is not labelled. `WeakLabels.levels` is such an array.
        sample_weight : array, optional
            How much each document counts.

        Examples
        --------
        >>> from classmark import Hierarchy, TopDownNB
        >>> tree = Hierarchy.from_paths(["a/x", "a/y", "b"])
        >>> [tree.names[node] for node in (0, 2, 1)]
        ['a', 'a/x', 'b']
        >>> model = TopDownNB(hierarchy=tree).fit_levels([[1, 0], [0, 1]], [[0, 2], [1, 1]])
        >>> model.predict([[1, 0], [0, 1]])
        [['a/x'], ['b']]
        """
        X = self._begin_without_labels(X)
        levels = checked_levels(levels, X.shape[0], self.hierarchy_)
        weight = checked_weight(sample_weight, X.shape[0])
        if weight is not None:
            levels = np.where(weight[:, None] > 0, levels, -1)
        self._learn_levels(X, levels, weight)
        return self

    def _learn_levels(self, X: csr_array, levels: Integers, weight: Floats | None) -> None:
        """Learn from the last label of each document alone, unless a subclass has a use for the others."""
        GenerativeClassifier.learn(self, X, last_labels(levels, self.hierarchy_), weight)

    def _begin_without_labels(self, X: Any) -> csr_array:
        """Check everything, and settle what `fit` settles by labels; give X."""
        self.check()
        checked = self._validated(X, reset=True)
        if self.hierarchy is None:
            raise InputError("soft labels are weights of nodes: give the hierarchy that has them")
        decision = parse_decision(self.decision) if isinstance(self.decision, str) else self.decision or BestPath()
        if decision.learns_from == "scores":
            raise InputError(f"{decision} learns from labels, which soft ones are not; choose best-path or threshold")
        if self.calibration is not None:
            raise InputError(
                f"calibration={self.calibration} learns from labels, which soft ones are not; leave it out"
            )
        self.hierarchy_, self.decision_, self.form_ = self.hierarchy, decision, LabelForm("lists")
        self.calibrator_ = self.promise_ = None
        self.classes_ = name_array(self.hierarchy_.names)
        return checked

    def learn(self, X: csr_array, own: csr_array, weight: Floats | None) -> None:
        """Count the terms of categories, and let EM share out what is not labelled."""
        if weight is not None:
            # A label that does not count is none.
            own = csr_array(diags_array((weight > 0).astype(np.float64)) @ own)
            own.eliminate_zeros()
        if not own.nnz:
            raise InputError("no labelled document counts; give one a sample_weight above 0")
        labels = label_weights(own)
        self.ends_ = self._ends_of(labels)
        own_ends = end_weights(labels, self.ends_, self.hierarchy_)
        self._learn_from_scores(X, self._scores_of_labels(labels), own_ends, weight)

    def _ends_of(self, labels: csr_array) -> Integers:
        """Give where paths end: in the deepest labels and, if asked for, in the leaves that none of them reaches."""
        ends = deepest(labels, self.hierarchy_)
        return with_unseen_leaves(ends, self.hierarchy_) if self.unseen_leaves else ends

    def _learn_from_scores(
        self, X: Rows, scores: csr_array, own: csr_array, weight: Floats | None, rules: Rules | None = None
    ) -> None:
        """Learn from documents and the scores of classes; a row without any is a document that is not labelled."""
        if isinstance(X, csr_array):
            check_counts(X)
        weight = np.ones(X.shape[0]) if weight is None else weight
        if not self.uses_unlabelled:
            weight = np.where(np.diff(scores.indptr) > 0, weight, 0.0)
        examples = Examples(X, scores, own, weight)
        self.idf_ = self._term_weights(examples)
        self._learn_from(replace(examples, X=self._scaled(X)), rules or self._rules())

    def _term_weights(self, examples: Examples) -> Floats:
        """Give what every term is multiplied with, 0 where it is not to be used."""
        if self.scaling is None:
            return np.ones(examples.X.shape[1])
        return inverse_frequency(document_frequency(examples.X, examples.weight), examples.weight.sum())

    def _scaled(self, X: R) -> R:
        return X if self.scaling is None else mapped(X, scaled, self.idf_, self.length)

    def _learn_from(self, examples: Examples, rules: Rules) -> None:
        """Learn everything from scaled documents."""
        mixture, self.objective_ = self._learned(examples, rules)
        self.log_prior_, self.log_terms_, self.known_ = mixture.log_prior, mixture.log_terms, mixture.known

    def _learned(self, examples: Examples, rules: Rules) -> tuple[Mixture, list[float]]:
        """Learn one mixture; give it and the objective of every iteration."""
        return learn(examples, self._vocabulary(examples), rules)

    def _vocabulary(self, examples: Examples) -> Truths:
        """Say which terms a mixture speaks of."""
        usable = self.idf_ > 0
        return usable if self.vocabulary == "all" else usable & examples.terms(examples.labelled)

    @property
    def n_iter_(self) -> int:
        """The number of iterations; counting once is one."""
        return max(1, len(self.objective_))

    def _joint(self, X: csr_array) -> Floats:
        """Give the joint logarithms of documents and components, the documents scaled already."""
        with passes(self.n_jobs) as over:
            return over.log_joint(restricted(X, self.known_), (0, X.shape[0]), self.log_prior_, self.log_terms_)

    def _members(self) -> csr_array:
        """Give the components of the paths through each node, `(n_nodes, n_components)`."""
        return below(self.ends_, self.hierarchy_)

    def score_rows(self, X: csr_array) -> Floats:
        """Score every node by the log-odds of the paths through it."""
        check_counts(X)
        return node_log_odds(self._joint(self._scaled(X)), self._members())

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give the log-odds of the terms on the best path through a node against the best path past it.

        All else is in the bias: the prior odds of the two paths, and what the other paths add to either side.
        """
        scores = scores[:, node]
        inside = self._members()[[node]].toarray()[0].astype(bool)
        if inside.all() or not inside.any():
            return Contributions(csr_array(X.shape), scores)
        X = self._scaled(X)
        joint = self._joint(X)
        best = np.argmax(np.where(inside, joint, -np.inf), axis=1)
        other = np.argmax(np.where(inside, -np.inf, joint), axis=1)
        return explained(X, scores, self._term_odds(X, best, other))

    def _term_odds(self, X: csr_array, best: Places, other: Places) -> Floats:
        """Give for each entry of X its term's log-odds between two components of its document, 0 if not known."""
        documents = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        rows = rows_of(self.known_)[X.indices]
        odds = np.zeros(X.nnz)
        told, known, table = documents[rows >= 0], rows[rows >= 0], self.log_terms_
        odds[rows >= 0] = table[known, best[told]] - table[known, other[told]]
        return odds

    def _sides(self) -> Sides:
        """Give the components inside each node, and those that it is told from."""
        inside = self._members()
        return Sides(inside, None)

    def term_weights(self, blocks: Sequence[Positions]) -> Iterator[Matrix]:
        """Give the log-odds of every term: inside a node against outside, each the mean of its components."""
        for odds in odds_of_terms(self.log_prior_, self.log_terms_, self._sides(), blocks):
            found = np.zeros((odds.shape[0], self.n_features_in_))
            found[:, self.known_] = odds
            yield found

    def _learned_state(self) -> State:
        return {
            "parameters": self._parameters_state(),
            "objective": list(self.objective_),
            "log_prior": self.log_prior_,
            "log_terms": self.log_terms_,
            "known": self.known_,
            "idf": self.idf_,
        }

    def _restore(self, learned: State) -> None:
        self._restore_parameters(learned["parameters"])
        self.objective_ = [float(value) for value in learned["objective"]]
        components, terms = self._count_components(), self.n_features_in_
        self.log_prior_ = checked_array(learned, "log_prior", np.float64, (components,))
        self.known_ = checked_array(learned, "known", np.bool_, (terms,))
        size = int(np.count_nonzero(self.known_))
        self.log_terms_ = checked_array(learned, "log_terms", np.float64, (size, components))
        self.idf_ = checked_array(learned, "idf", np.float64, (terms,))

    def _count_components(self) -> int:
        return int(self.ends_.size)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        # scikit-learn's data are clouds of points, which are no counts of anything.
        tags.classifier_tags.poor_score = True
        return tags


def explained(X: csr_array, scores: Floats, odds: Floats) -> Contributions:
    """Give each term's count times its log-odds, an entry of X each, and the rest of the score as bias."""
    terms = csr_array((X.data * odds, X.indices, X.indptr), shape=X.shape)
    return Contributions(terms, np.asarray(scores - terms.sum(axis=1)))
