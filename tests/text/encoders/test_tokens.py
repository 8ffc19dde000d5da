"""Texts as token numbers: the rows, and texts that are long, empty or no whole characters."""

import json
import pickle

import numpy as np
import pytest

from classmark.text.encoders.tokens import FEW, Tokeniser
from tests.text.encoders.small_bert import WORDS, write_model

tokenizers = pytest.importorskip("tokenizers", reason="the extra embed is not installed")


@pytest.fixture
def definition(tmp_path):
    return (write_model(tmp_path) / "tokenizer.json").read_text()


@pytest.fixture
def with_marks(definition):
    tokenizer = tokenizers.Tokenizer.from_str(definition)
    marks = [("the", 1), ("at", 4)]
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing("the $A at", special_tokens=marks)
    return tokenizer.to_str()


def test_rows_have_the_numbers_of_tokens_counted_from_one(definition):
    tokeniser = Tokeniser(definition, 3)
    found = tokeniser.transform(iter(["owl hoots", "", "night what the owl"]))
    assert found.toarray().tolist() == [[3, 4, 0], [0, 0, 0], [6, 1, 2]]
    assert tokeniser.vocabulary_ == ["token 1", "token 2", "token 3"]
    assert tokeniser.vocabulary_size == len(WORDS)
    assert tokeniser.transform([]).shape == (0, 3)


def test_marks_of_begin_and_end(with_marks):
    found = Tokeniser(with_marks, 4).transform(["", "owl", "owl hoots night"])
    assert found.toarray().tolist() == [[2, 5, 0, 0], [2, 3, 5, 0], [2, 3, 4, 5]]


def test_the_first_tokens_of_long_texts_are_those_of_the_whole(definition):
    whole = Tokeniser(definition, 8)
    end = "owl hoots at night the owl"
    texts = [
        "the owl hoots " * 50_000,
        " " * 2000 + end,
        "x" * 2000 + " " + end,
        "what " * 5 + "y" * FEW * 8 + " " + end,
        "owl" * 40_000,
        "x" * 119 + " owl" + "\n" * 200 + end,
    ]
    tokenizer = tokenizers.Tokenizer.from_str(definition)
    expected = [tokenizer.encode(text).ids[:8] for text in texts]
    for row, numbers in zip(whole.transform(texts).toarray(), expected, strict=True):
        assert row[row > 0].tolist() == [number + 1 for number in numbers]


def test_half_characters_are_read(definition):
    assert Tokeniser(definition, 4).transform(["owl \ud83e hoots"]).toarray().tolist() == [[3, 1, 4, 0]]


def test_more_texts_than_go_through_at_a_time(definition, monkeypatch):
    monkeypatch.setattr("classmark.text.encoders.tokens.TEXTS_AT_A_TIME", 2)
    found = Tokeniser(definition, 2).transform(WORDS[1:])
    assert found.data.tolist() == [2, 3, 4, 5, 6]
    assert found.indices.tolist() == [0] * 5


def test_it_can_be_pickled_once_used(definition):
    tokeniser = Tokeniser(definition, 4)
    before = tokeniser.transform(["owl"])
    assert np.array_equal(pickle.loads(pickle.dumps(tokeniser)).transform(["owl"]).toarray(), before.toarray())


@pytest.mark.parametrize("definition", ["", "{", "{}", "[1]", json.dumps({"model": {"type": "WordLevel"}})])
def test_what_is_no_tokenizer(definition):
    with pytest.raises(ValueError, match=r"the tokenizer cannot be read .*; give a tokenizer.json") as error:
        Tokeniser(definition, 4).transform(["owl"])
    assert "\n" not in str(error.value)


def test_a_tokenizer_that_fails(definition):
    broken = json.loads(definition)
    broken["model"]["unk_token"] = "nowhere"
    with pytest.raises(ValueError, match="the tokenizer cannot be used") as error:
        Tokeniser(json.dumps(broken), 4).transform(["what"])
    assert "\n" not in str(error.value)


def test_no_room_beside_the_marks(with_marks):
    with pytest.raises(ValueError, match=r"max_tokens=2 is not allowed.*3 at least"):
        Tokeniser(with_marks, 2).transform(["owl"])
