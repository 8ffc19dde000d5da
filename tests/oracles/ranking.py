"""Ranking measures and calibration with sorted lists and loops."""

from math import log, log2
from statistics import fmean

Table = list[list[float]]
Truths = list[list[bool]]


def ranked(truths: list[bool], scores: list[float]) -> list[bool]:
    """Whether each node is true, best score first, equals in node order (sorted is stable)."""
    return [truths[node] for node in sorted(range(len(scores)), key=lambda node: -scores[node])]


def precision(truths: Truths, scores: Table, k: int) -> float:
    return fmean(sum(ranked(t, s)[:k]) / min(k, len(s)) for t, s in zip(truths, scores, strict=True))


def recall(truths: Truths, scores: Table, k: int) -> float:
    shares = [sum(ranked(t, s)[:k]) / sum(t) for t, s in zip(truths, scores, strict=True) if any(t)]
    return fmean(shares) if shares else 0.0


def gain(hits: list[bool]) -> float:
    return sum(1 / log2(rank + 1) for rank, hit in enumerate(hits, 1) if hit)


def ndcg(truths: Truths, scores: Table, k: int) -> float:
    pairs = [(t, s) for t, s in zip(truths, scores, strict=True) if any(t)]
    shares = [gain(ranked(t, s)[:k]) / gain(sorted(t, reverse=True)[:k]) for t, s in pairs]
    return fmean(shares) if shares else 0.0


def log_loss(truths: Truths, table: Table, clip: float) -> float:
    pairs = [pair for t, row in zip(truths, table, strict=True) for pair in zip(t, row, strict=True)]
    clipped = [(y, min(max(p, clip), 1 - clip)) for y, p in pairs]
    return fmean(-log(p if y else 1 - p) for y, p in clipped)


def mass_bins(given: list[float], n_bins: int) -> list[int]:
    """The bin of a prediction says how many n_bins-ths of all predictions are smaller than it."""
    return [n_bins * sum(other < p for other in given) // len(given) for p in given]


def calibration_error(truths: list[bool], given: list[float], edges: list[float]) -> float:
    """A probability belongs to the first bin whose upper edge it does not exceed."""
    bins: dict[int, list[int]] = {}
    for number, p in enumerate(given):
        place = next((b for b, upper in enumerate(edges[1:]) if p <= upper), len(edges) - 2)
        bins.setdefault(place, []).append(number)
    gaps = [
        (len(inside), fmean(truths[i] for i in inside) - fmean(given[i] for i in inside)) for inside in bins.values()
    ]
    return sum(size * abs(gap) for size, gap in gaps) / len(given)
