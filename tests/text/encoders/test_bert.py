"""The forward pass against a token-at-a-time twin on a small random model, and against MiniLM's published figures."""

import json
from importlib.util import find_spec

import numpy as np
import pytest

from classmark.text.encoders.bert import Bert
from classmark.text.encoders.kinds import MINILM
from classmark.weak import make_encoder
from tests.oracles import weak as oracle
from tests.text.encoders.small_bert import CONFIG, HEADS, LAYERS, LONGEST, WORDS, random_weights, write_model

pytest.importorskip("tokenizers", reason="the extra embed is not installed")


@pytest.fixture
def folder(tmp_path):
    return write_model(tmp_path)


def test_equals_the_oracle(folder, monkeypatch):
    texts = ["the owl hoots at night", "owl", "night owl", "at the night", "owl what hoots the owl at night the end"]
    monkeypatch.setattr("classmark.text.encoders.bert.TOKENS_IN_A_BATCH", 6)
    found = Bert(folder)(texts)
    assert found.dtype == np.float32
    for text, row in zip(texts, found, strict=True):
        ids = [WORDS.index(word) if word in WORDS else 0 for word in text.split()][:LONGEST]
        assert row == pytest.approx(oracle.bert(random_weights(), ids, LAYERS, HEADS, 1e-12), abs=2e-5)


def test_the_rest_of_a_long_text_is_not_read(folder):
    encode = Bert(folder, max_tokens=2)
    # Matrix products differ in their last digits by how many texts go through together, and by processor.
    assert encode(["the owl hoots", "the owl"]) == pytest.approx(np.repeat(encode(["the owl"]), 2, axis=0), abs=1e-5)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("config.json", None, "no config.json there; give the folder of a BERT model"),
        ("config.json", "{", "not the configuration of a BERT model"),
        ("config.json", json.dumps(CONFIG | {"model_type": "mpnet"}), "a mpnet model with gelu; give a BERT model"),
        ("model.safetensors", None, "no model.safetensors there"),
    ],
)
def test_bad_input(folder, name, content, words):
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_text(content)
    with pytest.raises(ValueError, match=words) as error:
        make_encoder(f"sentence:{folder}")
    assert "\n" not in str(error.value)


@pytest.mark.skipif(find_spec(MINILM) is None, reason=f"the package {MINILM} is not installed")
def test_minilm_gives_the_similarities_that_its_authors_show():
    texts = ["That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    first, *others = make_encoder("sentence")(texts)
    assert [float(first @ other) for other in others] == pytest.approx([0.695, 0.943, 0.257], abs=5e-4)
