"""A whole run: an encoder and documents in, an encoder and two heads out; with checkpoints, and Ctrl-C at any time."""

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from classmark.errors import InputError
from classmark.neural.learning import Learning, Schedule, Told
from classmark.neural.network import Network
from classmark.text.encoders.examples import Examples, Ragged
from classmark.text.encoders.torch_encoder import encoder_weights, make_encoder, mean_states

Arrays = dict[str, npt.NDArray[Any]]
Vectors = npt.NDArray[np.float32]
Line = Callable[[str], object]

ROWS_SAMPLED = 1 << 14
"""How many rows of a head a step looks at where all of them would be too many."""
BYTES_OF_A_WEIGHT = 16
"""While it is learned: itself, its gradient and AdamW's two moments."""
BYTES_OF_A_LOGIT = 32
"""While it is learned: itself in two widths, its target, its chance and their gradients."""
LOGITS_SHARE = 0.25
"""The part of the memory that logits may take."""
UNSEEN_BIAS = 2.0
"""What a category without documents has above the others: theirs come nearer to their vectors while they learn."""
HALF_HOUR = 1800.0


class HeadArrays(NamedTuple):
    """What was learned of the two heads (`network`)."""

    own: npt.NDArray[np.float32]
    own_bias: npt.NDArray[np.float32]
    scale: float
    closed: npt.NDArray[np.float32]
    closed_bias: npt.NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Run:
    """What is learned from, and how."""

    config: dict[str, Any]
    """What the encoder is, as its `config.json` says."""
    weights: Arrays
    """The weights that it starts from, by their names."""
    names: Ragged | None
    """The tokens of the names of the categories that may be own labels, whose vectors the head *own* starts at."""
    seen: npt.NDArray[np.bool_]
    """Which of these have training documents; the others keep the vectors of their names."""
    n_nodes: int
    """How many nodes the hierarchy has."""
    examples: Examples
    """The documents, own labels counted among the categories that have documents."""
    held_out: Examples | None = None
    """Documents whose loss says when to stop."""
    n_iter_no_change: int = 2
    """After how many epochs without gain on these learning stops."""
    heads: HeadArrays | None = None
    """The heads to go on from, where there are some."""
    schedule: Schedule = field(default_factory=Schedule)
    """How long it learns, and how fast."""
    dropout: float = 0.1
    """The part of a text's vector that is left out at random in each step."""
    seed: int = 0
    """The seed of everything random."""
    device: str = "cpu"
    """Where it learns."""
    checkpoint: Path | None = None
    """Where each epoch is kept."""
    resume: bool = False
    """Whether to go on from there."""
    free: float = math.inf
    """How many bytes of the machine's memory are free."""

    def fingerprint(self) -> str:
        """Give a word that another run has only where it would learn the same."""
        digest = hashlib.blake2b(digest_size=16)
        plain = [self.config, asdict(self.schedule), self.dropout, self.seed, self.n_nodes, self.seen.tolist()]
        digest.update(json.dumps(plain, sort_keys=True).encode())
        for rows in (self.examples.tokens, self.examples.own, self.examples.closed):
            digest.update(np.ascontiguousarray(rows.starts, dtype=np.int64).tobytes())
            digest.update(np.ascontiguousarray(rows.values, dtype=np.int64).tobytes())
        digest.update(np.ascontiguousarray(self.examples.weight).tobytes())
        return digest.hexdigest()


class Learned(NamedTuple):
    """What a run gives."""

    weights: Arrays
    """The encoder's weights."""
    heads: HeadArrays
    """The heads."""
    means: list[float]
    """The mean loss of each epoch."""
    held_out: list[float]
    """The mean loss of the documents held out after each epoch, where there are some."""
    interrupted: bool
    """Whether Ctrl-C ended it."""


class Said(NamedTuple):
    """Who hears what."""

    tell: Callable[[Told, int], object] = lambda told, steps: None
    """How far learning is, and how many steps there are."""
    warn: Line = lambda line: None
    """What a user should know."""
    note: Line = lambda line: None
    """What is good to know."""


def fine_tune(run: Run, said: Said | None = None) -> Learned:
    """Learn, and give the weights after the last epoch, or after the best one where documents are held out."""
    with _repeatably(run.device):
        return _fine_tune(run, said or Said())


@contextmanager
def _repeatably(device: str) -> Iterator[None]:
    """Let the same seed give the same numbers, as far as torch can, and leave its generators as they were."""
    # cuBLAS sums in the same order every time only where it has memory of its own; it looks for this when it starts.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    before = torch.are_deterministic_algorithms_enabled()
    devices = [torch.cuda.current_device()] if device == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        torch.use_deterministic_algorithms(True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before)


