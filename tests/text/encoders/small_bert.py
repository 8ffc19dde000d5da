"""A small random BERT in the files of sentence-transformers."""

import json

import numpy as np
from safetensors.numpy import save_file

WORDS = ["[UNK]", "the", "owl", "hoots", "at", "night"]
WIDTH, INNER, HEADS, LAYERS, LONGEST = 12, 20, 3, 2, 6
CONFIG = {
    "model_type": "bert",
    "vocab_size": len(WORDS),
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "type_vocab_size": 2,
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
    attention = [f"attention.{part}" for part in ("self.query", "self.key", "self.value", "output.dense")]
    linear = dict.fromkeys(attention, (WIDTH, WIDTH)) | {
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


def write_model(folder, seed=0):
    """Write the files of a model, whose tokens are the words and nothing else."""
    import tokenizers

    folder.mkdir(exist_ok=True)
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(dict(zip(WORDS, range(6), strict=True)), "[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(CONFIG))
    save_file(random_weights(seed), folder / "model.safetensors")
    return folder
