"""The network: a pretrained encoder, and two heads over the hierarchy.

h, the vector of a text, is the mean of the encoder's last layer over its tokens.

- *own*: s · cos(h, v_c) + b_c for every category c that may be an own label, a softmax; s is learned, and the vectors
  v_c start at the encoder's vectors of the categories' names: without that a category of one document learns next to
  nothing.
- *closed*: u_n · h + a_n for every node n, a sigmoid each, on the labels closed upward.

With t the own labels of a document in equal parts and y its closed labels, its loss is

    − Σ_c t_c log softmax(own)_c + w · Σ_n [ log(1 + exp(closed_n)) − y_n closed_n ],

the first sum 0 for a document that belongs nowhere. Where the heads are too large, a step looks at a *sample* of their
rows: those that are labels of its documents, and m others out of M at random. Each of the others stands for M / m: it
counts so many times in the second sum, and its own logit is raised by log(M / m) in the softmax.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from classmark.neural.rates import FIRST_SCALE
from classmark.text.encoders.torch_encoder import mean_vectors

FIRST_BIAS = -4.0
"""The log-odds of a node at the start: most documents do not belong there."""
SPREAD = 0.02
"""The standard deviation of the vectors of nodes at the start, BERT's own."""


class Rows(NamedTuple):
    """The rows of a head that a step looks at, and for how many each stands."""

    rows: Tensor
    counts: Tensor


class Logits(NamedTuple):
    """What the two heads say of some texts."""

    own: Tensor
    closed: Tensor


class Network(nn.Module):
    """An encoder with the heads *own* and *closed*."""

    def __init__(self, encoder: nn.Module, own: Tensor, n_nodes: int, dropout: float) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.own = nn.Parameter(own.clone())
        self.own_bias = nn.Parameter(torch.zeros(len(own)))
        self.log_scale = nn.Parameter(torch.tensor(math.log(FIRST_SCALE)))
        self.closed = nn.Parameter(SPREAD * torch.randn(n_nodes, own.shape[1]))
        self.closed_bias = nn.Parameter(torch.full((n_nodes,), FIRST_BIAS))

    def heads(self) -> list[nn.Parameter]:
        """Give the parameters of the heads, which learn faster than the encoder."""
        return [self.own, self.own_bias, self.log_scale, self.closed, self.closed_bias]

    def forward(self, ids: Tensor, mask: Tensor, own: Rows | None = None, closed: Rows | None = None) -> Logits:
        """Score texts, given as token numbers and which of these are theirs, by the heads or by some rows of them."""
        vectors = self.dropout(mean_vectors(self.encoder, ids, mask))
        own_vectors, own_bias = _taken(own, self.own, self.own_bias)
        closed_vectors, closed_bias = _taken(closed, self.closed, self.closed_bias)
        cosines = functional.normalize(vectors, dim=-1) @ functional.normalize(own_vectors, dim=-1).T
        return Logits(self.log_scale.exp() * cosines + own_bias, vectors @ closed_vectors.T + closed_bias)


def _taken(some: Rows | None, *parameters: Tensor) -> tuple[Tensor, ...]:
    return parameters if some is None else tuple(one[some.rows] for one in parameters)


class Targets(NamedTuple):
    """What the heads should say: own labels in equal parts, and closed labels, over the rows looked at."""

    own: Tensor
    closed: Tensor


def losses(
    logits: Logits,
    targets: Targets,
    closed_weight: float,
    own: Rows | None = None,
    closed: Rows | None = None,
) -> Tensor:
    """Give the loss of each document."""
    raised = logits.own.float() if own is None else logits.own.float() + own.counts.log()
    chosen = -(targets.own * functional.log_softmax(raised, dim=-1)).sum(-1)
    told = functional.binary_cross_entropy_with_logits(logits.closed.float(), targets.closed, reduction="none")
    return chosen + closed_weight * (told if closed is None else told * closed.counts).sum(-1)
