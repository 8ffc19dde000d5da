"""Which documents to learn from and which to test on, and which of their labels to hide.

Every function is given a number of documents, or what it divides them by, and answers with positions; given a `Corpus`
instead, it answers with the corpus whose `splits` say the same. Parts are named, by a mapping of names to shares such
as `{"train": 0.8, "test": 0.2}`; the shares sum to 1, and no part may come out empty. Positions ascend within a part.
The same seed gives the same parts.

Stratified parts have each category's documents in the same shares, as far as whole documents allow. Where documents
have several labels this is done by iterative stratification, after Sechidis, Tsoumakas and Vlahavas, "On the
stratification of multi-label data" (2011), with the categories in a fixed order: from the rarest to the most frequent,
each document of a category that has no part yet goes to the part that lacks most documents of that category, a part
without any before all others. So a category with two documents or more has one in each of two parts, unless its
documents were dealt with those of rarer categories. Only own labels count, which are the leaves where every document
reaches one. Documents without a label fill the parts up.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, overload

import numpy as np
from scipy.sparse import csr_array

from classmark.arrays import Positions
from classmark.data.corpus import Corpus
from classmark.data.moments import moments
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy
from classmark.labels import encode

Parts: TypeAlias = dict[str, Positions]
Shares: TypeAlias = Mapping[str, float]
Groups: TypeAlias = Sequence[Hashable]


@overload
def random_split(source: int, shares: Shares, *, seed: int = 0) -> Parts: ...
@overload
def random_split(source: Corpus, shares: Shares, *, seed: int = 0) -> Corpus: ...
def random_split(source: int | Corpus, shares: Shares, *, seed: int = 0) -> Parts | Corpus:
    """Divide documents at random.

    Parameters
    ----------
    source : int or Corpus
        The number of documents, or the corpus.
    shares : mapping of str to float
        The parts and their shares. A part's size differs by one at most from its share of the documents.
    seed : int
        The same seed gives the same parts.

    Examples
    --------
    >>> random_split(5, {"train": 0.6, "test": 0.4})
    {'train': array([2, 3, 4]), 'test': array([0, 1])}
    """
    n_documents = len(source) if isinstance(source, Corpus) else source
    order = np.random.default_rng(seed).permutation(n_documents)
    return _answer(source, _cut(order, shares))


@overload
def group_split(source: Groups, shares: Shares, *, seed: int = 0) -> Parts: ...
@overload
def group_split(source: Corpus, shares: Shares, groups: Groups | None = None, *, seed: int = 0) -> Corpus: ...
def group_split(
    source: Groups | Corpus, shares: Shares, groups: Groups | None = None, *, seed: int = 0
) -> Parts | Corpus:
    """Divide documents by groups, such as authors or threads: those of one group come into the same part.

    The largest groups are dealt first, each to the part that lacks most documents; sizes are near the shares, as far as
    whole groups allow.

    Parameters
    ----------
    source : sequence or Corpus
        For each document its group; or the corpus.
    shares : mapping of str to float
        The parts and their shares.
    groups : sequence, optional
        The groups of the documents of a corpus; by default its `fields`.
    seed : int
        The same seed gives the same parts.

    Examples
    --------
    >>> group_split(["ann", "bob", "ann", "cid", "ann"], {"train": 0.6, "test": 0.4})
    {'train': array([0, 2, 4]), 'test': array([1, 3])}
    """
    _check_shares(shares)
    named = _keys_of(source, source.fields if groups is None else groups) if isinstance(source, Corpus) else source
    rows: dict[Hashable, list[int]] = {}
    for row, group in enumerate(named):
        rows.setdefault(group, []).append(row)
    if len(rows) < len(shares):
        raise InputError(f"there are {len(rows)} groups for {len(shares)} parts; divide by something else")
    dealt = _deal_groups(list(rows.values()), shares, seed)
    return _answer(source, {name: np.array(sorted(part), dtype=np.int64) for name, part in dealt.items()})


def _deal_groups(groups: list[list[int]], shares: Shares, seed: int) -> dict[str, list[int]]:
    """Deal the largest group first, equal ones at random; no part stays empty."""
    order = np.random.default_rng(seed).permutation(len(groups)).tolist()
    order.sort(key=lambda group: -len(groups[group]))
    room = {name: share * sum(map(len, groups)) for name, share in shares.items()}
    dealt: dict[str, list[int]] = {name: [] for name in shares}
    for left, group in zip(range(len(groups), 0, -1), order, strict=True):
        empty = [name for name, rows in dealt.items() if not rows]
        part = max(empty if len(empty) >= left else room, key=room.__getitem__)
        dealt[part] += groups[group]
        room[part] -= len(groups[group])
    return dealt


@overload
def time_split(source: Sequence[Any], shares: Shares) -> Parts: ...
@overload
def time_split(source: Corpus, shares: Shares, keys: Sequence[Any] | None = None) -> Corpus: ...
def time_split(source: Sequence[Any] | Corpus, shares: Shares, keys: Sequence[Any] | None = None) -> Parts | Corpus:
    """Divide documents by time: the first part has the earliest ones, and so on.

    Parameters
    ----------
    source : sequence or Corpus
        For each document a key that can be sorted, such as a date; or the corpus.
    shares : mapping of str to float
        The parts, the earliest first, and their shares. Sizes are those of `random_split`.
    keys : sequence, optional
        The keys of the documents of a corpus; by default its `fields`, which are dates or numbers. Documents with equal
        keys keep their order.

    Examples
    --------
    >>> time_split(["1996-09", "1996-08", "1997-01"], {"train": 2 / 3, "test": 1 / 3})
    {'train': array([0, 1]), 'test': array([2])}
    """
    times = _times_of(source, keys) if isinstance(source, Corpus) else source
    order = np.array(sorted(range(len(times)), key=lambda row: times[row]), dtype=np.int64)
    return _answer(source, _cut(order, shares))


def _times_of(corpus: Corpus, keys: Sequence[Any] | None) -> Sequence[Any]:
    """Give the keys of a corpus, or else read its fields as dates or numbers."""
    if keys is None and corpus.fields is not None:
        return moments(corpus.fields, corpus.ids, corpus.source)
    return _keys_of(corpus, keys)


def _keys_of(corpus: Corpus, keys: Sequence[Any] | None) -> Sequence[Any]:
    """Give the keys of a corpus, one for each document."""
    if keys is None or len(keys) != len(corpus):
        given = "no keys" if keys is None else f"{len(keys)} keys"
        raise InputError(f"there are {given} for {len(corpus)} documents; give one for each")
    return keys


@overload
def stratified_split(
    source: Sequence[Any], shares: Shares, *, hierarchy: Hierarchy | None = None, seed: int = 0
) -> Parts: ...
@overload
def stratified_split(
    source: Corpus, shares: Shares, *, hierarchy: Hierarchy | None = None, seed: int = 0
) -> Corpus: ...
def stratified_split(
    source: Sequence[Any] | Corpus, shares: Shares, *, hierarchy: Hierarchy | None = None, seed: int = 0
) -> Parts | Corpus:
    """Divide documents so that each category is divided in the same shares.

    Parameters
    ----------
    source : labels in any form, or Corpus
        One label or list of labels a document, `None` where it is not labelled; or the corpus.
    shares : mapping of str to float
        The parts and their shares.
    hierarchy : Hierarchy, optional
        Which labels are ancestors of others, and do not count beside these; that of the corpus by default.
    seed : int
        The same seed gives the same parts.

    Examples
    --------
    >>> stratified_split(["a", "a", "a", "a", "b", "b"], {"train": 0.5, "test": 0.5})
    {'train': array([0, 3, 5]), 'test': array([1, 2, 4])}
    """
    _check_shares(shares)
    labels = source.labels if isinstance(source, Corpus) else source
    known = source.hierarchy if hierarchy is None and isinstance(source, Corpus) else hierarchy
    dealt = _deal(_own_labels(labels, known), list(shares.values()), seed)
    return _answer(source, _not_empty({name: np.flatnonzero(dealt == part) for part, name in enumerate(shares)}))


def field_split(corpus: Corpus) -> Parts:
    """Give the positions of the documents of each split that the corpus comes with; those without any are left out.

    >>> corpus = Corpus(["1", "2", "3"], ["", "", ""], [None] * 3, ["test", None, "train"], None, "three")
    >>> field_split(corpus)
    {'test': array([0]), 'train': array([2])}
    """
    names = sorted({split for split in corpus.splits if split is not None})
    if not names:
        raise InputError(f"{corpus.source}: no document has a split; make some, such as with random_split")
    return {name: np.flatnonzero([split == name for split in corpus.splits]) for name in names}


def k_fold(n_documents: int, k: int, *, seed: int = 0) -> list[tuple[Positions, Positions]]:
    """Divide documents at random into k folds, of sizes that differ by one at most, each tested on once.

    Returns
    -------
    list of (train, test)
        The positions to learn from and those to test on.

    Examples
    --------
    >>> [test.tolist() for train, test in k_fold(5, 2)]
    [[2, 3, 4], [0, 1]]
    """
    _check_folds(k, n_documents)
    dealt = np.empty(n_documents, dtype=np.int64)
    dealt[np.random.default_rng(seed).permutation(n_documents)] = np.arange(n_documents) * k // n_documents
    return _folds(dealt, k)


def stratified_k_fold(
    labels: Any, k: int, *, hierarchy: Hierarchy | None = None, seed: int = 0
) -> list[tuple[Positions, Positions]]:
    """Divide documents into k folds so that each category is divided evenly; the labels are as for `stratified_split`.

    >>> [test.tolist() for train, test in stratified_k_fold(["a", "a", "b", "b", "b", "b"], 2)]
    [[0, 3, 5], [1, 2, 4]]
    """
    own = _own_labels(labels, hierarchy)
    _check_folds(k, own.shape[0])
    return _folds(_deal(own, [1 / k] * k, seed), k)


def hide_labels(labels: Sequence[Any], rate: float, *, seed: int = 0, at_least_one: bool = False) -> list[Any]:
    """Keep the labels of some documents, at random, and make the others *not labelled* (`None`).

    Parameters
    ----------
    labels : sequence of labels, or of lists of labels
        One entry a document. Those that are `None` already stay so and are not counted; an empty list is a label like
        any other, it says that the document belongs nowhere.
    rate : float, from 0 to 1
        The fraction of the labelled documents that keep their labels, rounded to whole documents. With the same seed a
        higher rate keeps all that a lower one keeps.
    seed : int
        The same seed keeps the same labels.
    at_least_one : bool
        Keep a document of every category first, if need be beyond the rate.

    Examples
    --------
    >>> hide_labels([["a"], ["b"], ["a", "b"], []], rate=0.5)
    [['a'], None, ['a', 'b'], None]
    >>> hide_labels(["a", "b", "b", "b"], rate=0, at_least_one=True)
    ['a', None, 'b', None]
    """
    if not 0 <= rate <= 1:
        raise InputError(f"rate={rate!r}: must be a number >= 0 and <= 1")
    labelled = np.flatnonzero([label is not None for label in labels])
    order = np.random.default_rng(seed).permutation(labelled).tolist()
    first = _one_a_category(labels, order) if at_least_one else []
    n_kept = max(len(first), round(rate * len(order)))
    kept = set(list(dict.fromkeys(first + order))[:n_kept])
    return [label if row in kept else None for row, label in enumerate(labels)]


def _one_a_category(labels: Sequence[Any], order: list[int]) -> list[int]:
    """Give documents, in the order given, that bring a category which those before them do not have."""
    seen: set[Any] = set()
    chosen = []
    for row in order:
        names = labels[row] if isinstance(labels[row], list | tuple | set | frozenset) else [labels[row]]
        if not seen.issuperset(names):
            seen.update(names)
            chosen.append(row)
    return chosen


def _own_labels(labels: Sequence[Any], hierarchy: Hierarchy | None) -> csr_array:
    known = encode(labels, hierarchy)
    return known.hierarchy.own(known.indicator)


def _deal(own: csr_array, shares: Sequence[float], seed: int) -> Positions:
    """Give each document the number of its part: the rarest category's documents first, see the module's docstring."""
    order = np.random.default_rng(seed).permutation(own.shape[0])
    by_category = own[order].tocsc()
    sizes = np.diff(by_category.indptr)
    lacking = (sizes[:, None] * np.asarray(shares)).tolist()
    room = (own.shape[0] * np.asarray(shares)).tolist()
    empty = [[True] * len(shares) for _ in lacking]
    dealt = [-1] * own.shape[0]
    for category in np.argsort(sizes, kind="stable").tolist():
        start, stop = by_category.indptr[category : category + 2]
        for document in order[by_category.indices[start:stop]].tolist():
            if dealt[document] < 0:
                choices = zip(empty[category], lacking[category], room, strict=True)
                part = max(enumerate(choices), key=lambda choice: choice[1])[0]
                dealt[document] = part
                room[part] -= 1
                for label in own.indices[own.indptr[document] : own.indptr[document + 1]].tolist():
                    lacking[label][part] -= 1
                    empty[label][part] = False
    for document in order.tolist():
        if dealt[document] < 0:
            dealt[document] = room.index(max(room))
            room[dealt[document]] -= 1
    return np.array(dealt, dtype=np.int64)


def _cut(order: Positions, shares: Shares) -> Parts:
    """Cut documents, in the order in which they come, into consecutive parts."""
    _check_shares(shares)
    ends = np.rint(np.cumsum(list(shares.values())) * order.size).astype(np.int64)
    return _not_empty(dict(zip(shares, map(np.sort, np.split(order, ends[:-1])), strict=True)))


def _answer(source: object, parts: Parts) -> Parts | Corpus:
    """Give the parts, or the corpus with its splits."""
    if not isinstance(source, Corpus):
        return parts
    splits: list[str | None] = [None] * len(source)
    for name, rows in parts.items():
        for row in rows.tolist():
            splits[row] = name
    return replace(source, splits=splits)


def _folds(dealt: Positions, k: int) -> list[tuple[Positions, Positions]]:
    return [(np.flatnonzero(dealt != fold), np.flatnonzero(dealt == fold)) for fold in range(k)]


def _check_folds(k: int, n_documents: int) -> None:
    if not 2 <= k <= n_documents:
        raise InputError(f"k={k!r}: must be an integer >= 2 and <= {n_documents}, the number of documents")


def _check_shares(shares: Shares) -> None:
    # Asked this way round, so that no comparison with a share that is not a number is taken for a yes.
    if not (shares and all(share > 0 for share in shares.values()) and abs(sum(shares.values()) - 1) <= 1e-9):
        raise InputError(f"shares are {dict(shares)!r}; give numbers above 0 that sum to 1")


def _not_empty(parts: Parts) -> Parts:
    for name, rows in parts.items():
        if not rows.size:
            raise InputError(f"the part {name!r} would have no document; give more documents or a larger share")
    return parts
