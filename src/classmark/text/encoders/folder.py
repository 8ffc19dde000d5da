"""The folder of an encoder as transformers and sentence-transformers write it: settings, tokenizer and weights.

`forward_of` computes vectors from token numbers, by numpy or by torch. A sentence embedding is the mean of the
encoder's last layer over the tokens of a text, brought to length 1. BERT needs numpy alone; the other kinds of encoders
need torch and transformers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, deserialize
from scipy.sparse import csr_array

from classmark.errors import InputError, needing
from classmark.text.encoders.bert import Bert, Vectors
from classmark.text.encoders.examples import Ragged
from classmark.text.encoders.tokens import Tokeniser

Weights: TypeAlias = dict[str, npt.NDArray[np.float32]]

FILES = ("config.json", "tokenizer.json", "model.safetensors")
PREFIXES = {
    "bert": "bert.",
    "distilbert": "distilbert.",
    "roberta": "roberta.",
    "xlm-roberta": "roberta.",
    "mpnet": "mpnet.",
}
"""The kinds of encoders, and what the names of an encoder's weights begin with in a model that has more than it."""
FIRST_POSITION = {"roberta": 2, "xlm-roberta": 2, "mpnet": 2}
"""Where the positions of tokens begin; 0 in the other kinds."""
PARTS = ("embeddings.", "encoder.", "transformer.")
"""What the names of an encoder's own weights begin with."""
OLD_NAMES = {".gamma": ".weight", ".beta": ".bias"}
"""What the first BERT models called the weights of their normalisations."""


class ModelFolder:
    """A folder with `config.json`, `tokenizer.json` and `model.safetensors`.

    Attributes
    ----------
    config : dict
        What `config.json` has.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if missing := [name for name in FILES if not (self.path / name).is_file()]:
            raise InputError(f"{path}: no {missing[0]} there; give the folder of a BERT model, {', '.join(FILES)}")
        self.config = _read_config(self.path / "config.json")

    @property
    def kind(self) -> str:
        """The kind of encoder, as its settings name it."""
        return str(self.config["model_type"])

    @property
    def longest(self) -> int:
        """The most tokens that the encoder can read."""
        return int(self.config["max_position_embeddings"]) - FIRST_POSITION.get(self.kind, 0)

    def tokeniser(self, max_tokens: int) -> Tokeniser:
        """Give the encoder's tokeniser, of at most as many tokens as the encoder can read."""
        path = self.path / "tokenizer.json"
        with naming(path):
            found = Tokeniser(path.read_text(encoding="utf-8"), min(max_tokens, self.longest))
            _ = found.vocabulary_size
        return found

    def weights(self) -> Weights:
        """Give the encoder's own weights by their names, as float32."""
        path = self.path / "model.safetensors"
        try:
            arrays = deserialize(path.read_bytes())  # type: ignore[no-untyped-call]
        except SafetensorError as error:
            raise InputError(f"{path}: damaged, or no file of weights ({error}); copy it again") from None
        found = {self._name(name): array for name, array in arrays}
        return {
            name: _floats(array)
            for name, array in found.items()
            if name.startswith(PARTS) and array["dtype"] in ("F64", "F32", "F16", "BF16")
        }

    def _name(self, name: str) -> str:
        name = name.removeprefix(PREFIXES[self.kind])
        for old, new in OLD_NAMES.items():
            if name.endswith(old):
                name = name.removesuffix(old) + new
        return name


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Say of which file, or folder, a line is."""
    try:
        yield
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not the configuration of a BERT model ({error})") from None
    kind = str(config.get("model_type"))
    if kind not in PREFIXES:
        raise InputError(f"{path}: a {kind} model; give one of {', '.join(PREFIXES)}")
    longest = config.get("max_position_embeddings")
    if type(longest) is not int or longest <= FIRST_POSITION.get(kind, 0):
        raise InputError(f"{path}: max_position_embeddings is {longest!r}, which leaves no tokens to read")
    return config


def _floats(array: dict[str, Any]) -> npt.NDArray[np.float32]:
    """Give numbers as float32; a bfloat16, which numpy does not know, is the first half of one."""
    if array["dtype"] == "BF16":
        halves = np.frombuffer(array["data"], dtype="<u2").astype(np.uint32)
        found = (halves << 16).view(np.float32)
    else:
        found = np.frombuffer(array["data"], dtype=f"<f{int(array['dtype'][1:]) // 8}").astype(np.float32)
    return found.reshape(array["shape"])


Forward: TypeAlias = Callable[[csr_array], Vectors]


def forward_of(
    config: Mapping[str, Any], weights: Mapping[str, npt.NDArray[Any]], *, device: str | None = None
) -> Forward:
    """Give what makes vectors of the rows of a `Tokeniser`: the mean of the last layer over the tokens of each text.

    Parameters
    ----------
    config, weights : mapping
        What the encoder is, as `ModelFolder` gives it.
    device : str, optional
        Where torch answers, if it is installed: `auto`, `cpu` or `cuda`. Without one BERT answers by numpy.
    """
    kind = config.get("model_type")
    if kind == "bert" and (device is None or find_spec("torch") is None or find_spec("transformers") is None):
        return Bert(config, weights).mean_states
    with needing(f"an encoder of the kind {kind} needs torch and transformers", "torch"):
        from classmark.text.encoders import torch_encoder
    encoder, chosen = torch_encoder.make_encoder(config, weights), torch_encoder.choose_device(device or "cpu")

    def mean_states(tokens: csr_array) -> Vectors:
        numbers = Ragged(tokens.indptr, tokens.data.astype(np.int64) - 1)
        return np.asarray(torch_encoder.mean_states(encoder, numbers, tokens.shape[1], chosen))

    return mean_states


class SentenceEncoder:
    """A sentence encoder: a list of texts → an array of unit vectors, a row each.

    Parameters
    ----------
    folder : path
        Holds `config.json`, `tokenizer.json` and `model.safetensors`.
    max_tokens : int
        The rest of a longer text is not read. MiniLM was trained on 128.
    """

    def __init__(self, folder: str | Path, max_tokens: int = 128) -> None:
        model = ModelFolder(folder)
        self._tokeniser: Tokeniser = model.tokeniser(max_tokens)
        with naming(model.path):
            self._mean_states = forward_of(model.config, model.weights())

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Encode texts; an empty one gets the embedding of its marks of begin and end, zeros if it has none."""
        mean = self._mean_states(self._tokeniser.transform(texts))
        lengths = np.linalg.norm(mean, axis=1, keepdims=True)
        return np.asarray(np.divide(mean, lengths, out=mean, where=lengths > 0))
