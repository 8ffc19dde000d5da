"""Splits: by hand, and as properties: disjoint, complete, deterministic, of the right sizes."""

from collections import Counter
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from classmark import Hierarchy
from classmark.data import Corpus
from classmark.data.splits import (
    field_split,
    group_split,
    hide_labels,
    k_fold,
    random_split,
    stratified_k_fold,
    stratified_split,
    time_split,
)

HALVES = {"train": 0.5, "test": 0.5}
SHARES = st.sampled_from([{"train": 0.8, "test": 0.2}, HALVES, {"train": 0.6, "dev": 0.2, "test": 0.2}])
SEEDS = st.integers(0, 20)
LABELS = st.lists(st.lists(st.sampled_from("abcdef"), unique=True, max_size=3), min_size=15, max_size=40).filter(any)


def corpus_of(labels, splits=None, hierarchy=None):
    ids = [str(row) for row in range(len(labels))]
    return Corpus(ids, [""] * len(ids), labels, splits or [None] * len(ids), hierarchy, "letters")


def assert_parts(parts, n_documents):
    """Every document is in exactly one part, in order."""
    assert sorted(chain(*(rows.tolist() for rows in parts.values()))) == list(range(n_documents))
    assert all((np.diff(rows) > 0).all() for rows in parts.values())


def same(one, other):
    return list(one) == list(other) and all(one[name].tolist() == other[name].tolist() for name in one)


class TestRandomSplit:
    @given(st.integers(10, 60), SHARES, SEEDS)
    def test_disjoint_complete_deterministic_and_of_the_right_sizes(self, n_documents, shares, seed):
        parts = random_split(n_documents, shares, seed=seed)
        assert list(parts) == list(shares)
        assert_parts(parts, n_documents)
        assert all(abs(rows.size - shares[name] * n_documents) <= 1 for name, rows in parts.items())
        assert same(parts, random_split(n_documents, shares, seed=seed))

    def test_another_seed_gives_other_parts(self):
        assert not same(random_split(50, HALVES, seed=1), random_split(50, HALVES, seed=2))

    def test_a_corpus_gets_its_splits(self):
        corpus = corpus_of([["a"]] * 10, splits=["old"] * 10)
        parts = random_split(10, HALVES, seed=3)
        found = random_split(corpus, HALVES, seed=3)
        assert [row for row, split in enumerate(found.splits) if split == "test"] == parts["test"].tolist()
        assert found.select(["train"]).ids == [str(row) for row in parts["train"]]
        assert corpus.splits == ["old"] * 10

    @pytest.mark.parametrize(
        "shares", [{}, {"a": 0.5}, {"a": 1.5, "b": -0.5}, {"a": 1.0, "b": 0.0}, {"a": 0.6, "b": 0.6}]
    )
    def test_refuses_shares_that_do_not_sum_to_one(self, shares):
        with pytest.raises(ValueError, match="give numbers above 0 that sum to 1"):
            random_split(10, shares)

    def test_refuses_an_empty_part(self):
        with pytest.raises(ValueError, match="the part 'dev' would have no document; give more documents"):
            random_split(3, {"train": 0.9, "dev": 0.1})


class TestTimeSplit:
    @given(st.lists(st.integers(0, 9), min_size=5, max_size=30), SHARES)
    def test_earlier_documents_come_first(self, keys, shares):
        parts = time_split(keys, shares)
        assert_parts(parts, len(keys))
        moments = [[keys[row] for row in rows] for rows in parts.values()]
        assert all(max(before) <= min(after) for before, after in pairwise(moments))

    def test_equal_keys_keep_their_order(self):
        assert same(time_split([1, 1, 1, 1], HALVES), {"train": np.array([0, 1]), "test": np.array([2, 3])})

    def test_a_corpus(self):
        corpus = time_split(corpus_of([["a"]] * 3), {"train": 2 / 3, "test": 1 / 3}, ["c", "a", "b"])
        assert corpus.splits == ["test", "train", "train"]

    def test_refuses_the_wrong_number_of_keys(self):
        with pytest.raises(ValueError, match="there are 2 keys for 3 documents; give one for each"):
            time_split(corpus_of([["a"]] * 3), HALVES, ["a", "b"])
        with pytest.raises(ValueError, match="there are no keys for 3 documents"):
            time_split(corpus_of([["a"]] * 3), HALVES)


