import numpy as np
import pytest

from classmark.data import Corpus
from classmark.inspection import check_corpus
from classmark.inspection.duplicates import THRESHOLD, Likeness, groups_of_documents
from classmark.inspection.texts import Contents
from tests.oracles.duplicates import similarities

WORDS = [f"word{number}" for number in range(400)]
MARGIN = 0.13
"""Three and a half standard errors of a signature at the threshold."""


def changed_texts(seed: int = 0) -> list[str]:
    """Make texts, and copies of them with a few words changed or left out."""
    random = np.random.default_rng(seed)
    texts = []
    for _ in range(12):
        words = random.choice(WORDS, size=int(random.integers(4, 120))).tolist()
        texts.append(" ".join(words))
        for _ in range(8):
            copy = list(words)
            for place in random.integers(0, len(words), size=int(random.integers(0, 1 + len(words) // 25))):
                copy[place] = str(random.choice(WORDS))
            texts.append(" ".join(copy[: len(copy) - int(random.integers(0, 3))]).title() + ".")
    return texts


def likeness_of(texts, splits=None):
    likeness, contents = Likeness(), Contents()
    for text, split in zip(texts, splits or [None] * len(texts), strict=True):
        likeness.add(contents.of(text), split)
    return likeness


def closed(pairs, n_documents):
    """Join what is alike to what is alike."""
    groups = list(range(n_documents))
    for left, right in pairs:
        old, new = groups[right], groups[left]
        groups = [new if group == old else group for group in groups]
    return groups


def test_as_every_two_compared():
    texts = changed_texts()
    found = {pair[:2]: pair.similarity for pair in likeness_of(texts, map(str, range(len(texts)))).pairs()}
    expected = similarities(texts)
    sure = {pair for pair, much in expected.items() if much >= THRESHOLD + MARGIN}
    assert len(sure) > 50
    assert sure <= found.keys()
    assert all(expected[pair] >= THRESHOLD - MARGIN for pair in found)
    assert max(abs(expected[pair] - much) for pair, much in found.items()) < MARGIN


def test_copies_are_compared_once():
    texts = ["an owl hoots at night"] * 500 + ["a gull cries over the sea"]
    pairs = likeness_of(texts).pairs()
    assert [pair[:2] for pair in pairs] == [(0, row) for row in range(1, 500)]
    assert groups_of_documents(texts) == [0] * 500 + [1]


def test_groups_are_closed():
    texts = changed_texts(1)
    pairs = [pair[:2] for pair in likeness_of(texts).pairs()]
    expected = closed(pairs, len(texts))
    groups = groups_of_documents(texts)
    same = [[one == other for other in groups] for one in groups]
    assert same == [[one == other for other in expected] for one in expected]


def test_no_words_are_like_nothing():
    assert groups_of_documents(["", "", "owl", "...", {}]) == [0, 1, 2, 3, 4]


def test_features_have_no_order():
    assert groups_of_documents([{"1": 2.0, "7": 1.0}, {"7": 1.0, "1": 1.0, "9": 0.0}, {"2": 1.0}]) == [0, 0, 1]


@pytest.mark.parametrize(
    ("splits", "labels", "kinds"),
    [
        (["train", "test"], [["owl"], ["owl"]], ["leak"]),
        (["test", "train"], [["owl"], ["emu"]], ["leak", "other-labels"]),
        (["train", "train"], [["owl"], ["emu"]], ["other-labels"]),
        (["train", "train"], [["owl"], ["owl"]], ["same-text"]),
        (["train", "train"], [["owl"], None], ["same-text"]),
    ],
)
def test_what_duplicates_mean(splits, labels, kinds):
    corpus = Corpus(["1", "2"], ["An owl hoots.", "an owl hoots"], labels, splits, None, "owls")
    found = {one.kind: one for one in check_corpus(corpus).findings}
    assert [kind for kind in ("leak", "other-labels", "same-text", "near") if kind in found] == kinds
    # What is learned from is known; the other is the one to speak of.
    assert found[kinds[0]].examples[0].where == f"owls:{1 + (splits != ['test', 'train'])}"


def test_a_form_letter_is_one_group_without_every_pair():
    letter = [f"line{number}" for number in range(150)]
    texts = [" ".join([*letter[: row % 140], f"name{row}", *letter[row % 140 + 1 :]]) for row in range(600)]
    assert set(groups_of_documents(texts)) == {0}
    assert len(likeness_of(texts).pairs()) < 600 * 32
