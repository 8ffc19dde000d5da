"""What reads texts, held to the contract of classifiers: there documents are counts of words, so it gets the words."""

import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from scipy.sparse import csr_array, issparse

from classmark.checks import choice, integer, real
from classmark.neural import fine_tuned
from tests.neural.tiny import write_model

COUNTED = [f"word{number}" for number in range(64)]
TORCH = all(find_spec(name) is not None for name in ("torch", "transformers", "tokenizers"))


@cache
def _encoder() -> str:
    import torch

    torch.set_num_threads(1)
    return write_model(Path(tempfile.mkdtemp()), ["[UNK]", *COUNTED])


class FineTunedClassifier(fine_tuned.FineTunedClassifier):
    """The same with a tiny encoder, on rows of counts."""

    epochs: Annotated[int, integer(ge=1), "As there."] = 10
    batch_size: Annotated[int, integer(ge=1), "As there."] = 64
    learning_rate: Annotated[float, real(gt=0), "As there."] = 0.03
    device: Annotated[str, choice(["cpu"]), "As there."] = "cpu"

    def tokeniser(self) -> Any:
        self.encoder = _encoder()
        return super().tokeniser()

    def _validated(self, X: Any, reset: bool = False) -> csr_array:
        return super()._validated(X if _has_texts(X) else _texts(X), reset)


def _has_texts(X: Any) -> bool:
    return isinstance(X, list) and bool(X) and isinstance(X[0], str)


def _texts(X: Any) -> Any:
    """Give the words of counts; an empty matrix has no texts."""
    rows = csr_array(X) if issparse(X) else csr_array(np.atleast_2d(np.asarray(X, dtype=float)))
    texts = [
        " ".join(COUNTED[column] for column in np.repeat(row.indices, np.maximum(1, row.data.round()).astype(int)))
        for row in (rows[[place]] for place in range(rows.shape[0]))
    ]
    return np.array(texts, dtype=object)