class TestStratifiedSplit:
    @given(LABELS, SHARES, SEEDS)
    def test_disjoint_complete_and_deterministic(self, labels, shares, seed):
        parts = stratified_split(labels, shares, seed=seed)
        assert_parts(parts, len(labels))
        assert same(parts, stratified_split(labels, shares, seed=seed))

    @given(st.lists(st.sampled_from("abcd"), min_size=12, max_size=60), SHARES, SEEDS)
    def test_one_label_each_category_has_its_share(self, labels, shares, seed):
        parts = stratified_split(labels, shares, seed=seed)
        for name, size in Counter(labels).items():
            found = {part: sum(labels[row] == name for row in rows) for part, rows in parts.items()}
            assert all(abs(found[part] - share * size) < len(shares) - 0.5 for part, share in shares.items())
            # One in each part, as far as there are documents.
            assert sum(count > 0 for count in found.values()) == min(size, len(shares))

    @settings(max_examples=50)
    @given(LABELS, SEEDS)
    def test_the_rarest_category_is_in_both_parts(self, labels, seed):
        counts = Counter(chain(*labels))
        name, size = min(counts.items(), key=lambda item: (item[1], item[0]))
        parts = stratified_split(labels, {"train": 0.8, "test": 0.2}, seed=seed)
        if size > 1:
            assert all(any(name in labels[row] for row in rows) for rows in parts.values())

    def test_shares_by_hand(self):
        labels = ["a"] * 50 + ["b"] * 10 + ["c"] * 5 + ["d"] * 2 + ["e"]
        parts = stratified_split(labels, {"train": 0.8, "test": 0.2})
        assert Counter(labels[row] for row in parts["test"]) == {"a": 10, "b": 2, "c": 1, "d": 1}

    def test_only_own_labels_count(self):
        tree = Hierarchy.from_paths(["a/x", "a/y"])
        labels = [["a", "a/x"]] * 4 + [["a", "a/y"]] * 2
        parts = stratified_split(labels, HALVES, hierarchy=tree)
        assert Counter(labels[row][1] for row in parts["test"]) == {"a/x": 2, "a/y": 1}

    def test_a_corpus_with_its_hierarchy_and_documents_without_a_label(self):
        tree = Hierarchy.from_paths(["a/x", "a/y"])
        corpus = corpus_of([["a/x"]] * 4 + [["a/y"]] * 4 + [None] * 4 + [[]] * 4, hierarchy=tree)
        found = stratified_split(corpus, HALVES, seed=2)
        assert Counter(zip(found.splits, map(str, found.labels), strict=True))["train", "['a/x']"] == 2
        assert Counter(found.splits) == {"train": 8, "test": 8}

    def test_refuses_an_empty_part(self):
        with pytest.raises(ValueError, match="the part 'dev' would have no document"):
            stratified_split(["a"], {"train": 0.9, "dev": 0.1})


class TestFieldSplit:
    def test_positions_of_each_split(self):
        parts = field_split(corpus_of([["a"]] * 4, splits=["b", None, "a", "b"]))
        assert same(parts, {"a": np.array([2]), "b": np.array([0, 3])})

    def test_refuses_a_corpus_without_splits(self):
        with pytest.raises(ValueError, match="letters: no document has a split; make some"):
            field_split(corpus_of([["a"]]))


class TestFolds:
    @given(st.integers(2, 40), st.integers(2, 6), SEEDS)
    def test_folds(self, n_documents, k, seed):
        k = min(k, n_documents)
        folds = k_fold(n_documents, k, seed=seed)
        assert len(folds) == k
        assert_parts({str(number): test for number, (_, test) in enumerate(folds)}, n_documents)
        assert all(sorted([*train, *test]) == list(range(n_documents)) for train, test in folds)
        sizes = [test.size for _, test in folds]
        assert max(sizes) - min(sizes) <= 1
        again = k_fold(n_documents, k, seed=seed)
        assert [test.tolist() for _, test in again] == [test.tolist() for _, test in folds]

    @given(st.lists(st.sampled_from("abc"), min_size=6, max_size=40), st.integers(2, 5), SEEDS)
    def test_stratified_folds(self, labels, k, seed):
        folds = stratified_k_fold(labels, k, seed=seed)
        assert_parts({str(number): test for number, (_, test) in enumerate(folds)}, len(labels))
        for name, size in Counter(labels).items():
            found = [sum(labels[row] == name for row in test) for _, test in folds]
            assert max(found) - min(found) <= 1
            assert sum(found) == size

    @pytest.mark.parametrize("k", [1, 4])
    def test_refuses_too_few_or_too_many_folds(self, k):
        with pytest.raises(ValueError, match=f"k={k}: .*>= 2 and <= 3"):
            k_fold(3, k)
        with pytest.raises(ValueError, match=f"k={k}: .*>= 2 and <= 3"):
            stratified_k_fold(["a", "b", "c"], k)


