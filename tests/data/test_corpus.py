"""A corpus: its columns, its splits and its parts."""

import re
from dataclasses import replace

import pytest

from classmark.data import Corpus
from tests.data.animals import ANIMALS


def corpus_of(*splits: str | None) -> Corpus:
    ids = [str(row) for row, _ in enumerate(splits)]
    return Corpus(ids, [f"text {i}" for i in ids], [["bird"] for _ in ids], list(splits), ANIMALS, "animals")


class TestCorpus:
    def test_length_and_appearance(self):
        assert len(corpus_of("train", None)) == 2
        assert repr(corpus_of("train", None)) == "<Corpus: 2 documents, 3 categories, from animals>"

    def test_columns_of_different_lengths(self):
        with pytest.raises(ValueError, match="animals: 2 ids, 2 documents, 1 labels, 2 splits; give one of each"):
            replace(corpus_of("train", "test"), labels=[None])

    def test_select_keeps_order_hierarchy_and_source(self):
        chosen = corpus_of("b", "a", None, "c", "a").select(["a", "b"])
        assert (chosen.ids, chosen.splits) == (["0", "1", "4"], ["b", "a", "a"])
        assert (chosen.hierarchy, chosen.source) == (ANIMALS, "animals")

    def test_select_takes_one_name_for_a_list_of_one(self):
        assert corpus_of("train", "test").select("test").ids == ["1"]

    def test_select_refuses_a_split_that_no_document_has(self):
        with pytest.raises(ValueError) as caught:
            corpus_of("train", None, "test").select(["train", "dev"])
        assert re.match(r"animals: no document.*split 'dev'; there is 'test', 'train'", str(caught.value))
        with pytest.raises(ValueError, match=r"no document.*split 'dev'; there is no split at all"):
            corpus_of(None, None).select(["dev"])

    def test_part_takes_what_is_asked_for(self):
        assert corpus_of("train", "test").part(["test"], "train").ids == ["1"]

    def test_part_unasked_takes_the_default(self):
        assert corpus_of("train", None, "test").part(None, "train").ids == ["0"]

    def test_part_unasked_takes_everything_where_there_are_no_splits(self):
        assert corpus_of(None, None).part(None, "train").ids == ["0", "1"]

    def test_part_unasked_refuses_a_corpus_without_the_default(self):
        with pytest.raises(ValueError, match=r"no document.*split 'train'; there is 'dev'"):
            corpus_of("dev").part(None, "train")
