"""The forward pass against a token-at-a-time twin on a small random model, and against MiniLM's published figures."""

import json
from importlib.util import find_spec

import numpy as np
import pytest
from safetensors.numpy import save_file

from classmark.weak import make_encoder
from classmark.weak.bert import Bert
from classmark.weak.encoders import MINILM
from tests.oracles import weak as oracle

tokenizers = pytest.importorskip("tokenizers", reason="the extra embed is not installed")

WORDS = ["[UNK]", "the", "owl", "hoots", "at", "night"]
WIDTH, INNER, HEADS, LAYERS, LONGEST = 12, 20, 3, 2, 6
CONFIG = {
    "model_type": "bert",
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": LONGEST,
    "anything": "else",
}


def random_weights(seed=0):
    random = np.random.default_rng(seed)
    shapes = {
        f"embeddings.{name}_embeddings.weight": (size, WIDTH)
        for name, size in (("word", len(WORDS)), ("position", LONGEST), ("token_type", 2))
    }
    linear = {
        "attention.self.query": (WIDTH, WIDTH),
        "attention.self.key": (WIDTH, WIDTH),
        "attention.self.value": (WIDTH, WIDTH),
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (INNER, WIDTH),
        "output.dense": (WIDTH, INNER),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        for name, shape in linear.items():
            shapes |= {f"encoder.layer.{layer}.{name}.weight": shape, f"encoder.layer.{layer}.{name}.bias": shape[:1]}
        norms += [f"encoder.layer.{layer}.{name}.LayerNorm" for name in ("attention.output", "output")]
    for name in norms:
        shapes |= {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}
    return {name: random.normal(0.2, 0.7, shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture
def folder(tmp_path):
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(dict(zip(WORDS, range(6), strict=True)), "[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    save_file(random_weights(), tmp_path / "model.safetensors")
    return tmp_path


def test_equals_the_oracle(folder, monkeypatch):
    texts = ["the owl hoots at night", "owl", "night owl", "at the night", "owl what hoots the owl at night the end"]
    monkeypatch.setattr("classmark.weak.bert.TOKENS_IN_A_BATCH", 6)
    found = Bert(folder)(texts)
    assert found.dtype == np.float32
    for text, row in zip(texts, found, strict=True):
        ids = [WORDS.index(word) if word in WORDS else 0 for word in text.split()][:LONGEST]
        assert row == pytest.approx(oracle.bert(random_weights(), ids, LAYERS, HEADS, 1e-12), abs=2e-5)


def test_the_rest_of_a_long_text_is_not_read(folder):
    encode = Bert(folder, max_tokens=2)
    assert encode(["the owl hoots", "the owl"]) == pytest.approx(np.repeat(encode(["the owl"]), 2, axis=0))


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
