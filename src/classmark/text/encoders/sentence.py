"""Sentence embeddings by a model in the files that sentence-transformers writes.

An embedding is the mean of the encoder's last layer over the tokens of a text, brought to length 1. BERT needs numpy
alone; the other kinds of encoders need torch and transformers.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from classmark.text.encoders.bert import Vectors
from classmark.text.encoders.folder import ModelFolder, naming
from classmark.text.encoders.forward import forward_of
from classmark.text.encoders.tokens import Tokeniser


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