def _fine_tune(run: Run, said: Said) -> Learned:
    run = replace(run, schedule=replace(run.schedule, sampled=_sampled(run, said)))
    torch.manual_seed(run.seed)
    encoder = make_encoder(run.config, run.weights)
    vectors = None if run.names is None else mean_states(encoder, run.names, run.schedule.max_tokens, run.device)
    network = _start(run, encoder, vectors)
    learning = Learning(network, run.examples, run.schedule, seed=run.seed, device=run.device, warn=said.warn)
    fingerprint = run.fingerprint() if run.checkpoint else ""
    if run.checkpoint and run.resume:
        learning.resume(run.checkpoint, fingerprint)
        said.note(f"{run.checkpoint}: going on after epoch {learning.epoch} of {run.schedule.epochs}")
    _say_time(learning, said)
    kept, held_out, interrupted = _state(network) if learning.epoch else None, list[float](), False
    try:
        for _ in learning.run(lambda told: said.tell(told, learning.steps)):
            if run.held_out is not None:
                held_out.append(learning.mean_loss(run.held_out))
            if not held_out or held_out[-1] == min(held_out):
                kept = _state(network)
            # Whoever stops it from here on finds the epoch in the model as well as in the file.
            if run.checkpoint:
                learning.save(run.checkpoint, fingerprint)
            if held_out and len(held_out) - 1 - int(np.argmin(held_out)) >= run.n_iter_no_change:
                break
    except KeyboardInterrupt:
        if kept is None:
            raise
        interrupted = True
    assert kept is not None
    network.load_state_dict(kept)
    heads = _heads(network, run.seen, vectors)
    return Learned(encoder_weights(network.encoder), heads, learning.means, held_out, interrupted)


def _start(run: Run, encoder: Any, vectors: Vectors | None) -> Network:
    """Give the network before the first step: categories begin at the vectors of their names."""
    if vectors is None:
        own = torch.randn(int(run.seen.sum()), int(encoder.config.hidden_size))
    else:
        own = torch.from_numpy(vectors[run.seen])
    network = Network(encoder, own, run.n_nodes, run.dropout)
    if run.heads is not None:
        with torch.no_grad():
            network.log_scale.fill_(math.log(run.heads.scale))
            for name in ("own", "own_bias", "closed", "closed_bias"):
                rows = run.seen if name.startswith("own") else slice(None)
                getattr(network, name).copy_(torch.from_numpy(getattr(run.heads, name)[rows]))
    return network


def _heads(network: Network, seen: npt.NDArray[np.bool_], vectors: Vectors | None) -> HeadArrays:
    """Give what was learned of the heads; a category without documents has the vector of its name."""
    arrays = {
        name: getattr(network, name).detach().float().cpu().numpy()
        for name in ("own", "own_bias", "closed", "closed_bias")
    }
    own = np.zeros((seen.size, network.own.shape[1]), dtype=np.float32)
    bias = np.full(seen.size, arrays["own_bias"].mean() + UNSEEN_BIAS, dtype=np.float32)
    if vectors is not None:
        own[~seen] = vectors[~seen]
    own[seen], bias[seen] = arrays["own"], arrays["own_bias"]
    scale = math.exp(float(network.log_scale.detach()))
    return HeadArrays(own, bias, scale, arrays["closed"], arrays["closed_bias"])


def _state(network: Network) -> dict[str, torch.Tensor]:
    return {name: value.detach().cpu().clone() for name, value in network.state_dict().items()}


def _sampled(run: Run, said: Said) -> int | None:
    """Give how many rows of a head a step looks at, and say what the heads cost where that is much."""
    rows = int(run.seen.sum()) + run.n_nodes
    width = int(run.config.get("hidden_size") or run.config["dim"])
    weights, logits = BYTES_OF_A_WEIGHT * rows * width, BYTES_OF_A_LOGIT * rows * run.schedule.batch_size
    free = float(torch.cuda.mem_get_info()[0]) if run.device == "cuda" else run.free
    if weights > free:
        raise InputError(
            f"the heads of {rows:,} categories and nodes take {weights / 2**30:,.1f} GiB while they are learned, and"
            f" {free / 2**30:,.1f} GiB are free; knn-bm25 and knn-bm25-hier learn any number of categories"
        )
    if weights + logits > 2**30:
        said.note(
            f"the heads of {rows:,} categories and nodes take {weights / 2**30:,.1f} GiB, and their logits"
            f" {logits / 2**30:,.1f} GiB"
        )
    if run.schedule.sampled is None and logits > LOGITS_SHARE * (free - weights):
        said.note(f"each step looks at {ROWS_SAMPLED:,} of {rows:,} rows of the heads beside its labels")
        return ROWS_SAMPLED
    return run.schedule.sampled


def _say_time(learning: Learning, said: Said) -> None:
    """Measure a few steps, and say how long all of them take."""
    left = learning.steps - learning.step
    seconds = learning.measure() * left
    where = "GPU" if learning.device == "cuda" else "CPU"
    line = f"learning takes about {_worded(seconds)} on this {where} ({left:,} steps)"
    if seconds < HALF_HOUR:
        said.note(line)
        return
    less = "fewer epochs (epochs) and shorter texts (max_tokens) take less, frozen-encoder takes minutes"
    said.warn(f"{line}; {less}" + (", a GPU takes about a hundredth" if where == "CPU" else ""))


def _worded(seconds: float) -> str:
    """Give a time in words.

    >>> _worded(30), _worded(600), _worded(10800)
    ('30 s', '10 min', '3.0 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
