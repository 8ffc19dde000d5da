"""What all neighbour classifiers share: an index of the training documents, votes, sparse answers and explanations.

A subclass says how neighbours are found and how loud they are; the index is the model. Scores are sparse, a few
categories a document, until somebody asks for all of them (`answers`): `predict` and `predict_first` never do where the
decision looks at the best categories alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from classmark.answers import Matrix, Positions
from classmark.arrays import Floats
from classmark.base import (
    DECISION,
    SCORES_IN_A_BATCH,
    Contributions,
    HierarchicalClassifier,
    Ranks,
    check_counts,
)
from classmark.checks import integer, optional
from classmark.decision import Decision, DSCut
from classmark.errors import InputError
from classmark.held_out import Task, held_out_copy, without_learning
from classmark.hierarchy.indicator import narrow
from classmark.index.inverted import InvertedIndex, Neighbours
from classmark.index.storage import PackedStrings, pack_strings
from classmark.labels import LabelForm, encode
from classmark.limits import Needed
from classmark.neighbours.answers import NeighbourAnswers, Voter
from classmark.neighbours.voting import count_votes, ranked, typical_terms
from classmark.persistence import State, all_below, are_starts, checked_array
from classmark.progress import track_several
from classmark.strategies.spread import best_learned_below, spread_upward

DOCUMENTS_IN_A_BATCH = 4096
DOCUMENTS_TO_CUT = 10_000
"""How many are enough to learn a few thresholds from."""

Voters = Annotated[int, integer(ge=1), "How many neighbours vote."]
HeaviestTerms = Annotated[
    int | None,
    optional(integer(ge=1)),
    "Look only at documents that have one of this many of a document's heaviest terms by tf · idf; None for all, "
    "exactly.",
]


class NeighbourClassifier(HierarchicalClassifier):
    """Base of the classifiers whose model is an index of their training documents.

    Attributes
    ----------
    index_ : InvertedIndex
        The training documents, those whose `sample_weight` is 0 left out.
    labels_ : csr_array, (n_documents, n_nodes)
        The own labels of the documents in the index, the entries the weights of their votes
        (`sample_weight`).
    ids_ : sequence of str or None
        What the documents in the index are called, where `fit` was told.
    terms_there_ : array of bool or None
        Which terms a document has that votes, where there are others: of a live index, from documents that are gone.
    """

    counts_terms: ClassVar[bool] = True
    answers_anywhere: ClassVar[bool] = False

    decision: Annotated[
        Decision | str | None,
        DECISION,
        "How scores become label sets; by default the best path if every labeled document has one label, otherwise "
        "DS-cut.",
    ] = None
    k: Voters = 30
    terms: HeaviestTerms = None

    ids_: Sequence[str] | None = field(default=None, init=False)
    terms_there_: npt.NDArray[np.bool_] | None = field(default=None, init=False)

    def fit(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, *, ids: Sequence[str] | None = None
    ) -> Self:
        """Learn from documents as rows of X and labels in any form; `ids` say what explanations call the documents."""
        if ids is not None:
            check_consistent_length(X, ids)
        super().fit(X, y, sample_weight)
        self.ids_ = None if ids is None else self._ids_there(list(map(str, ids)), y, sample_weight)
        return self

    def over(self, index: InvertedIndex, ids: Sequence[str], labels: Sequence[Sequence[str]]) -> Self:
        """Let the documents of an index vote, as if learned from: those that are there and have a label.

        `ids` and `labels` are those of all documents by their numbers, the deleted ones among them.
        """
        self.check()
        there = index.live & np.fromiter(map(bool, labels), dtype=bool, count=len(labels))
        if not there.any():
            raise InputError("no document has a label, so that none could vote; add documents with labels")
        given = encode([list(own) if voting else [] for own, voting in zip(labels, there, strict=True)], self.hierarchy)
        own = given.hierarchy.own(given.hierarchy.close(given.indicator))
        self._take_categories(given, own)
        self.decision_ = without_learning(self.chosen_decision(own[there]), own[there]).decision
        self.form_, self.calibrator_ = LabelForm("lists"), None
        ends = np.cumsum([len(segment) for segment in index.segments])[:-1]
        voting = np.split(there, ends)
        self.index_ = InvertedIndex.from_segments(index.segments, voting, index.n_terms, index.measure, self.n_jobs)
        self.n_features_in_, self.ids_ = index.n_terms, ids
        self._set_labels(own.indptr, own.indices, np.ones(own.shape[0]))
        there = self.index_.statistics().frequencies > 0
        self.terms_there_ = None if there.all() else there
        return self

    def _ids_there(self, ids: list[str], y: Any, sample_weight: npt.ArrayLike | None) -> list[str]:
        """Give the ids of the documents in the index, which has those alone that are labelled and weigh something."""
        if len(ids) == self.index_.n_slots:
            return ids
        kept = encode(y, self.hierarchy_).labelled
        if sample_weight is not None:
            kept &= np.broadcast_to(sample_weight, kept.shape) > 0
        return [name for name, there in zip(ids, kept, strict=True) if there]

    def _new_index(self, X: csr_array) -> InvertedIndex:
        """Give the index of the training documents."""
        raise NotImplementedError

    def _thresholds(self) -> tuple[float, ...]:
        """Give the thresholds by rank where documents may have several labels."""
        raise NotImplementedError

    def _voices(self, neighbours: Neighbours) -> Floats:
        """Give how loud each neighbour's voice is."""
        raise NotImplementedError

    def neighbours(self, X: Any) -> Neighbours:
        """Find the neighbours of documents, nearest first: their numbers in `index_` and their similarities."""
        check_is_fitted(self)
        return self._neighbours(self._checked(X))

    def voters(self, X: Any, node: Any) -> list[list[Voter]]:
        """Give for each document the neighbours that vote for a category, or for the best one below it.

        The loudest come first.
        """
        check_is_fitted(self)
        return self._answer(self._validated(X)).voters(self.hierarchy_.position(node))

    def answers(self, X: Any) -> Iterator[NeighbourAnswers]:
        """Search for the neighbours of documents once, a batch at a time, and let these vote."""
        check_is_fitted(self)
        X = self._checked(X)
        size = min(DOCUMENTS_IN_A_BATCH, max(1, SCORES_IN_A_BATCH // min(self.k, self.index_.n_slots)))
        for start in track_several(range(0, X.shape[0], size), "batches of documents"):
            yield self._answer(X[start : start + size])

    def _answer(self, X: csr_array) -> NeighbourAnswers:
        check_counts(X)
        return NeighbourAnswers(self, X, self._neighbours(X))

    def chosen_decision(self, own: csr_array) -> Decision:
        """Give the decision asked for, or the best path for documents of one label each, otherwise DS-cut."""
        chosen = super().chosen_decision(own)
        if self.decision is not None or chosen.one_label:
            return chosen
        return DSCut(self._thresholds())

    def held_out_ranks(self, task: Task, count: int) -> Ranks | None:
        """Search for the neighbours of some documents among all others, and rank the ends by the votes."""
        copy, unseen = held_out_copy(self, task, DOCUMENTS_TO_CUT)
        found = [ranked(answers.votes, copy.ends_, count) for answers in copy.answers(task.X[unseen])]
        nodes, scores = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return nodes, scores, csr_array(task.own[unseen])

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count the postings."""
        return Needed(0.0, f"an index of {X.nnz:,} postings", 16.0 * X.nnz)

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Count every entry of X once."""
        return float(X.nnz)

    def learn(self, X: csr_array, own: csr_array, weight: Floats | None) -> None:
        """Put the documents that weigh something into an index, and keep their labels."""
        check_counts(X)
        weight = np.ones(X.shape[0]) if weight is None else weight
        if not weight.all():
            X, own, weight = csr_array(X[weight > 0]), csr_array(own[weight > 0]), weight[weight > 0]
            self.ends_ = np.unique(own.indices).astype(np.int32)
            if not self.ends_.size:
                raise InputError("no labelled document counts; give one a sample_weight above 0")
        self.index_ = self._new_index(X)
        self._set_labels(own.indptr, own.indices, weight)

    def _set_labels(self, starts: npt.NDArray[Any], nodes: npt.NDArray[Any], weight: Floats) -> None:
        self.weight_ = weight
        parts = (np.repeat(weight, np.diff(starts)), nodes, starts)
        self.labels_ = narrow(csr_array(parts, shape=(len(weight), len(self.hierarchy_))))

    def _neighbours(self, X: csr_array) -> Neighbours:
        if self.terms_there_ is not None:
            there = self.terms_there_[X.indices]
            X = csr_array((np.where(there, X.data, 0.0), X.indices, X.indptr), shape=X.shape)
            X.eliminate_zeros()
        return self.index_.top(X, min(self.k, self.index_.n_slots), terms=self.terms, n_jobs=self.n_jobs)

    def candidate_scores(self, X: csr_array, found: Neighbours) -> csr_array:
        """Give the scores of the categories that are worth one, all above 0: `(n_documents, n_nodes)`."""
        return count_votes(found, self._voices(found), self.labels_)

    def score_rows(self, X: csr_array) -> Floats:
        """Let the neighbours vote for the ends, and score every other node by the best end below it."""
        check_counts(X)
        return self.all_scores(self.candidate_scores(X, self._neighbours(X)))

    def all_scores(self, candidates: csr_array) -> Floats:
        """Give every node a score, those of nodes without a learner from the best below."""
        return spread_upward(candidates[:, self.ends_].toarray(), self.ends_, self.hierarchy_)

    def end_behind(self, candidates: csr_array, node: int) -> npt.NDArray[np.int32]:
        """Give the end that a node takes its score from in each document, -1 where nothing was learned of it."""
        scores = candidates[:, self.ends_].toarray()
        columns = best_learned_below(scores, self.ends_, self.hierarchy_, node)
        return np.where(columns >= 0, self.ends_[columns], -1).astype(np.int32)

    def _vote_weights(self, end: int, found: Neighbours) -> Floats:
        """Give how much of a vote for each node counts for an end, in one document with these neighbours."""
        weights = np.zeros(len(self.hierarchy_))
        weights[end] = 1.0
        return weights

    def votes_for(self, found: Neighbours, end: int) -> Floats:
        """Give each neighbour's vote for an end, for one document."""
        # The voice of a neighbour that is not there is 0, whatever document -1 is.
        weights = np.asarray(self.labels_[found.documents[0]] @ self._vote_weights(end, found))
        return np.asarray(self._voices(found)[0] * weights)

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Search for the neighbours again, and give what the terms in common add to the votes."""
        return self._answer(X).contributions(node)

    def term_contributions(self, found: Neighbours, X: csr_array, end: int) -> Floats:
        """Give each term's contribution to the score of an end, for one document."""
        terms = np.zeros(X.shape[1])
        for document, vote in zip(found.documents[0], self.votes_for(found, end), strict=True):
            if vote > 0:
                columns, common = self.index_.common(X, int(document))
                terms[columns] += vote * common / common.sum()
        return terms

    def term_weights(self, blocks: Sequence[Positions]) -> Iterator[Matrix]:
        """Give how typical each term is of the documents of a node in the index."""
        return typical_terms(self.index_.counts(), self.hierarchy_.close(self.labels_.astype(bool)), blocks)

    def _learned_state(self) -> State:
        return {
            "parameters": {
                name: list(map(float, value)) if isinstance(value, tuple | list) else value
                for name, value in self._parameters_state().items()
            },
            "index": self.index_.to_state(),
            "label_starts": self.labels_.indptr.astype(np.int64),
            "label_nodes": self.labels_.indices.astype(np.int32),
            "weight": self.weight_,
            **({} if self.terms_there_ is None else {"terms_there": self.terms_there_}),
            **self._ids_state(),
        }

    def _ids_state(self) -> State:
        if self.ids_ is None:
            return {}
        packed = self.ids_ if isinstance(self.ids_, PackedStrings) else PackedStrings(*pack_strings(self.ids_))
        return {"id_bytes": packed.data, "id_ends": packed.ends}

    def _restore(self, learned: State) -> None:
        parameters = learned["parameters"]
        lists = {name: tuple(value) for name, value in parameters.items() if isinstance(value, list)}
        self._restore_parameters(parameters | lists)
        self.index_ = InvertedIndex.from_state(learned["index"])
        size, nodes = self.index_.n_slots, len(self.hierarchy_)
        starts = checked_array(learned, "label_starts", np.int64, (size + 1,))
        if not are_starts(starts, starts[-1]):
            raise InputError("the model's 'label_starts' do not rise from 0")
        own = checked_array(learned, "label_nodes", np.int32, (int(starts[-1]),))
        if not all_below(own, nodes):
            raise InputError("the model's 'label_nodes' lie outside its hierarchy")
        weight = checked_array(learned, "weight", np.float64, (size,))
        if self.index_.n_terms != self.n_features_in_ or not (np.isfinite(weight) & (weight > 0)).all():
            raise InputError("the model's index and its vocabulary differ in size, or votes have no weight")
        self._set_labels(starts, own, weight)
        self.ids_ = self._restored_ids(learned)
        if "terms_there" in learned:
            self.terms_there_ = checked_array(learned, "terms_there", np.bool_, (self.n_features_in_,))

    def _restored_ids(self, learned: State) -> PackedStrings | None:
        """Restore the ids of documents, or return None if they were fitted without."""
        if "id_ends" not in learned:
            return None
        ends = checked_array(learned, "id_ends", np.int64, (self.index_.n_slots,))
        return PackedStrings(checked_array(learned, "id_bytes", np.uint8, (None,)), ends)

    def _checked(self, X: Any) -> csr_array:
        checked: csr_array = self._validated(X)
        check_counts(checked)
        return checked

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        # scikit-learn's data are clouds of points, where every document has every term.
        tags.classifier_tags.poor_score = True
        return tags
