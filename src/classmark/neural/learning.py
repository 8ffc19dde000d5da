"""How the network learns: AdamW, a short warm-up and a linear decay, one checkpoint for each epoch.

What is random is drawn from numpy's generator for the order and torch's for dropout; the state of both is in a
checkpoint, so that a run that is taken up again goes on as if it had not been stopped.
"""

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from classmark.errors import InputError
from classmark.neural.network import Network, Rows, Targets, losses
from classmark.neural.rates import part_of_rate
from classmark.text.encoders.examples import Examples, Ragged, batches

STEPS_BETWEEN_CHECKS = 50
"""How often the loss is looked at: to look waits for the device."""
STEPS_TO_MEASURE = 3
TOO_LARGE = "DefaultCPUAllocator"
"""What torch says when the memory of the machine itself is not enough."""


class NotANumberError(ArithmeticError):
    """The loss is not a number any more."""


class Told(NamedTuple):
    """How far learning is."""

    epoch: int
    """The epoch it is in, from 1."""
    steps: int
    """How many steps are done, of all epochs."""
    loss: float | None
    """The mean loss of the epoch before, or of this one once it is done."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How long the network learns, and how fast."""

    epochs: int = 10
    """How often it sees every document."""
    batch_size: int = 64
    """How many documents make a step."""
    learning_rate: float = 2e-4
    """The encoder's rate at its highest."""
    head_rate: float = 5.0
    """How many times faster the heads learn."""
    closed_weight: float = 0.3
    """How much the head *closed* counts in the loss."""
    weight_decay: float = 0.01
    """What AdamW takes away from weights."""
    longest: float = 1.0
    """The length that gradients are cut to."""
    max_tokens: int = 128
    """How many tokens of a text are read."""
    sampled: int | None = None
    """How many rows of a head a step looks at beside the labels of its documents; None for all of them."""


