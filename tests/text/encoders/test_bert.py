"""The forward pass against a token-at-a-time twin on a small random model, and against MiniLM's published figures."""

import json
import math
from importlib.util import find_spec

import numpy as np
import pytest
from scipy.sparse import csr_array

from classmark.text.encoders.bert import GELU_END, GELU_TAIL, Bert, gelu
from classmark.text.encoders.folder import SentenceEncoder
from classmark.text.encoders.kinds import MINILM
from classmark.weak import make_encoder
from tests.oracles import weak as oracle
from tests.text.encoders.small_bert import CONFIG, HEADS, LAYERS, LONGEST, WIDTH, WORDS, random_weights, write_model

pytest.importorskip("tokenizers", reason="the extra embed is not installed")


@pytest.fixture
def folder(tmp_path):
    return write_model(tmp_path)


def test_equals_the_oracle(folder, monkeypatch):
    texts = ["the owl hoots at night", "owl", "night owl", "at the night", "owl what hoots the owl at night the end"]
    monkeypatch.setattr("classmark.text.encoders.bert.TOKENS_IN_A_BATCH", 6)
    found = SentenceEncoder(folder)(texts)
    assert found.dtype == np.float32
    for text, row in zip(texts, found, strict=True):
        ids = [WORDS.index(word) if word in WORDS else 0 for word in text.split()][:LONGEST]
        assert row == pytest.approx(oracle.bert(random_weights(), ids, LAYERS, HEADS, 1e-12), abs=2e-5)


def test_the_rest_of_a_long_text_is_not_read(folder):
    encode = SentenceEncoder(folder, max_tokens=2)
    # Matrix products differ in their last digits by how many texts go through together, and by processor.
    assert encode(["the owl hoots", "the owl"]) == pytest.approx(np.repeat(encode(["the owl"]), 2, axis=0), abs=1e-5)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("config.json", None, r"no config.json.*BERT model"),
        ("config.json", "{", "not the configuration of a BERT model"),
        ("config.json", json.dumps(CONFIG | {"model_type": "gpt2"}), r"a gpt2 model; give.*bert, distilbert"),
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


def tokens(*rows):
    return csr_array(np.array([[*row, *[0] * (LONGEST - len(row))] for row in rows], dtype=np.float64))


def test_means_are_not_normalised_and_a_text_without_tokens_has_zeros():
    bert = Bert(CONFIG, random_weights())
    found = bert.mean_states(tokens([3, 4], [], [1, 2, 3, 4, 5, 6]), progress=False)
    assert (bert.width, bert.longest, found.shape) == (WIDTH, LONGEST, (3, WIDTH))
    assert not found[1].any()
    for row, ids in ((0, [2, 3]), (2, range(6))):
        unit = found[row] / np.linalg.norm(found[row])
        assert unit == pytest.approx(oracle.bert(random_weights(), ids, LAYERS, HEADS, 1e-12), abs=2e-5)
    assert np.linalg.norm(found[0]) != pytest.approx(1, abs=1e-2)


def test_weights_of_half_size():
    halves = {name: values.astype(np.float16) for name, values in random_weights().items()}
    whole = {name: values.astype(np.float32) for name, values in halves.items()}
    some = tokens([3, 4], [1])
    assert (Bert(CONFIG, halves).mean_states(some) == Bert(CONFIG, whole).mean_states(some)).all()


def test_gelu_is_the_formula_to_a_millionth():
    values = np.concatenate([np.linspace(-9, 9, 20_001), [-1e30, -100, 0, 100, 1e30]]).astype(np.float32)
    found = values[None].copy()
    gelu(found, GELU_TAIL, GELU_END)
    expected = [float(x) * math.erfc(-float(x) / math.sqrt(2)) / 2 for x in values]
    assert found[0] == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_any_number_of_threads_gives_the_same_bytes(monkeypatch):
    bert, some = Bert(CONFIG, random_weights()), tokens(*([1 + row % 6] * (1 + row % 5) for row in range(40)))
    monkeypatch.setattr("classmark.text.encoders.bert.TOKENS_IN_A_BATCH", 6)
    found = set()
    for count in (1, 2, 5):
        monkeypatch.setattr("classmark.text.encoders.bert.n_cores", lambda count=count: count)
        found.add(bert.mean_states(some).tobytes())
    assert len(found) == 1


@pytest.mark.parametrize(
    ("config", "changed", "words"),
    [
        ({"model_type": "mpnet"}, {}, "a mpnet model with gelu and absolute positions; give a BERT model"),
        ({"hidden_act": "relu"}, {}, "a bert model with relu"),
        ({"position_embedding_type": "relative_key"}, {}, "gelu and relative_key positions"),
        ({"hidden_size": 0}, {}, r"not the configuration.*hidden_size"),
        ({"vocab_size": "six"}, {}, r"not the configuration.*vocab_size"),
        ({"num_attention_heads": 5}, {}, "5 attention heads do not divide a width of 12"),
        ({"num_hidden_layers": 10**12}, {}, "weights have no 'encoder.layer.2.attention.self.query.weight'"),
        ({"vocab_size": 7}, {}, r"word_embeddings.weight' has shape \(6, 12\) instead of \(7, 12\)"),
        ({"max_position_embeddings": 7}, {}, r"position_embeddings.weight' has shape \(6, 12\) instead of \(7, 12\)"),
        ({}, {"encoder.layer.0.output.dense.bias": np.zeros((12, 1))}, r"has shape \(12, 1\) instead of \(12,\)"),
        ({}, {"embeddings.LayerNorm.bias": np.zeros(12, int)}, "no 'embeddings.LayerNorm.bias' of floating-point"),
        ({}, {"embeddings.LayerNorm.bias": np.full(12, np.nan)}, "LayerNorm.bias' has numbers that are not finite"),
    ],
)
def test_settings_and_weights_that_do_not_fit(config, changed, words):
    with pytest.raises(ValueError, match=words) as error:
        Bert(CONFIG | config, random_weights() | changed)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("row", [[7], [1, 2, -1], [np.nan]])
def test_token_numbers_outside_the_vocabulary(row):
    with pytest.raises(ValueError, match="the encoder knows those from 1 to 6; give it its own tokenizer"):
        Bert(CONFIG, random_weights()).mean_states(tokens([1], row))


def test_a_text_longer_than_there_are_positions():
    with pytest.raises(ValueError, match="a text of 7 tokens, but the encoder reads 6; lower max_tokens"):
        Bert(CONFIG, random_weights()).mean_states(csr_array(np.ones((1, 7))))


@pytest.mark.skipif(find_spec(MINILM) is None, reason=f"the package {MINILM} is not installed")
def test_minilm_gives_the_similarities_that_its_authors_show():
    texts = ["That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    first, *others = make_encoder("sentence")(texts)
    assert [float(first @ other) for other in others] == pytest.approx([0.695, 0.943, 0.257], abs=5e-4)
