"""Corpora made for experiments."""

from dataclasses import replace

import pytest

from classmark.data import Corpus
from classmark.data.conversion import SPLITS, resplit, with_label_rate


def corpus_of(labels, splits=None):
    size = len(labels)
    return Corpus([str(row) for row in range(size)], ["text"] * size, labels, splits or [None] * size, None, "here")


@pytest.mark.parametrize("way", SPLITS)
def test_every_way_keeps_the_documents_and_the_shares(way):
    corpus = corpus_of([["a"], ["b"]] * 10)
    again = resplit(corpus, f"{way},train=0.7,dev=0.1,test=0.2", seed=3)
    assert again.ids == corpus.ids
    assert [again.splits.count(name) for name in ("train", "dev", "test")] == [14, 2, 4]
    assert again.splits == resplit(corpus, f"{way},train=0.7,dev=0.1,test=0.2", seed=3).splits


def test_the_seed_matters_where_chance_does():
    corpus = corpus_of([["a"]] * 40)
    assert resplit(corpus, "random", 0).splits != resplit(corpus, "random", 1).splits
    assert resplit(corpus, "ordered", 0).splits == ["train"] * 32 + ["test"] * 8


def test_an_unknown_way_is_refused():
    with pytest.raises(ValueError, match="no way 'alphabetical' to split; choose one of random, stratified, ordered"):
        resplit(corpus_of([["a"]] * 4), "alphabetical")


@pytest.mark.parametrize("part", ["train", "train=much"])
def test_a_part_without_a_share_is_refused(part):
    with pytest.raises(ValueError, match=f"the part '{part}' has no share; write it as train=0"):
        resplit(corpus_of([["a"]] * 4), f"random,{part}")


def test_shares_that_leave_something_over_are_refused():
    with pytest.raises(ValueError, match="share"):
        resplit(corpus_of([["a"]] * 4), "random,train=0.5,test=0.2")


def test_label_rate_hides_training_labels_alone():
    corpus = corpus_of([["a"]] * 30, ["train"] * 20 + ["test"] * 10)
    hidden = with_label_rate(corpus, 0.25, seed=1)
    assert hidden.labels[:20].count(None) == 20 - 5
    assert hidden.labels[20:] == corpus.labels[20:]
    assert with_label_rate(corpus, 1.0).labels == corpus.labels


def test_by_group_and_by_time():
    corpus = replace(corpus_of([["a"]] * 10), fields=[f"20{row % 5:02}-01-01" for row in range(10)])
    by_group = resplit(corpus, "60/20/20", by="group").splits
    assert by_group[:5] == by_group[5:]
    assert [by_group.count(name) for name in ("train", "validation", "test")] == [6, 2, 2]
    by_time = resplit(corpus, "train=0.8,test=0.2", by="time").splits
    assert [row for row, split in enumerate(by_time) if split == "test"] == [4, 9]


def test_two_ways_at_once():
    with pytest.raises(ValueError, match="'random' is one way to split and by group is another"):
        resplit(corpus_of([["a"]] * 4), "random,80/20", by="group")


@pytest.mark.parametrize("shares", ["80", "80/x", "80/10/5/5", "/", "80/"])
def test_percentages_that_cannot_be_read(shares):
    with pytest.raises(ValueError, match=r"cannot be read|no way '80' to split"):
        resplit(corpus_of([["a"]] * 4), shares)
