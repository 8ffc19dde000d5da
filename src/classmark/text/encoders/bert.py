"""The forward pass of BERT, with numpy alone.

That of Devlin et al. (2019) is a page of matrix products, so a small model such as MiniLM needs no deep learning
framework to answer. Texts of one length go through together, so that nothing is padded and nothing masked.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
from numpy.polynomial.chebyshev import Chebyshev, cheb2poly
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from classmark.compilation import kernel
from classmark.errors import InputError
from classmark.parallel import n_cores, threads
from classmark.progress import track

Vectors: TypeAlias = npt.NDArray[np.float32]
Integers: TypeAlias = npt.NDArray[np.integer[Any]]
Size: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]

TOKENS_IN_A_BATCH = 512
"""How many tokens go through at a time: 3 MB in the widest layer of MiniLM, so that a processor's cache has room."""


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


class Pair(NamedTuple):
    """What states are multiplied by, and what is added then."""

    weight: Vectors
    bias: Vectors

    @classmethod
    def of(cls, weights: Mapping[str, Vectors], name: str) -> "Pair":
        """Take one out of all weights."""
        return cls(weights[f"{name}.weight"], weights[f"{name}.bias"])


class Layer(NamedTuple):
    """The weights of a layer, in the order in which they are used."""

    mixing: Pair
    """Makes queries, keys and values, side by side; the queries are divided by √d already."""
    mixed: Pair
    mixed_norm: Pair
    inner: Pair
    outer: Pair
    outer_norm: Pair

    @classmethod
    def of(cls, weights: Mapping[str, Vectors], name: str, heads: int) -> "Layer":
        """Take those of a layer out of all weights."""
        query, key, value = (Pair.of(weights, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        root = np.float32(math.sqrt(len(query.bias) / heads))
        return cls(
            Pair(
                np.concatenate([query.weight / root, key.weight, value.weight]),
                np.concatenate([query.bias / root, key.bias, value.bias]),
            ),
            Pair.of(weights, f"{name}.attention.output.dense"),
            Pair.of(weights, f"{name}.attention.output.LayerNorm"),
            Pair.of(weights, f"{name}.intermediate.dense"),
            Pair.of(weights, f"{name}.output.dense"),
            Pair.of(weights, f"{name}.output.LayerNorm"),
        )


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
        checked = {name: _checked_weight(weights, name, shape) for name, shape in self._config.shapes()}
        self._words = checked["embeddings.word_embeddings.weight"]
        self._positions = (
            checked["embeddings.position_embeddings.weight"] + checked["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = Pair.of(checked, "embeddings.LayerNorm")
        names = (f"encoder.layer.{number}" for number in range(self._config.num_hidden_layers))
        self._layers = [Layer.of(checked, name, self._config.num_attention_heads) for name in names]

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
        least, most = tokens.data.min(initial=1), tokens.data.max(initial=1)
        if not 1 <= least <= most <= self._config.vocab_size:
            known = f"the encoder knows those from 1 to {self._config.vocab_size}"
            raise InputError(f"token numbers from {least:g} to {most:g}, but {known}; give it its own tokenizer")
        if (longest := np.diff(tokens.indptr).max(initial=0)) > self.longest:
            raise InputError(f"a text of {longest} tokens, but the encoder reads {self.longest}; lower max_tokens")
        batches = [(tokens, rows) for rows in batches_of_one_length(np.diff(tokens.indptr))]
        found = np.zeros((tokens.shape[0], self.width), dtype=np.float32)
        count = min(n_cores(), max(1, len(batches)))
        together = [batches[start : start + count] for start in range(0, len(batches), count)]
        # BLAS's own threads get in each other's way in products as small as those of attention.
        with threadpool_limits(1, user_api="blas"), threads(count) as run:
            for some in track(together, "batches of texts", len(together)) if progress else together:
                for (_, rows), means in zip(some, run(self._means, some), strict=True):
                    found[rows] = means
        return found

    def _means(self, tokens: csr_array, rows: Integers) -> Vectors:
        """Give the mean states of texts of one length."""
        starts = tokens.indptr[rows]
        places = starts[:, None] + np.arange(tokens.indptr[rows[0] + 1] - starts[0])
        return self._embed(tokens.data[places].astype(np.int64) - 1)

    def _embed(self, ids: Integers) -> Vectors:
        """Give the mean states of texts of one length, given as `(n_texts, n_tokens)`."""
        texts, length = ids.shape
        states = self._words[ids]
        states += self._positions[:length]
        states = states.reshape(texts * length, self.width)
        self._normalise(states, self._norm)
        for layer in self._layers:
            states = self._apply(layer, states, length)
        return np.asarray(states.reshape(texts, length, self.width).mean(axis=1))

    def _apply(self, layer: Layer, states: Vectors, length: int) -> Vectors:
        mixed = _linear(self._attention(_linear(states, layer.mixing), length), layer.mixed)
        mixed += states
        self._normalise(mixed, layer.mixed_norm)
        inner = _linear(mixed, layer.inner)
        gelu(inner, GELU_TAIL, GELU_END)
        found = _linear(inner, layer.outer)
        found += mixed
        self._normalise(found, layer.outer_norm)
        return found

    def _attention(self, mixing: Vectors, length: int) -> Vectors:
        """Mix the values of all tokens of a text by softmax(queries · keys), in every head."""
        heads = self._config.num_attention_heads
        parts = mixing.reshape(-1, length, 3, heads, self.width // heads)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        shares = query @ key.swapaxes(2, 3)
        shares -= shares.max(axis=3, keepdims=True)
        np.exp(shares, out=shares)
        mixed = shares @ value
        mixed /= shares.sum(axis=3, keepdims=True)
        return np.asarray(mixed.swapaxes(1, 2).reshape(-1, self.width))

    def _normalise(self, states: Vectors, norm: Pair) -> None:
        normalize(states, norm.weight, norm.bias, np.float32(self._config.layer_norm_eps))


@kernel(reassociate=True)
def normalize(states: Vectors, weight: Vectors, bias: Vectors, epsilon: np.float32) -> None:
    """Bring every row to mean 0 and variance 1, in place, then multiply by the weight and add the bias."""
    rows, width = states.shape
    for row in range(rows):
        total = np.float32(0)
        for column in range(width):
            total += states[row, column]
        mean = total / np.float32(width)
        square = np.float32(0)
        for column in range(width):
            states[row, column] -= mean
            square += states[row, column] * states[row, column]
        factor = np.float32(1) / np.sqrt(square / np.float32(width) + epsilon)
        for column in range(width):
            states[row, column] = states[row, column] * factor * weight[column] + bias[column]


@kernel(reassociate=True)
def gelu(states: Vectors, tail: Vectors, end: np.float32) -> None:
    """Put x · Φ(x) in the place of every x: max(x, 0) less its tail, a polynomial of min(|x|, end)."""
    rows, width = states.shape
    place, value = np.empty(width, dtype=np.float32), np.empty(width, dtype=np.float32)
    for row in range(rows):
        for column in range(width):
            place[column] = min(abs(states[row, column]), end) * (np.float32(2) / end) - np.float32(1)
            value[column] = tail[0]
        for degree in range(1, len(tail)):
            for column in range(width):
                value[column] = value[column] * place[column] + tail[degree]
        for column in range(width):
            states[row, column] = max(states[row, column], np.float32(0)) - value[column]


def _tail_of_gelu(size: float) -> float:
    """Give a · Φ(−a): x · Φ(x) is max(x, 0) less that, at x = a and x = −a."""
    return size * math.erfc(size / math.sqrt(2)) / 2


GELU_END = np.float32(5.5)
"""From here on the tail, 1e-7, is taken to stay as it is."""
GELU_TAIL = cheb2poly(Chebyshev.interpolate(np.vectorize(_tail_of_gelu), 16, [0, GELU_END]).coef)[::-1].astype(
    np.float32
)
"""The tail as a polynomial on [−1, 1], the highest power first; the distance from the tail is below 1e-6."""


def batches_of_one_length(lengths: Integers) -> Iterator[Integers]:
    """Yield the rows of texts with as many tokens as each other, the shortest first; texts without any are left out.

    >>> [rows.tolist() for rows in batches_of_one_length(np.array([2, 1, 0, 2]))]
    [[1], [0, 3]]
    """
    for length in np.unique(lengths[lengths > 0]):
        rows = np.flatnonzero(lengths == length)
        size = max(1, TOKENS_IN_A_BATCH // int(length))
        yield from (rows[start : start + size] for start in range(0, len(rows), size))


def _linear(states: Vectors, by: Pair) -> Vectors:
    found = states @ by.weight.T
    found += by.bias
    return np.asarray(found)


def _checked_config(config: Mapping[str, Any]) -> Config:
    try:
        found = msgspec.convert(config, Config)
    except msgspec.ValidationError as error:
        raise InputError(f"not the configuration of a BERT model ({error})") from None
    if (found.model_type, found.hidden_act, found.position_embedding_type) != ("bert", "gelu", "absolute"):
        what = f"a {found.model_type} model with {found.hidden_act} and {found.position_embedding_type} positions"
        raise InputError(f"{what}; give a BERT model with gelu and absolute ones, such as all-MiniLM-L6-v2")
    if found.hidden_size % found.num_attention_heads:
        raise InputError(f"{found.num_attention_heads} attention heads do not divide a width of {found.hidden_size}")
    return found


def _checked_weight(weights: Mapping[str, npt.NDArray[Any]], name: str, shape: tuple[int, ...]) -> Vectors:
    weight = weights.get(name)
    if not isinstance(weight, np.ndarray) or weight.dtype.kind != "f":
        raise InputError(f"the encoder's weights have no {name!r} of floating-point numbers; give all of its weights")
    if weight.shape != shape:
        raise InputError(f"the encoder's {name!r} has shape {weight.shape} instead of {shape}; give its own weights")
    found = weight.astype(np.float32, copy=False)
    if not np.isfinite(found).all():
        raise InputError(f"the encoder's {name!r} has numbers that are not finite; get or learn it again")
    return found


def _with_bias(name: str, *shape: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]
