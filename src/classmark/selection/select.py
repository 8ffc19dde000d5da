"""The transformer that keeps the best terms."""

from dataclasses import field
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from classmark.checks import choice, instance, integer, optional, real
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.labels import encode
from classmark.parameters import Parameterized, parameters, parse_choice
from classmark.parted import PartedMatrix, Rows
from classmark.selection.scores import GLOBALISATIONS, SCORES, Columns, round_robin, score_pairs

SETTINGS = ("globalise", "n_terms", "share", "per_category")
"""Parameters that a selection on the command line sets."""


class TermSelector(Parameterized, SelectorMixin, BaseEstimator):
    """Keep the terms that say most about the categories.

    A category's positive documents are those that have it or a category below it as a label (treeboost_mh_2006,
    Definition 1); all others are negative. The categories that count are those that some document has as its own
    label. Give one of `n_terms`, `share` and `per_category`.

    Attributes
    ----------
    support_ : array of int
        The columns kept, in their order.

    Examples
    --------
    >>> from classmark import TermSelector
    >>> X = [[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1]]
    >>> TermSelector("chi-square", n_terms=1).fit(X, ["a", "a", "b", "b"]).get_support(indices=True)
    array([0])
    """

    criterion: Annotated[str, choice(SCORES), "What terms are scored by."] = field(
        default="information-gain", kw_only=False
    )
    globalise: Annotated[str, choice(GLOBALISATIONS), "How the scores for many categories become one ranking."] = field(
        default="round-robin", kw_only=False
    )
    n_terms: Annotated[int | None, optional(integer(ge=1)), "How many terms to keep."] = None
    share: Annotated[
        float | None,
        optional(real(gt=0, le=1)),
        "Which part of the terms to keep; a reduction of .96 keeps a part of .04.",
    ] = None
    per_category: Annotated[
        int | None, optional(integer(ge=1)), "How many of its best terms each category picks; round robin only."
    ] = None
    hierarchy: Annotated[
        Hierarchy | None,
        optional(instance(Hierarchy, "a Hierarchy, such as Hierarchy.from_nested makes of a dict")),
        "The categories; a flat hierarchy over the labels seen by default.",
    ] = None

    def fit(self, X: Any, y: Any) -> Self:
        """Choose terms by their presence in documents and the documents' labels, in any form."""
        self.check()
        if isinstance(X, PartedMatrix):
            self.n_features_in_ = X.shape[1]
        else:
            X = csr_array(validate_data(self, X, accept_sparse="csr", dtype=np.float64))
        labels = encode(y, self.hierarchy)
        check_consistent_length(X, labels.indicator)
        X, indicator = X[labels.labelled], labels.indicator[labels.labelled]
        closed = labels.hierarchy.close(indicator)
        ends = np.unique(labels.hierarchy.own(closed).indices)
        if not ends.size:
            raise InputError("no document belongs to any category; terms cannot be selected")
        self.support_ = np.sort(self.choose(X, csr_array(closed[:, ends])))
        return self

    def choose(self, X: Rows, labels: csr_array) -> Columns:
        """Give the columns to keep, given the positive documents of each category."""
        pairs = score_pairs(X, labels, self.criterion)
        if self.per_category is not None:
            return round_robin(pairs, self.per_category)
        share = 1.0 if self.share is None else self.share
        count = round(share * X.shape[1]) if self.n_terms is None else self.n_terms
        return GLOBALISATIONS[self.globalise](pairs, max(1, min(count, X.shape[1])))

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.support_] = True
        return mask

    def check(self) -> None:
        """Refuse settings that cannot be."""
        super().check()
        given = [name for name in ("n_terms", "share", "per_category") if getattr(self, name) is not None]
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} are given; give only one of n_terms, share and per_category")
        if self.per_category is not None and self.globalise != "round-robin":
            raise InputError(f"per_category goes with round-robin, not with {self.globalise!r}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def parse_selection(text: str, parameter: str = "selection") -> TermSelector:
    """Parse a selection as the command line writes it: a criterion, then settings as `key=value` after commas.

    Messages name the parameter that holds it.

    >>> parse_selection("chi-square,share=0.04,globalise=max")
    TermSelector(criterion='chi-square', globalise='max', share=0.04)
    """
    settings = {name: parameters(TermSelector)[name] for name in SETTINGS}
    criterion, values = parse_choice(text, parameter, dict.fromkeys(SCORES, settings))
    selector = TermSelector(criterion, **values)
    try:
        selector.check()
    except ValueError as error:
        raise InputError(f"{parameter}: {error}") from None
    return selector


def format_selection(selector: TermSelector) -> str:
    """Write a selection as `parse_selection` reads it.

    >>> format_selection(TermSelector("chi-square", "max", share=0.04))
    'chi-square,globalise=max,share=0.04'
    """
    values = {name: getattr(selector, name) for name in SETTINGS}
    return ",".join([selector.criterion, *(f"{key}={value}" for key, value in values.items() if value is not None)])


def select_per_node(
    X: csr_array, labels: csr_array, hierarchy: Hierarchy, selector: TermSelector
) -> dict[int, Columns]:
    """Select terms for the children of each inner node alone: the *glocal* policy of treeboost_mh_2006.

    The documents at a node are the positive ones of its children (Definition 1), so that a child's negative documents
    are those of its siblings (Definition 2). A child without documents has no say.

    Parameters
    ----------
    labels : csr_array of bool, (n_documents, n_nodes)
        The label sets, ancestors included or not.

    Returns
    -------
    dict
        The columns chosen for each inner node, by position; -1 stands for the root.
    """
    selector.check()
    closed = hierarchy.close(labels)
    chosen: dict[int, Columns] = {}
    inner = np.flatnonzero(np.diff(hierarchy.children.indptr))
    for node, children in [
        (-1, hierarchy.tops),
        *((int(node), hierarchy.child_positions(int(node))) for node in inner),
    ]:
        below = csr_array(closed[:, children])
        below = csr_array(below[:, np.unique(below.indices)])
        rows = np.flatnonzero(np.diff(below.indptr))
        if rows.size:
            chosen[node] = np.sort(selector.choose(csr_array(X[rows]), csr_array(below[rows])))
    return chosen
