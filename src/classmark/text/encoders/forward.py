"""From token numbers to vectors, by numpy or by torch: whatever an encoder needs, and is there."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.errors import needing
from classmark.text.encoders.bert import Bert, Vectors
from classmark.text.encoders.examples import Ragged

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