class TestHideLabels:
    @given(LABELS, st.floats(0, 1), SEEDS, st.booleans())
    def test_keeps_the_rate_and_changes_nothing_else(self, labels, rate, seed, at_least_one):
        found = hide_labels(labels, rate, seed=seed, at_least_one=at_least_one)
        kept = [row for row, label in enumerate(found) if label is not None]
        assert all(found[row] is labels[row] for row in kept)
        assert len(kept) == round(rate * len(labels)) or (at_least_one and len(kept) > rate * len(labels))
        assert found == hide_labels(labels, rate, seed=seed, at_least_one=at_least_one)

    @given(LABELS, st.floats(0, 1), SEEDS)
    def test_at_least_one_a_category(self, labels, rate, seed):
        found = hide_labels(labels, rate, seed=seed, at_least_one=True)
        assert set(chain(*(label for label in found if label))) == set(chain(*labels))

    @given(LABELS, st.floats(0, 1), st.floats(0, 1), SEEDS, st.booleans())
    def test_a_higher_rate_keeps_more(self, labels, one, other, seed, at_least_one):
        few, many = (hide_labels(labels, rate, seed=seed, at_least_one=at_least_one) for rate in sorted([one, other]))
        assert all(now is not None for now, before in zip(many, few, strict=True) if before is not None)

    def test_documents_without_labels_are_not_counted(self):
        found = hide_labels([["a"], None, ["b"], None], 0.5)
        assert found[1] is found[3] is None
        assert sum(label is not None for label in found) == 1

    def test_all_and_nothing(self):
        assert hide_labels(["a", "b"], 1) == ["a", "b"]
        assert hide_labels(["a", "b"], 0) == [None, None]

    def test_refuses_a_rate_that_is_no_share(self):
        with pytest.raises(ValueError, match=r"rate=10.*>= 0 and <= 1"):
            hide_labels(["a"], 10)


class TestGroupSplit:
    @given(st.lists(st.integers(0, 20), min_size=30, max_size=80), st.integers(0, 5))
    def test_groups_stay_together_and_nothing_is_lost(self, groups, seed):
        assume(len(set(groups)) >= 3)
        parts = group_split(groups, {"train": 0.6, "dev": 0.2, "test": 0.2}, seed=seed)
        assert sorted(row for rows in parts.values() for row in rows.tolist()) == list(range(len(groups)))
        assert all(rows.size for rows in parts.values())
        names = [{groups[row] for row in rows.tolist()} for rows in parts.values()]
        assert sum(map(len, names)) == len(set(groups))

    def test_sizes_are_near_the_shares(self):
        parts = group_split([row // 4 for row in range(400)], {"train": 0.8, "test": 0.2}, seed=1)
        assert (parts["train"].size, parts["test"].size) == (320, 80)

    def test_a_corpus_by_its_fields(self):
        corpus = Corpus(list("abcd"), ["x"] * 4, [None] * 4, [None] * 4, None, "four", fields=["p", "q", "p", "q"])
        splits = group_split(corpus, {"train": 0.5, "test": 0.5}).splits
        assert splits[:2] == splits[2:]
        assert set(splits) == {"train", "test"}
        assert corpus.take([1, 2]).fields == ["q", "p"]

    def test_too_few_groups(self):
        with pytest.raises(ValueError, match="there are 1 groups for 2 parts; divide by something else"):
            group_split(["a", "a"], {"train": 0.5, "test": 0.5})

    def test_no_groups(self):
        corpus = Corpus(["a"], ["x"], [None], [None], None, "one")
        with pytest.raises(ValueError, match="there are no keys for 1 documents"):
            group_split(corpus, {"train": 0.5, "test": 0.5})


def test_a_corpus_by_the_time_of_its_fields():
    corpus = Corpus(
        list("abc"), ["x"] * 3, [None] * 3, [None] * 3, None, "three", fields=["2024-02", "2023-11", "2024"]
    )
    assert time_split(corpus, {"train": 2 / 3, "test": 1 / 3}).splits == ["test", "train", "train"]
