"""Sentence embeddings by a BERT model in the files that sentence-transformers writes, with numpy alone.

The forward pass of Devlin et al. (2019) is a page of matrix products, so a small model such as MiniLM needs no deep
learning framework: the weights come from `model.safetensors`, the tokens from the package tokenizers. Texts of one
length go through together, so that nothing is padded and nothing masked. An embedding is the mean of the last layer
over the tokens of a text, brought to length 1.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from classmark.lazy import needing
from classmark.progress import track

Vectors = npt.NDArray[np.float32]

TOKENS_IN_A_BATCH = 4096
"""How many tokens go through at a time: some 25 MB in the widest layer of MiniLM."""
FILES = ("config.json", "tokenizer.json", "model.safetensors")


class Config(msgspec.Struct):
    """What is used of `config.json`."""

    model_type: str
    num_hidden_layers: int
    num_attention_heads: int
    hidden_act: str
    layer_norm_eps: float
    max_position_embeddings: int


class Bert:
    """A sentence encoder: a list of texts → an array of unit vectors, a row each.

    Parameters
    ----------
    folder : path
        Holds `config.json`, `tokenizer.json` and `model.safetensors`.
    max_tokens : int
        The rest of a longer text is not read. MiniLM was trained on 128.
    """

    def __init__(self, folder: str | Path, max_tokens: int = 128) -> None:
        folder = Path(folder)
        if missing := [name for name in FILES if not (folder / name).is_file()]:
            raise ValueError(f"{folder}: no {missing[0]} there; give the folder of a BERT model, {', '.join(FILES)}")
        with needing("the encoder sentence needs tokenizers", "embed"):
            from tokenizers import Tokenizer
        from safetensors.numpy import load_file

        self.config = _read_config(folder / "config.json")
        self.max_tokens = min(max_tokens, self.config.max_position_embeddings)
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self.max_tokens)
        self._weights: dict[str, Vectors] = load_file(folder / "model.safetensors")

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Encode texts; an empty one gets the embedding of its marks of begin and end, zeros if it has none."""
        tokens = self._tokens(texts)
        batches = list(batches_of_one_length(tokens))
        width = self._weights["embeddings.word_embeddings.weight"].shape[1]
        found = np.zeros((len(texts), width), dtype=np.float32)
        for rows in track(batches, "batches of texts", len(batches)):
            found[rows] = self._embed(np.array([tokens[row] for row in rows]))
        return found

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        # A few at a time: the tokenizer keeps of long texts much more than their numbers.
        starts = range(0, len(texts), 256)
        return [one.ids for start in starts for one in self._tokenizer.encode_batch(list(texts[start : start + 256]))]

    def _embed(self, ids: npt.NDArray[np.int64]) -> Vectors:
        """Embed texts of one length, given as `(n_texts, n_tokens)`."""
        states = self._weights["embeddings.word_embeddings.weight"][ids]
        states += self._weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        states += self._weights["embeddings.token_type_embeddings.weight"][0]
        states = self._normalised(states, "embeddings.LayerNorm")
        for layer in range(self.config.num_hidden_layers):
            states = self._layer(states, f"encoder.layer.{layer}")
        mean = states.mean(axis=1)
        return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True))

    def _layer(self, states: Vectors, name: str) -> Vectors:
        mixed = self._linear(self._attention(states, f"{name}.attention.self"), f"{name}.attention.output.dense")
        states = self._normalised(states + mixed, f"{name}.attention.output.LayerNorm")
        inner = _gelu(self._linear(states, f"{name}.intermediate.dense"))
        return self._normalised(states + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attention(self, states: Vectors, name: str) -> Vectors:
        """Mix the values of all tokens by softmax(queries · keys / √d), in every head."""
        texts, length, width = states.shape
        heads = self.config.num_attention_heads
        query, key, value = (
            self._linear(states, f"{name}.{part}").reshape(texts, length, heads, -1).swapaxes(1, 2)
            for part in ("query", "key", "value")
        )
        shares = query @ key.swapaxes(2, 3)
        shares /= np.float32(np.sqrt(width / heads))
        shares -= shares.max(axis=3, keepdims=True)
        np.exp(shares, out=shares)
        shares /= shares.sum(axis=3, keepdims=True)
        return np.asarray((shares @ value).swapaxes(1, 2).reshape(texts, length, width))

    def _linear(self, states: Vectors, name: str) -> Vectors:
        flat = states.reshape(-1, states.shape[-1]) @ self._weights[f"{name}.weight"].T
        flat += self._weights[f"{name}.bias"]
        return flat.reshape(*states.shape[:-1], -1)

    def _normalised(self, states: Vectors, name: str) -> Vectors:
        centred = states - states.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        centred /= np.sqrt(variance + np.float32(self.config.layer_norm_eps))
        return np.asarray(centred * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])


def batches_of_one_length(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the rows of texts with as many tokens as each other, the shortest first; texts without any are left out.

    >>> list(batches_of_one_length([[7, 8], [9], [], [5, 6]]))
    [[1], [0, 3]]
    """
    by_length: dict[int, list[int]] = defaultdict(list)
    for row, ids in enumerate(tokens):
        by_length[len(ids)].append(row)
    by_length.pop(0, None)
    for length, rows in sorted(by_length.items()):
        size = max(1, TOKENS_IN_A_BATCH // length)
        yield from (rows[start : start + size] for start in range(0, len(rows), size))


def _gelu(states: Vectors) -> Vectors:
    """Give x · Φ(x), with the distribution function of the normal distribution."""
    from scipy.special import ndtr

    return np.asarray(states * ndtr(states))


def _read_config(path: Path) -> Config:
    try:
        config = msgspec.json.decode(path.read_bytes(), type=Config)
    except msgspec.DecodeError as error:
        raise ValueError(f"{path}: not the configuration of a BERT model ({error})") from None
    if (config.model_type, config.hidden_act) != ("bert", "gelu"):
        found = f"a {config.model_type} model with {config.hidden_act}"
        raise ValueError(f"{path}: {found}; give a BERT model with gelu, such as all-MiniLM-L6-v2")
    return config