class Learning:
    """A run of learning, epoch by epoch.

    Parameters
    ----------
    network, examples, schedule
        What learns, from what, and how.
    seed : int
        The seed of the order of documents and of dropout.
    device : str
        Where it learns, `cpu` or `cuda`.
    warn : function of a line
        Hears that documents go through fewer at a time, where memory is not enough for a batch.
    """

    def __init__(
        self,
        network: Network,
        examples: Examples,
        schedule: Schedule,
        *,
        seed: int,
        device: str,
        warn: Callable[[str], object] = lambda line: None,
    ) -> None:
        self.network, self.examples, self.schedule, self.device = network.to(device), examples, schedule, device
        self.random = np.random.default_rng(seed)
        self.warn = warn
        self.epoch = self.step = 0
        self.portion = schedule.batch_size
        self.means: list[float] = []
        torch.manual_seed(seed)
        self.rates = [schedule.learning_rate, schedule.learning_rate * schedule.head_rate]
        parameters = [list(network.encoder.parameters()), network.heads()]
        groups = [{"params": some, "lr": rate} for some, rate in zip(parameters, self.rates, strict=True)]
        self.optimiser = torch.optim.AdamW(groups, weight_decay=schedule.weight_decay, fused=device == "cuda")

    @property
    def steps(self) -> int:
        """How many steps all epochs have."""
        return self.schedule.epochs * math.ceil(len(self.examples) / self.schedule.batch_size)

    def run(self, tell: Callable[[Told], object] = lambda told: None) -> Iterator[float]:
        """Learn the epochs that are left, and yield the mean loss after each."""
        while self.epoch < self.schedule.epochs:
            self.means.append(self._run_epoch(tell))
            self.epoch += 1
            yield self.means[-1]

    def _run_epoch(self, tell: Callable[[Told], object]) -> float:
        """See every document once; give the mean loss."""
        self.network.train()
        total = torch.zeros((), device=self.device)
        for number, rows in enumerate(batches(self.examples.tokens.lengths, self.schedule.batch_size, self.random)):
            total += self._learn_from(self.examples.take(rows))
            self.step += 1
            if number % STEPS_BETWEEN_CHECKS == 0:
                self._checked(total)
            tell(Told(self.epoch + 1, self.step, self.means[-1] if self.means else None))
        return self._checked(total) / len(self.examples)

    def _checked(self, total: Tensor) -> float:
        found = float(total)
        if not math.isfinite(found):
            raise NotANumberError(f"the loss is not a number in epoch {self.epoch + 1}")
        return found

    def _learn_from(self, examples: Examples) -> Tensor:
        """Make one step; where memory is not enough, with half as many documents going through at a time."""
        learning_rate = part_of_rate(self.step, self.steps)
        for group, highest in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"] = highest * learning_rate
        while (found := self._accumulated(examples)) is None:
            if self.portion == 1:
                raise MemoryError("one document alone does not fit into the memory of the device")
            self.portion = math.ceil(self.portion / 2)
            self.warn(f"the memory of the device is not enough: {self.portion} documents go through at a time now")
            if self.device == "cuda":
                torch.cuda.empty_cache()
        nn.utils.clip_grad_norm_(self.network.parameters(), self.schedule.longest)
        self.optimiser.step()
        return found

    def _accumulated(self, examples: Examples) -> Tensor | None:
        """Add up the gradients of a batch, a portion of it at a time; nothing where memory is not enough."""
        self.optimiser.zero_grad(set_to_none=True)
        total = torch.zeros((), device=self.device)
        try:
            for start in range(0, len(examples), self.portion):
                part = examples.take(np.arange(start, min(start + self.portion, len(examples))))
                found = self.loss_of(part)
                (found / len(examples)).backward()
                total += found.detach()
        except torch.OutOfMemoryError:
            return None
        except RuntimeError as error:
            if TOO_LARGE not in str(error):
                raise
            return None
        return total

    def loss_of(self, examples: Examples) -> Tensor:
        """Give the sum of the losses of some documents."""
        ids, mask = (self._tensor(array) for array in examples.tokens.padded(self.schedule.max_tokens))
        own, closed = (
            self._sample(labels, len(head))
            for labels, head in ((examples.own, self.network.own), (examples.closed, self.network.closed))
        )
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.device == "cuda"):
            logits = self.network(ids, mask, own, closed)
        targets = Targets(
            self._indicator(examples.own, own, len(self.network.own), in_parts=True),
            self._indicator(examples.closed, closed, len(self.network.closed)),
        )
        found = losses(logits, targets, self.schedule.closed_weight, own, closed)
        return (found * self._tensor(examples.weight)).sum()

    def _sample(self, labels: Ragged, size: int) -> Rows | None:
        """Give the rows of a head that are labels, and some others; None for all of them."""
        labelled = np.unique(labels.values)
        others = size - labelled.size
        if self.schedule.sampled is None or others <= self.schedule.sampled:
            return None
        drawn = np.setdiff1d(np.unique(self.random.integers(0, size, self.schedule.sampled)), labelled)
        rows = np.union1d(labelled, drawn)
        counts = np.where(np.isin(rows, labelled), 1.0, others / max(1, drawn.size)).astype(np.float32)
        return Rows(self._tensor(rows), self._tensor(counts))

    def _indicator(self, labels: Ragged, some: Rows | None, size: int, *, in_parts: bool = False) -> Tensor:
        """Give labels as a matrix of 0 and 1, or of equal parts that sum to 1, over the rows looked at."""
        documents = np.repeat(np.arange(len(labels)), labels.lengths)
        values = 1 / labels.lengths[documents] if in_parts else np.ones(documents.size)
        columns = self._tensor(labels.values.astype(np.int64))
        if some is not None:
            size, columns = len(some.rows), torch.searchsorted(some.rows, columns)
        found = torch.zeros((len(labels), size), device=self.device)
        found[self._tensor(documents), columns] = self._tensor(values.astype(np.float32))
        return found

    def _tensor(self, array: Any) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def measure(self) -> float:
        """Give the seconds that a step takes, by a few on documents of middle length; nothing is learned from them."""
        order = np.argsort(self.examples.tokens.lengths, kind="stable")
        middle = max(0, len(order) // 2 - self.schedule.batch_size // 2)
        some = self.examples.take(order[middle : middle + self.schedule.batch_size])
        self.network.train()
        seconds = []
        with _generators_kept(self.device, self.random):
            for _ in range(STEPS_TO_MEASURE):
                start = time.perf_counter()
                self._accumulated(some)
                if self.device == "cuda":
                    torch.cuda.synchronize()
                seconds.append(time.perf_counter() - start)
        self.optimiser.zero_grad(set_to_none=True)
        return min(seconds)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def mean_loss(self, examples: Examples) -> float:
        """Give the mean loss of documents that were held out."""
        self.network.eval()
        total = sum(float(self.loss_of(examples.take(rows))) for rows in batches(examples.tokens.lengths, self.portion))
        return total / max(1, len(examples))

    def save(self, path: Path, fingerprint: str) -> None:
        """Write all that the next epoch depends on to a file, whole or not at all."""
        tensors = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        for number, state in self.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{number}.{name}": value for name, value in state.items()}
        tensors["dropout"] = torch.get_rng_state()
        if self.device == "cuda":
            tensors["dropout_cuda"] = torch.cuda.get_rng_state()
        done = {
            "fingerprint": fingerprint,
            "epoch": self.epoch,
            "step": self.step,
            "portion": self.portion,
            "means": self.means,
            "order": self.random.bit_generator.state,
        }
        temporary = path.with_name(path.name + ".new")
        whole = {name: value.contiguous() for name, value in tensors.items()}
        try:
            save_file(whole, temporary, {"done": json.dumps(done)})
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)

    def resume(self, path: Path, fingerprint: str) -> None:
        """Go on from a file; ValueError where it is of other documents or settings, or damaged."""
        try:
            with safe_open(path, framework="pt") as file:
                done = json.loads((file.metadata() or {})["done"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, KeyError, ValueError) as error:
            raise InputError(f"{path}: not a checkpoint ({error}); delete it, or do not resume") from None
        if done["fingerprint"] != fingerprint:
            raise InputError(f"{path}: learned from other documents, or by other settings; delete it, or do not resume")
        self.network.load_state_dict(_below("network", tensors))
        state = self.optimiser.state_dict()
        state["state"] = {
            number: _below(f"optimiser.{number}", tensors)
            for number in sorted({int(name.split(".")[1]) for name in tensors if name.startswith("optimiser.")})
        }
        self.optimiser.load_state_dict(state)
        self.epoch, self.step, self.portion, self.means = (done[name] for name in ("epoch", "step", "portion", "means"))
        self.random.bit_generator.state = done["order"]
        torch.set_rng_state(tensors["dropout"])
        if self.device == "cuda" and "dropout_cuda" in tensors:
            torch.cuda.set_rng_state(tensors["dropout_cuda"])


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Give the tensors whose names begin with a word, without it."""
    start = f"{prefix}."
    return {name.removeprefix(start): value for name, value in tensors.items() if name.startswith(start)}


@contextmanager
def _generators_kept(device: str, random: np.random.Generator) -> Iterator[None]:
    """Put the random generators back to where they were."""
    order, dropout = random.bit_generator.state, torch.get_rng_state()
    cuda = torch.cuda.get_rng_state() if device == "cuda" else None
    try:
        yield
    finally:
        random.bit_generator.state = order
        torch.set_rng_state(dropout)
        if cuda is not None:
            torch.cuda.set_rng_state(cuda)
