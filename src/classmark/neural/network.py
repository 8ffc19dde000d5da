"""The network: a pretrained encoder, and two heads over the hierarchy.

h, the vector of a text, is the mean of the encoder's last layer over its tokens.

- *own*: s · cos(h, v_c) + b_c for every category c that may be an own label, a softmax; s is learned, and the vectors
  v_c start at the encoder's vectors of the categories' names: without that a category of one document learns next to
  nothing.
- *closed*: u_n · h + a_n for every node n, a sigmoid each, on the labels closed upward.

With t the own labels of a document in equal parts and y its closed labels, its loss is

    − Σ_c t_c log softmax(own)_c + w · Σ_n [ log(1 + exp(closed_n)) − y_n closed_n ],

the first sum 0 for a document that belongs nowhere.
"""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

FIRST_SCALE = 20.0
"""What cosines are multiplied by at the start."""
FIRST_BIAS = -4.0
"""The log-odds of a node at the start: most documents do not belong there."""
SPREAD = 0.02
"""The standard deviation of the vectors of nodes at the start, BERT's own."""


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

    def forward(self, ids: Tensor, mask: Tensor) -> Logits:
        """Score texts, given as token numbers and which of these are theirs."""
        vectors = self.dropout(mean_vectors(self.encoder, ids, mask))
        cosines = functional.normalize(vectors, dim=-1) @ functional.normalize(self.own, dim=-1).T
        return Logits(self.log_scale.exp() * cosines + self.own_bias, vectors @ self.closed.T + self.closed_bias)


def mean_vectors(encoder: Any, ids: Tensor, mask: Tensor) -> Tensor:
    """Give the mean of the last layer over the tokens of each text."""
    states = encoder(input_ids=ids, attention_mask=mask.long()).last_hidden_state
    weight = mask.unsqueeze(-1).to(states.dtype)
    return (states * weight).sum(1) / weight.sum(1).clamp(min=1)


def loss(logits: Logits, own: Tensor, closed: Tensor, closed_weight: float) -> Tensor:
    """Give the loss of each document."""
    chosen = -(own * functional.log_softmax(logits.own.float(), dim=-1)).sum(-1)
    told = functional.binary_cross_entropy_with_logits(logits.closed.float(), closed, reduction="none").sum(-1)
    return chosen + closed_weight * told
