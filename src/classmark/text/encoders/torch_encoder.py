"""A pretrained encoder as a torch module, and back: its settings and its weights are all that is read."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import transformers
from torch import Tensor
from transformers.utils import logging

from classmark.errors import InputError
from classmark.text.encoders.examples import Integers, Ragged, batches

KINDS = {
    "bert": "Bert",
    "distilbert": "DistilBert",
    "roberta": "Roberta",
    "xlm-roberta": "XLMRoberta",
    "mpnet": "MPNet",
}
"""What transformers calls the classes of each kind of encoder."""
NOT_PASSED = ("_", "auto_map", "attn_implementation", "dtype", "torch_dtype", "quantization_config", "return_dict")
"""What settings begin with that say how and where from to load, and not what the encoder is."""
NOT_KEPT = "pooler."
"""What the names of weights begin with that the mean of the last layer does not need."""
TEXTS_AT_A_TIME = {"cpu": 32, "cuda": 512}
"""How many texts go through at a time on each device: a GPU waits for its next batch longer than it works on one."""
SILENT = 50
"""The level of what is worth telling; nothing that is no exception reaches it."""


def make_encoder(config: Mapping[str, Any], weights: Mapping[str, npt.NDArray[Any]]) -> Any:
    """Give the encoder of settings as `config.json` has them, with weights by their names in `model.safetensors`.

    What random numbers come next does not depend on it.
    """
    if str(config.get("model_type")) not in KINDS:
        raise InputError(f"a {config.get('model_type')} model; give one of {', '.join(KINDS)}")
    with _silence(), _refusing():
        passed = {name: value for name, value in config.items() if not name.startswith((*NOT_PASSED, "model_type"))}
        settings = getattr(transformers, f"{KINDS[config['model_type']]}Config")(**passed)
        # Before memory is taken, or time, for sizes that the weights do not have.
        if settings.num_hidden_layers > len(weights):
            raise InputError(f"{settings.num_hidden_layers} layers, but {len(weights)} weights in all")
        with torch.device("meta"):
            shapes = {name: tuple(value.shape) for name, value in _kept(_empty(config, settings))}
        found = {name: _checked(name, weights.get(name), shape) for name, shape in shapes.items()}
        with torch.random.fork_rng(devices=[]):
            encoder = _empty(config, settings)
        encoder.load_state_dict(found, strict=False)
    return encoder.eval()


def encoder_weights(encoder: Any) -> dict[str, npt.NDArray[np.float32]]:
    """Give the weights of an encoder by their names in `model.safetensors`."""
    return {name: value.detach().float().cpu().numpy().copy() for name, value in _kept(encoder)}


def mean_vectors(encoder: Any, ids: Tensor, mask: Tensor) -> Tensor:
    """Give the mean of the last layer over the tokens of each text, zeros for a text without any."""
    states = encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state
    weight = mask.unsqueeze(-1).to(states.dtype)
    found: Tensor = (states * weight).sum(1) / weight.sum(1).clamp(min=1)
    return found


def mean_states(encoder: Any, tokens: Ragged, max_tokens: int, device: str) -> npt.NDArray[np.float32]:
    """Give the mean of the last layer over the tokens of each text: `(n_texts, width)`, zeros for one without any."""
    most = int(tokens.values.max(initial=-1))
    if most >= encoder.config.vocab_size or tokens.values.min(initial=0) < 0:
        raise InputError(f"token number {most}, but the encoder knows {encoder.config.vocab_size} tokens")
    encoder.to(device).eval()
    found = np.zeros((len(tokens), encoder.config.hidden_size), dtype=np.float32)
    for rows in _rows_with_tokens(tokens, TEXTS_AT_A_TIME[device]):
        ids, mask = (torch.from_numpy(array).to(device) for array in tokens.take(rows).padded(max_tokens))
        with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            vectors = mean_vectors(encoder, ids, mask)
        found[rows] = vectors.float().cpu().numpy()
    return found


def _empty(config: Mapping[str, Any], settings: Any) -> Any:
    model = getattr(transformers, f"{KINDS[config['model_type']]}Model")
    return model(settings) if config["model_type"] == "distilbert" else model(settings, add_pooling_layer=False)


def _kept(encoder: Any) -> list[tuple[str, Tensor]]:
    return [(name, value) for name, value in encoder.state_dict().items() if not name.startswith(NOT_KEPT)]


def _checked(name: str, weight: npt.NDArray[Any] | None, shape: tuple[int, ...]) -> Tensor:
    if weight is None:
        raise InputError(f"the encoder's weights have no {name!r}")
    if weight.shape != shape:
        raise InputError(f"the encoder's {name!r} has shape {weight.shape} instead of {shape}")
    return torch.from_numpy(np.array(weight, dtype=np.float32))


def _rows_with_tokens(tokens: Ragged, size: int) -> Iterator[Integers]:
    there = np.flatnonzero(tokens.lengths)
    yield from (there[rows] for rows in batches(tokens.lengths[there], size))


@contextmanager
def _refusing() -> Iterator[None]:
    """Say in a line what is wrong with settings: transformers raises what comes, of several lines."""
    try:
        yield
    except ValueError:
        raise
    except Exception as error:  # noqa: BLE001
        reason = " ".join(str(error).split())
        raise InputError(f"transformers makes no encoder of these settings ({reason})") from None


@contextmanager
def _silence() -> Iterator[None]:
    """Keep to ourselves what transformers says."""
    before = logging.get_verbosity()
    logging.set_verbosity(SILENT)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(before)


def choose_device(asked: str) -> str:
    """Return the device to use: the GPU if there is one and the CPU is not requested.

    >>> choose_device("cpu")
    'cpu'
    """
    has_gpu = torch.cuda.is_available()
    if asked == "cuda" and not has_gpu:
        raise InputError("setting device=cuda: torch finds no GPU here; set device=auto or device=cpu")
    return "cuda" if has_gpu and asked != "cpu" else "cpu"
