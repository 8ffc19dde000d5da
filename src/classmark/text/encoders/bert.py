"""The forward pass of BERT, with numpy alone.

That of Devlin et al. (2019) is a page of matrix products, so a small model such as MiniLM needs no deep learning
framework to answer. Texts of one length go through together, so that nothing is padded and nothing masked.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.progress import track

Vectors: TypeAlias = npt.NDArray[np.float32]
Integers: TypeAlias = npt.NDArray[np.integer[Any]]
Size: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]

TOKENS_IN_A_BATCH = 4096
"""How many tokens go through at a time: some 25 MB in the widest layer of MiniLM."""


class Config(msgspec.Struct):
    """What is used of `config.json`."""

    model_type: str
    hidden_act: str
    vocab_size: Size
    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Size
    num_attention_heads: Size
    max_position_embeddings: Size
    type_vocab_size: Size
    layer_norm_eps: Annotated[float, msgspec.Meta(ge=0)]
    position_embedding_type: str = "absolute"

    def shapes(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the name and the shape of every weight."""
        width, inner = self.hidden_size, self.intermediate_size
        tables = {"word": self.vocab_size, "position": self.max_position_embeddings, "token_type": self.type_vocab_size}
        for name, size in tables.items():
            yield f"embeddings.{name}_embeddings.weight", (size, width)
        yield from _with_bias("embeddings.LayerNorm", width)
        for layer in (f"encoder.layer.{number}" for number in range(self.num_hidden_layers)):
            for part in ("self.query", "self.key", "self.value", "output.dense"):
                yield from _with_bias(f"{layer}.attention.{part}", width, width)
            yield from _with_bias(f"{layer}.attention.output.LayerNorm", width)
            yield from _with_bias(f"{layer}.intermediate.dense", inner, width)
            yield from _with_bias(f"{layer}.output.dense", width, inner)
            yield from _with_bias(f"{layer}.output.LayerNorm", width)


class Bert:
    """A BERT model that reads token numbers.

    Parameters
    ----------
    config : mapping
        Its settings, as `config.json` has them.
    weights : mapping of str to array
        Its weights, by their names in `model.safetensors`; float16 will do.
    """

    def __init__(self, config: Mapping[str, Any], weights: Mapping[str, npt.NDArray[Any]]) -> None:
        self._config = _checked_config(config)
        self._weights = {name: _checked_weight(weights, name, shape) for name, shape in self._config.shapes()}

    @property
    def width(self) -> int:
        """The number of coordinates of a vector."""
        return self._config.hidden_size

    @property
    def longest(self) -> int:
        """The most tokens that a text may have."""
        return self._config.max_position_embeddings

    def mean_states(self, tokens: csr_array, progress: bool = True) -> Vectors:
        """Give the mean of the last layer over the tokens of each text; a text without any has zeros.

        Parameters
        ----------
        tokens : csr_array, (n_texts, n_positions)
            The numbers of tokens, counted from 1, as a `Tokeniser` gives them.
        progress : bool
            Whether it is told how far it is.
        """
        self._check_tokens(tokens)
        batches = list(batches_of_one_length(np.diff(tokens.indptr)))
        found = np.zeros((tokens.shape[0], self.width), dtype=np.float32)
        for rows in track(batches, "batches of texts", len(batches)) if progress else batches:
            places = tokens.indptr[rows, None] + np.arange(tokens.indptr[rows[0] + 1] - tokens.indptr[rows[0]])
            found[rows] = self._embed(tokens.data[places].astype(np.int64) - 1)
        return found

    def _check_tokens(self, tokens: csr_array) -> None:
        least, most = tokens.data.min(initial=1), tokens.data.max(initial=1)
        if not 1 <= least <= most <= self._config.vocab_size:
            known = f"the encoder knows those from 1 to {self._config.vocab_size}"
            raise ValueError(f"token numbers from {least:g} to {most:g}, but {known}; give it its own tokenizer")
        if (longest := np.diff(tokens.indptr).max(initial=0)) > self.longest:
            raise ValueError(f"a text of {longest} tokens, but the encoder reads {self.longest}; lower max_tokens")

    def _embed(self, ids: npt.NDArray[np.int64]) -> Vectors:
        """Embed texts of one length, given as `(n_texts, n_tokens)`."""
        states = self._weights["embeddings.word_embeddings.weight"][ids]
        states += self._weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        states += self._weights["embeddings.token_type_embeddings.weight"][0]
        states = self._normalised(states, "embeddings.LayerNorm")
        for layer in range(self._config.num_hidden_layers):
            states = self._layer(states, f"encoder.layer.{layer}")
        return np.asarray(states.mean(axis=1))

    def _layer(self, states: Vectors, name: str) -> Vectors:
        mixed = self._linear(self._attention(states, f"{name}.attention.self"), f"{name}.attention.output.dense")
        states = self._normalised(states + mixed, f"{name}.attention.output.LayerNorm")
        inner = _gelu(self._linear(states, f"{name}.intermediate.dense"))
        return self._normalised(states + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attention(self, states: Vectors, name: str) -> Vectors:
        """Mix the values of all tokens by softmax(queries · keys / √d), in every head."""
        texts, length, width = states.shape
        heads = self._config.num_attention_heads
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
        centred /= np.sqrt(variance + np.float32(self._config.layer_norm_eps))
        return np.asarray(centred * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])


def batches_of_one_length(lengths: Integers) -> Iterator[Integers]:
    """Yield the rows of texts with as many tokens as each other, the shortest first; texts without any are left out.

    >>> [rows.tolist() for rows in batches_of_one_length(np.array([2, 1, 0, 2]))]
    [[1], [0, 3]]
    """
    for length in np.unique(lengths[lengths > 0]):
        rows = np.flatnonzero(lengths == length)
        size = max(1, TOKENS_IN_A_BATCH // int(length))
        yield from (rows[start : start + size] for start in range(0, len(rows), size))


def _gelu(states: Vectors) -> Vectors:
    """Give x · Φ(x), with the distribution function of the normal distribution."""
    from scipy.special import ndtr

    return np.asarray(states * ndtr(states))


def _checked_config(config: Mapping[str, Any]) -> Config:
    try:
        found = msgspec.convert(config, Config)
    except msgspec.ValidationError as error:
        raise ValueError(f"not the configuration of a BERT model ({error})") from None
    if (found.model_type, found.hidden_act, found.position_embedding_type) != ("bert", "gelu", "absolute"):
        what = f"a {found.model_type} model with {found.hidden_act} and {found.position_embedding_type} positions"
        raise ValueError(f"{what}; give a BERT model with gelu and absolute ones, such as all-MiniLM-L6-v2")
    if found.hidden_size % found.num_attention_heads:
        raise ValueError(f"{found.num_attention_heads} attention heads do not divide a width of {found.hidden_size}")
    return found


def _checked_weight(weights: Mapping[str, npt.NDArray[Any]], name: str, shape: tuple[int, ...]) -> Vectors:
    weight = weights.get(name)
    if not isinstance(weight, np.ndarray) or weight.dtype.kind != "f":
        raise ValueError(f"the encoder's weights have no {name!r} of floating-point numbers; give all of its weights")
    if weight.shape != shape:
        raise ValueError(f"the encoder's {name!r} has shape {weight.shape} instead of {shape}; give its own weights")
    found = weight.astype(np.float32, copy=False)
    if not np.isfinite(found).all():
        raise ValueError(f"the encoder's {name!r} has numbers that are not finite; get or learn it again")
    return found


def _with_bias(name: str, *shape: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]
