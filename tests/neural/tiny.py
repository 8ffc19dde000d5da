"""A tiny random BERT in the files of transformers, and texts that it can learn."""

import json

import numpy as np
from safetensors.numpy import save_file

from classmark import Hierarchy

WORDS = ["[UNK]", "owl", "hoots", "gull", "cries", "oak", "acorns", "fern", "fronds", "the", "at", "sea", "night"]
WIDTH, INNER, LONGEST = 16, 24, 24
TREE = Hierarchy.from_nested({"animal": ["owl", "gull"], "plant": ["oak", "fern"]})
DAG = Hierarchy.from_parents({"animal": None, "plant": None, "owl": ["animal"], "gull": ["animal", "plant"]})


def config(words):
    return {
        "model_type": "bert",
        "vocab_size": len(words),
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "type_vocab_size": 2,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": LONGEST,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
    }


def weights(words, seed=0):
    random = np.random.default_rng(seed)
    shapes = {"word": len(words), "position": LONGEST, "token_type": 2}
    found = {f"embeddings.{name}_embeddings.weight": (size, WIDTH) for name, size in shapes.items()}
    layer = "encoder.layer.0"
    parts = {f"{layer}.attention.{name}": (WIDTH, WIDTH) for name in ("self.query", "self.key", "self.value")}
    parts |= {
        f"{layer}.attention.output.dense": (WIDTH, WIDTH),
        f"{layer}.intermediate.dense": (INNER, WIDTH),
        f"{layer}.output.dense": (WIDTH, INNER),
    }
    for name, shape in parts.items():
        found |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    arrays = {name: random.normal(0, 0.3, shape).astype(np.float32) for name, shape in found.items()}
    # Positions say little, so that words count wherever they stand.
    arrays["embeddings.position_embeddings.weight"] *= 0.1
    for name in ("embeddings.LayerNorm", f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"):
        arrays |= {f"{name}.weight": np.ones(WIDTH, np.float32), f"{name}.bias": np.zeros(WIDTH, np.float32)}
    return arrays


def write_model(folder, words=WORDS):
    """Write the files of a model whose tokens are words; give its name as a setting."""
    import tokenizers

    folder.mkdir(exist_ok=True)
    numbers = {word: number for number, word in enumerate(words)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(numbers, "[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(config(words)))
    save_file(weights(words), folder / "model.safetensors")
    return f"sentence:{folder}"


SAID = {"owl": ["owl", "hoots"], "gull": ["gull", "cries"], "oak": ["oak", "acorns"], "fern": ["fern", "fronds"]}


def texts(count=40, seed=0):
    """Give texts and the one category that each is about."""
    random = np.random.default_rng(seed)
    labels = [list(SAID)[number % 4] for number in range(count)]
    filler = ["the", "at", "sea", "night"]
    found = [" ".join([*random.permutation(SAID[label]), *random.permutation(filler)[:3]]) for label in labels]
    return found, labels


QUICK = {"epochs": 12, "learning_rate": 0.03, "batch_size": 20, "device": "cpu"}
"""Settings under which the tiny model learns these texts in a moment."""
