"""How the network learns: AdamW, a short warm-up and a linear decay, one checkpoint for each epoch.

What is random is drawn from numpy's generator for the order and torch's for dropout; the state of both is in a
checkpoint, so that a run that is taken up again goes on as if it had not been stopped.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from classmark.neural.examples import Examples, Ragged, batches
from classmark.neural.network import Logits, Network, loss


class NotANumberError(ArithmeticError):
    """The loss is not a number any more."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How long the network learns, and how fast."""

    epochs: int = 10
    """How often it sees every document."""
    batch_size: int = 64
    """How many documents make a step."""
    rate: float = 2e-4
    """The encoder's rate at its highest."""
    head_rate: float = 5.0
    """How many times faster the heads learn."""
    closed_weight: float = 0.3
    """How much the head *closed* counts in the loss."""
    warm_up: float = 0.06
    """The part of all steps in which the rates rise."""
    weight_decay: float = 0.01
    """What AdamW takes away from weights."""
    longest: float = 1.0
    """The length that gradients are cut to."""
    max_tokens: int = 128
    """How many tokens of a text are read."""

    def rate_at(self, step: int, steps: int) -> float:
        """Give the part of the highest rate at a step: up in a line, and down in a line.

        >>> [round(Schedule(warm_up=0.2).rate_at(step, 10), 2) for step in (0, 1, 2, 6, 9)]
        [0.5, 1.0, 1.0, 0.5, 0.12]
        """
        rising = max(1, round(self.warm_up * steps))
        return min((step + 1) / rising, max(0.0, (steps - step) / max(1, steps - rising)))


class Learning:
    """A run of learning, epoch by epoch."""

    def __init__(self, network: Network, examples: Examples, schedule: Schedule, *, seed: int, device: str) -> None:
        self.network, self.examples, self.schedule, self.device = network.to(device), examples, schedule, device
        self.random = np.random.default_rng(seed)
        self.epoch = 0
        torch.manual_seed(seed)
        groups = [
            {"params": list(network.encoder.parameters()), "lr": schedule.rate},
            {"params": network.heads(), "lr": schedule.rate * schedule.head_rate},
        ]
        self.optimiser = torch.optim.AdamW(groups, weight_decay=schedule.weight_decay)
        self.steps_of_epoch = math.ceil(len(examples) / schedule.batch_size)
        steps = schedule.epochs * self.steps_of_epoch
        self.rates = torch.optim.lr_scheduler.LambdaLR(self.optimiser, lambda step: schedule.rate_at(step, steps))

    def run(self, tell: Callable[[int, float], object] = lambda epoch, mean: None) -> None:
        """Learn the epochs that are left, saying the mean loss after each."""
        while self.epoch < self.schedule.epochs:
            mean = self.run_epoch()
            self.epoch += 1
            tell(self.epoch, mean)

    def run_epoch(self) -> float:
        """See every document once; give the mean loss."""
        self.network.train()
        total = 0.0
        for rows in batches(self.examples.tokens.lengths, self.schedule.batch_size, self.random):
            total += self._step(self.examples.take(rows))
        return total / len(self.examples)

    def _step(self, examples: Examples) -> float:
        schedule, network = self.schedule, self.network
        ids, mask = self._tensors(*examples.tokens.padded(schedule.max_tokens))
        own, closed, weight = self._tensors(
            examples.own.indicator(len(network.own), in_parts=True),
            examples.closed.indicator(len(network.closed)),
            examples.weight,
        )
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.device == "cuda"):
            logits = network(ids, mask)
        losses = loss(logits, own, closed, schedule.closed_weight) * weight
        mean = losses.mean()
        if not torch.isfinite(mean):
            raise NotANumberError(f"the loss is no number in epoch {self.epoch + 1}; lower the rate")
        self.optimiser.zero_grad(set_to_none=True)
        mean.backward()
        nn.utils.clip_grad_norm_(network.parameters(), schedule.longest)
        self.optimiser.step()
        self.rates.step()
        return float(losses.detach().sum())

    def _tensors(self, *arrays: Any) -> list[torch.Tensor]:
        return [torch.from_numpy(np.ascontiguousarray(array)).to(self.device) for array in arrays]

    def checkpoint(self) -> dict[str, Any]:
        """Give all that the next epoch depends on."""
        cuda = torch.cuda.get_rng_state() if self.device == "cuda" else None
        return {
            "epoch": self.epoch,
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "rates": self.rates.state_dict(),
            "order": self.random.bit_generator.state,
            "dropout": torch.get_rng_state(),
            "dropout_cuda": cuda,
        }

    def resume(self, checkpoint: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.epoch = checkpoint["epoch"]
        self.network.load_state_dict(checkpoint["network"])
        self.optimiser.load_state_dict(checkpoint["optimiser"])
        self.rates.load_state_dict(checkpoint["rates"])
        self.random.bit_generator.state = checkpoint["order"]
        torch.set_rng_state(checkpoint["dropout"])
        if checkpoint["dropout_cuda"] is not None:
            torch.cuda.set_rng_state(checkpoint["dropout_cuda"])


@torch.no_grad()  # type: ignore[untyped-decorator]
def answers(network: Network, tokens: Ragged, *, max_tokens: int, device: str, size: int = 256) -> Iterator[Any]:
    """Yield the rows of texts, some at a time, and what the heads say of them."""
    network.to(device).eval()
    for rows in batches(tokens.lengths, size):
        ids, mask = (torch.from_numpy(array).to(device) for array in tokens.take(rows).padded(max_tokens))
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            found: Logits = network(ids, mask)
        yield rows, found.own.float().cpu().numpy(), found.closed.float().cpu().numpy()
